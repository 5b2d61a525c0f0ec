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

// series makes the mean latency of each of 100 windows, in microseconds.
type series func(rng *rand.Rand) [100]float64

func each(f func(rng *rand.Rand, i int) float64) series {
	return func(rng *rand.Rand) (xs [100]float64) {
		for i := range xs {
			xs[i] = f(rng, i)
		}
		return xs
	}
}

func normal(rng *rand.Rand, _ int) float64 { return 100 + 5*rng.NormFloat64() }

// correlated has an autocorrelation of 0.7.
func correlated(rng *rand.Rand) (xs [100]float64) {
	x := rng.NormFloat64()
	for i := range xs {
		x = 0.7*x + math.Sqrt(0.51)*rng.NormFloat64()
		xs[i] = 100 + 5*x
	}
	return xs
}

// stationary are series that change in nothing but by chance.
var stationary = map[string]series{
	"normal":     each(normal),
	"log-normal": each(func(rng *rand.Rand, _ int) float64 { return 100 * math.Exp(0.3*rng.NormFloat64()) }),
	"correlated": correlated,
	"stalls": each(func(rng *rand.Rand, i int) float64 { // one window in 30 is ten times as slow
		if rng.IntN(30) == 0 {
			return 1000
		}
		return normal(rng, i)
	}),
	"constant": each(func(*rand.Rand, int) float64 { return 100 }),
}

func shifted(factor float64, from, to int) series {
	return each(func(rng *rand.Rand, i int) float64 {
		if from <= i && i < to {
			return factor * normal(rng, i)
		}
		return normal(rng, i)
	})
}

// planted are series with a fault, and the class that has it.
var planted = map[string]struct {
	series
	class Steadiness
	start float64
}{
	"cold start":      {shifted(1.5, 0, 20), WarmUp, 0.2},
	"short and steep": {shifted(20, 0, 5), WarmUp, 0.05},
	"slight":          {shifted(1.15, 0, 30), WarmUp, 0.3},
	"leak":            {shifted(1.3, 50, 100), Slowdown, 0.5},
	"late change":     {shifted(1.5, 90, 100), Unsteady, 0.9},
	"rising always":   {each(func(rng *rand.Rand, i int) float64 { return normal(rng, i) * math.Exp(float64(i)/100) }), Slowdown, 0},
	"decay":           {each(func(rng *rand.Rand, i int) float64 { return normal(rng, i) * (1 + math.Exp(-float64(i)/8)) }), WarmUp, 0.2},
}

func windowsOf(xs [100]float64) []protocol.Window {
	ws := make([]protocol.Window, len(xs))
	for i, x := range xs {
		ws[i] = protocol.Window{Count: 50, Sum: int64(50 * 1000 * x)}
	}
	return ws
}

func TestStationaryRunsAreFlat(t *testing.T) {
	const runs = 400
	for name, s := range stationary {
		rng := rand.New(rand.NewPCG(1, 2))
		alarms := 0
		for range runs {
			if courseOf(windowsOf(s(rng))).class != Flat {
				alarms++
			}
		}
		if share := float64(alarms) / runs; share > 0.05 {
			t.Errorf("%s: %.1f%% of the runs are called unsteady", name, 100*share)
		} else {
			t.Logf("%s: %.2f%%", name, 100*share)
		}
	}
}

func TestPlantedCourses(t *testing.T) {
	const runs = 200
	for name, p := range planted {
		rng := rand.New(rand.NewPCG(3, 4))
		found := 0
		var starts []float64
		for range runs {
			c := courseOf(windowsOf(p.series(rng)))
			if c.class == p.class {
				found++
				starts = append(starts, c.start)
			}
		}
		if found < runs*9/10 {
			t.Errorf("%s: %d of %d runs are %q", name, found, runs, p.class)
		}
		if m := stats.Median(starts); p.start > 0 && math.Abs(m-p.start) > 0.07 {
			t.Errorf("%s: the steady part begins at %v, want %v", name, m, p.start)
		}
	}
	if c := courseOf(windowsOf([100]float64{})); c.class != Unknown {
		t.Errorf("empty windows: %v", c)
	}
	if c := courseOf(windowsOf(shifted(2, 0, 50)(rand.New(rand.NewPCG(1, 1))))[:10]); c.class != Unknown {
		t.Errorf("ten windows: %v", c)
	}
}

