package stats

import (
	"math"
	"slices"
)

// BestMean is the mean of the k best values, the smallest or, if higher is
// better, the largest: with k = n/2 the rule of ZeroC's comparison (2005).
// NaN unless 1 <= k <= len(xs).
//
// Its estimand is the expected best-k mean of n runs, not the mean: it lies
// below (above) the mean by a bias that shrinks no faster than the noise. Show
// the median of all runs beside it.
func BestMean(xs []float64, k int, higher bool) float64 {
	if Check(xs) != nil || k < 1 || k > len(xs) {
		return math.NaN()
	}
	s := sorted(xs)
	if higher {
		slices.Reverse(s)
	}
	return Mean(s[:k])
}

// Half is the number of runs kept of n by the best-half rule: n/2 rounded
// down, at least 1.
func Half(n int) int { return max(1, n/2) }
