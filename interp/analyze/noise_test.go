package analyze

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"versus/interp/journal"
	"versus/interp/plan"
	"versus/stdlib/stats"
)

const noiseTest = `
methodology "floor" {
  measure { duration = "1s" }
  repeat { runs = 8 }
  noise_floor = true
}
test "rpc" "t" {
  methodology = methodology.floor
  sweep { backend = [backend.a, backend.b] }
}
comparison "c" {
  baseline = { backend = backend.a }
  value    = baseline.latency.mean / candidate.latency.mean
  format   = "ratio"
}
`

// twinRuns has eight runs each of the baseline, its twin and the candidate, at
// these levels in microseconds with 0.5 % of noise.
func twinRuns(t *testing.T, p *plan.Plan, baseline, twin, candidate float64) []journal.Run {
	t.Helper()
	rng := rand.New(rand.NewPCG(11, 12))
	var runs []journal.Run
	for i, level := range []float64{baseline, twin, candidate} {
		for r := range 8 {
			v := int64(1000 * level * (1 + 0.005*rng.NormFloat64()))
			runs = append(runs, constantRun(t, cellAt(t, p, i/2), r+i%2*8, v, 10))
		}
	}
	return runs
}

func TestNoiseFloor(t *testing.T) {
	s, p := scenario(t, noiseTest)
	for _, c := range []struct {
		name                      string
		baseline, twin, candidate float64
		want                      stats.Verdict
		unlike                    bool
	}{
		{"a quiet machine", 100, 100, 95, stats.Faster, false},
		{"slower", 100, 100, 105, stats.Slower, false},
		{"a baseline that differs from itself by more", 100, 108, 95, stats.NoDifference, true},
		{"by less", 100, 102, 90, stats.Faster, true},
		{"nothing", 100, 100, 100, stats.NoDifference, false},
	} {
		res := analyzed(t, s, p, twinRuns(t, p, c.baseline, c.twin, c.candidate))
		cmp := res.Comparison("c")
		pair := cmp.Pairs[0]
		if got := NewFamily(cmp.Pairs).Verdict(pair); got != c.want {
			t.Errorf("%s: %q, want %q (floor %v, ratio %v)", c.name, got, c.want, cmp.Noise.Floor, pair.Ratio)
		}
		if apart := math.Max(c.twin/c.baseline, c.baseline/c.twin); cmp.Noise.Pairs != 1 || cmp.Noise.Floor < apart-0.01 || cmp.Noise.Floor > apart+0.02 {
			t.Errorf("%s: noise %+v", c.name, cmp.Noise)
		}
		if got := remarked(res.Cells[0], "differs from itself"); (got != "") != c.unlike {
			t.Errorf("%s: %q", c.name, got)
		}
		if n := len(res.Cells[0].Valid); n != 8 || res.Cells[0].Absent != 0 {
			t.Errorf("%s: the twin is in the numbers: %d runs", c.name, n)
		}
	}
}

func TestNoiseFloorThatIsMissing(t *testing.T) {
	s, p := scenario(t, noiseTest)
	runs := twinRuns(t, p, 100, 100, 50)
	for i := range runs {
		if i >= 8 && i < 15 {
			runs[i].Status, runs[i].Error, runs[i].Roles = journal.Failed, "died", nil
		}
	}
	res := analyzed(t, s, p, runs)
	pair := res.Comparison("c").Pairs[0]
	if v := NewFamily(res.Comparison("c").Pairs).Verdict(pair); v != Undecided || !strings.Contains(pair.NoVerdict(), "noise floor could not be found") {
		t.Errorf("verdict %q: %s", v, pair.NoVerdict())
	}
	if got := remarked(res.Cells[0], "second measurement"); !strings.Contains(got, "7 of 8") {
		t.Errorf("%q", got)
	}
}
