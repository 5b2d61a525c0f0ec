package run

import (
	"context"
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/dsl"
	"versus/interp/journal"
	"versus/interp/machine"
	"versus/interp/plan"
)

// cells is a plan of hand-made cells, each with as many runs.
type cells struct {
	list []*plan.Cell
	runs int
}

func (c cells) Runs() int { return len(c.list) * c.runs }

func (c cells) Order() iter.Seq2[int, plan.RunID] {
	return func(yield func(int, plan.RunID) bool) {
		for i := range c.Runs() {
			if !yield(i, plan.RunID{Cell: i / c.runs, Run: i % c.runs}) {
				return
			}
		}
	}
}

func (c cells) Cell(i int) (*plan.Cell, error) { return c.list[i], nil }

// fake is a driver whose workers are scripted by the options of the backend:
// the key is the role, the value its script.
var fake = drivers.Driver{
	Name:  "fake",
	Probe: func(context.Context) drivers.Availability { return drivers.Availability{OK: true} },
	Roles: func(w drivers.Workload) ([]drivers.Role, error) {
		var roles []drivers.Role
		for _, name := range []string{"broker", "server", "client"} {
			script, _ := w.Options[name].(string)
			roles = append(roles, drivers.Role{
				Name: name, Active: name == "client",
				Env: []string{scriptEnv + "=" + script, "GOMAXPROCS=1"},
			})
		}
		return roles, nil
	},
}

// cell returns a cell of the fake driver; scripts are pairs of role and script.
func cell(key string, scripts ...string) *plan.Cell {
	options := map[string]any{}
	for i := 0; i < len(scripts); i += 2 {
		options[scripts[i]] = scripts[i+1]
	}
	return &plan.Cell{
		Key:      key,
		Test:     &dsl.Test{Methodology: &dsl.Methodology{Timeout: 60, Drain: 1}},
		Workload: drivers.Workload{Driver: "fake", Pattern: drivers.RPC, Options: options},
	}
}

