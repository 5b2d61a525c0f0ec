package analyze

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"versus/drivers/protocol"
	"versus/interp/journal"
	"versus/interp/plan"
	"versus/stdlib/stats"
)

// pilot has six runs of 100 windows each, of one second and one more that is
// not measured. The calls in a window spread by within, and those of runs
// beyond that by between.
func pilot(t *testing.T, p *plan.Plan, within, between float64) []journal.Run {
	t.Helper()
	rng := rand.New(rand.NewPCG(13, 14))
	var runs []journal.Run
	for i := range 6 {
		level := 1000 * (1 + between*rng.NormFloat64())
		var ws []protocol.Window
		n := int64(0)
		for range 100 {
			w := protocol.Window{Count: int64(level * (1 + within*rng.NormFloat64()))}
			w.Sum = w.Count * 10_000
			n += w.Count
			ws = append(ws, w)
		}
		h := protocol.NewHistogram()
		if err := h.RecordValues(10_000, n); err != nil {
			t.Fatal(err)
		}
		d := &protocol.Distribution{Sum: 10_000 * n, Min: 10_000, Max: 10_000, SumSquares: float64(n) * 1e-10}
		if err := d.SetHistogram(h); err != nil {
			t.Fatal(err)
		}
		client := &protocol.Result{Elapsed: 1, Sent: n, Received: n, Latency: d, Windows: ws}
		r := journal.Run{Cell: cellAt(t, p, 0).Key, Run: i, Status: journal.OK, Total: 2, Setup: 0.1,
			Roles: map[string]*journal.Role{"client": {Active: true, Result: client}, "server": {Result: &protocol.Result{Elapsed: 1}}}}
		if err := r.Check(); err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r)
	}
	return runs
}

func TestAdvise(t *testing.T) {
	s, p := scenario(t, oneTest)
	for _, c := range []struct {
		name            string
		within, between float64
		shorter         bool // the best length is shorter than the pilot's
	}{
		{"runs vary", 0.1, 0.05, true},
		{"windows vary", 0.25, 0.001, false},
	} {
		res := analyzed(t, s, p, pilot(t, p, c.within, c.between))
		list := res.Advise(0.01)
		a := list[0]
		values, _ := res.Cells[0].RunValues("time_per_call")
		want, err := stats.RunsFor(values, 0.01, 0.95)
		if err != nil || a.Need != max(want, 2) || a.Problem != "" || math.Abs(a.Seconds-2*float64(a.Need)) > 1e-9 {
			t.Errorf("%s: %+v, want %d runs (%v)", c.name, a, want, err)
		}
		if a.Best == nil || (a.Best.Factor < 1) != c.shorter || a.Best.Seconds > a.Seconds*1.1+4 {
			t.Errorf("%s: best length %+v of %+v", c.name, a.Best, a)
		}
		if got := a.Best.Within; math.Abs(got-c.within) > 0.1*c.within {
			t.Errorf("%s: the spread within runs is %v, want %v", c.name, got, c.within)
		}
		// A wanted precision that the pilot has needs no more runs than it has.
		if again := res.Advise(a.Precision)[0]; again.Need > 7 { // rounded up
			t.Errorf("%s: the pilot's own precision needs %d runs", c.name, again.Need)
		}
		if list[1].Need != 0 || list[1].Problem == "" {
			t.Errorf("%s: a cell without runs: %+v", c.name, list[1])
		}
	}
}

func TestAdviseWithoutWindows(t *testing.T) {
	s, p := scenario(t, oneTest)
	runs := pilot(t, p, 0.1, 0.1)
	for _, r := range runs {
		r.Roles["client"].Result.Windows = nil
	}
	if a := analyzed(t, s, p, runs).Advise(0.02)[0]; a.Need == 0 || a.Best != nil || !strings.Contains(a.Problem, "too few windows") {
		t.Errorf("%+v", a)
	}
	if a := analyzed(t, s, p, runs[:1]).Advise(0.02)[0]; a.Need != 0 || !strings.Contains(a.Problem, "at least 2") {
		t.Errorf("one run: %+v", a)
	}
}
