package stats

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// SignedRank tests whether pairs of runs, measured side by side, differ: x[i]
// belongs to y[i] (Wilcoxon 1945). Condition: differences symmetric about
// their median. Pairs without a difference are left out, as Wilcoxon did; if
// none is left, P is 1. Up to 60 differences the p values are exact, ties
// included; above, they are the normal approximation with corrections.
// Less and Greater are those of x being smaller, or larger, than y.
func SignedRank(x, y []float64) (RankTest, error) {
	d, err := differences(x, y, 1)
	if err != nil {
		return RankTest{}, err
	}
	d = slices.DeleteFunc(d, func(v float64) bool { return v == 0 })
	if len(d) <= exactRuns {
		return signedRankExact(d), nil
	}
	return signedRankNormal(d), nil
}

// signedRanks returns twice the midranks of the sizes, their sum over
// positive differences, and the term for ties.
func signedRanks(d []float64) (doubled []int, positive int, ties float64) {
	sizes := make([]float64, len(d))
	for i, v := range d {
		sizes[i] = math.Abs(v)
	}
	doubled, ties = midranks(sizes)
	for i, r := range doubled {
		if d[i] > 0 {
			positive += r
		}
	}
	return doubled, positive, ties
}

func signedRankExact(d []float64) RankTest {
	doubled, v, ties := signedRanks(d)
	counts := signSums(doubled)
	less, greater, total := 0.0, 0.0, 0.0
	for s, c := range counts {
		total += c
		if s <= v {
			less += c
		}
		if s >= v {
			greater += c
		}
	}
	return RankTest{
		Statistic: float64(v) / 2,
		P:         math.Min(1, 2*math.Min(less, greater)/total),
		Less:      less / total, Greater: greater / total,
		Exact: true, Ties: ties > 0,
	}
}

// signSums counts the subsets of the values by their sum.
func signSums(values []int) []float64 {
	total := 0
	for _, v := range values {
		total += v
	}
	counts := make([]float64, total+1)
	counts[0] = 1
	reach := 0
	for _, v := range values {
		for s := reach; s >= 0; s-- {
			counts[s+v] += counts[s]
		}
		reach += v
	}
	return counts
}

func signedRankNormal(d []float64) RankTest {
	_, v, ties := signedRanks(d)
	n := float64(len(d))
	sigma := math.Sqrt(n*(n+1)*(2*n+1)/24 - ties/48)
	return normalRankTest(float64(v)/2, n*(n+1)/4, sigma, ties > 0)
}

// PseudoMedian estimates the middle of values that are symmetric about it, as
// differences of pairs are: the median of all means of two (Walsh averages),
// with the interval that belongs to SignedRank (Hodges and Lehmann 1963). The
// interval is exact up to 60 values, else its rank comes from the normal
// approximation. As with HodgesLehmann, the estimate is set even if there are
// too few values for the interval.
func PseudoMedian(d []float64, level float64) (Estimate, error) {
	if err := Check(d); err != nil {
		return noEstimate, err
	}
	if err := checkLevel(level); err != nil {
		return noEstimate, err
	}
	n := len(d)
	if n > 2800 {
		return noEstimate, fmt.Errorf("%d values make more than %d pairs", n, maxPairs)
	}
	walsh := make([]float64, 0, n*(n+1)/2)
	for i, a := range d {
		for _, b := range d[i:] {
			walsh = append(walsh, a/2+b/2)
		}
	}
	slices.Sort(walsh)
	e := Estimate{Estimate: quantileSorted(walsh, 0.5)}
	k, coverage := signedRankK(n, level)
	if k < 1 {
		return e, fmt.Errorf("%d values are too few for an interval of %v %%; it needs %d", n, 100*level, MinValues(0.5, level))
	}
	e.Interval = Interval{walsh[k-1], walsh[len(walsh)-k], coverage}
	return e, nil
}

// PairedRatio estimates how many times as large x[i] is as y[i]: PseudoMedian
// of the differences of logarithms. All values must be above 0.
func PairedRatio(x, y []float64, level float64) (Estimate, error) {
	for _, xs := range [][]float64{x, y} {
		if err := checkPositive(xs); err != nil {
			return noEstimate, err
		}
	}
	d, err := differences(logs(x), logs(y), 1)
	if err != nil {
		return noEstimate, err
	}
	e, err := PseudoMedian(d, level)
	return Estimate{math.Exp(e.Estimate), expInterval(e.Interval)}, err
}

// signedRankK is the largest k with P(V < k) <= (1-level)/2 for n values.
func signedRankK(n int, level float64) (k int, coverage float64) {
	tail := (1 - level) / 2
	if n > exactRuns {
		f := float64(n)
		mean, sigma := f*(f+1)/4, math.Sqrt(f*(f+1)*(2*f+1)/24)
		k = max(0, int(math.Floor(mean+0.5+distuv.UnitNormal.Quantile(tail)*sigma)))
		return k, 1 - 2*distuv.UnitNormal.CDF((float64(k)-0.5-mean)/sigma)
	}
	ranks := make([]int, n)
	for i := range ranks {
		ranks[i] = i + 1
	}
	return tailRank(signSums(ranks), tail)
}
