package lint

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"versus/dsl"
	"versus/interp/plan"
)

var l12 = &Rule{
	ID: "L12", Slug: "tail-undersampled", Severity: Warning, Auto: true,
	What: "A percentile of a cell will have fewer than 10 samples beyond it; with fewer than one it is an error. " +
		"The samples are those of all runs of the cell, which percentiles are read from: the number of calls, or rate times duration; of a closed loop that measures for a duration, the declared capacity times duration.",
	Why:     "The percentile p of n samples rests on the n(1-p) beyond it. Ten of them need 1,000 samples for p99, 10,000 for p99.9 and 100,000 for p99.99; with less than one the percentile is the maximum under another name.",
	Source:  "Order statistics; MLPerf's minimum query counts. A run of performance_test at 100 Hz for 30 s has 3,000 samples, 3 of them above p99.9.",
	Example: "repeat { runs = 1 }\nmeasure { duration = \"30s\" } # at 100 Hz, for latency.p99_9",
	Cure:    "repeat { runs = 1 }\nmeasure { duration = \"100s\" } # at 100 Hz, for latency.p99_9",
	Check:   tailUndersampled,
}

// beyondTail is how many samples there must be beyond a percentile.
const beyondTail = 10

func tailUndersampled(p *Pass) {
	for _, u := range p.Uses() {
		q := u.Metric.Quantile
		if q <= 0 || q >= 1 {
			continue
		}
		fewest := math.Inf(1)
		var worst *plan.Cell
		unknown := ""
		doubt, cut := p.CellsOf(u, func(c *plan.Cell) bool {
			switch n := samples(c); {
			case n == 0:
				unknown = "nothing says how many calls " + c.Key + " makes, a closed loop without capacity"
			case n < fewest:
				fewest, worst = n, c
			}
			return true
		})
		unknown = cmp.Or(cut, unknown)
		beyond := fewest * (1 - q)
		if beyond < beyondTail && doubt != "" {
			unknown, beyond = doubt, beyondTail
		}
		switch {
		case beyond < beyondTail-1e-6:
			f := p.Report(u.Range, "In cell %[2]s, %[1]s rests on %[3]s samples beyond it, of %.4[4]g in all runs. Measure %.6[5]g or more, or report a lower percentile.",
				u.Metric.Name, worst.Key, atMost(beyond), fewest, math.Ceil(beyondTail/(1-q)-1e-6))
			if beyond < 1-1e-6 {
				f.As(Error)
			}
			p.moreSamples(f, worst.Test)
		case unknown != "" && q > 0.5: // a median needs 20
			p.NotChecked(u.Range, "How many samples are beyond %s is not known: %s.", u.Metric.Name, unknown)
		}
	}
}

// atMost shows a number of samples, rounded down.
func atMost(x float64) string {
	if x < 1 {
		return fmt.Sprintf("%.2g", x)
	}
	return fmt.Sprintf("%.0f", math.Floor(x+1e-6))
}

// samples is how many calls or messages all runs of a cell will have; 0 is not known.
func samples(c *plan.Cell) float64 {
	runs := float64(max(c.Test.Methodology.Runs, 1))
	if m := c.Workload.Measure; m.Calls > 0 {
		return runs * float64(m.Calls)
	}
	return runs * c.Workload.Measure.Seconds * speed(c)
}

// longestFix is the longest measurement that --fix writes, in seconds.
const longestFix = 3600

// moreSamples adds an edit of the measurement of a test, so that it has enough
// samples for every percentile read of any test that shares it.
func (p *Pass) moreSamples(f *Finding, t *dsl.Test) {
	for _, s := range p.measured(func(t *dsl.Test) *dsl.Block { return p.Written(t, "measure") }) {
		if !s.any(func(other *dsl.Test) bool { return other == t }) {
			continue
		}
		calls, secs := p.wanted(s)
		switch {
		case secs > longestFix:
		case calls == 0:
			p.measureFor(f, s, fmt.Sprintf("%.0fs", math.Ceil(secs)))
		case s.block != nil && len(s.block.Attrs) == 1 && written(&s.block.Attrs[0]) && !strings.Contains(s.block.Attrs[0].Name, "duration"):
			f.Edit(s.block.Attrs[0].Expr.Range(), fmt.Sprintf("%.0f", calls))
		}
	}
}

// wanted is what a run of the tests that share a measurement must measure: a
// number of calls, if that is how it is written, or a time in seconds.
func (p *Pass) wanted(s *shared) (calls, secs float64) {
	for _, u := range p.Uses() {
		q := u.Metric.Quantile
		if q <= 0 || q >= 1 {
			continue
		}
		p.CellsOf(u, func(c *plan.Cell) bool {
			if !s.any(func(t *dsl.Test) bool { return t == c.Test }) {
				return true
			}
			each := math.Ceil(beyondTail/(1-q)/float64(max(c.Test.Methodology.Runs, 1)) - 1e-6)
			m := c.Workload.Measure
			switch x := speed(c); {
			case m.Calls > 0:
				calls = max(calls, each, float64(m.Calls))
			case x > 0:
				secs = max(secs, each/x, m.Seconds)
			}
			return true
		})
	}
	return calls, secs
}