func newJournal(t *testing.T) (string, *journal.Journal) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "result")
	j, err := journal.Create(dir, journal.Header{Fingerprint: "x"}, journal.Environment{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return dir, j
}

// records runs the plan and returns what is in the journal.
func records(t *testing.T, p Schedule, opts Options) []journal.Run {
	t.Helper()
	if opts.Drivers == nil {
		opts.Drivers = drivers.Registry{fake}
	}
	dir, j := newJournal(t)
	if err := Run(t.Context(), p, j, opts); err != nil {
		t.Fatal(err)
	}
	c, err := journal.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	return c.Runs
}

func TestARun(t *testing.T) {
	t.Setenv("GOGC", "77") // must not reach the workers
	c := cell("a")
	c.Place = map[string]*dsl.Host{
		"":       {Name: "here", Environment: map[string]string{"SECRET": "x"}},
		"client": {Name: "near", Environment: map[string]string{"GOMAXPROCS": "2"}},
	}
	var events []Event
	runs := records(t, cells{[]*plan.Cell{c}, 2}, Options{Progress: func(e Event) { events = append(events, e) }})
	if len(runs) != 2 {
		t.Fatalf("%d runs", len(runs))
	}
	for i, r := range runs {
		if r.Cell != "a" || r.Run != i || r.Order != i || r.Status != journal.OK || r.Error != "" {
			t.Fatalf("run %d is %+v", i, r)
		}
		if r.Setup <= 0 || r.Total <= r.Setup || r.Start.IsZero() {
			t.Errorf("times of run %d: start %v, setup %v, total %v", i, r.Start, r.Setup, r.Total)
		}
		client, server := r.Roles["client"], r.Roles["server"]
		if !client.Active || server.Active || r.Roles["broker"] == nil {
			t.Errorf("roles of run %d: %v", i, r.Roles)
		}
		if client.Result.Sent != 10 || server.Result.Received != 10 {
			t.Errorf("the server was told of %d messages, not 10", server.Result.Received)
		}
		if got, want := client.Effective["peers"], "map[broker:map[address:here] server:map[address:here]]"; got != want {
			t.Errorf("peers of the client: %s, want %s", got, want)
		}
		if client.Effective["gomaxprocs"] != "2" || server.Effective["gomaxprocs"] != "1" || client.Effective["gogc"] != "" {
			t.Errorf("environments: client %v, server %v", client.Effective, server.Effective)
		}
		want := []string{scriptEnv + "=", "GOMAXPROCS=2"}
		if fmt.Sprint(client.Env) != fmt.Sprint(want) {
			t.Errorf("recorded environment %q, want %q", client.Env, want)
		}
	}
	var told []string
	for _, e := range events {
		told = append(told, strings.TrimPrefix(fmt.Sprintf("%T", e), "run."))
	}
	if got := strings.Join(told, " "); got != "Started Finished Started Finished" {
		t.Fatalf("events: %s", got)
	}
	last := events[2].(Started)
	if last.Number != 2 || last.Total != 2 || last.Left <= 0 {
		t.Errorf("the second run starts with %+v", last)
	}
	if end := events[3].(Finished); end.Left != 0 || end.Took <= 0 {
		t.Errorf("the last run ends with %+v", end)
	}
}

// TestFaults has one faulty worker a case, followed by a good run.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		role, script string
		want         []string
	}{
		{"client", "hello:exit", []string{"client died in the start: exit status 3", "client wrote at the end:\nout of luck"}},
		{"server", "hello:kill", []string{"server died in the start: signal: killed"}},
		{"broker", "hello:version", []string{"broker in the start", "version 7", "version 1"}},
		{"client", "hello:garbage", []string{"client in the start", `"Listening on port 80"`}},
		{"client", "hello:error", []string{"client in the start: no such topic"}},
		{"client", "hello:close", []string{"client in the start", "closed its standard output"}},
		{"server", "prepare:exit", []string{"server died in the preparation: exit status 3"}},
		{"client", "prepare:kill", []string{"client died in the preparation: signal: killed"}},
		{"client", "prepare:wrong", []string{`client in the preparation: it sent "hello" where "ready" was due`}},
		{"broker", "prepare:flood", []string{"broker in the preparation", "longer than"}},
		{"server", "prepare:error", []string{"server in the preparation: no such topic"}},
		{"client", "warm_up:exit", []string{"client died in the warm-up: exit status 3"}},
		{"client", "warm_up:kill", []string{"client died in the warm-up: signal: killed"}},
		{"client", "warm_up:half", []string{"client died in the warm-up: exit status 4", "middle of a line"}},
		{"broker", "prepare:chatter", []string{"broker in", `it sent "ready"`}},
		{"server", "measure:kill", []string{"server died in the measurement: signal: killed"}},
		{"client", "measure:kill", []string{"client died in the measurement: signal: killed"}},
		{"client", "measure:lie", []string{"client in the measurement: its result can't be true: elapsed is -1"}},
		{"client", "measure:complain", []string{"client died in the measurement: exit status 1", "many words", "[31mred? last word"}},
		{"broker", "measure:wrong", []string{`broker in the measurement`, `"measuring" was due`}},
		{"server", "finish:exit", []string{"server died in the end of the measurement: exit status 3"}},
		{"server", "finish:garbage", []string{"server in the end of the measurement", "Listening"}},
		{"client", "stop:exit", []string{"client died in the stop: exit status 3", "out of luck"}},
		{"broker", "stop:kill", []string{"broker died in the stop: signal: killed"}},
	} {
		t.Run(c.role+" "+c.script, func(t *testing.T) {
			t.Parallel()
			runs := records(t, cells{[]*plan.Cell{cell("bad", c.role, c.script), cell("good")}, 1}, Options{})
			wantFault(t, runs, c.want...)
		})
		t.Run(c.role+" "+c.script+" on another host", func(t *testing.T) {
			t.Parallel()
			bad, good := there(c.role, c.script)
			runs := records(t, cells{[]*plan.Cell{bad, good}, 1}, Options{})
			wantFault(t, runs, c.want...)
		})
	}
}

// there returns two cells all of whose roles are on one host that is reached by a pipe:
// one with a faulty worker, and a good one.
func there(role, script string) (bad, good *plan.Cell) {
	bad, good = cell("bad", role, script), cell("good")
	bad.Place = map[string]*dsl.Host{"": pipe("far")}
	good.Place = bad.Place
	return bad, good
}

