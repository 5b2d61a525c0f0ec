package lint

import (
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"versus/dsl"
)

var k09 = &Rule{
	ID: "K09", Slug: "averaged-percentiles", Severity: Error,
	What: "A formula combines percentiles by mean, median, max, min, sum or geomean. Within a cell this can't happen: the histograms of all topics, callers and runs are merged. " +
		"It can be written over the cells of a row, geomean(latency.p99), or over the two sides of a comparison.",
	Why: "No average of percentiles is a percentile of anything. Of two exponential distributions with means 1 and 10, the 99th percentile of all values together is 38.5; the mean of the two percentiles is 24.8 (computed). " +
		"Show the percentile of each cell, or the geometric mean of a comparison of them.",
	Source:  "Tene; Lancet's coordinator (Kogias, Mallon, Bugnion 2019) averages the p99 of its agents.",
	Example: `column "p99" { value = geomean(latency.p99) * 1e6 }`,
	Cure:    `column "p99 against gRPC" { value = geomean(comparison.p99_ratio) }`,
	Check: func(p *Pass) {
		for _, e := range p.formulas() {
			p.checkPercentiles(e)
		}
	},
}

var combining = []string{"mean", "median", "max", "min", "sum", "geomean", "quantile"}

func (p *Pass) checkPercentiles(e *dsl.Expr) {
	if e.Over != nil {
		for _, o := range percentiles(p, e.Over, e.Over.Expression.(hclsyntax.Expression)) {
			p.Report(e.Range(), "The geometric mean of %s over cells is no percentile of anything. Show it cell by cell, or take the geometric mean of a comparison of it.", o)
			return
		}
		return
	}
	Walk(e, func(n hclsyntax.Node) {
		terms, at, _ := averaged(p.Scenario, e, n)
		if call, ok := n.(*hclsyntax.FunctionCallExpr); ok && slices.Contains(combining, call.Name) {
			terms, at = listed(call), call.Range()
		}
		var found []operand
		for _, t := range terms {
			for _, o := range percentiles(p, e, t) {
				if !slices.ContainsFunc(found, o.same) {
					found = append(found, o)
				}
			}
		}
		for i, o := range found {
			if slices.ContainsFunc(found[i+1:], func(other operand) bool { return other.metric.Quantile == o.metric.Quantile }) {
				p.Report(at, "This combines percentiles (%s and others) into a number that is no percentile of anything. Show each; histograms are merged within a cell only.", o)
				return
			}
		}
	})
}

// percentiles are the percentiles that a term is, as such or times a constant.
// What divides one percentile by another is a ratio, and may be averaged.
func percentiles(p *Pass, e *dsl.Expr, x hclsyntax.Expression) []operand {
	if s := (shaper{p.Scenario, e}).parse(x); s.form == single && s.p.metric.Quantile > 0 {
		return []operand{s.p}
	}
	return nil
}
