package stats

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Check returns nil if xs can be measurements, and otherwise what is wrong:
// it is empty, or a value is NaN or infinite. Negative values are fine here
// (differences are negative); functions that need positive ones say so.
func Check(xs []float64) error {
	if len(xs) == 0 {
		return errors.New("there are no values")
	}
	for i, x := range xs {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("value %d of %d is not a finite number", i+1, len(xs))
		}
	}
	return nil
}

// The sizes of a measurement in SI base units. Tests and intervals raise
// values to the fourth power and divide by them; within these limits nothing
// overflows or vanishes.
const (
	largest  = 1e30
	smallest = 1e-30
)

// checkMeasured is Check for tests and intervals, which refuse sizes that no
// measurement has: above 1e30, or below 1e-30 and not 0.
func checkMeasured(xs []float64) error {
	if err := Check(xs); err != nil {
		return err
	}
	for i, x := range xs {
		if a := math.Abs(x); a > largest || (a < smallest && a != 0) {
			return fmt.Errorf("value %d of %d is %v, which is no measurement in SI units", i+1, len(xs), x)
		}
	}
	return nil
}

// checkPositive is Check for methods on logarithms.
func checkPositive(xs []float64) error {
	if err := Check(xs); err != nil {
		return err
	}
	for i, x := range xs {
		if x <= 0 {
			return fmt.Errorf("value %d of %d is %v, and logarithms need positive values", i+1, len(xs), x)
		}
	}
	return nil
}

// checkAtLeast is checkMeasured with a minimum number of values.
func checkAtLeast(n int, xs []float64) error {
	if err := checkMeasured(xs); err != nil {
		return err
	}
	if len(xs) < n {
		return fmt.Errorf("needs at least %d values, there are %d", n, len(xs))
	}
	return nil
}

// Mean is the arithmetic mean. It is the right summary of costs (times,
// energy), whose total matters.
func Mean(xs []float64) float64 {
	if Check(xs) != nil {
		return math.NaN()
	}
	m := stat.Mean(xs, nil)
	if math.IsInf(m, 0) { // the sum left float64, the mean does not
		m = 0
		for _, x := range xs {
			m += x / float64(len(xs))
		}
	}
	return m
}

// Variance is the unbiased sample variance (divisor n-1); NaN for fewer than
// two values, and if it is beyond float64.
func Variance(xs []float64) float64 {
	if Check(xs) != nil || len(xs) < 2 {
		return math.NaN()
	}
	if v := stat.Variance(xs, nil); !math.IsInf(v, 0) {
		return v
	}
	return math.NaN()
}

// StdDev is the sample standard deviation, the square root of Variance; NaN
// for fewer than two values: one run says nothing about spread.
func StdDev(xs []float64) float64 { return math.Sqrt(Variance(xs)) }

// GeoMean is the geometric mean, the right summary of ratios (Fleming and
// Wallace 1986). NaN if any value is not above 0.
func GeoMean(xs []float64) float64 {
	if checkPositive(xs) != nil {
		return math.NaN()
	}
	return stat.GeometricMean(xs, nil)
}

// HarmonicMean is the harmonic mean, the right summary of rates over equal
// amounts of work (Smith 1988). NaN if any value is not above 0.
func HarmonicMean(xs []float64) float64 {
	if checkPositive(xs) != nil {
		return math.NaN()
	}
	return stat.HarmonicMean(xs, nil)
}

// Min is the smallest value.
func Min(xs []float64) float64 {
	if Check(xs) != nil {
		return math.NaN()
	}
	return slices.Min(xs)
}

// Max is the largest value.
func Max(xs []float64) float64 {
	if Check(xs) != nil {
		return math.NaN()
	}
	return slices.Max(xs)
}

// GeoMeanInterval is the t interval of the geometric mean, computed on
// logarithms. Condition: log values about normal, independent. It needs at
// least three values: with two, the interval spans everything.
func GeoMeanInterval(xs []float64, level float64) (Interval, error) {
	if err := checkPositive(xs); err != nil {
		return Interval{}, err
	}
	if err := checkAtLeast(3, xs); err != nil {
		return Interval{}, err
	}
	iv, err := MeanInterval(logs(xs), level)
	if err != nil {
		return Interval{}, err
	}
	if iv = expInterval(iv); math.IsInf(iv.High, 0) {
		return Interval{}, errors.New("the values vary too much for an interval at this level")
	}
	return iv, nil
}