// wantFault checks a failed run and the good one after it.
func wantFault(t *testing.T, runs []journal.Run, parts ...string) {
	t.Helper()
	if len(runs) != 2 || runs[0].Status != journal.Failed || runs[0].Roles != nil {
		t.Fatalf("runs: %+v", runs)
	}
	for _, p := range parts {
		if !strings.Contains(runs[0].Error, p) {
			t.Errorf("the error does not say %q:\n%s", p, runs[0].Error)
		}
	}
	if len(runs[0].Error) > 20_000 || strings.ContainsAny(runs[0].Error, "\x1b\x00") {
		t.Errorf("the error is not fit to print: %q", runs[0].Error)
	}
	if strings.Contains(runs[0].Error, "no such topic") && strings.Contains(runs[0].Error, "died") {
		t.Errorf("the end of a worker that reported an error is no news:\n%s", runs[0].Error)
	}
	if runs[1].Status != journal.OK {
		t.Errorf("the run after it: %+v", runs[1])
	}
}

// hurry lets only one phase run out of time, so that a loaded machine does not
// time out elsewhere, nor another role in that phase; it does so for the first cell.
func hurry(at phase, cell string, now *string) probes {
	return probes{deadline: func(p phase, end time.Time) time.Time {
		if p == at && *now == cell {
			return time.Now().Add(2 * time.Second)
		}
		return time.Now().Add(time.Minute)
	}}
}

func TestHangs(t *testing.T) {
	for _, c := range []struct {
		role, script string
		at           phase
		want         []string
	}{
		{"server", "hello:hang", starting, []string{`server`, `in the start: no message "hello" came within`}},
		{"client", "prepare:hang", preparing, []string{`client in the preparation: no message "ready"`}},
		{"client", "warm_up:hang", warming, []string{`client in the warm-up: no message "warm"`}},
		{"broker", "measure:hang", measuring, []string{`broker in the measurement: no message "measuring"`}},
		{"client", "measure:hang", measuring, []string{`client in the measurement: no message "result"`}},
		{"server", "finish:hang", finishing, []string{`server in the end of the measurement: no message "result"`}},
		{"client", "stop:hang", stopping, []string{`client in the stop: it was told to stop, but did not end`}},
	} {
		t.Run(c.role+" "+c.script, func(t *testing.T) {
			t.Parallel()
			var now string
			opts := Options{
				probe: hurry(c.at, "bad", &now),
				Progress: func(e Event) {
					if s, ok := e.(Started); ok {
						now = s.Cell
					}
				},
			}
			wantFault(t, records(t, cells{[]*plan.Cell{cell("bad", c.role, c.script), cell("good")}, 1}, opts), c.want...)
			bad, good := there(c.role, c.script)
			wantFault(t, records(t, cells{[]*plan.Cell{bad, good}, 1}, opts), c.want...)
		})
	}
}

// A worker that reads nothing must not block the interpreter, whose message is
// larger than a pipe.
func TestAWorkerThatDoesNotRead(t *testing.T) {
	for script, want := range map[string]string{
		"hello:blind": `broker in the preparation: it did not read the message "prepare" in time`,
		"hello:deaf":  `broker in the preparation: it no longer reads its standard input`,
	} {
		bad := cell("bad", "broker", script)
		bad.Workload.Payload.Text = strings.Repeat("long ", 200_000)
		var now string
		opts := Options{Progress: func(e Event) {
			if s, ok := e.(Started); ok {
				now = s.Cell
			}
		}}
		if script == "hello:blind" {
			opts.probe = hurry(preparing, "bad", &now)
		}
		wantFault(t, records(t, cells{[]*plan.Cell{bad, cell("good")}, 1}, opts), want)
	}
}

// awaitEnd waits until the process is gone, or at least dead.
func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return // gone and reaped
	}
	defer unix.Close(fd)
	awaitFD(t, fd, pid)
}

// awaitFD waits for the end of the process behind a pidfd.
func awaitFD(t *testing.T, fd, pid int) {
	t.Helper()
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 60_000)
		if err == unix.EINTR {
			continue
		}
		if n != 1 {
			t.Errorf("process %d still lives", pid)
			unix.Kill(pid, unix.SIGKILL)
		}
		return
	}
}

func TestGrandchildrenDie(t *testing.T) {
	for script, want := range map[string]struct {
		status journal.Status
		err    string
	}{
		"prepare:child":  {journal.OK, ""},
		"stop:child":     {journal.OK, ""},
		"measure:orphan": {journal.Failed, "server died in the measurement: exit status 5"},
	} {
		for where, place := range map[string]map[string]*dsl.Host{"here": nil, "there": {"": pipe("far")}} {
			file := filepath.Join(t.TempDir(), "pid")
			c := cell("a", "server", script+"="+file)
			c.Place = place
			runs := records(t, cells{[]*plan.Cell{c}, 1}, Options{})
			if len(runs) != 1 || runs[0].Status != want.status || !strings.Contains(runs[0].Error, want.err) {
				t.Errorf("%s %s: %+v", script, where, runs)
			}
			awaitEnd(t, pidIn(t, file))
		}
	}
}

