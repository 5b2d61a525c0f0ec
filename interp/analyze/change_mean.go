package analyze

import (
	"fmt"
	"math"

	"versus/stdlib/stats"
)

// MeanChange is the geometric mean of the changes of all cells that have one
// (Fleming and Wallace 1986): above 1, the new result is better.
type MeanChange struct {
	Ratio float64
	Cells int // it is over; with none, nothing else is set
	// Interval is a percentile bootstrap over the runs of all these cells, of
	// either side by itself (Efron 1979), and approximate. It is about these
	// cells: it does not say what other cells would do.
	Interval   Interval
	NoInterval string // why there is none
}

// meanPairs bounds the pairs of runs that the bootstrap of a mean looks at.
const meanPairs = 1_000_000_000

// meanOf is the geometric mean of changes. Those without a ratio above 0 are
// not among them.
func meanOf(changes []*Change, confidence float64) MeanChange {
	var m MeanChange
	var shifts []*stats.Shift
	var runs []int
	sum, pairs, fewest := 0.0, 0, math.MaxInt
	for _, c := range changes {
		x, y := logs(c.x), logs(c.y)
		s, err := stats.NewShift(x, y)
		if err != nil { // said of the cell already
			continue
		}
		sum += math.Log(c.Ratio.Estimate)
		shifts, runs = append(shifts, s), append(runs, len(x), len(y))
		pairs += len(x) * len(y)
		fewest = min(fewest, len(x), len(y))
	}
	m.Cells = len(shifts)
	if m.Cells == 0 {
		return m
	}
	m.Ratio = math.Exp(sum / float64(m.Cells))
	if fewest < minRuns {
		m.NoInterval = fmt.Sprintf("a cell has %s on a side, and an interval needs %d", plural(fewest, "run"), minRuns)
		return m
	}
	values, err := stats.Bootstrap{Runs: runs, Resamples: max(slowResamples, min(Resamples, meanPairs/pairs)), Seed: Seed}.Values(func() stats.Statistic {
		return func(times [][]int) float64 {
			sum := 0.0
			for i, s := range shifts {
				sum += s.Of(times[2*i], times[2*i+1])
			}
			return math.Exp(sum / float64(len(shifts)))
		}
	})
	var in stats.Interval
	if err == nil {
		in, err = stats.PercentileInterval(values, confidence)
	}
	if err != nil {
		m.NoInterval = err.Error()
	}
	m.Interval = Interval{in.Low, in.High}
	return m
}

func logs(xs []float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = math.Log(x)
	}
	return out
}
