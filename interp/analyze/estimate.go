package analyze

import (
	"fmt"
	"math"

	"versus/stdlib/metric"
	"versus/stdlib/stats"
)

// fewBeyond is the number of samples beyond a percentile from which it is
// shown without a warning (methodology: n(1-p) >= 10).
const fewBeyond = 10

// Value is a number, or why there is none.
type Value struct {
	Number  float64
	Missing string // not empty: there is no number, and why
	Warning string // what to know of the number
}

// An estimator computes a metric of a cell from its runs, by number, each
// counted times[i] times. With every run counted once it gives the value of
// the cell, and with the counts of a resample the value of the resample: both
// by the same rule.
type estimator func(times []int) float64

// estimator returns how the cell's runs give a metric, or why they don't.
// Where some runs have no value it gives NaN if it needs one of them.
func (c *Cell) estimator(m metric.Metric) (estimator, string) {
	if len(c.runs) == 0 {
		return nil, c.whyNoRuns()
	}
	if m.Combine == metric.MeanOfKept && c.keepProblem != "" {
		return nil, c.keepProblem
	}
	runs, missing := c.parts(m)
	if missing != "" {
		return nil, missing
	}
	values := make([]float64, len(runs))
	num, den := make([]float64, len(runs)), make([]float64, len(runs))
	for i, r := range runs {
		values[i], num[i], den[i] = r.value, r.num, r.den
	}
	recorded := len(c.runs[0].run.Roles) == 0
	if len(runs) > 1 && recorded && (m.Combine == metric.Merged || m.Combine == metric.Pooled) {
		return nil, fmt.Sprintf("%s of %d recorded runs can't be put together without what it was computed from", m.Name, len(runs))
	}
	switch {
	case m.Combine == metric.MeanOfKept && c.keep != nil:
		return func(times []int) float64 { return c.keep.Mean(values, times) }, ""
	case m.Combine == metric.MeanOfKept:
		return func(times []int) float64 { return stats.ResampledMean(values, times) }, ""
	case m.Combine == metric.SumOfAll:
		return sumOf(values), ""
	case m.Combine == metric.MaxOfAll:
		return func(times []int) float64 { return stats.ResampledMax(values, times) }, ""
	case m.Combine == metric.MinOfAll:
		return minOf(values), ""
	case recorded:
		return func([]int) float64 { return values[0] }, ""
	case m.Combine == metric.Pooled:
		return func(times []int) float64 { return stats.ResampledRatio(num, den, times) }, ""
	case m.Quantile > 0:
		return c.quantileOf(m)
	}
	return spreadOf(runs), ""
}

// parts returns what each valid run says about a metric; a run without a
// value has NaN, so that nothing is computed as if the run had not been. If no
// run has a value it returns why.
func (c *Cell) parts(m metric.Metric) ([]parts, string) {
	runs := make([]parts, len(c.runs))
	missing, first := 0, ""
	for i, d := range c.runs {
		p, why := d.value(m)
		if why != "" {
			p.value, p.num, p.den = math.NaN(), math.NaN(), math.NaN()
			missing++
			if first == "" {
				first = why
			}
		}
		runs[i] = p
	}
	measured := len(c.runs[0].run.Roles) > 0
	if missing == len(runs) && !(m.Combine == metric.Merged && measured && len(runs) > 1) { // merged, runs may show what none does alone
		return nil, first
	}
	return runs, ""
}

func sumOf(values []float64) estimator {
	return func(times []int) float64 {
		sum := 0.0
		for i, n := range times {
			if n > 0 {
				sum += float64(n) * values[i]
			}
		}
		return sum
	}
}

func minOf(values []float64) estimator {
	return func(times []int) float64 {
		least := math.Inf(1)
		for i, n := range times {
			if n > 0 {
				least = min(least, values[i])
			}
		}
		return least
	}
}

func spreadOf(runs []parts) estimator {
	sums := make([]moments, len(runs))
	for i, r := range runs {
		sums[i] = total(r.dist)
	}
	return func(times []int) float64 {
		var t moments
		for i, n := range times {
			if n > 0 && sums[i].count == 0 {
				return math.NaN()
			}
			t = t.plus(sums[i], n)
		}
		v, ok := t.stddev()
		if !ok {
			return math.NaN()
		}
		return v
	}
}

func (c *Cell) quantileOf(m metric.Metric) (estimator, string) {
	var hs []*histogram
	for _, d := range c.runs {
		h, why := d.histogram(m)
		if why != "" {
			return nil, fmt.Sprintf("run %d: %s", d.run.Run+1, why)
		}
		hs = append(hs, h)
	}
	all := merge(hs)
	if n := all.count(once(len(hs))); !visible(m.Quantile, n) {
		return nil, tooFew(m)
	}
	return func(times []int) float64 { return all.quantile(m.Quantile, times) }, ""
}

// once counts each of n runs once.
func once(n int) []int {
	times := make([]int, n)
	for i := range times {
		times[i] = 1
	}
	return times
}

// Metric returns the value of a metric in the cell, by its full name.
func (c *Cell) Metric(name string) Value {
	if v, ok := c.values[name]; ok {
		return v
	}
	v := c.compute(name)
	c.values[name] = v
	return v
}

func (c *Cell) compute(name string) Value {
	m, ok := metric.Lookup(name)
	if !ok {
		return Value{Missing: "there is no metric " + name}
	}
	estimate, missing := c.estimator(m)
	if missing != "" {
		return Value{Missing: missing}
	}
	v := Value{Number: estimate(once(len(c.runs)))}
	if math.IsNaN(v.Number) || math.IsInf(v.Number, 0) {
		return Value{Missing: c.firstMissing(m)}
	}
	if m.Quantile > 0 && m.Quantile < 1 {
		if n, ok := c.samples(m); ok && beyond(m.Quantile, n) < fewBeyond-1e-9 {
			v.Warning = fmt.Sprintf("%s rests on fewer than %d samples beyond it", name, fewBeyond)
		}
	}
	return v
}

// firstMissing says which run has no value of a metric that others have.
func (c *Cell) firstMissing(m metric.Metric) string {
	for _, d := range c.runs {
		if _, why := d.value(m); why != "" {
			return fmt.Sprintf("run %d: %s", d.run.Run+1, why)
		}
	}
	return m.Name + " has no finite value"
}

// samples is the number of messages in the merged histogram; ok is false for
// recorded runs.
func (c *Cell) samples(m metric.Metric) (n int64, ok bool) {
	for _, d := range c.runs {
		h, why := d.histogram(m)
		if why != "" {
			return 0, false
		}
		n += h.count()
	}
	return n, len(c.runs) > 0
}

// RunValues returns the metric of each valid run, in the order of the runs'
// numbers, or why some run has none.
func (c *Cell) RunValues(name string) ([]float64, string) {
	m, ok := metric.Lookup(name)
	if !ok {
		return nil, "there is no metric " + name
	}
	if len(c.runs) == 0 {
		return nil, c.whyNoRuns()
	}
	var values []float64
	for _, d := range c.runs {
		p, why := d.value(m)
		if why != "" {
			return nil, fmt.Sprintf("run %d: %s", d.run.Run+1, why)
		}
		values = append(values, p.value)
	}
	return values, ""
}

// RunValue returns the metric of the i-th of the valid runs, or why it has none.
func (c *Cell) RunValue(i int, name string) (float64, string) {
	m, ok := metric.Lookup(name)
	if !ok {
		return 0, "there is no metric " + name
	}
	p, why := c.runs[i].value(m)
	return p.value, why
}
