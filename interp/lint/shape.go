package lint

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"versus/dsl"
	"versus/stdlib/metric"
)

// form is what a formula computes of two values p and q.
type form int

const (
	unknownForm form = iota
	number           // a constant
	single           // p alone
	difference       // p - q
	ratio            // p / q
	excess           // p/q - 1, also written (p - q) / q
	share            // 1 - p/q, also written (q - p) / q
)

// shape is a formula as its tree says it: a form times a constant.
type shape struct {
	form  form
	p, q  operand
	scale float64
}

// operand is a metric as a formula refers to it.
type operand struct {
	side   string // "", "baseline" or "candidate"
	metric metric.Metric
	rng    hcl.Range
}

func (o operand) same(other operand) bool {
	return o.side == other.side && o.metric.Name == other.metric.Name
}

// String is how the operand is written in a scenario.
func (o operand) String() string { return strings.Trim(o.side+"."+o.metric.Name, ".") }

// relative reports whether the formula relates one side to the other by a division.
func (s shape) relative() bool { return s.form == ratio || s.form == excess || s.form == share }

// oneMetric reports whether a formula of two values has both from one metric,
// one from each side.
func (s shape) oneMetric() bool {
	return s.form >= difference && s.p.metric.Name == s.q.metric.Name && s.p.side != s.q.side && s.p.side != "" && s.q.side != ""
}

// rises is the side whose growth makes the value grow.
func (s shape) rises() string {
	if s.form == share {
		return s.q.side
	}
	return s.p.side
}

// mirrored is the formula with the sides exchanged.
func (s shape) mirrored() shape {
	flip := map[string]string{"baseline": "candidate", "candidate": "baseline"}
	s.p.side, s.q.side = flip[s.p.side], flip[s.q.side]
	return s
}

// shapeOf recognises the tree of an expression; its form is unknownForm for
// anything beyond the forms above.
func shapeOf(s *dsl.Scenario, e *dsl.Expr) shape {
	if e == nil {
		return shape{}
	}
	x, ok := e.Expression.(hclsyntax.Expression)
	if !ok {
		return shape{}
	}
	return shaper{s, e}.parse(x)
}

// shaper takes an expression apart. It asks the scenario for the values of
// variables and locals.
type shaper struct {
	scenario *dsl.Scenario
	expr     *dsl.Expr
}

func (r shaper) parse(x hclsyntax.Expression) shape {
	switch x := x.(type) {
	case *hclsyntax.ParenthesesExpr:
		return r.parse(x.Expression)
	case *hclsyntax.LiteralValueExpr:
		return r.constant(x)
	case *hclsyntax.ScopeTraversalExpr:
		if o, ok := operandAt(x.Traversal); ok {
			return shape{form: single, p: o, scale: 1}
		}
		return r.constant(x)
	case *hclsyntax.UnaryOpExpr:
		if x.Op == hclsyntax.OpNegate {
			return r.parse(x.Val).times(-1)
		}
	case *hclsyntax.FunctionCallExpr:
		return r.call(x)
	case *hclsyntax.BinaryOpExpr:
		a, b := r.parse(x.LHS), r.parse(x.RHS)
		switch x.Op {
		case hclsyntax.OpAdd:
			return plus(a, b)
		case hclsyntax.OpSubtract:
			return plus(a, b.times(-1))
		case hclsyntax.OpMultiply:
			switch {
			case b.form == number:
				return a.times(b.scale)
			case a.form == number:
				return b.times(a.scale)
			}
		case hclsyntax.OpDivide:
			return over(a, b)
		}
	}
	return shape{}
}

// constant evaluates what needs nothing but values of load time.
func (r shaper) constant(x hclsyntax.Expression) shape {
	for _, t := range x.Variables() {
		if root := t.RootName(); root != "var" && root != "local" {
			return shape{}
		}
	}
	part := *r.expr
	part.Expression = x
	v, diags := r.scenario.EvalCell(&part, nil)
	if diags.HasErrors() {
		return shape{}
	}
	v, _ = v.Unmark()
	if v.IsNull() || !v.IsKnown() || v.Type() != cty.Number {
		return shape{}
	}
	n, _ := v.AsBigFloat().Float64()
	return shape{form: number, scale: n}
}

