package stats

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Autocorrelation returns the autocorrelation of a series at the lags 0 to
// maxLag, with divisor n at every lag as R's acf has it (Box and Jenkins
// 1970). maxLag is from 0 to len(xs)-1. A series of equal values has none,
// which is an error.
func Autocorrelation(xs []float64, maxLag int) ([]float64, error) {
	if err := checkMeasured(xs); err != nil {
		return nil, err
	}
	if maxLag < 0 || maxLag >= len(xs) {
		return nil, fmt.Errorf("a series of %d values has the lags 0 to %d, not %d", len(xs), len(xs)-1, maxLag)
	}
	m := Mean(xs)
	acf := make([]float64, maxLag+1)
	for lag := range acf {
		for i := lag; i < len(xs); i++ {
			acf[lag] += (xs[i] - m) * (xs[i-lag] - m)
		}
		if lag == 0 && !(acf[0] > 0) {
			return nil, errors.New("all values are equal")
		}
		if lag > 0 {
			acf[lag] /= acf[0]
		}
	}
	acf[0] = 1
	return acf, nil
}

// LjungBox tests whether a series has any autocorrelation at the lags 1 to
// lags (Ljung and Box 1978).
func LjungBox(xs []float64, lags int) (ChiTest, error) {
	if lags < 1 {
		return ChiTest{}, errors.New("needs at least one lag")
	}
	acf, err := Autocorrelation(xs, lags)
	if err != nil {
		return ChiTest{}, err
	}
	n, q := float64(len(xs)), 0.0
	for lag := 1; lag <= lags; lag++ {
		q += acf[lag] * acf[lag] / (n - float64(lag))
	}
	return chiTest(n*(n+2)*q, float64(lags)), nil
}

// LagSpearman is the rank correlation of a series with itself one step later:
// whether a high value follows a high one (Lancet, Kogias et al. 2019). It
// needs three values, and an error says if either part has equal values only.
func LagSpearman(xs []float64) (float64, error) {
	if err := checkAtLeast(3, xs); err != nil {
		return 0, err
	}
	rho := stat.Correlation(floatRanks(xs[:len(xs)-1]), floatRanks(xs[1:]), nil)
	if math.IsNaN(rho) {
		return 0, errors.New("all values are equal")
	}
	return rho, nil
}

// EffectiveSize is how many independent values a series is worth: n divided by
// 1 + 2 Σ rho, summed over pairs of lags until a pair is not positive (Geyer
// 1992). It is from 0 to n: a series that alternates counts as n. It needs
// three values; equal values are an error.
func EffectiveSize(xs []float64) (float64, error) {
	if err := checkAtLeast(3, xs); err != nil {
		return 0, err
	}
	if len(xs) > 10*maxSeries {
		return 0, fmt.Errorf("takes at most %d values, not %d", 10*maxSeries, len(xs))
	}
	acf, err := Autocorrelation(xs, len(xs)-1)
	if err != nil {
		return 0, err
	}
	sum := -1.0 // the pair of the lags 0 and 1 counts lag 0 once too often
	for lag := 0; lag+1 < len(acf); lag += 2 {
		pair := acf[lag] + acf[lag+1]
		if pair <= 0 {
			break
		}
		sum += 2 * pair
	}
	n := float64(len(xs))
	if sum <= 1 {
		return n, nil
	}
	return n / sum, nil
}

// BlockLength is the number of neighbouring values that a block bootstrap
// keeps together: the first lag at which the autocorrelation is within noise,
// |rho| < 1.96/sqrt(n). At least 1; n if there is no such lag.
func BlockLength(xs []float64) (int, error) {
	if err := checkAtLeast(3, xs); err != nil {
		return 0, err
	}
	limit := distuv.UnitNormal.Quantile(0.975) / math.Sqrt(float64(len(xs)))
	if len(xs) > 10*maxSeries {
		return 0, fmt.Errorf("takes at most %d values, not %d", 10*maxSeries, len(xs))
	}
	acf, err := Autocorrelation(xs, len(xs)-1)
	if err != nil {
		return 0, err
	}
	for lag := 1; lag < len(acf); lag++ {
		if math.Abs(acf[lag]) < limit {
			return lag, nil
		}
	}
	return len(xs), nil
}
