package analyze

import (
	"cmp"
	"fmt"
	"slices"

	"versus/stdlib/metric"
	"versus/stdlib/stats"
)

// Test is the default comparison of a pair, made beside the user's formula
// from the run-level values of all valid runs of both sides, whatever is kept:
// the ratio of the two by Hodges and Lehmann (1963) on logarithms with its
// exact interval, and the test of Mann and Whitney (1947).
type Test struct {
	// Ratio is how many times as good the candidate is by the formula's
	// metric: above 1 it is better (or, for a metric without a better
	// direction, higher). Its Level is 0 if the runs are too few for an interval.
	Ratio stats.Estimate
	// P is the two-sided p value of one pair alone.
	P float64
	// NoTest says why there is no test.
	NoTest string

	tooFew bool // no outcome of the runs could be significant
}

// Undecided is the verdict where there is no test.
const Undecided stats.Verdict = ""

// test compares the runs of a pair.
func (c *Comparison) test(p *Pair) Test {
	if c.Metric == nil {
		return Test{NoTest: "a verdict needs a formula over one metric of both sides"}
	}
	x, why := p.Baseline.RunValues(c.Metric.Name)
	if why != "" {
		return Test{NoTest: why}
	}
	y, why := p.Candidate.RunValues(c.Metric.Name)
	if why != "" {
		return Test{NoTest: why}
	}
	x, y = inFavour(*c.Metric, x, y)
	return ratioTest(c.Metric.Name, x, y, c.Comparison.Confidence)
}

// inFavour orders old and new values so that their ratio, of the first to the
// second, is above 1 where the new ones are better, or higher if the metric has
// no better direction.
func inFavour(m metric.Metric, old, new []float64) (x, y []float64) {
	if m.Better == metric.Lower {
		return old, new
	}
	return new, old
}

// ratioTest compares run-level values of a metric: the ratio is of x to y.
func ratioTest(name string, x, y []float64, confidence float64) Test {
	for _, v := range slices.Concat(x, y) {
		if v <= 0 {
			return Test{NoTest: fmt.Sprintf("a ratio needs values above 0; %s of a run is %v", name, v)}
		}
	}
	mw, err := stats.MannWhitney(x, y)
	if err != nil {
		return Test{NoTest: err.Error()}
	}
	ratio, err := stats.HodgesLehmannRatio(x, y, confidence)
	if err != nil && !finite(ratio.Estimate) { // too many runs to list their pairs
		return Test{NoTest: err.Error()}
	}
	return Test{Ratio: ratio, P: mw.P, tooFew: stats.SmallestP(len(x), len(y)) > 1-confidence}
}

// Family is a set of pairs shown together. Their p values are adjusted for
// their number (Holm 1979).
type Family struct {
	adjusted map[*Pair]float64
}

// NewFamily adjusts the p values of pairs. A pair named twice counts once;
// pairs without a test don't count, nor do those with so few runs that no
// outcome could have been significant (Tarone 1990): they claim nothing.
func NewFamily(pairs []*Pair) *Family {
	f := &Family{adjusted: map[*Pair]float64{}}
	var tested []*Pair
	var ps []float64
	for _, p := range pairs {
		if _, seen := f.adjusted[p]; seen || p.missing() != "" || p.NoTest != "" || p.tooFew {
			continue
		}
		f.adjusted[p] = p.P
		tested = append(tested, p)
		ps = append(ps, p.P)
	}
	for i, q := range stats.Holm(ps) {
		f.adjusted[tested[i]] = q
	}
	return f
}

// Size is the number of pairs that were tested together.
func (f *Family) Size() int { return len(f.adjusted) }

// P is the adjusted p value of a pair of the family. A pair of no family keeps
// its own.
func (f *Family) P(p *Pair) float64 {
	if f != nil {
		if q, ok := f.adjusted[p]; ok {
			return q
		}
	}
	return p.P
}

// Verdict is what can be said of a pair by stats.Judge: faster (better) or
// slower (worse) if its adjusted p value is small enough and the interval of
// the ratio excludes 1. Beyond that the interval of the formula's value, where
// there is one, must exclude no difference too: the two are printed side by side.
// Where the baseline was measured twice, the ratio must be beyond the noise
// floor, and there is no verdict if that could not be found.
func (f *Family) Verdict(p *Pair) stats.Verdict {
	switch {
	case p.NoVerdict() != "":
		return Undecided
	case p.tooFew:
		return stats.TooFewRuns
	case p.HasNull && p.NoInterval == "" && p.Interval.Low <= p.Null && p.Null <= p.Interval.High:
		return stats.NoDifference
	}
	e := stats.Evidence{Ratio: p.Ratio, P: f.P(p), Alpha: 1 - p.Comparison.Comparison.Confidence}
	if n := p.Comparison.Noise; n != nil {
		e.NoiseFloor = n.Floor
	}
	return stats.Judge(e)
}

// NoVerdict says why a pair gets no verdict: it has no value or no test, or the
// noise floor was asked for and could not be found.
func (p *Pair) NoVerdict() string {
	if why := cmp.Or(p.missing(), p.NoTest); why != "" {
		return why
	}
	if n := p.Comparison.Noise; n != nil && n.Floor == 0 {
		return "the noise floor could not be found: " + n.Why
	}
	return ""
}

// Better and Worse say whether a verdict is for or against the candidate.
func Better(v stats.Verdict) bool { return v == stats.Faster }

// Worse is the opposite of Better, and not merely its absence.
func Worse(v stats.Verdict) bool { return v == stats.Slower }
