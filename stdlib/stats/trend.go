package stats

import (
	"fmt"
	"math"
	"slices"
)

// Trend is what MannKendall finds in a series.
type Trend struct {
	S     float64 // pairs that rise minus pairs that fall
	Tau   float64 // S as a share of all pairs, from -1 to 1
	P     float64 // two-sided
	Exact bool    // P comes from counting all orders
	// Slope is the median slope of all pairs, per step (Theil 1950, Sen 1968).
	Slope float64
}

// maxSeries bounds the length of a series of which all pairs are listed.
const maxSeries = 2000

// MannKendall tests whether a series rises or falls over its order (Mann 1945,
// Kendall 1955): drift of the machine over runs. Condition: independent
// values. Without ties and up to 60 values P is exact, else it is the normal
// approximation with corrections (from about 10 values). It needs 3 values;
// all equal gives P 1. It takes at most 2,000.
func MannKendall(xs []float64) (Trend, error) {
	if err := checkAtLeast(3, xs); err != nil {
		return Trend{}, err
	}
	if len(xs) > maxSeries {
		return Trend{}, fmt.Errorf("takes at most %d values, not %d", maxSeries, len(xs))
	}
	n := len(xs)
	slopes := make([]float64, 0, n*(n-1)/2)
	s := 0
	for i, a := range xs {
		for j := i + 1; j < n; j++ {
			switch {
			case xs[j] > a:
				s++
			case xs[j] < a:
				s--
			}
			slopes = append(slopes, (xs[j]-a)/float64(j-i))
		}
	}
	slices.Sort(slopes)
	t := Trend{S: float64(s), Tau: float64(s) / float64(len(slopes)), Slope: quantileSorted(slopes, 0.5)}
	t.P, t.Exact = kendallP(xs, s)
	return t, nil
}

// kendallP is the two-sided p value of S.
func kendallP(xs []float64, s int) (p float64, exact bool) {
	n := len(xs)
	_, ties := midranks(xs)
	if ties == 0 && n <= exactRuns {
		counts := inversions(n)
		k := (len(counts) - 1 - abs(s)) / 2 // inversions of a series as extreme
		below, total := 0.0, 0.0
		for i, c := range counts {
			total += c
			if i <= k {
				below += c
			}
		}
		return math.Min(1, 2*below/total), true
	}
	f := float64(n)
	variance := f * (f - 1) * (2*f + 5)
	for _, t := range tieSizes(xs) {
		variance -= t * (t - 1) * (2*t + 5)
	}
	// S moves in steps of 2, so half a step is 1.
	return normalRankTest(float64(s)/2, 0, math.Sqrt(variance/18)/2, ties > 0).P, false
}

// inversions counts the orders of n values by their number of inversions
// (Mahonian numbers).
func inversions(n int) []float64 {
	counts := []float64{1}
	for m := 2; m <= n; m++ {
		next := make([]float64, len(counts)+m-1)
		for i, c := range counts {
			for j := range m {
				next[i+j] += c
			}
		}
		counts = next
	}
	return counts
}

// tieSizes lists how many values are equal, for each group of two or more.
func tieSizes(xs []float64) (sizes []float64) {
	s := sorted(xs)
	for i := 0; i < len(s); {
		j := i
		for j < len(s) && s[j] == s[i] {
			j++
		}
		if j-i > 1 {
			sizes = append(sizes, float64(j-i))
		}
		i = j
	}
	return sizes
}

func abs(i int) int {
	if i < 0 {
		return -i
	}
	return i
}
