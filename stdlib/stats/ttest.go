package stats

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// TTest is the result of a test of means.
type TTest struct {
	T, DF      float64
	P          float64 // two-sided
	Difference Estimate
}

// Welch tests whether two independent samples have the same mean, without
// assuming equal variances (Welch 1947). Condition: means about normal, so
// either normal values or many runs; MannWhitney needs neither. Each side
// needs two values. Two sides without any spread can't be tested.
func Welch(x, y []float64, level float64) (TTest, error) {
	if err := errors.Join(checkTwo(2, x, y), checkLevel(level)); err != nil {
		return TTest{}, err
	}
	nx, ny := float64(len(x)), float64(len(y))
	vx, vy := Variance(x)/nx, Variance(y)/ny
	df := (vx + vy) * (vx + vy) / (vx*vx/(nx-1) + vy*vy/(ny-1))
	return tTest(Mean(x)-Mean(y), math.Sqrt(vx+vy), df, level)
}

// PairedT tests whether pairs of runs, measured side by side, differ in the
// mean (Student 1908): x[i] belongs to y[i]. Condition: differences about
// normal. It needs two pairs whose differences are not all equal.
func PairedT(x, y []float64, level float64) (TTest, error) {
	d, err := differences(x, y, 2)
	if err := errors.Join(err, checkLevel(level)); err != nil {
		return TTest{}, err
	}
	n := float64(len(d))
	return tTest(Mean(d), StdDev(d)/math.Sqrt(n), n-1, level)
}

// differences returns x[i] - y[i] for at least n pairs.
func differences(x, y []float64, n int) ([]float64, error) {
	if len(x) != len(y) {
		return nil, errors.New("pairs need as many values on either side")
	}
	if err := checkTwo(n, x, y); err != nil {
		return nil, err
	}
	d := make([]float64, len(x))
	for i := range x {
		d[i] = x[i] - y[i]
	}
	return d, Check(d)
}

func tTest(difference, standardError, df, level float64) (TTest, error) {
	if !(standardError > 0) || math.IsInf(standardError, 0) || math.IsNaN(df) {
		return TTest{}, errors.New("the values have no spread to test against")
	}
	t := difference / standardError
	half := tQuantile(df, level) * standardError
	return TTest{
		T: t, DF: df,
		P:          2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.CDF(-math.Abs(t)),
		Difference: Estimate{difference, Interval{difference - half, difference + half, level}},
	}, nil
}
