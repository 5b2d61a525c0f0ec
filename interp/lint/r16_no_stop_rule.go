package lint

import (
	"fmt"

	"versus/dsl"
	"versus/interp/plan"
)

var r16 = &Rule{
	ID: "R16", Slug: "no-stop-rule", Severity: Error,
	What: "Two rules that end a run contradict each other: its calls at its rate take longer than the time-out, after which the run has failed. " +
		"A measurement without an end, or with two, can't be written.",
	Why: "A run that must make 1,000,000 calls at 1,000 a second takes 1,000 s, and a time-out of 30 s ends it: every run fails. " +
		"In a closed loop no one knows how long the calls take, and the rule says that it could not check.",
	Source:  "MLPerf inference rules, which state the least duration and the least number of queries together.",
	Example: "methodology \"long\" {\n  measure { calls = 1000000 } # at rate = \"1kHz\"\n  timeout = \"30s\"\n}",
	Cure:    "methodology \"long\" {\n  measure { calls = 1000000 } # at rate = \"1kHz\"\n  timeout = \"1200s\"\n}",
	Check:   noStopRule,
}

func noStopRule(p *Pass) {
	for _, s := range p.measured(func(t *dsl.Test) *dsl.Block { return p.Written(t, "measure") }) {
		for _, t := range s.tests {
			if t.Methodology.Warmup.Calls+t.Methodology.Measure.Calls > 0 {
				p.endsInTime(s, t)
			}
		}
	}
}

// endsInTime compares the time that calls take with the time-out, as package
// interp/run adds them up: the time-out begins with the run, and phases with a
// duration extend it.
func (p *Pass) endsInTime(s *shared, t *dsl.Test) {
	m := t.Methodology
	calls := float64(m.Warmup.Calls + m.Measure.Calls)
	why, open := "", true
	all := p.Cells(t, func(c *plan.Cell) bool {
		offered := c.Workload.Rate * float64(max(c.Workload.Concurrency, c.Workload.Topics, 1))
		if offered == 0 {
			open = false
			return true
		}
		if takes := calls / offered; takes > m.Timeout {
			why = fmt.Sprintf("%.0f calls at %.4g a second take %s, and the time-out of %s ends the run before (%s)", calls, offered, seconds(takes), seconds(m.Timeout), c.Key)
		}
		return why == ""
	})
	switch {
	case why != "":
		p.Report(s.at, "%s. Write a longer timeout in the methodology, or measure a duration.", why)
	case !open:
		p.NotChecked(s.at, "In a closed loop, %.0f calls take as long as they take; a run of test %s that takes longer than %s fails.", calls, t.Name, seconds(m.Timeout))
	case !all:
		p.NotChecked(s.at, "Test %s has too many cells to look at how long the calls of each take.", t.Name)
	}
}
