package stats

import "fmt"

// Truncation is the start of a series that MSER proposes to leave out.
type Truncation struct {
	Values    int     // how many values, a multiple of the batch
	Statistic float64 // variance of the mean of what remains, which is least
	// TooShort says that the least lies at the limit, half of the series: no
	// steady part was seen, the run must be longer.
	TooShort bool
}

// MSER finds how much of the start of a run is warm-up: the truncation that
// makes the mean of the rest most certain (White 1997; with batches of 5,
// MSER-5, White, Cobb and Spratt 2000). Values are averaged in batches first;
// an incomplete last batch is left out. At most half of the batches are
// truncated. It needs 4 batches.
func MSER(xs []float64, batch int) (Truncation, error) {
	if err := checkMeasured(xs); err != nil {
		return Truncation{}, err
	}
	if batch < 1 || len(xs)/batch < 4 {
		return Truncation{}, fmt.Errorf("needs at least 4 batches of %d, there are %d values", batch, len(xs))
	}
	means := make([]float64, len(xs)/batch)
	for i := range means {
		means[i] = Mean(xs[i*batch : (i+1)*batch])
	}
	// From the end, so that mean and sum of squares grow by one batch a step
	// (Welford 1962).
	n := len(means)
	limit, mean, squares := n/2, 0.0, 0.0
	statistics := make([]float64, n)
	for d := n - 1; d >= 0; d-- {
		k := float64(n - d)
		delta := means[d] - mean
		mean += delta / k
		squares += delta * (means[d] - mean)
		statistics[d] = squares / (k * k)
	}
	best := 0
	for d := 1; d <= limit; d++ {
		if statistics[d] < statistics[best]*(1-1e-9) { // rounding is no improvement
			best = d
		}
	}
	return Truncation{best * batch, statistics[best], best == limit}, nil
}
