package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/drivers/all"
	"versus/dsl"
	"versus/interp/host"
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

// watched does the runs of a plan of fake workers, and looks at each phase.
func watched(t *testing.T, p cells, look func(phase, *executor, []*process)) []journal.Run {
	t.Helper()
	dir, j := newJournal(t)
	e := newExecutor(p.Runs(), Options{Drivers: drivers.Registry{fake}})
	e.opts.probe.reached = func(at phase, ps []*process) { look(at, e, ps) }
	if err := e.walk(t.Context(), p, j); err != nil {
		t.Fatal(err)
	}
	c, err := journal.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return c.Runs
}

// childrenOf are the processes that another one has started, and still has.
func childrenOf(pid int) (pids []int) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		text, _ := os.ReadFile(task)
		for _, field := range strings.Fields(string(text)) {
			child, _ := strconv.Atoi(field)
			pids = append(pids, child)
		}
	}
	return pids
}

// once is true the first time that a phase is reached.
func once(want phase) func(phase) bool {
	done := false
	return func(at phase) bool {
		was := done
		done = done || at == want
		return !was && done
	}
}

// wantFirstLost checks that of all runs the first alone has failed, and why.
func wantFirstLost(t *testing.T, runs []journal.Run, want string) {
	t.Helper()
	for i, r := range runs {
		if i == 0 && (r.Status != journal.Failed || !strings.Contains(r.Error, want)) || i > 0 && r.Status != journal.OK {
			t.Errorf("run %d: %s %q, want %q in the first", i, r.Status, r.Error, want)
		}
	}
}

// A worker there is killed in the middle of a run, or all of it is: the attendant, which
// gives the pipe. That run alone is lost, and no worker is left.
func TestHostVanishes(t *testing.T) {
	for _, at := range phases {
		t.Run("worker in "+string(at), func(t *testing.T) {
			now := once(at)
			runs := watched(t, cells{[]*plan.Cell{placed("a", pipe("far"))}, 2}, func(at phase, _ *executor, ps []*process) {
				if now(at) {
					ps[2].Kill()
				}
			})
			wantFirstLost(t, runs, ": signal: killed")
			if !strings.HasPrefix(runs[0].Error, "client died in the ") {
				t.Errorf("%q", runs[0].Error)
			}
		})
		t.Run("attendant in "+string(at), func(t *testing.T) {
			now := once(at)
			var left []int
			runs := watched(t, cells{[]*plan.Cell{placed("a", pipe("far"))}, 2}, func(at phase, e *executor, _ []*process) {
				if now(at) {
					attendant := e.hosts.Helpers()[0]
					left = childrenOf(attendant)
					unix.Kill(attendant, unix.SIGKILL)
				}
			})
			wantFirstLost(t, runs, ": env ended")
			if !strings.HasPrefix(runs[0].Error, "client ") {
				t.Errorf("%q", runs[0].Error)
			}
			for _, pid := range left {
				awaitEnd(t, pid)
			}
			if left == nil && at != starting {
				t.Error("there was no worker")
			}
		})
	}
}

// The pipe breaks, and what is there then is another build: its workers are not measured.
func TestHostHasAnotherBuildThen(t *testing.T) {
	h := pipe("far")
	h.Program = ownProgram(t)
	now := once(measuring)
	runs := watched(t, cells{[]*plan.Cell{placed("a", h)}, 2}, func(at phase, e *executor, _ []*process) {
		if !now(at) {
			return
		}
		text, err := os.ReadFile(h.Program)
		if err == nil {
			err = errors.Join(os.Remove(h.Program), os.WriteFile(h.Program, append(text, 0), 0o755))
		}
		if err != nil {
			t.Error(err)
		}
		unix.Kill(e.hosts.Helpers()[0], unix.SIGKILL)
	})
	if r := runs[0]; r.Status != journal.Failed || !strings.Contains(r.Error, "the connection to its host ended") {
		t.Errorf("%s %q", r.Status, r.Error)
	}
	if r := runs[1]; r.Status != journal.Skipped || !strings.Contains(r.Error, `host "far" has another build of versus`) {
		t.Errorf("%s %q", r.Status, r.Error)
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

// How many round trips a run takes, if nothing else takes time.
func TestRoundTrips(t *testing.T) {
	far, other := pipe("far"), pipe("other")
	for name, c := range map[string]struct {
		place map[string]*dsl.Host
		want  int
	}{
		"none there":   {nil, 0},
		"server there": {map[string]*dsl.Host{"server": far}, 4},
		"client there": {map[string]*dsl.Host{"client": far}, 3},
		"all there":    {map[string]*dsl.Host{"": far}, 3},
		"two hosts":    {map[string]*dsl.Host{"": other, "client": far}, 7},
	} {
		at := cell("a")
		at.Place = c.place
		w := host.New(nil, nil)
		defer w.Close()
		roles, err := fake.Roles(at.Workload)
		roles = roles[1:] // as most drivers have them: each more that others need the address of is one more
		if err == nil {
			_, err = w.Prepare(t.Context(), at, roles)
		}
		if err != nil {
			t.Fatal(err)
		}
		s := newSession()
		for _, role := range roles {
			place, err := w.Place(at, role.Name)
			if err != nil {
				t.Fatal(err)
			}
			s.ps = append(s.ps, &process{role: role, at: place, session: s})
		}
		s.schedule(terms{})
		if got := s.roundTrips(); got != c.want {
			t.Errorf("%s: %d round trips, want %d", name, got, c.want)
		}
	}
}

// roundTrips has every exchange go well, those of this machine at once.
func (s *session) roundTrips() (trips int) {
	left := func(x *exchange) bool { return !x.over }
	for ; ; trips++ {
		for range s.exchanges { // until nothing more happens here
			for _, x := range s.exchanges {
				x.sent = x.sent || x.ready()
				x.over = x.over || x.begun() && x.p.at.Machine() == ""
			}
		}
		if !slices.ContainsFunc(s.exchanges, left) {
			return trips
		}
		sent := slices.DeleteFunc(slices.Clone(s.exchanges), func(x *exchange) bool { return !x.sent })
		for range sent {
			for _, x := range sent {
				x.over = x.over || x.begun()
			}
		}
	}
}
