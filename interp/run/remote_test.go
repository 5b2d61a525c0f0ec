package run

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"

	"versus/drivers"
	"versus/drivers/all"
	"versus/dsl"
	"versus/interp/journal"
	"versus/interp/machine"
	"versus/interp/plan"
)

// pipe is a host of kind exec that is this machine.
func pipe(name string) *dsl.Host {
	return &dsl.Host{Kind: "exec", Name: name, Command: []string{"env", "FAR=" + name}, Listen: "127.0.0.1"}
}

func placed(key string, h *dsl.Host) *plan.Cell {
	c := cell(key)
	c.Place = map[string]*dsl.Host{"": {Kind: "local", Name: "here"}, "client": h}
	return c
}

func TestRunsThroughAPipe(t *testing.T) {
	t.Setenv("GOGC", "77") // must not reach the workers
	h := pipe("far")
	h.CPUs, h.Environment = []int{machine.This().CPUs()[0]}, map[string]string{"GOMAXPROCS": "3", "SECRET": "x"}
	for i, r := range records(t, cells{[]*plan.Cell{placed("a", h)}, 2}, Options{}) {
		if r.Status != journal.OK {
			t.Fatalf("run %d: %+v", i, r)
		}
		c := r.Roles["client"]
		if c.Host != "far" || c.Effective["gomaxprocs"] != "3" || c.Effective["gogc"] != "" || !slices.Contains(c.Env, "GOMAXPROCS=3") {
			t.Errorf("run %d: %+v", i, c)
		}
		m := r.Machines["far"]
		if m == nil || m.Kernel == "" || m.Cores == 0 || len(m.Versus) != 64 {
			t.Errorf("run %d: machine %+v", i, m)
		}
	}
}

// Real drivers on two hosts that are reached by a command.
func TestRealDriversThroughAPipe(t *testing.T) {
	src := strings.Replace(realScenario, `test "rpc" "echo" {`, `
host "exec" "near" { command = ["env"] }
host "exec" "far" {
  command = ["nice", "-n", "0"]
  listen  = "127.0.0.1"
}

test "rpc" "echo" {
  host  = host.far
  place = { client = host.near }`, 1)
	for _, r := range records(t, planOf(t, src), Options{Drivers: all.Registry()}) {
		if r.Status != journal.OK {
			t.Errorf("%s: %s", r.Cell, r.Error)
		}
	}
}

func TestHostsThatCantBeReached(t *testing.T) {
	gone, deaf, poor, cpus := pipe("gone"), pipe("deaf"), pipe("poor"), pipe("cpus")
	gone.Command = []string{"sh", "-c", "echo no such host >&2; exit 255"}
	deaf.Command = []string{"no-such-command-of-versus"}
	poor.Require.Cores = 1e6
	cpus.CPUs = []int{4000}
	noise := pipe("noise")
	noise.Command = []string{"sh", "-c", "echo welcome; exit 1"}
	list := []*plan.Cell{placed("gone", gone), placed("deaf", deaf), placed("poor", poor), placed("cpus", cpus), placed("noise", noise), cell("good")}
	want := map[string]struct {
		status journal.Status
		text   string
	}{
		"gone":  {journal.Failed, `host "gone" can't be reached: sh ended: no such host`},
		"deaf":  {journal.Failed, `host "deaf" can't be reached`},
		"poor":  {journal.Skipped, `host "poor" requires 1000000 cores`},
		"cpus":  {journal.Skipped, `host "cpus" requires CPU 4000`},
		"noise": {journal.Failed, `it says "welcome"`},
		"good":  {journal.OK, ""},
	}
	for _, r := range records(t, cells{list, 1}, Options{}) {
		if w := want[r.Cell]; r.Status != w.status || !strings.Contains(r.Error, w.text) {
			t.Errorf("%s: %s %q, want %s %q", r.Cell, r.Status, r.Error, w.status, w.text)
		}
	}
}

// The pipe breaks in the middle of a run: that run alone is lost.
func TestHostVanishes(t *testing.T) {
	for _, at := range phases {
		t.Run(string(at), func(t *testing.T) {
			runs := records(t, cells{[]*plan.Cell{placed("a", pipe("far"))}, 3}, Options{probe: probes{reached: func() func(phase, []*process) {
				broken := false
				return func(now phase, ps []*process) {
					if now == at && !broken {
						broken = true
						for _, p := range ps {
							if p.at.Host == "far" {
								p.Kill()
							}
						}
					}
				}
			}()}})
			for i, r := range runs {
				if i == 0 && (r.Status != journal.Failed || !strings.Contains(r.Error, "client died")) || i > 0 && r.Status != journal.OK {
					t.Errorf("run %d: %+v", i, r)
				}
			}
		})
	}
}

func TestInterruptedBeforeTheHostAnswers(t *testing.T) {
	h := pipe("slow")
	h.Command = []string{"sh", "-c", "kill -s USR1 $PPID; exec sleep 1000"}
	ctx, cancel := context.WithCancel(t.Context())
	_, j := newJournal(t)
	stop := onSignal(cancel)
	defer stop()
	err := Run(ctx, cells{[]*plan.Cell{placed("a", h)}, 1}, j, Options{Drivers: drivers.Registry{fake}})
	if err != context.Canceled {
		t.Errorf("error %v", err)
	}
}

// onSignal calls f when this process gets SIGUSR1.
func onSignal(f func()) (stop func()) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR1)
	go func() {
		for range c {
			f()
		}
	}()
	return func() { signal.Stop(c); close(c) }
}
