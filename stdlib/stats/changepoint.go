package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Cost says what a segment of a series costs.
type Cost int

// The costs of a segment.
const (
	// MeanCost is the sum of squared deviations from the segment's mean: it
	// finds changes of the level, in the units of the values squared.
	MeanCost Cost = iota
	// MeanVarianceCost is twice the negative log-likelihood of a normal
	// distribution fitted to the segment: it finds changes of level and
	// spread. The variance counts as 1e-8 at least, as in R's changepoint.
	MeanVarianceCost
)

// Segmentation is a series cut at its change points.
type Segmentation struct {
	Starts []int   // the first index of each segment but the first
	Cost   float64 // of all segments, with a penalty a change point
}

const (
	minSegment   = 2
	maxPartition = 10_000
)

// ChangePoints cuts a series into segments of at least two values so that the
// cost of the segments, plus penalty for each change point, is least. It is
// the exact optimum, as PELT finds it (Killick, Fearnhead and Eckley 2012), by
// the dynamic programming that PELT prunes (Jackson et al. 2005): pruning is
// not exact with a floor under the variance, and series here are short.
// WarmupPenalty is the usual penalty for MeanVarianceCost. Condition:
// independent values about normal within a segment. It takes 4 to 10,000.
func ChangePoints(xs []float64, cost Cost, penalty float64) (Segmentation, error) {
	if err := checkAtLeast(2*minSegment, xs); err != nil {
		return Segmentation{}, err
	}
	if len(xs) > maxPartition {
		return Segmentation{}, fmt.Errorf("takes at most %d values, not %d", maxPartition, len(xs))
	}
	if !(penalty >= 0) || math.IsInf(penalty, 0) {
		return Segmentation{}, errors.New("the penalty must be a finite number, not negative")
	}
	n := len(xs)
	c := newCosts(xs, cost)
	least := make([]float64, n+1) // least[t]: of xs[:t], plus one penalty
	from := make([]int, n+1)
	least[0] = -penalty
	for t := 1; t <= n; t++ {
		least[t] = math.Inf(1)
		for s := 0; s <= t-minSegment; s++ {
			if v := least[s] + c.segment(s, t) + penalty; v < least[t] {
				least[t], from[t] = v, s
			}
		}
	}
	out := Segmentation{Cost: least[n]}
	for t := from[n]; t > 0; t = from[t] {
		out.Starts = append(out.Starts, t)
	}
	slices.Reverse(out.Starts)
	return out, nil
}

// WarmupPenalty is 15 log n, with which Barrett et al. (2017) classify warm-up
// by MeanVarianceCost. 3 log n is more sensitive.
func WarmupPenalty(n int) float64 { return 15 * math.Log(float64(n)) }

// costs holds running sums, so that the cost of any segment takes no loop.
type costs struct {
	kind         Cost
	sums, square []float64
}

func newCosts(xs []float64, kind Cost) *costs {
	c := &costs{kind, make([]float64, len(xs)+1), make([]float64, len(xs)+1)}
	center := Median(xs) // so that little is lost in the difference of squares
	for i, x := range xs {
		c.sums[i+1] = c.sums[i] + (x - center)
		c.square[i+1] = c.square[i] + (x-center)*(x-center)
	}
	return c
}

func (c *costs) segment(s, t int) float64 {
	n, sum := float64(t-s), c.sums[t]-c.sums[s]
	deviation := math.Max(0, c.square[t]-c.square[s]-sum*sum/n) // below 0 only by rounding
	if c.kind == MeanCost {
		return deviation
	}
	return n * (math.Log(2*math.Pi*math.Max(deviation/n, 1e-8)) + 1)
}
