package run

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"versus/drivers"
	"versus/interp/journal"
	"versus/interp/plan"
)

func TestEnvironmentOfThisMachine(t *testing.T) {
	d := fake
	d.Probe = func(context.Context) drivers.Availability {
		return drivers.Availability{OK: true, Versions: map[string]string{"lib": "v1"}}
	}
	e, err := Environment(t.Context(), drivers.Registry{d, {Name: "replay"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Versus) != 64 || !strings.HasPrefix(e.Kernel, "Linux ") || !strings.HasPrefix(e.Go, "go") ||
		e.Cores < 1 || e.Memory < 1<<20 || e.OS == "" || e.CPU == "" || e.Host == "" {
		t.Errorf("environment %+v", e)
	}
	if d := cmp.Diff(map[string]string{"fake: lib": "v1"}, e.Versions); d != "" {
		t.Error(d)
	}
	again, err := Environment(t.Context(), drivers.Registry{d})
	if changes := e.Changes(&again); err != nil || len(changes) != 0 {
		t.Errorf("it changes from one moment to the next: %v, %v", changes, err)
	}
}

func TestCheckResume(t *testing.T) {
	env := journal.Environment{
		Host: "a", Kernel: "Linux 6.18", CPU: "EPYC", Cores: 2, Memory: 8 << 30, Go: "go1.26", Versus: strings.Repeat("ab", 32),
		Versions: map[string]string{"grpc: grpc": "v1.85.0", "mqtt: paho": "v1.5.1"},
	}
	was := &journal.Content{Header: journal.Header{Methodology: []string{"test.x.methodology.runs = 6"}}, Environment: env}
	if _, c := CheckResume(was, was.Header.Methodology, env); c != nil {
		t.Errorf("nothing changed, but: %q", c)
	}
	now := env
	now.Memory += now.Memory / 1000
	if _, c := CheckResume(was, was.Header.Methodology, now); c != nil {
		t.Errorf("the memory is about the same, but: %q", c)
	}
	now.Memory, now.Kernel, now.Cores, now.Governor = 16<<30, "Linux 6.19", 4, "performance"
	now.CPULimit = 1.5
	now.Versus = strings.Repeat("cd", 32)
	now.Versions = map[string]string{"grpc: grpc": "v1.86.0", "mqtt: mochi": "v2"}
	want := []string{
		"methodology of test x: runs 6 -> 8",
		"kernel: Linux 6.18 -> Linux 6.19",
		"memory: 8589934592 -> 17179869184",
		"cores: 2 -> 4",
		"limit of CPU time: none -> 1.5 CPUs",
		"frequency governor: none -> performance",
		"program versus, SHA-256: abababababababab -> cdcdcdcdcdcdcdcd",
		"version of grpc: grpc: v1.85.0 -> v1.86.0",
		"version of mqtt: mochi: none -> v2",
		"version of mqtt: paho: v1.5.1 -> none",
	}
	_, changes := CheckResume(was, []string{"test.x.methodology.runs = 8"}, now)
	if d := cmp.Diff(want, changes); d != "" {
		t.Error(d)
	}
	// A merged result may be continued on each of its machines.
	was.Environment.Machines = map[string]*journal.Environment{"a": &env, "b": &now}
	for name, e := range was.Environment.Machines {
		if machine, c := CheckResume(was, was.Header.Methodology, *e); machine != name || c != nil {
			t.Errorf("on %s: %q, %q", name, machine, c)
		}
	}
	other := env
	other.Host = "c"
	if machine, c := CheckResume(was, was.Header.Methodology, other); machine != "" || len(c) != 1 || c[0] != "host: a -> c" {
		t.Errorf("on another machine: %q, %q", machine, c)
	}
}

// Each run has what disturbed it, failed ones too, as far as the system counts it.
func TestConditionsAreRecorded(t *testing.T) {
	d := fake
	d.Roles = func(drivers.Workload) ([]drivers.Role, error) {
		return []drivers.Role{{Name: "client", Active: true, Command: []string{"sh", "-c", "sleep 0.3; exit 1"}}}, nil
	}
	runs := append(records(t, cells{[]*plan.Cell{cell("a")}, 1}, Options{}),
		records(t, cells{[]*plan.Cell{cell("a")}, 1}, Options{Drivers: drivers.Registry{d}})...)
	for i, r := range runs {
		k := r.Conditions
		if r.Total < 0.2 && (k == nil || k.Others < 0) {
			continue // shorter than some steps of 10 ms, in which each CPU counts: the share means nothing
		}
		// A little more or less than all is possible, for the same reason.
		if k == nil || k.Others < -0.5 || k.Others > 1.5 || k.Stolen < 0 || k.Throttled < 0 || len(k.Changed) > 0 {
			t.Errorf("run %d, %s: %+v", i, r.Status, k)
		}
	}
}