func pidIn(t *testing.T, file string) int {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// A process that left the group of its worker is not found, but whatever it
// holds open does not hold up anything.
func TestEscapedGrandchildrenHoldUpNothing(t *testing.T) {
	a, b := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")
	c := cell("a", "broker", "prepare:escape="+a, "server", "prepare:escape="+b)
	runs := records(t, cells{[]*plan.Cell{c, cell("good")}, 1}, Options{})
	for _, file := range []string{a, b} {
		unix.Kill(pidIn(t, file), unix.SIGKILL)
	}
	for _, r := range runs {
		if r.Status != journal.OK {
			t.Errorf("%+v", r)
		}
	}
}

func TestPauseEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := cell("a")
	c.Test.Methodology.Pause = 1e6
	dir, j := newJournal(t)
	err := Run(ctx, cells{[]*plan.Cell{c}, 2}, j, Options{Drivers: drivers.Registry{fake}, Progress: func(e Event) {
		if _, ok := e.(Finished); ok {
			cancel()
		}
	}})
	content, readErr := journal.Read(dir)
	if err != context.Canceled || readErr != nil || len(content.Runs) != 1 {
		t.Errorf("%v, %v; journal %+v", err, readErr, content)
	}
}

func TestTheJournalFails(t *testing.T) {
	_, j := newJournal(t)
	j.Close()
	err := Run(t.Context(), cells{[]*plan.Cell{cell("a")}, 2}, j, Options{Drivers: drivers.Registry{fake}})
	if err == nil || !strings.Contains(err.Error(), "journal") {
		t.Errorf("error %v", err)
	}
}

func TestWithoutAGuard(t *testing.T) {
	t.Setenv("PATH", "")
	var warnings []string
	runs := records(t, cells{[]*plan.Cell{cell("a")}, 2}, Options{Progress: func(e Event) {
		if w, ok := e.(Warning); ok {
			warnings = append(warnings, w.Text)
		}
	}})
	if len(warnings) != 1 || !strings.Contains(warnings[0], "left behind") || runs[1].Status != journal.OK {
		t.Errorf("warnings %q, runs %+v", warnings, runs)
	}
}