// call recognises the functions of the language that are one of the forms.
func (r shaper) call(x *hclsyntax.FunctionCallExpr) shape {
	if len(x.Args) != 2 || x.ExpandFinal {
		return r.constant(x)
	}
	switch x.Name {
	case "speedup":
		return over(r.parse(x.Args[0]), r.parse(x.Args[1]))
	case "reldiff":
		s := over(r.parse(x.Args[0]), r.parse(x.Args[1]))
		return plus(s, shape{form: number, scale: -1})
	case "quantile":
		t, ok := x.Args[0].(*hclsyntax.ScopeTraversalExpr)
		if !ok {
			break
		}
		side, name := sideAndName(t.Traversal)
		p := r.parse(x.Args[1])
		if p.form == number && p.scale > 0 && p.scale <= 1 && (name == "latency" || name == "service_time") {
			return shape{form: single, scale: 1, p: operand{side, metric.QuantileOf(name, p.scale), x.Range()}}
		}
	}
	return r.constant(x)
}

// sideAndName reads baseline.latency.p99 as "baseline" and "latency.p99".
func sideAndName(t hcl.Traversal) (side, name string) {
	var parts []string
	for _, step := range t {
		switch step := step.(type) {
		case hcl.TraverseRoot:
			parts = append(parts, step.Name)
		case hcl.TraverseAttr:
			parts = append(parts, step.Name)
		default:
			return "", ""
		}
	}
	if parts[0] == "baseline" || parts[0] == "candidate" {
		return parts[0], strings.Join(parts[1:], ".")
	}
	return "", strings.Join(parts, ".")
}

func operandAt(t hcl.Traversal) (operand, bool) {
	side, name := sideAndName(t)
	m, ok := metric.Lookup(name)
	return operand{side, m, t.SourceRange()}, ok
}

// times multiplies by a constant. A negative factor turns a form into its opposite.
func (s shape) times(k float64) shape {
	s.scale *= k
	if k >= 0 {
		return s
	}
	switch s.form {
	case difference:
		s.p, s.q, s.scale = s.q, s.p, -s.scale
	case excess:
		s.form, s.scale = share, -s.scale
	case share:
		s.form, s.scale = excess, -s.scale
	}
	return s
}

// plus recognises sums; a difference is the sum with the negative.
func plus(a, b shape) shape {
	switch {
	case a.form == number && b.form == number:
		return shape{form: number, scale: a.scale + b.scale}
	case a.form == single && b.form == single && a.scale == -b.scale && !a.p.same(b.p):
		if a.scale > 0 {
			return shape{form: difference, p: a.p, q: b.p, scale: a.scale}
		}
		return shape{form: difference, p: b.p, q: a.p, scale: b.scale}
	case a.form == ratio && b.form == number && a.scale == -b.scale:
		if a.scale > 0 {
			return shape{form: excess, p: a.p, q: a.q, scale: a.scale}
		}
		return shape{form: share, p: a.p, q: a.q, scale: b.scale}
	case a.form == number && b.form == ratio:
		return plus(b, a)
	}
	return shape{}
}

// over recognises quotients.
func over(a, b shape) shape {
	k := a.scale / b.scale
	switch {
	case b.form == number && b.scale != 0:
		return a.times(1 / b.scale)
	case a.form == single && b.form == single && !a.p.same(b.p):
		return shape{form: ratio, p: a.p, q: b.p, scale: k}
	case a.form == difference && b.form == single && b.p.same(a.q):
		return shape{form: excess, p: a.p, q: a.q, scale: 1}.times(k)
	case a.form == difference && b.form == single && b.p.same(a.p):
		return shape{form: share, p: a.q, q: a.p, scale: 1}.times(k)
	case a.form == number && b.form == ratio:
		return shape{form: ratio, p: b.q, q: b.p, scale: k}
	}
	return shape{}
}
