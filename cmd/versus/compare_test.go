package main

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"versus/interp/journal"
)

// What a machine is, and was, decides whether before and after compare; what
// the Go of the harness is does not.
func TestMachineChanges(t *testing.T) {
	old := journal.Environment{Host: "a", CPU: "x", Cores: 4, Memory: 1 << 30, Kernel: "6.1", Go: "go1.25"}
	new := old
	if got := machineChanges(old, new); got != nil {
		t.Errorf("the same machine: %q", got)
	}
	new.Go, new.CPU, new.Cores = "go1.26", "y", 8
	if got, want := machineChanges(old, new), []string{"CPU x -> y", "cores 4 -> 8"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Results over links that netem made and over links that a relay made are not
// compared without a reason.
func TestLinksMadeInDifferentWaysAreNotCompared(t *testing.T) {
	over := func(via string) *journal.Content {
		return &journal.Content{Runs: []journal.Run{{Status: journal.OK, Links: map[string]*journal.Link{"slow": {Via: via}}}}}
	}
	for _, c := range []struct {
		new    *journal.Content
		reason string
		code   int
	}{
		{over("relay"), "", exitOK},
		{over("netem"), "", exitScenario},
		{over("netem"), "the link is not what counts", exitOK},
	} {
		var out bytes.Buffer
		code := (&app{err: &out}).comparable(over("relay"), c.new, c.reason)
		if code != c.code || (code != exitOK) != strings.Contains(out.String(), "- link slow: made by relay -> netem") {
			t.Errorf("%q: %d, %s", c.reason, code, &out)
		}
	}
}
