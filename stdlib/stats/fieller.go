package stats

import (
	"errors"
	"math"
)

// RatioOfMeans estimates the mean of x over the mean of y, for independent
// runs, with the interval of Fieller (1954) and Welch-Satterthwaite degrees of
// freedom at the estimated ratio. Condition: means about normal. It needs two
// values a side. There is no interval, and the error says so, if the mean of y
// is not clearly different from 0: it would be unbounded.
func RatioOfMeans(x, y []float64, level float64) (Estimate, error) {
	if err := errors.Join(checkTwo(2, x, y), checkLevel(level)); err != nil {
		return noEstimate, err
	}
	nx, ny := float64(len(x)), float64(len(y))
	vx, vy := Variance(x)/nx, Variance(y)/ny
	r := Mean(x) / Mean(y)
	df := math.Min(nx, ny) - 1 // without any spread every df gives the same interval
	if v := vx*vx/(nx-1) + r*r*r*r*vy*vy/(ny-1); v > 0 {
		df = (vx + r*r*vy) * (vx + r*r*vy) / v
	}
	return fieller(Mean(x), Mean(y), vx, vy, 0, tQuantile(df, level), level)
}

// PairedRatioOfMeans is RatioOfMeans for pairs of runs, measured side by side:
// x[i] belongs to y[i].
func PairedRatioOfMeans(x, y []float64, level float64) (Estimate, error) {
	_, err := differences(x, y, 2)
	if err := errors.Join(err, checkLevel(level)); err != nil {
		return noEstimate, err
	}
	n := float64(len(x))
	mx, my := Mean(x), Mean(y)
	c := 0.0
	for i := range x {
		c += (x[i] - mx) * (y[i] - my) / (n - 1)
	}
	return fieller(mx, my, Variance(x)/n, Variance(y)/n, c/n, tQuantile(n-1, level), level)
}

// fieller solves |mx - r my| = t sqrt(vx - 2 r c + r² vy) for r.
func fieller(mx, my, vx, vy, c, t, level float64) (Estimate, error) {
	if my == 0 {
		return noEstimate, errors.New("the mean of the second sample is 0: a division by zero")
	}
	e := Estimate{Estimate: mx / my}
	a, b, d := my*my-t*t*vy, mx*my-t*t*c, mx*mx-t*t*vx
	if !(a > 0) {
		return e, errors.New("the second sample is too noisy to divide by: its mean may be 0")
	}
	root := math.Sqrt(math.Max(0, b*b-a*d)) // below 0 only by rounding
	e.Interval = Interval{(b - root) / a, (b + root) / a, level}
	return e, nil
}
