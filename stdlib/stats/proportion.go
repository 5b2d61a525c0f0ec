package stats

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// checkCount refuses k of n that is no proportion.
func checkCount(k, n int64, level float64) error {
	if n < 1 || k < 0 || k > n {
		return fmt.Errorf("%d of %d is no proportion", k, n)
	}
	return checkLevel(level)
}

// Wilson is the score interval of a proportion of k events in n trials (Wilson
// 1927): losses by messages sent. Condition: independent events, which losses
// are often not; show their spread over runs beside it. It needs n >= 1 and
// 0 <= k <= n.
func Wilson(k, n int64, level float64) (Interval, error) {
	if err := checkCount(k, n, level); err != nil {
		return Interval{}, err
	}
	z, f := distuv.UnitNormal.Quantile((1+level)/2), float64(n)
	p := float64(k) / f
	scale := 1 + z*z/f
	middle := (p + z*z/(2*f)) / scale
	half := z / scale * math.Sqrt(p*(1-p)/f+z*z/(4*f*f))
	iv := Interval{math.Max(0, middle-half), math.Min(1, middle+half), level} // beyond only by rounding
	if k == 0 {
		iv.Low = 0
	}
	if k == n {
		iv.High = 1
	}
	return iv, nil
}

// ClopperPearson is the exact interval of a proportion (Clopper and Pearson
// 1934), never too short. For 0 of n its high end at 95 % is about 3.7/n; the
// one-sided bound is the "rule of three", 3/n.
func ClopperPearson(k, n int64, level float64) (Interval, error) {
	if err := checkCount(k, n, level); err != nil {
		return Interval{}, err
	}
	tail, fk, fn := (1-level)/2, float64(k), float64(n)
	iv := Interval{0, 1, level}
	if k > 0 {
		iv.Low = mathext.InvRegIncBeta(fk, fn-fk+1, tail)
	}
	if k < n {
		iv.High = mathext.InvRegIncBeta(fk+1, fn-fk, 1-tail)
	}
	if math.IsNaN(iv.Low) || math.IsNaN(iv.High) {
		return Interval{}, errors.New("the interval can't be computed for such large counts")
	}
	return iv, nil
}
