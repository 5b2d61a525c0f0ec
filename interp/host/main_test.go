package host

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"versus/drivers"
	"versus/dsl"
	"versus/interp/host/relay"
	"versus/interp/plan"
)

// The test binary plays what a versus is on a host, a worker there, and the relay of a link.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "worker" && os.Args[2] == PlacedFlag {
		os.Exit(Placed(os.Stdin, os.Stdout))
	}
	if len(os.Args) > 2 && os.Args[1] == "worker" && os.Args[2] == RelayFlag {
		os.Exit(relay.Main(os.Args[3:]))
	}
	if len(os.Args) == 4 && os.Args[1] == "worker" {
		os.Exit(act(os.Args[3]))
	}
	if os.Getenv(replacedEnv) != "" {
		os.Exit(replaced())
	}
	os.Exit(m.Run())
}

// replacedEnv has the test binary be one that somebody builds anew while it runs.
const replacedEnv = "VERSUS_TEST_REPLACED"

// replaced puts another program in its own place, and starts itself.
func replaced() int {
	path, err := os.Executable()
	if err == nil {
		err = errors.Join(os.Remove(path), os.WriteFile(path, []byte("#!/bin/sh\necho another program\n"), 0o755))
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	out, err := exec.Command(self(), "worker", PlacedFlag).CombinedOutput()
	hash, _, failed := hashOf(running)
	fmt.Println(hash, strings.TrimSpace(string(out)), err, failed)
	return 0
}

// hosts are none yet.
func hosts(t *testing.T) *Hosts {
	t.Helper()
	w := New(nil, func(string) {})
	t.Cleanup(w.Close)
	return w
}

var (
	near = &dsl.Host{Kind: "netns", Name: "near"}
	far  = &dsl.Host{Kind: "netns", Name: "far"}

	roles = []drivers.Role{{Name: "server"}, {Name: "client", Active: true}}
)

// apart returns a cell whose client is on another host than all others.
func apart(links ...*dsl.Link) *plan.Cell { return placed(near, links...) }

// placed returns a cell whose client is on the host, and all others are far.
func placed(h *dsl.Host, links ...*dsl.Link) *plan.Cell {
	return &plan.Cell{Place: map[string]*dsl.Host{"": far, "client": h}, Links: links}
}

// pipe is a host of kind exec that is this machine.
func pipe(name string) *dsl.Host {
	return &dsl.Host{Kind: "exec", Name: name, Command: []string{"env"}, Listen: "127.0.0.1"}
}
