package dsl

import (
	"math"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Formula is a result-time expression compiled to arithmetic on numbers, for
// resampling: millions of evaluations, nothing allocated. HCL itself computes
// with 512-bit numbers and takes a hundred times as long; tests hold the two
// against each other.
type Formula struct {
	// Refs are the metrics in the order of the arguments of Eval.
	Refs []Ref
	// Eval returns the value for these metrics; NaN where it is undefined.
	Eval func(metrics []float64) float64
}

// term computes a number from the metrics. A condition is 1 or 0.
type term func(metrics []float64) float64

// Compile compiles a formula over metrics; ok is false if it uses more than
// arithmetic, comparisons, conditionals and the functions min, max, abs, log,
// sqrt and pow, over metrics, numbers and values of load time.
func (s *Scenario) Compile(e *Expr) (f Formula, ok bool) {
	node, native := e.Expression.(hclsyntax.Expression)
	if !native || len(e.Comparisons) > 0 || len(e.Axes) > 0 || e.AllAxes {
		return Formula{}, false
	}
	c := compiler{refs: e.Metrics, ctx: s.context(e, nil, nil)}
	t := c.compile(node)
	if t == nil {
		return Formula{}, false
	}
	return Formula{Refs: e.Metrics, Eval: t}, true
}

type compiler struct {
	refs []Ref
	ctx  *hcl.EvalContext
}

// compile returns nil for what is not plain arithmetic.
func (c compiler) compile(x hclsyntax.Expression) term {
	switch x := x.(type) {
	case *hclsyntax.ParenthesesExpr:
		return c.compile(x.Expression)
	case *hclsyntax.LiteralValueExpr:
		return fixed(x.Val)
	case *hclsyntax.ScopeTraversalExpr:
		return c.reference(x)
	case *hclsyntax.UnaryOpExpr:
		a := c.compile(x.Val)
		switch {
		case a == nil:
			return nil
		case x.Op == hclsyntax.OpNegate:
			return func(m []float64) float64 { return -a(m) }
		case x.Op == hclsyntax.OpLogicalNot:
			return func(m []float64) float64 { return 1 - a(m) }
		}
	case *hclsyntax.BinaryOpExpr:
		return binary(x.Op, c.compile(x.LHS), c.compile(x.RHS))
	case *hclsyntax.ConditionalExpr:
		cond, yes, no := c.compile(x.Condition), c.compile(x.TrueResult), c.compile(x.FalseResult)
		if cond == nil || yes == nil || no == nil {
			return nil
		}
		return func(m []float64) float64 {
			switch v := cond(m); {
			case math.IsNaN(v):
				return v
			case v != 0:
				return yes(m)
			}
			return no(m)
		}
	case *hclsyntax.FunctionCallExpr:
		return c.call(x)
	}
	return nil
}

func fixed(v cty.Value) term {
	if v.Type() == cty.Bool && v.IsKnown() && !v.IsNull() {
		if v.True() {
			return func([]float64) float64 { return 1 }
		}
		return func([]float64) float64 { return 0 }
	}
	n, ok := number(v)
	if !ok {
		return nil
	}
	return func([]float64) float64 { return n }
}

func (c compiler) reference(x *hclsyntax.ScopeTraversalExpr) term {
	for i, r := range c.refs {
		if name := nameOf(x.Traversal); name == r.Metric || r.Side != "" && name == r.Side+"."+r.Metric {
			if r.Side == "" || name != r.Metric {
				return func(m []float64) float64 { return m[i] }
			}
		}
	}
	v, diags := x.Value(c.ctx)
	if diags.HasErrors() {
		return nil
	}
	return fixed(v)
}

// nameOf returns a traversal as a dotted name.
func nameOf(t hcl.Traversal) string {
	r := split(t)
	name := r.root
	if r.name != "" {
		name += "." + r.name
	}
	for _, part := range r.rest {
		name += "." + part
	}
	return name
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func binary(op *hclsyntax.Operation, a, b term) term {
	if a == nil || b == nil {
		return nil
	}
	// compare is a comparison whose result is undefined if a side is.
	compare := func(f func(x, y float64) bool) term {
		return func(m []float64) float64 {
			x, y := a(m), b(m)
			if math.IsNaN(x) || math.IsNaN(y) {
				return math.NaN()
			}
			return truth(f(x, y))
		}
	}
	switch op {
	case hclsyntax.OpAdd:
		return func(m []float64) float64 { return a(m) + b(m) }
	case hclsyntax.OpSubtract:
		return func(m []float64) float64 { return a(m) - b(m) }
	case hclsyntax.OpMultiply:
		return func(m []float64) float64 { return a(m) * b(m) }
	case hclsyntax.OpDivide:
		return func(m []float64) float64 {
			d := b(m)
			if d == 0 {
				return math.NaN()
			}
			return a(m) / d
		}
	case hclsyntax.OpLessThan:
		return compare(func(x, y float64) bool { return x < y })
	case hclsyntax.OpLessThanOrEqual:
		return compare(func(x, y float64) bool { return x <= y })
	case hclsyntax.OpGreaterThan:
		return compare(func(x, y float64) bool { return x > y })
	case hclsyntax.OpGreaterThanOrEqual:
		return compare(func(x, y float64) bool { return x >= y })
	case hclsyntax.OpEqual:
		return compare(func(x, y float64) bool { return x == y })
	case hclsyntax.OpNotEqual:
		return compare(func(x, y float64) bool { return x != y })
	case hclsyntax.OpLogicalAnd:
		return compare(func(x, y float64) bool { return x != 0 && y != 0 })
	case hclsyntax.OpLogicalOr:
		return compare(func(x, y float64) bool { return x != 0 || y != 0 })
	}
	return nil
}

func (c compiler) call(x *hclsyntax.FunctionCallExpr) term {
	var args []term
	for _, arg := range x.Args {
		t := c.compile(arg)
		if t == nil {
			return nil
		}
		args = append(args, t)
	}
	if x.ExpandFinal || len(args) == 0 {
		return nil
	}
	one := func(f func(float64) float64) term {
		if len(args) != 1 {
			return nil
		}
		return func(m []float64) float64 { return f(args[0](m)) }
	}
	fold := func(f func(a, b float64) float64) term {
		return func(m []float64) float64 {
			v := args[0](m)
			for _, arg := range args[1:] {
				v = f(v, arg(m))
			}
			return v
		}
	}
	switch x.Name {
	case "min":
		return fold(math.Min)
	case "max":
		return fold(math.Max)
	case "abs":
		return one(math.Abs)
	case "sqrt":
		return one(math.Sqrt)
	case "pow":
		if len(args) == 2 {
			return fold(math.Pow)
		}
	case "log":
		if len(args) == 2 {
			return fold(func(x, base float64) float64 { return math.Log(x) / math.Log(base) })
		}
	}
	return nil
}
