package run

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"versus/drivers"
	"versus/drivers/all"
	"versus/drivers/workertest"
	"versus/interp/journal"
	"versus/interp/plan"
)

func TestClockBound(t *testing.T) {
	is := func(before, beforeBound, after, afterBound int64) journal.Clock {
		return journal.Clock{Before: journal.ClockOffset{Offset: before, Bound: beforeBound}, After: journal.ClockOffset{Offset: after, Bound: afterBound}}
	}
	for _, c := range []struct {
		clocks []journal.Clock
		want   int64
	}{
		{nil, 0},
		{[]journal.Clock{is(5000, 10, 5000, 7)}, 10},
		{[]journal.Clock{is(5000, 10, 5020, 7)}, 27}, // it drifts
		{[]journal.Clock{is(5000, 10, 4980, 7)}, 27},
		{[]journal.Clock{is(1, 10, 1, 7), is(2, 20, 2, 7), is(3, 30, 3, 7)}, 50}, // between two hosts
	} {
		r := journal.Run{Clocks: map[string]journal.Clock{}}
		for i, k := range c.clocks {
			r.Clocks[string(rune('a'+i))] = k
		}
		if got := r.ClockBound(); got != c.want {
			t.Errorf("%v: %d, want %d", c.clocks, got, c.want)
		}
	}
}

// Hosts of this machine have one clock, which the workers must find again, and
// their latencies can't be longer than the run.
func TestOneWayLatencyBetweenHosts(t *testing.T) {
	src := strings.Replace(realScenario, `test "pubsub" "feed" {`, `
host "exec" "near" { command = ["env"] }
host "exec" "far" {
  command = ["env"]
  listen  = "127.0.0.1"
}

test "pubsub" "feed" {
  host  = host.far
  place = { publisher = host.near }`, 1)
	for _, r := range records(t, planOf(t, src), Options{Drivers: all.Registry()}) {
		if !strings.HasPrefix(r.Cell, "feed") {
			if len(r.Clocks) > 0 {
				t.Errorf("%s compares clocks", r.Cell)
			}
			continue
		}
		if r.Status != journal.OK || len(r.Clocks) != 2 {
			t.Fatalf("%+v", r)
		}
		for name, c := range r.Clocks {
			for _, o := range []journal.ClockOffset{c.Before, c.After} {
				if o.Bound <= 0 || o.Offset > o.Bound || -o.Offset > o.Bound {
					t.Errorf("host %s, which has the clock of this machine: %+v", name, o)
				}
			}
		}
		in := r.Roles["subscriber"].Result
		if in.Received < 40 || in.Latency.Max > int64(r.Total*1e9)+r.ClockBound() {
			t.Errorf("%+v", in)
		}
	}
}

// ahead runs a command whose monotonic clock is a day ahead, which the kernel can do.
var ahead = []string{"unshare", "--time", "--monotonic", "86400", "--fork", "--kill-child"}

// needsAhead says that a test needs clocks that are a day ahead.
func needsAhead(t *testing.T) {
	t.Helper()
	if out, err := exec.Command(ahead[0], append(ahead[1:], "true")...).CombinedOutput(); err != nil {
		workertest.Need(t, fmt.Errorf("no time namespaces here: %w: %s", err, out))
	}
}

// On a host whose clock is a day ahead one-way latencies are those of
// this machine all the same.
func TestHostWithAnotherClock(t *testing.T) {
	needsAhead(t)
	src := strings.Replace(realScenario, `test "pubsub" "feed" {`, `
host "local" "here" { listen = "127.0.0.1" }
host "exec" "ahead" { command = ["`+strings.Join(ahead, `", "`)+`"] }
test "pubsub" "feed" {
  place = { HERE = host.ahead }`, 1)
	for _, role := range []string{"publisher", "subscriber"} {
		p := planOf(t, strings.Replace(src, "HERE", role, 1))
		c := find(t, p, "feed", "mqtt")
		for _, r := range records(t, cells{[]*plan.Cell{c}, 1}, Options{Drivers: all.Registry()}) {
			if r.Status != journal.OK {
				t.Fatal(r.Error)
			}
			const day = 86400 * 1e9
			o, bound := r.Clocks["ahead"].Before, r.ClockBound()
			if o.Offset < day-o.Bound || o.Offset > day+o.Bound || bound <= 0 {
				t.Errorf("offset %+v, bound %d", o, bound)
			}
			in := r.Roles["subscriber"].Result
			if in.Received < 40 || in.Latency.Max > int64(r.Total*1e9)+bound {
				t.Errorf("%s ahead: %+v", role, in)
			}
		}
	}
}

// stepClock runs an attendant as it is, but for its clock, which is ahead by a second
// from when the file exists.
func stepClock(file, command string, args []string) int {
	cmd := exec.Command(command, args...)
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil || cmd.Start() != nil {
		return 1
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		line := lines.Text()
		var a map[string]any
		if _, missing := os.Stat(file); missing == nil && json.Unmarshal(lines.Bytes(), &a) == nil && a["clock"] != nil {
			a["clock"] = a["clock"].(float64) + 1e9
			text, _ := json.Marshal(a)
			line = string(text)
		}
		fmt.Println(line)
	}
	cmd.Wait()
	return cmd.ProcessState.ExitCode()
}

// A clock that is set in the middle of a run spoils that run.
func TestClockThatSteps(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "stepped")
	h := pipe("far")
	h.Command = []string{self, "step", file}
	c := placed("a", h)
	c.Workload.Pattern = drivers.PubSub
	number := 0
	for i, r := range records(t, cells{[]*plan.Cell{c}, 3}, Options{probe: probes{reached: func(at phase, _ []*process) {
		if at == measuring {
			if number++; number == 2 {
				os.WriteFile(file, nil, 0o644)
			}
		}
	}}}) {
		spoiled := i == 1
		if spoiled != (r.Status == journal.Failed) || spoiled && !strings.Contains(r.Error, `the clock of host "far" moved by`) {
			t.Errorf("run %d: %s %q, %+v", i, r.Status, r.Error, r.Clocks)
		}
	}
}

// Only a clock that this machine does not have is shifted, and a worker that does not
// say that it did is not measured.
func TestClocksAreShifted(t *testing.T) {
	c := placed("a", pipe("far"))
	c.Workload.Pattern = drivers.PubSub
	for _, r := range records(t, cells{[]*plan.Cell{c}, 1}, Options{}) {
		if r.Status != journal.OK {
			t.Fatal(r.Error)
		}
		if got, want := r.Roles["client"].Effective["clock_shift"], fmt.Sprint(-r.Clocks["far"].Before.Offset); got != want {
			t.Errorf("shifted by %s, not %s", got, want)
		}
		if got := r.Roles["server"].Effective["clock_shift"]; got != "0" {
			t.Errorf("the clock of this machine is shifted by %s", got)
		}
	}
	old := placed("old", pipe("far"))
	old.Workload.Pattern = drivers.PubSub
	old.Workload.Options["client"] = "prepare:unshifted"
	for _, r := range records(t, cells{[]*plan.Cell{old}, 1}, Options{}) {
		if r.Status != journal.Failed || !strings.Contains(r.Error, "client in the preparation: its clock is") {
			t.Errorf("%s %q", r.Status, r.Error)
		}
	}
}
