package lint

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"versus/dsl"
)

var k06 = &Rule{
	ID: "K06", Slug: "arithmetic-mean-of-ratios", Severity: Error, Auto: true,
	What: "A formula takes the arithmetic mean (mean, a sum divided by the number of its terms) of ratios or of relative differences. Over the cells of a row, the language has only geomean.",
	Why: "The arithmetic mean of ratios depends on which side is the baseline: of 2 and 1/2 it is 1.25 whichever way round, so that each side is 25% better than the other. The geometric mean is 1. " +
		"Over the eleven rows for Linux of the comparison of Ice and TAO the arithmetic mean is 4.59x, the geometric 3.39x.",
	Source:  "Fleming and Wallace 1986; Smith 1988; the published table of Ice and TAO, 2005.",
	Example: `column "overall" { value = mean([comparison.small, comparison.large]) }`,
	Cure:    `column "overall" { value = geomean([comparison.small, comparison.large]) }`,
	Check: func(p *Pass) {
		for _, e := range p.formulas() {
			p.checkMeans(e)
		}
	},
}

func (p *Pass) checkMeans(e *dsl.Expr) {
	Walk(e, func(n hclsyntax.Node) {
		terms, at, name := averaged(p.Scenario, e, n)
		if len(terms) < 2 {
			return
		}
		ratios := true
		for _, t := range terms {
			s, ok := p.relativeTerm(e, t)
			if !ok {
				return
			}
			ratios = ratios && s.form == ratio
		}
		if !ratios {
			p.Report(at, "The arithmetic mean of %d relative differences depends on which side is the baseline. Compare by ratios, with format = \"ratio\", and take their geometric mean.", len(terms))
			return
		}
		f := p.Report(at, "The arithmetic mean of %d ratios depends on which side is the baseline: of 2 and 1/2 it is 1.25 both ways. Take the geometric mean.", len(terms))
		if !name.Empty() {
			f.Edit(name, "geomean")
		}
	})
}

// averaged are the terms of which a part of an expression is the arithmetic
// mean, and the name of the function if it is a call of mean.
func averaged(s *dsl.Scenario, e *dsl.Expr, n hclsyntax.Node) (terms []hclsyntax.Expression, at, name hcl.Range) {
	switch n := n.(type) {
	case *hclsyntax.FunctionCallExpr:
		if n.Name == "mean" {
			return listed(n), n.Range(), n.NameRange
		}
	case *hclsyntax.BinaryOpExpr:
		if n.Op != hclsyntax.OpDivide {
			break
		}
		count := shaper{s, e}.parse(n.RHS)
		if call, ok := n.LHS.(*hclsyntax.FunctionCallExpr); ok && call.Name == "sum" {
			terms = listed(call)
		} else {
			terms = summands(n.LHS, nil)
		}
		if count.form == number && count.scale == float64(len(terms)) {
			return terms, n.Range(), hcl.Range{}
		}
	}
	return nil, hcl.Range{}, hcl.Range{}
}

// listed are the elements of the list that a call has as its argument, or its
// arguments.
func listed(call *hclsyntax.FunctionCallExpr) []hclsyntax.Expression {
	if len(call.Args) == 1 {
		if list, ok := call.Args[0].(*hclsyntax.TupleConsExpr); ok {
			return list.Exprs
		}
	}
	return call.Args
}

// summands are the terms of a + b + c.
func summands(x hclsyntax.Expression, terms []hclsyntax.Expression) []hclsyntax.Expression {
	switch y := x.(type) {
	case *hclsyntax.ParenthesesExpr:
		return summands(y.Expression, terms)
	case *hclsyntax.BinaryOpExpr:
		if y.Op == hclsyntax.OpAdd {
			return summands(y.RHS, summands(y.LHS, terms))
		}
	}
	return append(terms, x)
}

// relativeTerm is the shape of a term that is a ratio or a relative
// difference: a comparison that computes one, or one written out.
func (p *Pass) relativeTerm(e *dsl.Expr, x hclsyntax.Expression) (shape, bool) {
	if t, ok := x.(*hclsyntax.ScopeTraversalExpr); ok {
		name, ok := comparisonName(t.Traversal)
		s := p.shape(name)
		return s, ok && s.relative()
	}
	s := shaper{p.Scenario, e}.parse(x)
	return s, s.relative() && s.p.metric.Unit == s.q.metric.Unit
}

// comparisonName reads comparison.NAME and comparison.NAME.value.
func comparisonName(t hcl.Traversal) (string, bool) {
	_, name := sideAndName(t)
	name, ok := strings.CutPrefix(name, "comparison.")
	return strings.TrimSuffix(name, ".value"), ok
}
