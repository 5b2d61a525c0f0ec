package stats

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Interval is a confidence interval. Level is the coverage that it really
// has, which for exact methods is at least the one asked for.
type Interval struct {
	Low, High, Level float64
}

// Contains says whether x lies in the interval, ends included.
func (iv Interval) Contains(x float64) bool { return iv.Low <= x && x <= iv.High }

// checkLevel refuses a confidence level that is not between 0 and 1.
func checkLevel(level float64) error {
	if !(level > 0 && level < 1) {
		return fmt.Errorf("a confidence level lies between 0 and 1, not at %v", level)
	}
	return nil
}

// MeanInterval is Student's t interval of the mean. Condition: independent,
// about normal values. It needs at least two.
func MeanInterval(xs []float64, level float64) (Interval, error) {
	if err := checkLevel(level); err != nil {
		return Interval{}, err
	}
	if err := checkAtLeast(2, xs); err != nil {
		return Interval{}, err
	}
	n := float64(len(xs))
	half := tQuantile(n-1, level) * StdDev(xs) / math.Sqrt(n)
	m := Mean(xs)
	return Interval{m - half, m + half, level}, nil
}

// TQuantile is the two-sided quantile of Student's t for a confidence level
// between 0 and 1, with df > 0 degrees of freedom: 2.571 for 5 and 0.95. NaN
// otherwise.
func TQuantile(df, level float64) float64 {
	if !(df > 0) || checkLevel(level) != nil {
		return math.NaN()
	}
	return tQuantile(df, level)
}

// tQuantile is the two-sided quantile of Student's t for a confidence level.
func tQuantile(df, level float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.Quantile((1 + level) / 2)
}
