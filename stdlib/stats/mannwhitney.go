package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// RankTest is the result of a test on ranks.
type RankTest struct {
	// Statistic is U of the first sample (pairs in which it is larger, equal
	// ones counting half) for MannWhitney, V for SignedRank.
	Statistic float64
	// P is the two-sided p value, twice the smaller of Less and Greater, at
	// most 1. Less and Greater are those of the alternatives that the first
	// sample tends to be smaller, or larger.
	P, Less, Greater float64
	// Exact says that the p values come from counting all arrangements, and
	// not from the normal approximation.
	Exact bool
	Ties  bool
}

// exactRuns is the number of values, both samples together, up to which
// arrangements are counted exactly.
const exactRuns = 60

// MannWhitney tests whether values of x tend to be smaller or larger than
// those of y (Mann and Whitney 1947). Conditions: independent runs; nothing is
// assumed of the distribution. Up to 60 values the p values are exact, ties
// included (all arrangements of the midranks are counted); above, they are the
// normal approximation with correction for ties and continuity. If all values
// are equal, P is 1. It needs one value a side.
func MannWhitney(x, y []float64) (RankTest, error) {
	if err := checkTwo(1, x, y); err != nil {
		return RankTest{}, err
	}
	if len(x)+len(y) <= exactRuns {
		return mannWhitneyExact(x, y), nil
	}
	return mannWhitneyNormal(x, y), nil
}

// checkTwo checks two samples of at least n values.
func checkTwo(n int, x, y []float64) error {
	if err := checkAtLeast(n, x); err != nil {
		return fmt.Errorf("first sample: %w", err)
	}
	if err := checkAtLeast(n, y); err != nil {
		return fmt.Errorf("second sample: %w", err)
	}
	return nil
}

// rankSum ranks x and y together: doubled midranks, those of x first, their
// sum over x, and the term for ties.
func rankSum(x, y []float64) (doubled []int, sum int, ties float64) {
	doubled, ties = midranks(append(append(make([]float64, 0, len(x)+len(y)), x...), y...))
	for _, d := range doubled[:len(x)] {
		sum += d
	}
	return doubled, sum, ties
}

func mannWhitneyExact(x, y []float64) RankTest {
	doubled, sum, ties := rankSum(x, y)
	n := len(x)
	counts := subsetSums(doubled, n)
	less, greater, total := 0.0, 0.0, 0.0
	for s, c := range counts {
		total += c
		if s <= sum {
			less += c
		}
		if s >= sum {
			greater += c
		}
	}
	return RankTest{
		Statistic: float64(sum-n*(n+1)) / 2,
		P:         math.Min(1, 2*math.Min(less, greater)/total),
		Less:      less / total, Greater: greater / total,
		Exact: true, Ties: ties > 0,
	}
}

// subsetSums counts the subsets of k of the values by their sum. Counts are
// exact up to 2^53 and rounded to 53 bits above.
func subsetSums(values []int, k int) []float64 {
	max := 0
	for _, v := range values {
		max += v
	}
	// counts[j][s]: subsets of j of the values so far, with sum s.
	counts := make([][]float64, k+1)
	for j := range counts {
		counts[j] = make([]float64, max+1)
	}
	counts[0][0] = 1
	reach := 0
	for i, v := range values {
		for j := min(i+1, k); j >= 1; j-- {
			from, to := counts[j-1], counts[j]
			for s := reach; s >= 0; s-- {
				to[s+v] += from[s]
			}
		}
		reach += v
	}
	return counts[k]
}

func mannWhitneyNormal(x, y []float64) RankTest {
	_, sum, ties := rankSum(x, y)
	n, m := float64(len(x)), float64(len(y))
	u := (float64(sum) - n*(n+1)) / 2
	sigma := math.Sqrt(n * m / 12 * (n + m + 1 - ties/((n+m)*(n+m-1))))
	return normalRankTest(u, n*m/2, sigma, ties > 0)
}

// normalRankTest is the normal approximation with continuity correction.
func normalRankTest(statistic, mean, sigma float64, ties bool) RankTest {
	t := RankTest{Statistic: statistic, P: 1, Less: 1, Greater: 1, Ties: ties}
	if !(sigma > 0) { // all values equal
		return t
	}
	d := statistic - mean
	t.Less = distuv.UnitNormal.CDF((d + 0.5) / sigma)
	t.Greater = distuv.UnitNormal.Survival((d - 0.5) / sigma)
	t.P = math.Min(1, 2*math.Min(t.Less, t.Greater))
	return t
}
