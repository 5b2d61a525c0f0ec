package lint

import (
	"slices"

	"versus/interp/plan"
)

var x01 = &Rule{
	ID: "X01", Slug: "baseline-missing", Severity: Error,
	What: "A comparison compares nothing: a filter leaves no cell of the baseline, or no candidate, or no candidate agrees with a baseline on the axes that the comparison does not name. " +
		"A baseline that no axis has is refused when the scenario is loaded.",
	Why:     "Every value that it should print is N/A, after all the runs have been made.",
	Source:  "Heiser, Systems benchmarking crimes: no proper baseline.",
	Example: "test \"rpc\" \"capacity\" {\n  sweep {\n    backend = [backend.grpc, backend.http]\n    where   = each.backend != backend.grpc\n  }\n}\n\ncomparison \"vs_grpc\" {\n  baseline = { backend = backend.grpc }\n  value    = baseline.time_per_call / candidate.time_per_call\n}\n",
	Cure:    "test \"rpc\" \"capacity\" {\n  sweep { backend = [backend.grpc, backend.http] }\n}\n",
	Check:   baselineMissing,
}

func baselineMissing(p *Pass) {
	for _, c := range p.Scenario.Comparisons {
		ps := p.Pairs(c)
		if ps.compares() {
			continue
		}
		at, candidates := c.Range, len(ps.All)
		if a := p.placeOf(c, "baseline"); a != nil {
			at = a.Range
		}
		baselines := slices.ContainsFunc(ps.Sides, func(cell *plan.Cell) bool { return plan.SideOf(c, cell) == plan.IsBaseline })
		switch {
		case ps.Cut:
			p.NotChecked(at, "A test of this comparison has more than %d cells; among these are no two that it compares.", maxCells)
		case !baselines:
			p.Report(at, "No cell is left that is this baseline: filters drop every one. Let them keep it, or compare against another.")
		case candidates == 0:
			p.Report(at, "Every cell is the baseline, and there is nothing to compare it with. Add the candidates to the sweep, or to candidate.")
		default:
			p.Report(at, "None of the %d candidates has a baseline that agrees with it on the axes that the comparison does not name. Name the axis on which they differ as well, or measure the baseline at their values.", candidates)
		}
	}
}

// compares reports whether there is at least one pair.
func (ps *Pairs) compares() bool {
	return slices.ContainsFunc(ps.All, func(pair Pair) bool { return pair.Baseline != nil })
}
