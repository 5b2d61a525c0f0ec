package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	// Workers are started from the binary at hand, here that of the test.
	if len(os.Args) > 1 && os.Args[1] == "worker" {
		os.Exit(Main())
	}
	testscript.Main(m, map[string]func(){"versus": func() { os.Exit(Main()) }})
}

// TestScripts runs the command lines in testdata/script, each with the files
// beneath it and the output that it must print; $SCENARIOS is the folder of the
// shipped scenarios. With VERSUS_UPDATE_SCRIPTS=1 in
// the environment, the test writes what is printed now into them.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("VERSUS_UPDATE_SCRIPTS") != "",
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
		Setup: func(env *testscript.Env) error {
			env.Setenv("NO_COLOR", "1")
			scenarios, err := filepath.Abs(filepath.Join("..", "..", "scenarios"))
			env.Setenv("SCENARIOS", scenarios)
			return err
		},
	})
}

// exits CODE PROGRAM ARG... runs a program that must end with this exit status.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}
