package daemon_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"versus/drivers/daemon"
)

func TestStart(t *testing.T) {
	d, err := daemon.Start(t.Context(), "ready", "/bin/sh", "-c", "echo is ready; exec sleep 1000")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Stop(); err != nil {
		t.Error(err)
	}
	if err := syscall.Kill(d.PID, 0); err != syscall.ESRCH {
		t.Errorf("the program lives on: %v", err)
	}
}

func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name, program string
		args          []string
		want          string
	}{
		{"missing", "/no/such/program", nil, "does not start"},
		{"ends at once", "/bin/sh", []string{"-c", "echo port taken >&2; exit 3"}, "ended at once (exit status 3): port taken"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := daemon.Start(t.Context(), "ready", c.program, c.args...)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// TestKilled has the program end by somebody else's hand.
func TestKilled(t *testing.T) {
	d, err := daemon.Start(t.Context(), "ready", "/bin/sh", "-c", "echo ready; read line; kill -9 $$")
	if err != nil {
		t.Fatal(err)
	}
	// Its standard input is empty: it kills itself.
	for alive(d.PID) {
		time.Sleep(time.Millisecond)
	}
	if err := d.Stop(); err == nil || !strings.Contains(err.Error(), "ended during the run (signal: killed)") {
		t.Errorf("error %v", err)
	}
}

// TestDiesWithItsWorker kills a process that started a program: the program ends too.
func TestDiesWithItsWorker(t *testing.T) {
	worker := exec.Command(os.Args[0], "-test.run=^$")
	worker.Env = append(os.Environ(), "VERSUS_TEST_DAEMON=1")
	out, err := worker.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if err := worker.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = worker.Wait()
	for alive(pid) {
		time.Sleep(time.Millisecond)
	}
}

// alive reports whether the process runs; a zombie does not.
func alive(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, _ := strings.Cut(string(text), ") ")
	return err == nil && !strings.HasPrefix(state, "Z")
}

func TestMain(m *testing.M) {
	if os.Getenv("VERSUS_TEST_DAEMON") == "" {
		os.Exit(m.Run())
	}
	d, err := daemon.Start(context.Background(), "ready", "/bin/sh", "-c", "echo ready; exec sleep 1000")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(d.PID)
	select {}
}
