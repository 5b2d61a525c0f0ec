package lint

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"versus/dsl"
	"versus/stdlib/metric"
)

var k05 = &Rule{
	ID: "K05", Slug: "divide-by-near-zero", Severity: Error, Auto: true,
	What: "A formula divides by what is or may well be 0: a count or rate of losses or errors, the difference of the two sides, or a constant 0. " +
		"A division under a condition that looks at the divisor is no mistake.",
	Why: "In a healthy system nothing is lost: 0/0 has no value, and one lost message against none is infinitely worse. " +
		"Where the interval of the divisor contains 0, that of the quotient is unbounded (Fieller), so that no number of runs helps. The difference is always defined.",
	Source: "Fieller 1954.",
	Example: `comparison "errors" {
  baseline = { backend = backend.grpc }
  value    = candidate.errors.rate / baseline.errors.rate
  format   = "ratio"
}`,
	Cure: `comparison "errors" {
  baseline = { backend = backend.grpc }
  value    = candidate.errors.rate - baseline.errors.rate
  format   = "number"
}`,
	Check: func(p *Pass) {
		whole := map[*dsl.Expr]*dsl.Comparison{}
		for _, c := range p.Scenario.Comparisons {
			if percentOfPercent(p.shape(c.Name)) {
				whole[c.Value] = nil // K03 says what is wrong with it
				continue
			}
			whole[c.Value] = c
		}
		for _, e := range p.formulas() {
			c, compared := whole[e]
			if !compared || c != nil {
				p.checkDivisors(e, c)
			}
		}
	},
}

// checkDivisors reports what a formula divides by; c is the comparison whose
// value it is, if any.
func (p *Pass) checkDivisors(e *dsl.Expr, c *dsl.Comparison) {
	inner := e
	if e.Over != nil {
		inner = e.Over
	}
	r := shaper{p.Scenario, inner}
	guarded := guards(inner)
	Walk(inner, func(n hclsyntax.Node) {
		divisor := divisorOf(n)
		if divisor == nil {
			return
		}
		d := r.parse(divisor)
		switch {
		case d.form == number && d.scale == 0:
			p.Report(divisor.Range(), "This divides by 0, which has no value.")
		case d.form == single && oftenZero(d.p.metric):
			if slices.ContainsFunc(guarded, func(g guard) bool { return g.covers(divisor, d.p) }) {
				return
			}
			f := p.Report(divisor.Range(), "This divides by %s, which is 0 in a run without fault: the quotient then has no value. Take the difference.", d.p)
			if c != nil {
				if s := p.shape(c.Name); s.relative() && s.oneMetric() {
					p.asDifference(f, c, s, "%s - %s")
				}
			}
		case d.form == difference && d.oneMetric():
			p.Report(divisor.Range(), "This divides by the difference of %s and %s, which is 0 where the two are equal, and noise where they are alike.", d.p, d.q)
		}
	})
}

// divisorOf is what a part of an expression divides by, nil if it doesn't.
func divisorOf(n hclsyntax.Node) hclsyntax.Expression {
	switch n := n.(type) {
	case *hclsyntax.BinaryOpExpr:
		if n.Op == hclsyntax.OpDivide || n.Op == hclsyntax.OpModulo {
			return n.RHS
		}
	case *hclsyntax.FunctionCallExpr:
		if (n.Name == "speedup" || n.Name == "reldiff") && len(n.Args) == 2 {
			return n.Args[1]
		}
	}
	return nil
}

// oftenZero reports whether a metric is 0 when all is well.
func oftenZero(m metric.Metric) bool {
	return strings.HasPrefix(m.Name, "errors.") ||
		slices.Contains([]string{"loss.rate", "samples.lost", "samples.duplicated", "samples.reordered", "rate.late"}, m.Name)
}

// guard is a conditional, which may keep a divisor from being 0.
type guard struct {
	x     *hclsyntax.ConditionalExpr
	looks []operand // at what its condition looks
}

func guards(e *dsl.Expr) []guard {
	var list []guard
	Walk(e, func(n hclsyntax.Node) {
		if x, ok := n.(*hclsyntax.ConditionalExpr); ok {
			g := guard{x: x}
			for _, t := range x.Condition.Variables() {
				if o, ok := operandAt(t); ok {
					g.looks = append(g.looks, o)
				}
			}
			list = append(list, g)
		}
	})
	return list
}

// covers reports whether the guard looks at the operand before dividing by it.
func (g guard) covers(divisor hclsyntax.Expression, o operand) bool {
	at := divisor.Range()
	return (inPlace(at, g.x.TrueResult.Range()) || inPlace(at, g.x.FalseResult.Range())) && slices.ContainsFunc(g.looks, o.same)
}
