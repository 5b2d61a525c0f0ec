package plan

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"versus/dsl"
)

const (
	// maxConditions bounds the evaluations that a filter needs.
	maxConditions = 1 << 20
	// maxFailures is how often a filter may fail before the rest is not tried.
	maxFailures = 100
)

// filter numbers the cells of a grid that its where keeps.
func (p *Plan) filter(g *grid) bool {
	sizes := g.sizes(g.all())
	before, err := product(sizes, maxCells)
	if err != nil {
		p.problems.fail(g.rng(), "Too many cells", "%s has %s.", sentenceStart(g.describe()), err)
		return false
	}
	if g.sweep == nil || g.sweep.Where == nil {
		g.cells, err = newMatrix(sizes, nil, nil)
		return err == nil
	}
	where := g.sweep.Where
	used := dependencies(g.wiring.ofExpr(where))
	keeps, evaluations := g.condition(where)
	if evaluations > maxConditions {
		p.problems.fail(where.Range().Ptr(), "Filter over too many combinations",
			"A part of it looks at more than %d combinations; let it use fewer axes, or split the sweep.", maxConditions)
		return false
	}
	failed := 0
	g.cells, err = newMatrix(sizes, used, func(digits []int) bool {
		if failed >= maxFailures {
			return false
		}
		if keep, ok := keeps(digits); ok {
			return keep
		}
		keep, d := g.keeps(where, digits)
		if d != nil {
			failed++
			p.problems.add(d, g.combination(used, digits))
		}
		return keep
	})
	if err != nil {
		p.problems.fail(where.Range().Ptr(), "Filter over too many combinations", "%s", sentence(err.Error()))
		return false
	}
	f := Filter{Test: g.test.Name, Sweep: g.sweep.Name, Where: normalise(where.Source), Before: before, After: g.cells.total}
	p.filters = append(p.filters, f)
	if f.After == 0 && failed == 0 {
		p.emptied = append(p.emptied, &hcl.Diagnostic{
			Severity: hcl.DiagWarning, Summary: "Filter keeps nothing", Subject: where.Range().Ptr(),
			Detail: fmt.Sprintf("The where of %s is false for each of its %d combinations.", g.describe(), before),
		})
	}
	return failed == 0
}

// keeps evaluates a filter, or a part of it.
func (g *grid) keeps(where *dsl.Expr, digits []int) (bool, *hcl.Diagnostic) {
	v, diags := g.eval(where, digits)
	for _, d := range diags {
		if d.Severity == hcl.DiagError {
			return false, d
		}
	}
	v, _ = v.Unmark()
	if !v.IsKnown() || v.IsNull() || v.Type() != cty.Bool {
		return false, &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Invalid value of where",
			Detail: "where must be true or false, not " + valueText(v) + ".", Subject: where.Range().Ptr()}
	}
	return v.True(), nil
}

// condition is a part of a filter. ok is false where it has no value.
type condition func(digits []int) (value, ok bool)

// condition takes a filter apart at its logical operators, so that each part
// is evaluated once for each combination of the axes that it uses itself: a
// filter over all axes is mostly made of parts over one or two. It also
// returns how many evaluations the largest part needs.
func (g *grid) condition(e *dsl.Expr) (condition, int) {
	switch x := e.Expression.(type) {
	case *hclsyntax.ParenthesesExpr:
		return g.condition(part(e, x.Expression))
	case *hclsyntax.UnaryOpExpr:
		if x.Op == hclsyntax.OpLogicalNot {
			inner, n := g.condition(part(e, x.Val))
			return func(digits []int) (bool, bool) {
				v, ok := inner(digits)
				return !v, ok
			}, n
		}
	case *hclsyntax.BinaryOpExpr:
		if x.Op == hclsyntax.OpLogicalAnd || x.Op == hclsyntax.OpLogicalOr {
			left, n := g.condition(part(e, x.LHS))
			right, m := g.condition(part(e, x.RHS))
			decisive := x.Op == hclsyntax.OpLogicalOr
			return func(digits []int) (bool, bool) {
				if v, ok := left(digits); !ok || v == decisive {
					return v, ok
				}
				return right(digits)
			}, max(n, m)
		}
	}
	return g.leaf(e)
}

// leaf remembers the values of a part that has no logical operator on top.
func (g *grid) leaf(e *dsl.Expr) (condition, int) {
	if exists := g.exists(e); exists != nil {
		return exists, 1
	}
	deps := dependencies(g.wiring.ofExpr(e))
	n, err := product(g.sizes(deps), maxConditions)
	if err != nil {
		return nil, maxConditions + 1
	}
	const isTrue, isFalse, isNothing = 1, 2, 3
	table := make([]uint8, n)
	return func(digits []int) (bool, bool) {
		slot := &table[numberOf(deps, g.dims, digits)]
		if *slot == 0 {
			switch v, d := g.keeps(e, digits); {
			case d != nil:
				*slot = isNothing
			case v:
				*slot = isTrue
			default:
				*slot = isFalse
			}
		}
		return *slot == isTrue, *slot != isNothing
	}, n
}

// part is an operand of an expression as an expression of its own.
func part(e *dsl.Expr, operand hclsyntax.Expression) *dsl.Expr {
	p := *e
	p.Expression = operand
	p.Axes, p.AllAxes = nil, false
	for _, t := range operand.Variables() {
		if t.RootName() != "each" {
			continue
		}
		var step hcl.TraverseAttr
		ok := false
		if len(t) > 1 {
			step, ok = t[1].(hcl.TraverseAttr)
		}
		switch {
		case !ok:
			p.AllAxes = true
		case !slices.Contains(p.Axes, step.Name):
			p.Axes = append(p.Axes, step.Name)
		}
	}
	return &p
}
