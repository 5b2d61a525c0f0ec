package dsl

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"versus/dsl/schema"
	"versus/stdlib/units"
)

// EvalCell evaluates an expression of load or cell time. each holds the values
// of each.AXIS and of each.backend, each.host and each.test.
func (s *Scenario) EvalCell(e *Expr, each map[string]cty.Value) (cty.Value, hcl.Diagnostics) {
	return e.Value(s.context(e, each, nil))
}

// context has the values of load time that the expression refers to, each,
// and what else is given.
func (s *Scenario) context(e *Expr, each, more map[string]cty.Value) *hcl.EvalContext {
	vars := make(map[string]cty.Value, len(e.known)+1+len(more))
	for k, v := range e.known {
		vars[k] = v
	}
	for k, v := range more {
		vars[k] = v
	}
	if each != nil {
		vars["each"] = cty.ObjectVal(each)
	}
	return &hcl.EvalContext{Variables: vars, Functions: s.scope.funcs}
}

// EvalResult evaluates an expression of result time at one cell. results
// answers for the metrics and comparisons in e.Metrics and e.Comparisons.
func (s *Scenario) EvalResult(e *Expr, each map[string]cty.Value, results Results) Outcome {
	if e.Over != nil {
		return s.EvalResult(e.Over, each, results)
	}
	tree := valueTree{}
	for _, m := range e.Metrics {
		x, why := results.Metric(m.Side, m.Metric)
		if why != "" {
			return Outcome{Kind: IsMissing, Why: why}
		}
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return Outcome{Kind: IsUndefined, Why: m.Metric + " has no finite value"}
		}
		tree.set(strings.Trim(m.Side+"."+m.Metric, "."), cty.NumberFloatVal(x))
	}
	for _, name := range e.Comparisons {
		if why := tree.comparison(name, e, results); why != "" {
			return Outcome{Kind: IsMissing, Why: why}
		}
	}
	ctx := s.context(e, each, tree.values())
	for _, d := range e.divisors {
		if v, diags := d.Value(ctx); !diags.HasErrors() {
			if x, ok := number(v); ok && x == 0 {
				return Outcome{Kind: IsUndefined, Why: "division by zero in " + e.Source}
			}
		}
	}
	v, diags := e.Value(ctx)
	if diags.HasErrors() {
		return Outcome{Kind: IsUndefined, Why: diags[0].Summary + ": " + firstLine(diags[0].Detail)}
	}
	return outcome(v, e)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

func outcome(v cty.Value, e *Expr) Outcome {
	v, _ = v.Unmark()
	switch {
	case !v.IsKnown():
		return Outcome{Kind: IsUndefined, Why: "the value is not known"}
	case v.IsNull():
		return Outcome{Kind: IsMissing, Why: "no value here"}
	case v.Type() == cty.Bool:
		return Outcome{Kind: IsBool, Bool: v.True(), Text: fmt.Sprint(v.True())}
	case v.Type() == cty.Number:
		x, ok := number(v)
		if !ok {
			return Outcome{Kind: IsUndefined, Why: "no finite value: " + e.Source}
		}
		return Outcome{Kind: IsNumber, Number: x, Text: units.FormatNumber(x)}
	}
	return Outcome{Kind: IsText, Text: Label(v)}
}

// valueTree builds nested objects from dotted names.
type valueTree map[string]any // cty.Value or valueTree

func (t valueTree) set(name string, v cty.Value) {
	head, tail, nested := strings.Cut(name, ".")
	if !nested {
		t[head] = v
		return
	}
	child, ok := t[head].(valueTree)
	if !ok {
		child = valueTree{}
		t[head] = child
	}
	child.set(tail, v)
}

func (t valueTree) values() map[string]cty.Value {
	vars := map[string]cty.Value{}
	for name, v := range t {
		switch v := v.(type) {
		case cty.Value:
			vars[name] = v
		case valueTree:
			vars[name] = cty.ObjectVal(v.values())
		}
	}
	return vars
}

// comparison adds comparison.NAME: its number where the expression refers to
// it as a whole, else an object of its fields.
func (t valueTree) comparison(name string, e *Expr, results Results) (why string) {
	if e.wants(name) == "number" {
		x, _, why := results.Comparison(name, "value")
		t.set("comparison."+name, cty.NumberFloatVal(finiteOr0(x)))
		return why
	}
	for _, field := range comparisonFields {
		x, text, why := results.Comparison(name, field)
		switch {
		case why != "" && !e.uses(name, field):
			continue
		case why != "":
			return why
		case field == "verdict":
			t.set("comparison."+name+".verdict", cty.StringVal(text))
		default:
			t.set("comparison."+name+"."+field, cty.NumberFloatVal(finiteOr0(x)))
		}
	}
	return ""
}