// steadyRuns are six runs of the series in a test of one second.
func steadyRuns(t *testing.T, p *plan.Plan, s series) []journal.Run {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 6))
	var runs []journal.Run
	for i := range 6 {
		var latencies []int64
		var ws []protocol.Window
		for _, x := range s(rng) {
			w := protocol.Window{Count: 20}
			for range w.Count {
				ns := int64(1000 * x * (0.9 + 0.2*rng.Float64()))
				latencies = append(latencies, ns)
				w.Sum += ns
			}
			ws = append(ws, w)
		}
		r := callRun(t, cellAt(t, p, 0), i, latencies...)
		r.Roles["client"].Result.Windows = ws
		if err := r.Check(); err != nil {
			t.Fatal(err)
		}
		runs = append(runs, r)
	}
	return runs
}

const oneTest = `
test "rpc" "t" {
  methodology = methodology.all
  sweep { backend = [backend.a, backend.b] }
}
`

func remarked(c *Cell, text string) string {
	for _, r := range c.Remarks() {
		if strings.Contains(r.What, text) {
			return r.What + ": " + r.Detail
		}
	}
	return ""
}

func TestSteadyRemarks(t *testing.T) {
	s, p := scenario(t, oneTest)
	for name, c := range map[string]struct{ what, detail string }{
		"cold start":  {"the warm-up was too short", "6 of 6 runs, by 200 ms of 1 s"},
		"leak":        {"runs slow down", "6 of 6 runs"},
		"late change": {"no steady state", "6 of 6 runs"},
	} {
		cell := analyzed(t, s, p, steadyRuns(t, p, planted[name].series)).Cells[0]
		if got := remarked(cell, c.what); !strings.Contains(got, c.detail) {
			t.Errorf("%s: %q", name, got)
		}
	}
	cell := analyzed(t, s, p, steadyRuns(t, p, each(normal))).Cells[0]
	for _, what := range []string{"warm-up", "slow down", "steady", "disagree", "drift"} {
		if got := remarked(cell, what); got != "" {
			t.Errorf("a steady cell: %s", got)
		}
	}
}

func TestDrift(t *testing.T) {
	s, p := scenario(t, oneTest)
	made := func(rng *rand.Rand, slope float64) []journal.Run {
		var runs []journal.Run
		for n := range 2 {
			for i := range 6 {
				v := 100_000 * (1 + slope*float64(i)) * (1 + 0.01*rng.NormFloat64())
				runs = append(runs, constantRun(t, cellAt(t, p, n), i, int64(v), 10))
			}
		}
		return runs
	}
	rng := rand.New(rand.NewPCG(7, 8))
	drifting := analyzed(t, s, p, made(rng, 0.05))
	for _, c := range drifting.Cells {
		if got := remarked(c, "drift"); !strings.Contains(got, "a run over 6 runs") || !strings.Contains(got, "+") {
			t.Errorf("no drift of 5%% a run: %q", got)
		}
	}
}

func TestNoDriftIsSeenInNoise(t *testing.T) {
	const results = 600
	rng := rand.New(rand.NewPCG(9, 10))
	for _, cells := range []int{1, 2, 10} {
		for _, runs := range []int{4, 6, 12} {
			alarms := 0
			for range results {
				series := make([][]float64, cells)
				for i := range series {
					for range runs {
						series[i] = append(series[i], 1+0.1*rng.NormFloat64())
					}
				}
				for _, d := range drifts(series) {
					if d != nil {
						alarms++
						break
					}
				}
			}
			if alarms > results*7/100 { // 5 %, and what chance adds in as many results
				t.Errorf("%d of %d results of %d cells with %d runs have a remark", alarms, results, cells, runs)
			}
		}
	}
}

func TestWithin(t *testing.T) {
	s, p := scenario(t, oneTest)
	independent := analyzed(t, s, p, steadyRuns(t, p, each(func(*rand.Rand, int) float64 { return 100 }))).Cells[0]
	dependent := analyzed(t, s, p, steadyRuns(t, p, each(func(rng *rand.Rand, i int) float64 { return 100 + 30*rng.NormFloat64() }))).Cells[0]
	a, ok := independent.Within("latency.p90")
	b, ok2 := dependent.Within("latency.p90")
	if !ok || !ok2 {
		t.Fatal(ok, ok2)
	}
	if a.Samples != 12000 || a.Effective < 0.7*a.Samples {
		t.Errorf("independent messages: %+v", a)
	}
	if b.Effective > b.Samples/10 {
		t.Errorf("windows of 20 messages that move together are worth about one each: %+v", b)
	}
	if v := independent.Metric("latency.p90").Number; !(a.Low <= v && v <= a.High) {
		t.Errorf("%v is not in %v", v, a)
	}
	if _, ok := independent.Within("latency.mean"); ok {
		t.Error("a mean is no percentile")
	}
	runs := steadyRuns(t, p, each(normal))
	runs[3].Roles["client"].Result.Windows = nil
	if _, ok := analyzed(t, s, p, runs).Cells[0].Within("latency.p90"); ok {
		t.Error("a run without windows")
	}
}
