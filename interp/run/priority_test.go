package run

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"versus/dsl"
	"versus/interp/host"
	"versus/interp/journal"
	"versus/interp/plan"
)

func niceOf(pid int) int {
	raw, _ := unix.Getpriority(unix.PRIO_PROCESS, pid)
	return 20 - raw
}

// A role has the priority of its host from its first thread on; others, and
// versus, keep theirs.
func TestPriorities(t *testing.T) {
	own := niceOf(0)
	low, lower := min(own+3, 19), min(own+5, 19)
	far := pipe("far")
	far.Priority.Nice = &lower
	c := placed("a", far)
	c.Place["server"] = &dsl.Host{Kind: "local", Name: "low", Priority: dsl.Priority{Nice: &low}}
	got := map[string]int{}
	look := func(at phase, e *executor, ps []*process) {
		for _, p := range ps {
			if p.at.Host != "far" {
				got[p.role.Name] = niceOf(p.Pid())
			} else if at == measuring {
				for _, pid := range childrenOf(e.hosts.Helpers()[0]) {
					got[p.role.Name] = niceOf(pid)
				}
			}
		}
	}
	runs := watched(t, cells{[]*plan.Cell{c}, 2}, look)
	for _, r := range runs {
		if r.Status != journal.OK {
			t.Errorf("%+v", r)
		}
	}
	if d := cmp.Diff(map[string]int{"broker": own, "server": low, "client": lower}, got); d != "" {
		t.Error(d)
	}
	if niceOf(0) != own {
		t.Errorf("versus has nice %d now", niceOf(0))
	}
}

func nice(n int) *int { return &n }

// A host with a priority that can't be had is a reason to skip; root has it.
func TestHostWithPriority(t *testing.T) {
	c := cell("a")
	c.Place = map[string]*dsl.Host{"": {Kind: "local", Name: "first", Priority: dsl.Priority{Nice: nice(-20)}}}
	want, status := "", journal.OK
	if host.Lacks(c.Place[""]) != "" {
		want, status = `host "first" requires nice -20`, journal.Skipped
	}
	runs := records(t, cells{[]*plan.Cell{c}, 1}, Options{})
	if runs[0].Status != status || !strings.Contains(runs[0].Error, want) {
		t.Errorf("%+v", runs[0])
	}
}
