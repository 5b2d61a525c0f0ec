package stats

import (
	"errors"
	"math"
)

// DesignEffect is by how much the mean of a series is less certain than if its
// values were independent, from the means of its batches: the variance of the
// mean by batch means (Conway 1963), with what is left of the correlation
// between batches (EffectiveSize), over the variance of the mean of independent
// values. size is the number of values in a batch, variance that of single
// values. At least 1: a series is never worth more than its values.
//
// Condition: a stationary series. It needs ten batches (Schmeiser 1982: more
// than 30 add little).
func DesignEffect(means []float64, size, variance float64) (float64, error) {
	if err := checkAtLeast(10, means); err != nil {
		return 0, err
	}
	if !(size >= 1) || !(variance >= 0) || math.IsInf(size+variance, 0) {
		return 0, errors.New("a batch needs at least one value, and a variance is a finite number, not negative")
	}
	between := Variance(means)
	if !(between > 0) || variance == 0 { // no spread that could be explained
		return 1, nil
	}
	worth, err := EffectiveSize(means)
	if err != nil {
		return 0, err
	}
	return math.Max(1, size*between/variance*float64(len(means))/worth), nil
}
