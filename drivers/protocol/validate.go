package protocol

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// Limits of a result, against a worker that floods.
const (
	maxKinds   = 64   // kinds of errors
	maxFlags   = 256  // remarks
	maxFlagLen = 2000 // bytes of one remark
)

// Validate reports the first thing in the result that can't be true: counts
// below zero, numbers that are not finite, histograms that don't decode or
// contradict the numbers beside them. A result that it refuses must not be used.
func (r *Result) Validate() error {
	if !finite(r.Elapsed) || r.Elapsed <= 0 {
		return fmt.Errorf("elapsed is %v; it must be above 0", r.Elapsed)
	}
	if err := r.validateCounts(); err != nil {
		return err
	}
	for _, n := range []struct {
		name  string
		value float64
	}{{"offered", r.Offered}, {"cpu_user", r.CPUUser}, {"cpu_system", r.CPUSystem}} {
		if !finite(n.value) || n.value < 0 {
			return fmt.Errorf("%s is %v; it can't be below 0", n.name, n.value)
		}
	}
	if len(r.Flags) > maxFlags {
		return fmt.Errorf("%d flags; at most %d are allowed", len(r.Flags), maxFlags)
	}
	for _, f := range r.Flags {
		if len(f) > maxFlagLen {
			return fmt.Errorf("a flag of %d bytes; at most %d are allowed", len(f), maxFlagLen)
		}
	}
	if err := r.validateDistributions(); err != nil {
		return err
	}
	return r.validateWindows()
}

// validateWindows holds the windows against the distribution that they cut.
func (r *Result) validateWindows() error {
	if len(r.Windows) == 0 {
		return nil
	}
	if len(r.Windows) > MaxWindows {
		return fmt.Errorf("%d windows; at most %d are allowed", len(r.Windows), MaxWindows)
	}
	if r.Latency == nil {
		return errors.New("windows without a latency that they are of")
	}
	count, sum := r.Latency.Count, r.Latency.Sum
	for i, w := range r.Windows {
		switch {
		case w.Count < 0 || w.Sum < 0 || w.Count == 0 && w.Sum != 0:
			return fmt.Errorf("window %d has %d times that sum up to %d ns", i+1, w.Count, w.Sum)
		case w.Count > count || w.Sum > sum:
			return fmt.Errorf("the windows up to number %d have more times than latency, or a larger sum", i+1)
		}
		count, sum = count-w.Count, sum-w.Sum
	}
	if count != 0 || sum != 0 {
		return fmt.Errorf("the windows lack %d of the times of latency, and %d ns of their sum", count, sum)
	}
	return nil
}

func (r *Result) validateCounts() error {
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"sent", r.Sent}, {"received", r.Received}, {"lost", r.Lost}, {"duplicated", r.Duplicated},
		{"reordered", r.Reordered}, {"late", r.Late}, {"negative", r.Negative},
		{"peak_memory", r.PeakMemory}, {"wire_bytes", r.WireBytes},
	} {
		if n.value < 0 {
			return fmt.Errorf("%s is %d; it can't be below 0", n.name, n.value)
		}
	}
	if len(r.Errors) > maxKinds {
		return fmt.Errorf("%d kinds of errors; at most %d are allowed", len(r.Errors), maxKinds)
	}
	for kind, n := range r.Errors {
		if !ValidKind(kind) {
			return fmt.Errorf("the error kind %s is not a short name of a-z, 0-9 and _", excerpt([]byte(kind)))
		}
		if n < 0 {
			return fmt.Errorf("errors.%s is %d; it can't be below 0", kind, n)
		}
	}
	return nil
}

func (r *Result) validateDistributions() error {
	for _, n := range []struct {
		name string
		d    *Distribution
		most int64 // samples that it can have
	}{
		{"latency", r.Latency, r.Received},
		{"service", r.Service, r.Received},
		{"send_lag", r.SendLag, r.Sent},
	} {
		if n.d == nil {
			continue
		}
		if err := n.d.Validate(); err != nil {
			return fmt.Errorf("%s: %w", n.name, err)
		}
		if n.d.Count > n.most {
			return fmt.Errorf("%s has %d samples of only %d messages", n.name, n.d.Count, n.most)
		}
	}
	return nil
}

// ValidKind reports whether kind can name a kind of errors: 1 to 40 of a-z,
// 0-9 and _, so that errors.KIND is a metric's name.
func ValidKind(kind string) bool {
	return len(kind) > 0 && len(kind) <= 40 &&
		strings.Trim(kind, "abcdefghijklmnopqrstuvwxyz0123456789_") == "" && kind[0] >= 'a'
}

// Validate reports the first contradiction in the distribution.
func (d *Distribution) Validate() error {
	if d.Count < 0 || d.Sum < 0 || d.Min < 0 || d.Max < 0 || d.Over < 0 {
		return errors.New("count, sum, min, max and over can't be below 0")
	}
	if d.Over > d.Count {
		return fmt.Errorf("%d of %d samples over the range", d.Over, d.Count)
	}
	if !finite(d.SumSquares) || d.SumSquares < 0 {
		return fmt.Errorf("sum_squares is %v", d.SumSquares)
	}
	var total int64
	first, last := -1, -1 // buckets
	err := eachBucket(d.Histogram, func(bucket int, count int64) error {
		if first < 0 {
			first = bucket
		}
		total, last = total+count, bucket
		return nil
	})
	if err != nil {
		return err
	}
	if total != d.Count {
		return fmt.Errorf("the histogram has %d samples, count says %d", total, d.Count)
	}
	if d.Count == 0 {
		if d.Sum != 0 || d.Min != 0 || d.Max != 0 || d.SumSquares != 0 {
			return errors.New("no samples, but a sum, minimum or maximum")
		}
		return nil
	}
	for _, edge := range []struct {
		name   string
		exact  int64
		bucket int
	}{{"min", d.Min, first}, {"max", d.Max, last}} {
		if bucketOf(min(edge.exact, MaxTrackable)) != edge.bucket {
			return fmt.Errorf("%s is %d, the histogram says about %d", edge.name, edge.exact, lowestOf(edge.bucket))
		}
	}
	if (d.Max > MaxTrackable) != (d.Over > 0) {
		return fmt.Errorf("max is %d with %d samples over %d", d.Max, d.Over, MaxTrackable)
	}
	return d.validateMoments()
}

// validateMoments checks the sums against what the extremes allow.
func (d *Distribution) validateMoments() error {
	const slack = 1e-6 // rounding of floating point sums
	n, sum := float64(d.Count), float64(d.Sum)
	if sum < n*float64(d.Min)*(1-slack) || sum > n*float64(d.Max)*(1+slack) {
		return fmt.Errorf("%d samples from %d to %d can't sum up to %d", d.Count, d.Min, d.Max, d.Sum)
	}
	// Mean of squares: at least the square of the mean (Jensen), at most max times mean.
	low, high := sum*1e-9*(sum*1e-9)/n, sum*1e-9*(float64(d.Max)*1e-9)
	if d.SumSquares < low*(1-slack) || d.SumSquares > high*(1+slack) {
		return fmt.Errorf("sum_squares is %v; with these samples it must be from %v to %v", d.SumSquares, low, high)
	}
	return nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
