package analyze

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"versus/interp/journal"
	"versus/stdlib/stats"
)

func between(t *testing.T, old, new *Result, by string) *Changes {
	t.Helper()
	all, err := Between(old, new, by, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A result beside one that is 10 % faster throughout.
func TestBetween(t *testing.T) {
	s, p := scenario(t, twoBackends)
	old := analyzed(t, s, p, noisy(t, p, []int64{220_000, 110_000}, 1))
	new := analyzed(t, s, p, noisy(t, p, []int64{200_000, 100_000}, 2))
	all := between(t, old, new, "")
	m := all.Mean
	if m.Cells != 2 || m.NoInterval != "" || !(m.Interval.Low < m.Ratio && m.Ratio < m.Interval.High) || math.Abs(m.Ratio-1.1) > 0.05 {
		t.Errorf("%+v", m)
	}
	if want := stats.GeoMean([]float64{all.Changes[0].Ratio.Estimate, all.Changes[1].Ratio.Estimate}); math.Abs(m.Ratio-want) > 1e-12 {
		t.Errorf("the mean is %v, want %v", m.Ratio, want)
	}
	// Each cell is less certain than the mean of both.
	for _, c := range all.Changes {
		if c.Ratio.High/c.Ratio.Low < m.Interval.High/m.Interval.Low {
			t.Errorf("the mean of two cells [%v, %v] is less certain than one: %+v", m.Interval.Low, m.Interval.High, c.Ratio)
		}
	}
	back := between(t, new, old, "").Mean
	if math.Abs(back.Ratio*m.Ratio-1) > 1e-12 {
		t.Errorf("%v there and %v back", m.Ratio, back.Ratio)
	}
}

// Of a metric without a better direction the ratio is above 1 where there is more
// of it in the new result, which is what the words say.
func TestBetweenWithoutDirection(t *testing.T) {
	s, p := scenario(t, twoBackends)
	sent := func(n int) []journal.Run {
		var runs []journal.Run
		for i := range p.Cells() {
			for run := range p.RunsOf(i) {
				runs = append(runs, constantRun(t, cellAt(t, p, i), run, 100_000, n+run))
			}
		}
		return runs
	}
	few, many := analyzed(t, s, p, sent(100)), analyzed(t, s, p, sent(200))
	if c := between(t, few, many, "samples.sent").Changes[0]; c.Words() != "higher" || c.Ratio.Estimate < 1.9 {
		t.Errorf("%s: %+v", c.Words(), c.Ratio)
	}
	if c := between(t, many, few, "samples.sent").Changes[0]; c.Words() != "lower" || c.Ratio.Estimate > 0.6 {
		t.Errorf("%s: %+v", c.Words(), c.Ratio)
	}
}

// What can't be compared is said, and is in no mean.
func TestBetweenWhatIsMissing(t *testing.T) {
	s, p := scenario(t, twoBackends)
	runs := func() []journal.Run { return noisy(t, p, []int64{200_000, 100_000}, 1) }
	broken := runs()
	for i := range broken {
		if broken[i].Cell == cellAt(t, p, 0).Key {
			broken[i].Status, broken[i].Error, broken[i].Roles = journal.Failed, "exit status 2", nil
		}
	}
	good, bad := analyzed(t, s, p, runs()), analyzed(t, s, p, broken)
	lost := between(t, good, bad, "")
	if c := lost.Changes[0]; !c.Lost || c.Missing != "new: no run succeeded: exit status 2" || lost.Mean.Cells != 1 {
		t.Errorf("%+v, mean over %d cells", c, lost.Mean.Cells)
	}
	if c := between(t, bad, good, "").Changes[0]; c.Lost || !strings.HasPrefix(c.Missing, "old: ") {
		t.Errorf("%+v", c)
	}
	// No ratio of zeros, and no number that means nothing.
	zeros := between(t, good, good, "errors.rate")
	if c := zeros.Changes[0]; c.Missing != "a ratio needs values above 0; errors.rate of a run is 0" || zeros.Mean.Cells != 0 {
		t.Errorf("%+v, %+v", c, zeros.Mean)
	}
	few := analyzed(t, s, p, slices.DeleteFunc(runs(), func(r journal.Run) bool { return r.Run > 3 }))
	if m := between(t, good, few, "").Mean; m.Cells != 2 || m.NoInterval != "a cell has 4 runs on a side, and an interval needs 6" {
		t.Errorf("%+v", m)
	}
}

// The interval of the mean holds the true change about as often as it says: with
// 6 runs a side and 5 cells in 288 of 300 tries.
func TestMeanChangeCoverage(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const times = 60
	held := 0
	for range times {
		var changes []*Change
		for range 5 {
			c := &Change{}
			for range 6 {
				c.x = append(c.x, 1.1*math.Exp(0.05*rng.NormFloat64()))
				c.y = append(c.y, math.Exp(0.05*rng.NormFloat64()))
			}
			r, err := stats.HodgesLehmannRatio(c.x, c.y, 0.95)
			if err != nil {
				t.Fatal(err)
			}
			c.Ratio = r
			changes = append(changes, c)
		}
		if m := meanOf(changes, 0.95); m.Interval.Low <= 1.1 && 1.1 <= m.Interval.High {
			held++
		}
	}
	if share := float64(held) / times; share < 0.88 || share > 0.99 {
		t.Errorf("%.3f of the intervals hold the true mean", share)
	}
}
