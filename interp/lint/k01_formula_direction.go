package lint

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"versus/dsl"
	"versus/stdlib/metric"
)

var k01 = &Rule{
	ID: "K01", Slug: "formula-direction", Severity: Error, Auto: true,
	What: "A comparison divides the baseline's value by the candidate's, as is right for times, and its metric is one of which more is better: " +
		"(b - c) / c, b / c - 1, b / c or (b - c) / b over throughput. A name that says so is no mistake: a \"loss\" of throughput, or \"gRPC faster by\" where gRPC is the baseline.",
	Why: "The sign is turned round: the better candidate gets the negative number. AimRT's HTTP against gRPC gives +24% by (b - c) / c over calls per second, which reads as 24% faster; it is 19.4% slower. " +
		"For a time, (b - c) / c is positive where the candidate is better; for a rate it must become (c - b) / b, which is c / b - 1. The report's own verdict beside such a number contradicts it.",
	Source: "Ice and TAO, 2005 (the formula, over times); AimRT's RPC tables (where it would mislead).",
	Example: `comparison "vs_grpc" {
  baseline = { backend = backend.grpc }
  value    = (baseline.throughput.rate - candidate.throughput.rate) / candidate.throughput.rate
}`,
	Cure: `comparison "vs_grpc" {
  baseline = { backend = backend.grpc }
  value    = (candidate.throughput.rate - baseline.throughput.rate) / baseline.throughput.rate
}`,
	Check: func(p *Pass) {
		for _, c := range p.Scenario.Comparisons {
			checkDirection(p, c)
		}
	},
}

func checkDirection(p *Pass, c *dsl.Comparison) {
	s := p.shape(c.Name)
	if s.form == unknownForm {
		if m := soleMetric(c.Value); m != nil && m.Better == metric.Higher {
			p.NotChecked(c.Value.Range(), "This formula is none of those that are recognised, so that its direction is not known. More of %s is better: a larger value should mean a better candidate.", m.Name)
		}
		return
	}
	if !s.relative() || !s.oneMetric() || s.p.metric.Better != metric.Higher || s.rises() != "baseline" {
		return
	}
	if p.aboutBaseline(c) || slices.ContainsFunc(p.texts(c.Name), func(t prose) bool { return namesLoss(s, t) }) {
		return
	}
	f := p.Report(c.Value.Range(), "More of %s is better, and this value is larger the worse the candidate is: at half the baseline's rate it is positive. Exchange baseline and candidate in the formula.", s.p.metric.Name)
	exchange(f, c.Value)
}

// namesLoss reports whether a text says that the value is a loss.
func namesLoss(s shape, t prose) bool {
	if s.form == share {
		return t.has(saysLoss) || t.has(saysSaving) || t.has(saysGrowth)
	}
	return t.has(saysGrowth) || t.has(saysLoss)
}

// exchange adds edits that exchange baseline and candidate in a formula.
func exchange(f *Finding, e *dsl.Expr) {
	Walk(e, func(n hclsyntax.Node) {
		t, ok := n.(*hclsyntax.ScopeTraversalExpr)
		if !ok {
			return
		}
		other := map[string]string{"baseline": "candidate", "candidate": "baseline"}[t.Traversal.RootName()]
		if root, ok := t.Traversal[0].(hcl.TraverseRoot); ok && other != "" {
			f.Edit(root.SrcRange, other)
		}
	})
}

// soleMetric is the metric of a formula that has one on both sides.
func soleMetric(e *dsl.Expr) *metric.Metric {
	for _, r := range e.Metrics {
		if r.Metric != e.Metrics[0].Metric {
			return nil
		}
	}
	if len(e.Metrics) == 0 {
		return nil
	}
	if m, ok := metric.Lookup(e.Metrics[0].Metric); ok {
		return &m
	}
	return nil
}