// finiteOr0 guards cty, which panics on NaN; a value that is not finite always
// comes with a reason why it is missing.
func finiteOr0(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

// wants says in which form an expression needs a comparison.
func (e *Expr) wants(name string) string {
	for _, t := range e.Variables() {
		if r := split(t); r.root == "comparison" && r.name == name && len(r.rest) > 0 {
			return "object"
		}
	}
	return "number"
}

// uses reports whether the expression refers to comparison.name.field.
func (e *Expr) uses(name, field string) bool {
	for _, t := range e.Variables() {
		if r := split(t); r.root == "comparison" && r.name == name && len(r.rest) > 0 && r.rest[0] == field {
			return true
		}
	}
	return false
}

// EvalKeep evaluates the number of runs to keep of n valid ones; the result is
// from 1 to n. A fraction is rounded down. n must be at least 1.
func (s *Scenario) EvalKeep(k Keep, n int) (int, error) {
	if k.Best == nil {
		return n - 2*k.Cut(n), nil
	}
	v, diags := k.Best.Value(s.context(k.Best, nil, map[string]cty.Value{"n": cty.NumberIntVal(int64(n))}))
	if diags.HasErrors() {
		return 0, fmt.Errorf("keep.best with n = %d: %s", n, firstLine(diags[0].Detail))
	}
	x, ok := number(v)
	if !ok {
		return 0, fmt.Errorf("keep.best with n = %d is not a finite number", n)
	}
	if x < 0 || x > float64(n) {
		return 0, fmt.Errorf("keep.best with n = %d is %v; it must be from 0 to n", n, x)
	}
	return max(1, int(math.Floor(x+1e-9))), nil
}

// Cut is how many of n valid runs are left out at each end.
func (k Keep) Cut(n int) int { return int(math.Floor(k.Trimmed*float64(n) + 1e-9)) }

// expr wraps the value of an argument of cell or result time and checks it.
func (l *loader) expr(a *attr, w where) *Expr {
	return l.exprOf(a.expr, a, w)
}

// exprOf is expr for a part of the argument's value, such as one element of a list.
func (l *loader) exprOf(x hcl.Expression, a *attr, w where) *Expr {
	e := &Expr{Expression: x, Time: w.time, Attr: a.spec, Source: source(x, a.src)}
	if inner := overCells(x, w); inner != nil {
		e.Over = l.exprOf(inner, a, w)
		e.Axes, e.AllAxes, e.Metrics, e.Comparisons = e.Over.Axes, e.Over.AllAxes, e.Over.Metrics, e.Over.Comparisons
		return e
	}
	before := len(l.diags)
	refs := l.check(e, w)
	l.normalise(e)
	e.known = l.values(refs)
	e.divisors = divisors(x)
	if len(l.diags) == before {
		l.typeCheck(e, w)
	}
	return e
}

// overCells returns the argument of geomean(...) if it is an expression over
// results, and not a list.
func overCells(x hcl.Expression, w where) hcl.Expression {
	call, ok := x.(*hclsyntax.FunctionCallExpr)
	if !ok || call.Name != "geomean" || len(call.Args) != 1 || w.time != schema.Result || !w.compare {
		return nil
	}
	switch call.Args[0].(type) {
	case *hclsyntax.TupleConsExpr, *hclsyntax.ForExpr:
		return nil
	}
	for _, t := range call.Args[0].Variables() {
		if root := t.RootName(); root == "comparison" || slices.Contains(metricRoots, root) {
			return call.Args[0]
		}
	}
	return nil
}

// Combine takes the geometric mean of the values of Over at the cells of one
// row: exp of the mean of the logarithms (Fleming and Wallace 1986), which
// alone does not depend on which side is the baseline. A cell without a value
// leaves the row without one.
func (e *Expr) Combine(outcomes []Outcome) Outcome {
	if len(outcomes) == 0 {
		return Outcome{Kind: IsMissing, Why: "no cell here"}
	}
	sum := 0.0
	for _, o := range outcomes {
		switch {
		case o.Kind == IsMissing || o.Kind == IsUndefined:
			return o
		case o.Kind != IsNumber || o.Number <= 0:
			return Outcome{Kind: IsUndefined, Why: "a geometric mean needs positive numbers: " + e.Source}
		}
		sum += math.Log(o.Number)
	}
	mean := math.Exp(sum / float64(len(outcomes)))
	return Outcome{Kind: IsNumber, Number: mean, Text: units.FormatNumber(mean)}
}

// normalise writes a bare comparison.NAME as comparison.NAME.value where the
// expression also refers to a field of it: one name can't be both a number and
// an object.
func (l *loader) normalise(e *Expr) {
	node, ok := e.Expression.(hclsyntax.Node)
	if !ok || len(e.bare) == 0 {
		return
	}
	_ = hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics {
		t, ok := n.(*hclsyntax.ScopeTraversalExpr)
		if !ok {
			return nil
		}
		if r := split(t.Traversal); r.root == "comparison" && len(r.rest) == 0 && e.wants(r.name) == "object" {
			t.Traversal = append(t.Traversal[:len(t.Traversal):len(t.Traversal)], hcl.TraverseAttr{Name: "value", SrcRange: r.rng})
		}
		return nil
	})
}