func TestResumeMeasuresWhatIsMissing(t *testing.T) {
	dir, j := newJournal(t)
	flaky := cell("flaky", "client", "warm_up:exit")
	p := cells{[]*plan.Cell{cell("good"), flaky}, 2}
	if err := Run(t.Context(), p, j, Options{Drivers: drivers.Registry{fake}}); err != nil {
		t.Fatal(err)
	}
	j.Close()
	j, c, err := journal.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if len(c.Runs) != 4 || c.Runs[3].Status != journal.Failed {
		t.Fatalf("before: %+v", c.Runs)
	}
	maps.DeleteFunc(flaky.Workload.Options, func(string, any) bool { return true })
	started := 0
	err = Run(t.Context(), p, j, Options{Drivers: drivers.Registry{fake}, Progress: func(e Event) {
		if _, ok := e.(Started); ok {
			started++
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	if c, err = journal.Read(dir); err != nil {
		t.Fatal(err)
	}
	if started != 2 || len(c.Runs) != 4 || len(c.Retried) != 2 {
		t.Fatalf("%d runs started; journal: %+v, retried: %+v", started, c.Runs, c.Retried)
	}
	for i, r := range c.Runs {
		if r.Status != journal.OK || r.Order != i {
			t.Errorf("run %d after the resume: %+v", i, r)
		}
	}
}

func TestSkippedRunsStartNothing(t *testing.T) {
	probes := 0
	missing := fake
	missing.Name = "missing"
	missing.Roles = nil // would panic
	missing.Probe = func(context.Context) drivers.Availability {
		probes++
		return drivers.Availability{Missing: "no mosquitto", Get: "apt-get install mosquitto"}
	}
	absent, cpus := cell("absent"), cell("cpus")
	absent.Workload.Driver = "missing"
	cpus.Place = map[string]*dsl.Host{"client": {Name: "big", CPUs: []int{0, 1000}}}
	runs := records(t, cells{[]*plan.Cell{absent, cpus}, 2}, Options{
		Drivers: drivers.Registry{fake, missing},
		Progress: func(e Event) {
			if _, ok := e.(Finished); !ok {
				t.Errorf("event %#v", e)
			}
		},
	})
	want := []string{
		`driver "missing" can't run here: no mosquitto; to get it: apt-get install mosquitto`,
		`host "big" requires CPU 1000`,
	}
	if len(runs) != 4 || probes != 1 {
		t.Fatalf("%d runs, %d probes", len(runs), probes)
	}
	for i, r := range runs {
		if r.Status != journal.Skipped || !strings.Contains(r.Error, want[i/2]) {
			t.Errorf("run %d: %+v", i, r)
		}
	}
}

func TestReplay(t *testing.T) {
	replay := drivers.Driver{Name: "replay", Recorded: func(w drivers.Workload, run int) (map[string]float64, error) {
		switch run {
		case 0:
			return map[string]float64{"latency.mean": 2}, nil
		case 1:
			return nil, nil // published as N/A
		}
		return nil, fmt.Errorf("the dataset has no row %d", run)
	}}
	c := cell("a")
	c.Workload.Driver = "replay"
	runs := records(t, cells{[]*plan.Cell{c}, 3}, Options{Drivers: drivers.Registry{replay}})
	if len(runs) != 3 || runs[0].Values["latency.mean"] != 2 || runs[1].Status != journal.OK || len(runs[1].Values) != 0 ||
		runs[2].Status != journal.Failed || runs[2].Error != "the dataset has no row 2" {
		t.Errorf("runs: %+v", runs)
	}
}

func TestRolesThatMakeNoRun(t *testing.T) {
	for want, roles := range map[string][]drivers.Role{
		"none of its 1 roles generates load": {{Name: "server"}},
		"no name":                            {{Active: true}},
		`"client" has no name, or one that`:  {{Name: "client", Active: true}, {Name: "client"}},
		"can't be started":                   {{Name: "client", Active: true, Command: []string{"/no/such/worker"}}},
		"names no command":                   {{Name: "client", Active: true, Command: []string{""}}},
	} {
		d := fake
		d.Roles = func(drivers.Workload) ([]drivers.Role, error) { return roles, nil }
		runs := records(t, cells{[]*plan.Cell{cell("a")}, 1}, Options{Drivers: drivers.Registry{d}})
		if len(runs) != 1 || runs[0].Status != journal.Failed || !strings.Contains(runs[0].Error, want) {
			t.Errorf("want %q: %+v", want, runs)
		}
	}
}

func TestDeadlines(t *testing.T) {
	began := time.Unix(1000, 0)
	t30 := terms{workload: drivers.Workload{Warmup: drivers.Extent{Seconds: 2}, Measure: drivers.Extent{Seconds: 5}}, timeout: 30, drain: 1}
	for i, want := range []float64{10, 10, 32, 37, 38, 10} { // after the start of the phase, at 0
		if got := t30.limits()[i].deadline(began, began, t30.timeout).Sub(began).Seconds(); got != want {
			t.Errorf("phase %d may take %v s, want %v", i, got, want)
		}
	}
	late := began.Add(36 * time.Second)
	if got := t30.limits()[5].deadline(began, late, 30).Sub(late).Seconds(); got != 2 {
		t.Errorf("the stop may take %v s of what is left, want 2", got)
	}
	if got := (terms{}).limits()[0].deadline(began, began, 1e300); !got.After(began) {
		t.Errorf("a huge time-out overflows: %v", got)
	}
}

func TestAffinity(t *testing.T) {
	cpus := machine.This().CPUs()
	var bound []int
	c := cell("a")
	c.Place = map[string]*dsl.Host{"server": {CPUs: cpus[:1]}}
	count := func(p phase, ps []*process) {
		if p != warming {
			return
		}
		for _, p := range ps {
			var set unix.CPUSet
			if err := unix.SchedGetaffinity(p.Pid(), &set); err != nil {
				t.Error(err)
			}
			bound = append(bound, set.Count())
		}
	}
	records(t, cells{[]*plan.Cell{c}, 1}, Options{probe: probes{reached: count}})
	if want := []int{len(cpus), 1, len(cpus)}; fmt.Sprint(bound) != fmt.Sprint(want) {
		t.Errorf("CPUs of broker, server and client: %v, want %v", bound, want)
	}
}
