package lint

import (
	"math"
	"strconv"

	"versus/dsl"
)

var r04 = &Rule{
	ID: "R04", Slug: "too-few-repetitions", Severity: Warning, Auto: true,
	What: "There are fewer runs than an interval of the median needs: 6 for 95% confidence, 8 for 99%. Of 2 or 3 runs with a keep rule, R06 speaks.",
	Why: "The widest interval that n runs can give, from the smallest to the largest, covers the median with 1 - 2/2^n: 93.75% for 5 runs. " +
		"And with 3 runs a side, the smallest p of a Mann-Whitney test is 0.1, whatever was measured; with 4 it is 0.0286.",
	Source:  "The binomial distribution (order statistics, Thompson 1936); Mann, Whitney 1947; benchstat asks for the same.",
	Example: "repeat { runs = 3 }",
	Cure:    "repeat { runs = 6 }",
	Check:   tooFewRepetitions,
}

func tooFewRepetitions(p *Pass) {
	for _, s := range p.repeats() {
		runs := s.tests[0].Methodology.Runs
		confidence := p.confidence(s.tests)
		need := runsNeeded(confidence)
		tiny := runs < tinyHalf && s.any(func(t *dsl.Test) bool { return t.Methodology.Keep.Best != nil })
		if runs < 2 || runs >= need || tiny {
			continue
		}
		f := p.Report(s.argument("runs"), "%d runs give no interval of the median with %.4g%% confidence: the widest covers it with %.4g%%. %d runs are the fewest.",
			runs, 100*confidence, 100*(1-math.Pow(2, 1-float64(runs))), need)
		p.setRuns(f, s, strconv.Itoa(need+need%2)) // even, so that a half can be kept
	}
}

// confidence is the highest that a comparison of the tests asks for; 0.95 if
// there is none.
func (p *Pass) confidence(tests []*dsl.Test) float64 {
	c := 0.95
	for _, t := range tests {
		for _, cmp := range p.Compared(t) {
			c = max(c, cmp.Confidence)
		}
	}
	return c
}

// runsNeeded is the smallest n with 1 - 2/2^n >= confidence.
func runsNeeded(confidence float64) int {
	return int(math.Ceil(1 - math.Log2(1-confidence) - 1e-9))
}
