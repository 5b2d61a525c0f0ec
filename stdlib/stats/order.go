package stats

import (
	"fmt"
	"math"
	"sort"

	"gonum.org/v1/gonum/stat/distuv"
)

// Ranks are the order statistics, counted from 1, between which a quantile of
// the population lies with the given coverage. Low 0 and High n+1 mean that
// the interval has no end on that side: there are too few values.
type Ranks struct {
	Low, High int
	Coverage  float64
}

// QuantileRanks are the ranks of the exact interval of quantile q of n
// independent values, whatever their distribution (Thompson 1936): Low is the
// largest l with P(Bin(n,q) < l) <= a/2, High the smallest h with
// P(Bin(n,q) >= h) <= a/2, for a = 1 - level. The tails are equal, and the
// coverage is at least the level.
func QuantileRanks(n int, q, level float64) (Ranks, error) {
	if err := checkLevel(level); err != nil {
		return Ranks{}, err
	}
	if n < 1 || !(q > 0 && q < 1) {
		return Ranks{}, fmt.Errorf("needs at least one value and a quantile between 0 and 1, not %d and %v", n, q)
	}
	below := func(k int) float64 { return binomialBelow(n, k, q) }
	tail := (1 - level) / 2
	// Both conditions are monotone in the rank. Comparing tails directly, not
	// 1 minus the other tail, keeps the digits of small ones.
	low := sort.Search(n+1, func(l int) bool { return below(l+1) > tail })
	high := 1 + sort.Search(n, func(i int) bool { return binomialBelow(n, n-i, 1-q) <= tail })
	return Ranks{low, high, below(high) - below(low)}, nil
}

// binomialBelow is P(Bin(n, p) < k).
func binomialBelow(n, k int, p float64) float64 {
	switch {
	case k <= 0:
		return 0
	case k > n:
		return 1
	}
	return distuv.Binomial{N: float64(n), P: p}.CDF(float64(k - 1))
}

// QuantileInterval is the interval between the order statistics of
// QuantileRanks. It is an error, which says how many values are needed, if
// either end is missing.
func QuantileInterval(xs []float64, q, level float64) (Interval, error) {
	if err := checkMeasured(xs); err != nil {
		return Interval{}, err
	}
	r, err := QuantileRanks(len(xs), q, level)
	if err != nil {
		return Interval{}, err
	}
	if r.Low < 1 || r.High > len(xs) {
		return Interval{}, fmt.Errorf("%d values are too few for an interval of %v %%; it needs %d",
			len(xs), 100*level, MinValues(q, level))
	}
	s := sorted(xs)
	return Interval{s[r.Low-1], s[r.High-1], r.Coverage}, nil
}

// MedianInterval is the exact interval of the median: for 6 values from the
// first to the last (96.9 %), for 10 from the second to the ninth (97.9 %).
// Level in the result is the coverage reached.
func MedianInterval(xs []float64, level float64) (Interval, error) {
	return QuantileInterval(xs, 0.5, level)
}

// MinValues is the least number of values for which QuantileInterval has both
// its ends: the smallest n with q^n and (1-q)^n both at most (1-level)/2. 0 if
// q or level do not lie between 0 and 1.
func MinValues(q, level float64) int {
	if checkLevel(level) != nil || !(q > 0 && q < 1) {
		return 0
	}
	n := math.Log((1-level)/2) / math.Log(math.Max(q, 1-q))
	return int(math.Ceil(n - 1e-9))
}
