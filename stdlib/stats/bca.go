package stats

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// BCaInterval is the bias-corrected and accelerated bootstrap interval (Efron
// 1987), better than PercentileInterval for means of skewed values. values are
// those of a Bootstrap, estimate the statistic of the runs themselves, and
// jackknife the statistic with each run left out in turn. Its end at share a
// is the smallest value with at least a share a at or below it.
//
// There is no interval, and the error says why, if a value is undefined, if
// all values are equal, if the estimate lies outside them, or if the jackknife
// does not vary (a median; take MedianInterval for one).
func BCaInterval(values []float64, estimate float64, jackknife []float64, level float64) (Interval, error) {
	if err := checkLevel(level); err != nil {
		return Interval{}, err
	}
	if err := checkDefined(values); err != nil {
		return Interval{}, err
	}
	if err := checkAtLeast(2, append([]float64{estimate}, jackknife...)); err != nil {
		return Interval{}, err
	}
	s := sorted(values)
	if s[0] == s[len(s)-1] {
		return Interval{}, errors.New("all resamples have the same value")
	}
	z0 := bias(s, estimate)
	if math.IsInf(z0, 0) {
		return Interval{}, errors.New("the estimate lies outside all resamples")
	}
	a := acceleration(jackknife)
	if math.IsNaN(a) {
		return Interval{}, errors.New("leaving out a run never changes the value")
	}
	end := func(p float64) (float64, bool) {
		z := z0 + distuv.UnitNormal.Quantile(p)
		if a*z >= 1 { // the correction has left its range
			return 0, false
		}
		share := distuv.UnitNormal.CDF(z0 + z/(1-a*z))
		return s[Rank(len(s), math.Max(share, math.SmallestNonzeroFloat64))-1], true
	}
	low, ok := end((1 - level) / 2)
	high, ok2 := end((1 + level) / 2)
	if !ok || !ok2 {
		return Interval{}, errors.New("the values are too skewed for a BCa interval")
	}
	return Interval{low, high, level}, nil
}

// bias is the normal quantile of the share of values below the estimate,
// those equal to it (to rounding) counting half.
func bias(values []float64, estimate float64) float64 {
	below := 0.0
	for _, v := range values {
		switch {
		case math.Abs(v-estimate) <= 1e-12*math.Abs(estimate):
			below += 0.5
		case v < estimate:
			below++
		}
	}
	return distuv.UnitNormal.Quantile(below / float64(len(values)))
}

// acceleration is a sixth of the skewness of the jackknife values, turned
// around; NaN if they are all equal.
func acceleration(jackknife []float64) float64 {
	m := Mean(jackknife)
	squares, cubes := 0.0, 0.0
	for _, j := range jackknife {
		d := m - j
		squares += d * d
		cubes += d * d * d
	}
	if squares <= 1e-24*m*m*float64(len(jackknife)) {
		return math.NaN()
	}
	return cubes / (6 * math.Pow(squares, 1.5))
}

// Jackknife evaluates f with each value left out in turn.
func Jackknife(xs []float64, f func([]float64) float64) []float64 {
	out := make([]float64, 0, len(xs))
	rest := make([]float64, 0, len(xs))
	for i := range xs {
		rest = append(append(rest[:0], xs[:i]...), xs[i+1:]...)
		out = append(out, f(rest))
	}
	return out
}
