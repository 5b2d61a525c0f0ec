package lint

import (
	"fmt"

	"versus/dsl"
)

var r13 = &Rule{
	ID: "R13", Slug: "fixed-order", Severity: Warning, Auto: true,
	What: "The runs are grouped: all runs of one cell, then all of the next.",
	Why: "Whatever drifts (temperature, memory, caches, other tenants) becomes a difference between cells. With a drift of 0.5% a run, ten runs of A and then ten of B differ by 4.7% though they are equal; " +
		"alternating (ABAB) by 0.5%, forth and back (ABBA), as interleaved does, by 0. AimRT's logger sweeps the sizes upwards in one process.",
	Source:  "Computed for a linear drift; Abedi, Brecht 2017 (RMIT); Mytkowicz, Diwan, Hauswirth, Sweeney 2009.",
	Example: "order = \"grouped\"",
	Cure:    "order = \"interleaved\"",
	Check:   fixedOrder,
}

func fixedOrder(p *Pass) {
	for _, s := range p.measured(p.MethodologyBlock) {
		m, all := s.tests[0].Methodology, 0
		for _, t := range s.tests {
			all += p.planned(t).Cells
		}
		if m.Order != "grouped" || all < 2 || !s.any(func(t *dsl.Test) bool { return t.Methodology.Runs > 1 }) {
			continue
		}
		f := p.Report(s.argument("order"), "All %d runs of a cell follow each other, cell after cell (%d of them): a drift of the machine becomes a difference between cells. Write order = \"interleaved\".", m.Runs, all)
		if s.block != nil && written(s.block.Attr("order")) {
			f.Set(s.block, "order", fmt.Sprintf("%q", "interleaved"))
		}
	}
}
