package lint

import (
	"fmt"

	"versus/dsl"
	"versus/interp/plan"
)

var r02 = &Rule{
	ID: "R02", Slug: "warmup-too-short", Severity: Warning,
	What: "The warm-up is shorter than 1 s, or has fewer than 1,000 messages, or fewer than 100 for each caller or topic.",
	Why: "Virtual machines, connection windows, allocators and frequency governors take seconds to settle; many never do. " +
		"A warm-up of 100 ms before a change point at 4.2 s measures the change.",
	Source:  "Barrett, Bolz-Tereick, Killick, Mount, Tratt 2017; Traini, Cortellessa, Di Pompeo, Tucci 2023.",
	Example: "warmup { duration = \"200ms\" }",
	Cure:    "warmup { duration = \"2s\" }",
	Check:   warmupTooShort,
}

// The least that a warm-up has.
const (
	warmSeconds  = 1.0
	warmMessages = 1000
	warmEach     = 100 // for each caller or topic
)

func warmupTooShort(p *Pass) {
	for _, s := range p.measured(func(t *dsl.Test) *dsl.Block { return p.Written(t, "warmup") }) {
		for _, t := range s.tests {
			if t.Methodology.Warmup == (dsl.Extent{}) { // R01 says so
				continue
			}
			at := s.at
			if s.block != nil && len(s.block.Attrs) == 1 {
				at = s.argument(s.block.Attrs[0].Name)
			}
			why, all := p.shortWarmup(t)
			switch {
			case why != "":
				p.Report(at, "The warm-up is %s. Give it at least 1 s, 1,000 messages, and 100 for each caller or topic.", why)
			case !all:
				p.NotChecked(at, "Test %s has too many cells to look at each one's warm-up.", t.Name)
			}
		}
	}
}

// shortWarmup says why the warm-up of a test is too short in some cell, or "".
func (p *Pass) shortWarmup(t *dsl.Test) (why string, all bool) {
	w := t.Methodology.Warmup
	if w.Calls == 0 && w.Seconds < warmSeconds {
		return "only " + seconds(w.Seconds), true
	}
	all = p.Cells(t, func(c *plan.Cell) bool {
		each := max(c.Workload.Concurrency, c.Workload.Topics, 1)
		offered := c.Workload.Rate * float64(each)
		calls := float64(w.Calls)
		if w.Calls == 0 {
			calls = w.Seconds * offered
		}
		switch {
		case calls == 0: // seconds of a closed loop: as many as it gets
		case calls < warmMessages:
			why = fmt.Sprintf("only %.4g messages in %s", calls, c.Key)
		case calls < float64(warmEach*each):
			why = fmt.Sprintf("%.4g messages over %d callers or topics in %s", calls, each, c.Key)
		case offered > 0 && calls/offered < warmSeconds:
			why = fmt.Sprintf("only %s, %.4g messages at %.4g a second, in %s", seconds(calls/offered), calls, offered, c.Key)
		}
		return why == ""
	})
	return why, all
}
