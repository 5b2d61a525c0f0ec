package stats

import (
	"errors"
	"math"
)

// Fences are limits beyond which a value is marked as an outlier (Tukey 1977):
// 1.5 (inner) and 3 (outer) interquartile ranges beyond the quartiles, by
// type 7. Marking is all: outliers are never removed by themselves.
type Fences struct {
	Q1, Q3              float64
	InnerLow, InnerHigh float64
	OuterLow, OuterHigh float64
}

// TukeyFences needs four values.
func TukeyFences(xs []float64) (Fences, error) {
	if err := checkAtLeast(4, xs); err != nil {
		return Fences{}, err
	}
	s := sorted(xs)
	q1, q3 := quantileSorted(s, 0.25), quantileSorted(s, 0.75)
	iqr := q3 - q1
	return Fences{q1, q3, q1 - 1.5*iqr, q3 + 1.5*iqr, q1 - 3*iqr, q3 + 3*iqr}, nil
}

// MAD is the median absolute deviation from the median, unscaled; NaN for what
// can't be summarised. Times 1.4826 it estimates the standard deviation of
// normal values.
func MAD(xs []float64) float64 {
	m := Median(xs)
	d := make([]float64, len(xs))
	for i, x := range xs {
		d[i] = math.Abs(x - m)
	}
	return Median(d)
}

// ModifiedZLimit is the size of ModifiedZ from which a value is marked.
const ModifiedZLimit = 3.5

// ModifiedZ is how far each value lies from the median, in units that are
// about a standard deviation: 0.6745 (x - median) / MAD (Iglewicz and Hoaglin
// 1993). It can't be computed if half of the values are equal, so that the
// MAD is 0.
func ModifiedZ(xs []float64) ([]float64, error) {
	if err := checkAtLeast(3, xs); err != nil {
		return nil, err
	}
	m, mad := Median(xs), MAD(xs)
	if !(mad > 0) {
		return nil, errors.New("half of the values are equal: there is no scale to measure outliers by")
	}
	z := make([]float64, len(xs))
	for i, x := range xs {
		z[i] = 0.6745 * (x - m) / mad
	}
	return z, nil
}
