package main

import (
	"slices"
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
