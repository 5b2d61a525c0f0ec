package analyze

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"versus/dsl"
	"versus/stdlib/metric"
)

// minRuns is the number of runs a side from which a bootstrap interval is
// shown. Below it the interval covers far less than it claims: of the best
// half of 6 normal values a nominal 95 % interval covers 80 %, of fewer less.
const minRuns = 6

// slowResamples is the number of resamples for a formula that is not plain
// arithmetic, each of which costs a hundred times as much.
const slowResamples = 1000

// resampler draws runs of both sides with replacement and computes the formula
// of each draw.
type resampler struct {
	comparison *dsl.Comparison
	pair       *Pair
	estimators []estimator // in the order of the formula's metrics
	onBaseline []bool
	formula    func(metrics []float64) float64
	resamples  int
}

// newResampler prepares the resampling of a pair, or says why it can't be done.
func newResampler(c *dsl.Comparison, p *Pair) (*resampler, string) {
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
	r := &resampler{comparison: c, pair: p, resamples: Resamples}
	for _, ref := range c.Value.Metrics {
		m, ok := metric.Lookup(ref.Metric)
		if !ok {
			return nil, "there is no metric " + ref.Metric
		}
		cell := p.Candidate
		if ref.Side == "baseline" {
			cell = p.Baseline
		}
		estimate, why := cell.estimator(m)
		if why != "" {
			return nil, why
		}
		r.estimators = append(r.estimators, estimate)
		r.onBaseline = append(r.onBaseline, ref.Side == "baseline")
	}
	return r, ""
}

// slow evaluates the formula in HCL.
func (r *resampler) slow(s *dsl.Scenario, metrics []float64) float64 {
	known := drawn{}
	for i, ref := range r.comparison.Value.Metrics {
		known[ref.Side+" "+ref.Metric] = metrics[i]
	}
	o := s.EvalResult(r.comparison.Value, r.pair.Candidate.Plan.Each, known)
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

// value computes the formula for one draw of each side.
func (r *resampler) value(metrics []float64, baseline, candidate []int) float64 {
	for i, estimate := range r.estimators {
		if r.onBaseline[i] {
			metrics[i] = estimate(baseline)
		} else {
			metrics[i] = estimate(candidate)
		}
	}
	return r.formula(metrics)
}

// interval computes the bootstrap interval of the pair, and the formula's
// value for equal sides.
func (p *Pair) interval(r *resampler, stream uint64) {
	metrics := make([]float64, len(r.estimators))
	baseline, candidate := make([]int, len(p.Baseline.Valid)), make([]int, len(p.Candidate.Valid))
	p.null(r, metrics)
	rng := rand.New(rand.NewPCG(Seed, stream))
	values := make([]float64, 0, r.resamples)
	for range r.resamples {
		draw(rng, baseline)
		draw(rng, candidate)
		if v := r.value(metrics, baseline, candidate); finite(v) {
			values = append(values, v)
		}
	}
	if undefined := r.resamples - len(values); undefined > 0 {
		p.NoInterval = fmt.Sprintf("there is no interval: the formula has no value in %d of %d resamples of the runs", undefined, r.resamples)
		return
	}
	slices.Sort(values)
	cut := int(math.Floor(float64(len(values)) * (1 - r.comparison.Confidence) / 2))
	p.Resamples = r.resamples
	p.Interval = Interval{values[cut], values[len(values)-1-cut]}
}

// null computes the formula with the candidate on both sides.
func (p *Pair) null(r *resampler, metrics []float64) {
	same := map[string]float64{}
	for i, ref := range r.comparison.Value.Metrics {
		if ref.Side == "candidate" {
			same[ref.Metric] = r.estimators[i](once(len(p.Candidate.Valid)))
		}
	}
	for i, ref := range r.comparison.Value.Metrics {
		v, ok := same[ref.Metric]
		if !ok {
			return
		}
		metrics[i] = v
	}
	v := r.formula(metrics)
	p.Null, p.HasNull = v, finite(v)
}

// draw draws as many runs as there are, with replacement; times counts how
// often each was drawn.
func draw(rng *rand.Rand, times []int) {
	clear(times)
	for range times {
		times[rng.IntN(len(times))]++
	}
}