// divisors are the right sides of / and % in an expression.
func divisors(x hcl.Expression) []hcl.Expression {
	node, ok := x.(hclsyntax.Node)
	if !ok {
		return nil
	}
	var found []hcl.Expression
	_ = hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics {
		if b, ok := n.(*hclsyntax.BinaryOpExpr); ok && (b.Op == hclsyntax.OpDivide || b.Op == hclsyntax.OpModulo) {
			found = append(found, b.RHS)
		}
		return nil
	})
	return found
}

func source(x hcl.Expression, src []byte) string {
	r := x.Range()
	if r.Start.Byte < 0 || r.End.Byte > len(src) || r.Start.Byte > r.End.Byte {
		return ""
	}
	return string(src[r.Start.Byte:r.End.Byte])
}

// typeCheck evaluates an expression with unknown values of the right types:
// what fails now would fail for every cell.
func (l *loader) typeCheck(e *Expr, w where) {
	tree := valueTree{}
	unknown := cty.UnknownVal(cty.Number)
	for _, m := range e.Metrics {
		tree.set(strings.Trim(m.Side+"."+m.Metric, "."), unknown)
	}
	for _, name := range e.Comparisons {
		if e.wants(name) == "number" {
			tree.set("comparison."+name, unknown)
			continue
		}
		for _, field := range comparisonFields {
			tree.set("comparison."+name+"."+field, unknown)
		}
		tree.set("comparison."+name+".verdict", cty.UnknownVal(cty.String))
	}
	more := tree.values()
	if w.runs {
		more["n"] = unknown
	}
	each := map[string]cty.Value{}
	for _, axis := range append(append([]string{}, builtinEach...), w.axes...) {
		each[axis] = cty.DynamicVal
	}
	for axis, t := range w.types {
		each[axis] = cty.UnknownVal(t)
	}
	s := &Scenario{scope: l.scope}
	ctx := s.context(e, each, more)
	v, diags := e.Value(ctx)
	l.diags = append(l.diags, diags...)
	if diags.HasErrors() {
		return
	}
	l.neverEqual(e, ctx)
	l.checkType(e, v)
}

// neverEqual reports == and != between types that can't be equal, such as
// each.backend == "http": HCL says false, and a filter would keep all or nothing.
func (l *loader) neverEqual(e *Expr, ctx *hcl.EvalContext) {
	node, ok := e.Expression.(hclsyntax.Node)
	if !ok {
		return
	}
	_ = hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics {
		b, ok := n.(*hclsyntax.BinaryOpExpr)
		if !ok || b.Op != hclsyntax.OpEqual && b.Op != hclsyntax.OpNotEqual {
			return nil
		}
		left, more := b.LHS.Value(ctx)
		right, diags := b.RHS.Value(ctx)
		if more.HasErrors() || diags.HasErrors() { // the names of a for expression
			return nil
		}
		x, y := left.Type(), right.Type()
		comparable := func(t cty.Type) bool { return t.IsPrimitiveType() || t.IsObjectType() }
		if x.Equals(y) || x.IsObjectType() && y.IsObjectType() || !comparable(x) || !comparable(y) {
			return nil
		}
		why := fmt.Sprintf("Here %s is compared with %s, and these are never equal.", what(x), what(y))
		for _, side := range []cty.Value{left, right} {
			if root := l.declared(side); root != "" && (x.IsObjectType() || y.IsObjectType()) {
				why += fmt.Sprintf(" Write %s.%s, without quotes.", root, side.AsString())
			}
		}
		rng := b.Range()
		l.fail(&rng, "Never equal", "%s", why)
		return nil
	})
}

// declared is what a text names: "backend", if there is a backend of this name.
func (l *loader) declared(v cty.Value) string {
	if v.Type() != cty.String || !v.IsKnown() || v.IsNull() {
		return ""
	}
	for _, root := range builtinEach {
		if l.scope.decls[root][v.AsString()] != nil {
			return root
		}
	}
	return ""
}

// what names a type as people do.
func what(t cty.Type) string {
	switch {
	case t == cty.String:
		return "a text"
	case t.IsObjectType():
		return "a reference"
	}
	return "a " + t.FriendlyName()
}

// checkType reports an argument whose type can't be right whatever the values.
func (l *loader) checkType(e *Expr, v cty.Value) {
	rng := e.Range()
	switch e.Attr.Type {
	case schema.Bool:
		l.wantType(v, cty.Bool, &rng, "A condition is true or false")
	case schema.Formula:
		if e.Attr.Name == "condition" || e.Attr.Name == "where" {
			l.wantType(v, cty.Bool, &rng, "A condition is true or false")
		}
	default:
		if v.IsWhollyKnown() {
			if _, err := Convert(e.Attr, v); err != nil {
				l.fail(&rng, "Invalid value of "+e.Attr.Name, "%s", sentence(err))
			}
		}
	}
}

func (l *loader) wantType(v cty.Value, t cty.Type, rng *hcl.Range, what string) {
	if v.Type() == cty.DynamicPseudoType || v.Type() == t {
		return
	}
	if convert.GetConversion(v.Type(), t) == nil || v.Type() == cty.String {
		l.fail(rng, "Wrong type", "%s; this is %s.", what, v.Type().FriendlyName())
	}
}
