package lint

import (
	"math"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"versus/drivers/protocol"
	"versus/dsl"
	"versus/interp/plan"
	"versus/stdlib/metric"
)

var c06 = &Rule{
	ID: "C06", Slug: "recorder-resolution", Severity: Warning, Auto: true,
	What: "A claim about percentiles of latency is finer than the recorder: a comparison of percentiles printed with more decimals than 0.1% of its value, or an expectation that such a ratio differs from 1 by less than 0.2%. " +
		"The digits of the recorder can't be set: there are 3, so that a percentile is within 0.1%. Means, minima and maxima are exact, and not concerned.",
	Why:     "A percentile is read from the buckets of a histogram. With 3 digits two values that are 0.1% apart may be one bucket, or two, by chance; with 2 digits up to 0.78% was measured.",
	Source:  "HdrHistogram: values equivalent at 2 and 3 significant digits, measured.",
	Example: "column \"p99, to gRPC (%)\" {\n  value  = comparison.tail\n  digits = 3\n}\n",
	Cure:    "column \"p99, to gRPC (%)\" {\n  value  = comparison.tail\n  digits = 1\n}\n",
	Check:   recorderResolution,
}

// bucketError is the largest error of a percentile, as a share of it.
var bucketError = math.Pow10(-protocol.Digits)

func recorderResolution(p *Pass) {
	for _, t := range p.Scenario.Tables {
		for i, col := range p.columns(t) {
			if !col.pivot && i < len(t.Fields) {
				p.tooManyDigits(col, t.Fields[i].Digits)
			}
		}
	}
	for _, e := range p.Scenario.Expectations {
		if e.Condition != nil {
			p.tooFineBound(e)
		}
	}
}

// tailComparison is a comparison of a percentile with itself, of live cells.
func (p *Pass) tailComparison(name string) (*dsl.Comparison, shape, bool) {
	c, s := p.comparisonOf(name), p.shape(name)
	if c == nil || !s.relative() || s.p.metric.Combine != metric.Merged || s.p.metric.Quantile == 0 || s.q.metric.Quantile == 0 {
		return nil, s, false
	}
	live := false
	for _, u := range p.Uses() {
		if u.Compared == c {
			p.CellsOf(u, func(*plan.Cell) bool { live = true; return false })
		}
	}
	return c, s, live
}

// tooManyDigits finds decimals that are below the error of a percentile.
func (p *Pass) tooManyDigits(col column, digits int) {
	name, ok := col.comparison()
	a := col.block.Attr("digits")
	if !ok || a == nil {
		return
	}
	c, _, ok := p.tailComparison(name)
	if !ok {
		return
	}
	most := protocol.Digits // a ratio of about 1
	if c.Format == "percent" {
		most -= 2
	}
	if digits <= most {
		return
	}
	f := p.Report(a.Expr.Range(), "%q is about percentiles, which are within %.1f%%, and %d decimals show more than that. Write digits = %d.",
		col.text.words, 100*bucketError, digits, most)
	if written(a) {
		f.Edit(a.Expr.Range(), strconv.Itoa(most))
	}
}

// tooFineBound finds conditions that a ratio of percentiles differs from that
// of equal sides by less than the error of both.
func (p *Pass) tooFineBound(e *dsl.Expectation) {
	Walk(e.Condition, func(n hclsyntax.Node) {
		op, ok := n.(*hclsyntax.BinaryOpExpr)
		if !ok {
			return
		}
		switch op.Op {
		case hclsyntax.OpLessThan, hclsyntax.OpLessThanOrEqual, hclsyntax.OpGreaterThan, hclsyntax.OpGreaterThanOrEqual, hclsyntax.OpEqual, hclsyntax.OpNotEqual:
		default:
			return
		}
		for _, sides := range [][2]hclsyntax.Expression{{op.LHS, op.RHS}, {op.RHS, op.LHS}} {
			name, ok := comparisonAt(sides[0])
			bound := shaper{p.Scenario, e.Condition}.parse(sides[1])
			if !ok || bound.form != number {
				continue
			}
			_, s, ok := p.tailComparison(name)
			if !ok {
				continue
			}
			equal := 0.0 // the value of equal sides
			if s.form == ratio {
				equal = s.scale
			}
			if by := math.Abs(bound.scale-equal) / math.Abs(s.scale); by > 0 && by < 2*bucketError*(1-1e-9) {
				p.Report(op.Range(), "The condition asks for a difference of %.2g%% between percentiles, each of which is within %.1f%%. Ask for more, or compare means, which are exact.", 100*by, 100*bucketError)
			}
		}
	})
}

// comparisonAt is the comparison whose value an expression refers to, or a
// bound of it.
func comparisonAt(x hclsyntax.Expression) (name string, ok bool) {
	t, ok := x.(*hclsyntax.ScopeTraversalExpr)
	if !ok || t.Traversal.RootName() != "comparison" {
		return "", false
	}
	_, full := sideAndName(t.Traversal)
	parts := strings.Split(full, ".")
	if len(parts) == 2 || len(parts) == 3 && (parts[2] == "low" || parts[2] == "high") {
		return parts[1], true
	}
	return "", false
}
