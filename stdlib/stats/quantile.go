package stats

import (
	"math"
	"slices"
)

// Quantile is the quantile p, from 0 to 1, by linear interpolation of order
// statistics: type 7 of Hyndman and Fan (1996), the default of R and NumPy.
// It serves run-level values; percentiles of messages use NearestRank. NaN if
// p is outside 0 to 1.
func Quantile(xs []float64, p float64) float64 {
	if Check(xs) != nil || !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	return quantileSorted(sorted(xs), p)
}

func quantileSorted(xs []float64, p float64) float64 {
	h := float64(len(xs)-1) * p
	i := int(math.Floor(h))
	if i+1 >= len(xs) {
		return xs[len(xs)-1]
	}
	return xs[i] + (h-float64(i))*(xs[i+1]-xs[i])
}

// Median is the quantile 0.5.
func Median(xs []float64) float64 { return Quantile(xs, 0.5) }

// NearestRank is the smallest value with at least a share p of the values at
// or below it, p in (0, 1]: the order statistic of Rank. It is always an
// observed value. NaN if p is outside that range.
func NearestRank(xs []float64, p float64) float64 {
	if Check(xs) != nil || !(p > 0 && p <= 1) {
		return math.NaN()
	}
	return sorted(xs)[Rank(len(xs), p)-1]
}

// Rank is the nearest rank of quantile p among n values, counted from 1:
// ceil(p·n), for p in (0, 1]. A product within rounding error of a whole
// number counts as that number: 0.07·100 is 7, not 8.
func Rank(n int, p float64) int {
	pn := p * float64(n)
	if r := math.Round(pn); math.Abs(pn-r) <= 1e-12*pn {
		pn = r
	}
	return min(max(int(math.Ceil(pn)), 1), n)
}

func sorted(xs []float64) []float64 {
	s := slices.Clone(xs)
	slices.Sort(s)
	return s
}
