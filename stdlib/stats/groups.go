package stats

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/stat/distuv"
)

// ChiTest is the result of a test whose statistic is about chi-squared.
type ChiTest struct {
	Statistic, DF, P float64
}

func chiTest(statistic, df float64) ChiTest {
	return ChiTest{statistic, df, distuv.ChiSquared{K: df}.Survival(statistic)}
}

// KruskalWallis tests whether any of several independent samples tends to
// other values than the rest (Kruskal and Wallis 1952), corrected for ties.
// The p value is the chi-squared approximation: about 5 values a group. It
// needs two groups of at least one value; all values equal is an error.
func KruskalWallis(groups ...[]float64) (ChiTest, error) {
	if len(groups) < 2 {
		return ChiTest{}, errors.New("needs at least two groups")
	}
	var all []float64
	for i, g := range groups {
		if err := checkMeasured(g); err != nil {
			return ChiTest{}, fmt.Errorf("group %d: %w", i+1, err)
		}
		all = append(all, g...)
	}
	doubled, ties := midranks(all)
	n := float64(len(all))
	correction := 1 - ties/(n*n*n-n)
	if !(correction > 0) {
		return ChiTest{}, errors.New("all values are equal")
	}
	h, start := 0.0, 0
	for _, g := range groups {
		sum := 0.0
		for _, d := range doubled[start : start+len(g)] {
			sum += float64(d) / 2
		}
		h += sum * sum / float64(len(g))
		start += len(g)
	}
	h = (12/(n*(n+1))*h - 3*(n+1)) / correction
	return chiTest(h, float64(len(groups)-1)), nil
}

// Friedman tests whether any of several treatments tends to other values than
// the rest, within blocks measured side by side: blocks[i][j] is treatment j
// in block i (Friedman 1937), corrected for ties. The p value is the
// chi-squared approximation: about 6 blocks. It needs two blocks of two
// treatments; ties everywhere are an error.
func Friedman(blocks [][]float64) (ChiTest, error) {
	if len(blocks) < 2 || len(blocks[0]) < 2 {
		return ChiTest{}, errors.New("needs at least two blocks of two treatments")
	}
	k, n := len(blocks[0]), float64(len(blocks))
	sums, ties := make([]float64, k), 0.0
	for i, b := range blocks {
		if err := checkMeasured(b); err != nil {
			return ChiTest{}, fmt.Errorf("block %d: %w", i+1, err)
		}
		if len(b) != k {
			return ChiTest{}, fmt.Errorf("block %d has %d treatments, the first has %d", i+1, len(b), k)
		}
		doubled, t := midranks(b)
		ties += t
		for j, d := range doubled {
			sums[j] += float64(d) / 2
		}
	}
	f, s := float64(k), 0.0
	for _, r := range sums {
		d := r - n*(f+1)/2
		s += d * d
	}
	scale := n*f*(f+1) - ties/(f-1)
	if !(scale > 0) {
		return ChiTest{}, errors.New("all treatments are equal in every block")
	}
	return chiTest(12*s/scale, f-1), nil
}
