package stats

import (
	"errors"
	"math"
)

// Effect is the size of a difference between two samples, in units that don't
// depend on the metric.
type Effect struct {
	// CohensD is the difference of the means in pooled standard deviations
	// (Cohen 1969), HedgesG the same without its bias for few values (Hedges
	// 1981). NaN if neither sample has any spread.
	CohensD, HedgesG float64
	// A12 is the share of pairs in which the first sample is larger, equal
	// ones counting half (Vargha and Delaney 2000); CliffsDelta is 2 A12 - 1
	// (Cliff 1993). Both need no normal values.
	A12, CliffsDelta float64
}

// Effects measures how much x is larger than y. It needs two values a side.
func Effects(x, y []float64) (Effect, error) {
	if err := checkTwo(2, x, y); err != nil {
		return Effect{}, err
	}
	nx, ny := float64(len(x)), float64(len(y))
	df := nx + ny - 2
	d := (Mean(x) - Mean(y)) / math.Sqrt(((nx-1)*Variance(x)+(ny-1)*Variance(y))/df)
	if math.IsInf(d, 0) {
		d = math.NaN()
	}
	up, _ := math.Lgamma(df / 2)
	down, _ := math.Lgamma((df - 1) / 2)
	g := d * math.Exp(up-down) / math.Sqrt(df/2)
	_, sum, _ := rankSum(x, y)
	a := (float64(sum) - nx*(nx+1)) / 2 / (nx * ny)
	return Effect{d, g, a, 2*a - 1}, nil
}

// Magnitude puts a Cliff's delta into words, by the limits of Romano et al.
// (2006): negligible, small, medium, large.
func Magnitude(cliffsDelta float64) (string, error) {
	switch d := math.Abs(cliffsDelta); {
	case math.IsNaN(d) || d > 1:
		return "", errors.New("Cliff's delta lies between -1 and 1")
	case d < 0.147:
		return "negligible", nil
	case d < 0.33:
		return "small", nil
	case d < 0.474:
		return "medium", nil
	}
	return "large", nil
}
