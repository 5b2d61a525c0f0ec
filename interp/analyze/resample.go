package analyze

import (
	"fmt"
	"math"

	"versus/dsl"
	"versus/stdlib/metric"
	"versus/stdlib/stats"
)

// minRuns is the number of runs a side from which a bootstrap interval is
// shown. Below it the interval covers far less than it claims: of the best
// half of 6 normal values a nominal 95 % interval covers 80 %, of fewer less.
const minRuns = 6

// slowResamples is the number of resamples for a formula that is not plain
// arithmetic, each of which costs a hundred times as much.
const slowResamples = 1000

// resampler computes the formula of a pair for resamples of the runs of both
// sides.
type resampler struct {
	scenario   *dsl.Scenario
	comparison *dsl.Comparison
	pair       *Pair
	estimators []estimator // in the order of the formula's metrics
	sides      []int       // of each metric: 0 baseline, 1 candidate
	formula    *dsl.Formula
}

// newResampler prepares the resampling of a pair, or says why it can't be
// done. formula is nil if it is not plain arithmetic.
func newResampler(s *dsl.Scenario, c *dsl.Comparison, p *Pair, formula *dsl.Formula) (*resampler, string) {
	if p.Value.Kind != dsl.IsNumber {
		return nil, p.missing()
	}
	n := min(len(p.Baseline.Valid), len(p.Candidate.Valid))
	switch {
	case n <= 1:
		return nil, "there is no interval with one run a side"
	case n < minRuns:
		return nil, fmt.Sprintf("%d runs a side are too few for an interval; it needs %d", n, minRuns)
	}
	r := &resampler{scenario: s, comparison: c, pair: p, formula: formula}
	for _, ref := range c.Value.Metrics {
		m, ok := metric.Lookup(ref.Metric)
		if !ok {
			return nil, "there is no metric " + ref.Metric
		}
		cell, side := p.Candidate, 1
		if ref.Side == "baseline" {
			cell, side = p.Baseline, 0
		}
		estimate, why := cell.estimator(m)
		if why != "" {
			return nil, why
		}
		r.estimators = append(r.estimators, estimate)
		r.sides = append(r.sides, side)
	}
	return r, ""
}

// statistic is the formula of a resample.
func (r *resampler) statistic() stats.Statistic {
	metrics := make([]float64, len(r.estimators))
	return func(times [][]int) float64 {
		for i, estimate := range r.estimators {
			metrics[i] = estimate(times[r.sides[i]])
		}
		return r.eval(metrics)
	}
}

// eval evaluates the formula, in HCL if it could not be compiled.
func (r *resampler) eval(metrics []float64) float64 {
	if r.formula != nil {
		return r.formula.Eval(metrics)
	}
	known := drawn{}
	for i, ref := range r.comparison.Value.Metrics {
		known[ref.Side+" "+ref.Metric] = metrics[i]
	}
	o := r.scenario.EvalResult(r.comparison.Value, r.pair.Candidate.Plan.Each, known)
	if o.Kind != dsl.IsNumber {
		return math.NaN()
	}
	return o.Number
}

// drawn answers a formula with the metrics of one resample.
type drawn map[string]float64

func (d drawn) Metric(side, name string) (float64, string) {
	v := d[side+" "+name]
	if !finite(v) {
		return 0, "undefined in this resample"
	}
	return v, ""
}

func (drawn) Comparison(name, _ string) (float64, string, string) {
	return 0, "", "comparison." + name + " can't be used inside a comparison"
}

// resample computes the bootstrap interval of the pair, and the formula's
// value for equal sides. stream tells the pairs of a comparison apart.
func (p *Pair) resample(r *resampler, stream uint64) {
	p.Null = r.null()
	p.HasNull = finite(p.Null)
	p.Resamples = Resamples
	if r.formula == nil {
		p.Resamples = slowResamples
	}
	values, err := stats.Bootstrap{
		Runs:      []int{len(p.Baseline.Valid), len(p.Candidate.Valid)},
		Resamples: p.Resamples, Seed: Seed, Stream: stream,
	}.Values(r.statistic)
	if err == nil {
		var in stats.Interval
		in, err = stats.PercentileInterval(values, r.comparison.Confidence)
		p.Interval = Interval{in.Low, in.High}
	}
	if err != nil {
		p.NoInterval = "there is no interval: " + err.Error()
	}
}

// null computes the formula with the candidate on both sides; NaN if the
// formula has a metric of the baseline alone.
func (r *resampler) null() float64 {
	same := map[string]float64{}
	for i, ref := range r.comparison.Value.Metrics {
		if ref.Side == "candidate" {
			same[ref.Metric] = r.estimators[i](once(len(r.pair.Candidate.Valid)))
		}
	}
	metrics := make([]float64, len(r.estimators))
	for i, ref := range r.comparison.Value.Metrics {
		v, ok := same[ref.Metric]
		if !ok {
			return math.NaN()
		}
		metrics[i] = v
	}
	return r.eval(metrics)
}
