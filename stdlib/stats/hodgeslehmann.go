package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// Estimate is a value with its interval.
type Estimate struct {
	Estimate float64
	Interval
}

// noEstimate goes with an error: there is neither a value nor an interval.
var noEstimate = Estimate{Estimate: math.NaN()}

// maxPairs bounds the number of pairs that are listed: 2,000 runs a side.
const maxPairs = 4_000_000

// HodgesLehmann estimates by how much values of x are larger than those of y:
// the median of all differences, with the interval that belongs to the test of
// Mann and Whitney (Hodges and Lehmann 1963, Lehmann 1963). Conditions:
// independent runs, distributions that differ by a shift; nothing is assumed
// of their shape. The interval is exact up to 60 values in all (conservative
// with ties); above, its rank comes from the normal approximation.
//
// If there are too few runs for an interval at this level, the error says how
// many there must be, and the estimate is still set.
func HodgesLehmann(x, y []float64, level float64) (Estimate, error) {
	if err := checkPairs(x, y, level); err != nil {
		return noEstimate, err
	}
	differences := make([]float64, 0, len(x)*len(y))
	for _, a := range x {
		for _, b := range y {
			differences = append(differences, a-b)
		}
	}
	slices.Sort(differences)
	e := Estimate{Estimate: quantileSorted(differences, 0.5)}
	k, coverage := shiftRank(len(x), len(y), level)
	if k < 1 {
		return e, fmt.Errorf("%d and %d values are too few for an interval of %v %%; it needs %d a side",
			len(x), len(y), 100*level, minRunsASide(level))
	}
	e.Interval = Interval{differences[k-1], differences[len(differences)-k], coverage}
	return e, nil
}

// HodgesLehmannRatio estimates how many times as large values of x are as
// those of y: HodgesLehmann on logarithms. Swapping x and y inverts the ratio
// and its interval exactly, which is why of an even number of pairs the middle
// two are averaged as logarithms: the arithmetic mean of two ratios is not the
// inverse of that of their inverses. All values must be above 0.
func HodgesLehmannRatio(x, y []float64, level float64) (Estimate, error) {
	if err := checkPairs(x, y, level); err != nil {
		return noEstimate, err
	}
	for _, xs := range [][]float64{x, y} {
		if err := checkPositive(xs); err != nil {
			return noEstimate, err
		}
	}
	e, err := HodgesLehmann(logs(x), logs(y), level)
	return Estimate{math.Exp(e.Estimate), expInterval(e.Interval)}, err
}

// Shift computes the estimate of HodgesLehmann for resamples of two samples.
// The differences are sorted once, so that a resample costs a walk over them.
type Shift struct {
	differences []difference
	pairs       int
}

type difference struct {
	value float64
	i, j  int // of x and y
}

// NewShift prepares the resampling of x and y, of which none may be empty.
func NewShift(x, y []float64) (*Shift, error) {
	if err := checkPairs(x, y, 0.95); err != nil {
		return nil, err
	}
	s := &Shift{pairs: len(x) * len(y)}
	for i, a := range x {
		for j, b := range y {
			s.differences = append(s.differences, difference{a - b, i, j})
		}
	}
	slices.SortFunc(s.differences, func(a, b difference) int { return cmp.Compare(a.value, b.value) })
	return s, nil
}

// Of is the median of all differences of a resample in which value i of x was
// drawn x[i] times, and value j of y y[j] times; as many of each as there are.
func (s *Shift) Of(x, y []int) float64 {
	below, lower := 0, math.NaN()
	for _, d := range s.differences {
		n := x[d.i] * y[d.j]
		if n == 0 {
			continue
		}
		if below < (s.pairs+1)/2 {
			lower = d.value // of the middle two, or the middle one
		}
		below += n
		if below >= s.pairs/2+1 {
			return lower + (d.value-lower)/2
		}
	}
	return math.NaN() // the counts are not those of a resample
}

func checkPairs(x, y []float64, level float64) error {
	if err := checkTwo(1, x, y); err != nil {
		return err
	}
	if len(x) > maxPairs/len(y) {
		return fmt.Errorf("%d and %d values make more than %d pairs", len(x), len(y), maxPairs)
	}
	return checkLevel(level)
}

func expInterval(iv Interval) Interval {
	if iv.Level == 0 { // there is none
		return iv
	}
	return Interval{math.Exp(iv.Low), math.Exp(iv.High), iv.Level}
}

func logs(xs []float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		out[i] = math.Log(x)
	}
	return out
}

// shiftRank is the largest k with P(U < k) <= (1-level)/2 for the statistic U
// of Mann and Whitney without ties: the interval of the shift goes from the
// k-th smallest difference to the k-th largest. coverage is what it reaches;
// k is 0 if not even the whole range reaches the level.
func shiftRank(n, m int, level float64) (k int, coverage float64) {
	tail := (1 - level) / 2
	if n+m > exactRuns {
		a, b := float64(n), float64(m)
		sigma := math.Sqrt(a * b * (a + b + 1) / 12)
		k = int(math.Floor(a*b/2 - 0.5 + distuv.UnitNormal.Quantile(tail)*sigma + 1))
		k = max(k, 0)
		return k, 1 - 2*distuv.UnitNormal.CDF((float64(k)-0.5-a*b/2)/sigma)
	}
	ranks := make([]int, n+m)
	for i := range ranks {
		ranks[i] = i + 1
	}
	counts := subsetSums(ranks, n)
	return tailRank(counts[n*(n+1)/2:], tail)
}

// tailRank is the largest k with P(T < k) <= tail, for a statistic T with
// these counts of the values 0, 1, 2, ..., and the coverage 1 - 2 P(T < k).
func tailRank(counts []float64, tail float64) (k int, coverage float64) {
	total, below := 0.0, 0.0
	for _, c := range counts {
		total += c
	}
	tail *= 1 + 1e-12 // 1/20 is within (1-0.9)/2, which is a little less in binary
	for k < len(counts) && (below+counts[k])/total <= tail {
		below += counts[k]
		k++
	}
	return k, 1 - 2*below/total
}

// minRunsASide is the least number of runs a side for which shiftRank is not 0.
func minRunsASide(level float64) int {
	for n := 1; n < exactRuns/2; n++ {
		if k, _ := shiftRank(n, n, level); k > 0 {
			return n
		}
	}
	return exactRuns / 2
}
