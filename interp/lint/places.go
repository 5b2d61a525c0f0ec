package lint

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"versus/dsl"
	"versus/interp/plan"
)

// places are the cells of a table by where they are shown, as package report
// arranges them.
type places struct {
	cells map[string][]*plan.Cell // by the labels of row and column
	order []string
	// unknown says why the places can't be told before the runs, or "".
	unknown string
}

// maxPlaced bounds the cells that are placed, over all tables.
const maxPlaced = 50_000

// places sorts the cells of a table into its places.
func (p *Pass) places(t *dsl.Table) places {
	all := places{cells: map[string][]*plan.Cell{}}
	labels := append(slices.Clone(t.Rows), t.Columns...)
	for _, e := range append(slices.Clone(labels), t.Where) {
		if e != nil && len(e.Metrics)+len(e.Comparisons) > 0 {
			all.unknown = "its rows, columns or filter depend on results"
			return all
		}
	}
	for _, test := range p.tests(t.Tests) {
		complete := p.Cells(test, func(c *plan.Cell) bool {
			if p.shown().placed++; p.shown().placed > maxPlaced {
				return false
			}
			if t.Where != nil && !p.isTrue(t.Where, c) {
				return true
			}
			var key strings.Builder
			for _, e := range labels {
				key.WriteString(p.label(e, c))
				key.WriteByte(0)
			}
			if _, seen := all.cells[key.String()]; !seen {
				all.order = append(all.order, key.String())
			}
			all.cells[key.String()] = append(all.cells[key.String()], c)
			return true
		})
		if !complete || p.shown().placed > maxPlaced {
			all.unknown = "there are too many cells to look at"
			return all
		}
	}
	return all
}

func (p *Pass) isTrue(e *dsl.Expr, c *plan.Cell) bool {
	v, diags := p.Scenario.EvalCell(e, c.Each)
	v, _ = v.Unmark()
	return !diags.HasErrors() && v.Type() == cty.Bool && v.IsKnown() && !v.IsNull() && v.True()
}

func (p *Pass) label(e *dsl.Expr, c *plan.Cell) string {
	v, diags := p.Scenario.EvalCell(e, c.Each)
	if diags.HasErrors() {
		return "?"
	}
	return dsl.Label(v)
}

// counted are the cells of a place that count for a column: of a comparison,
// only the candidates do.
func (p *Pass) counted(col column, cells []*plan.Cell) []*plan.Cell {
	if len(col.expr.Comparisons) == 0 {
		return cells
	}
	c := p.comparisonOf(col.expr.Comparisons[0])
	var list []*plan.Cell
	for _, cell := range cells {
		if c != nil && plan.SideOf(c, cell) == plan.IsCandidate {
			list = append(list, cell)
		}
	}
	return list
}

// differing are the axes on which cells differ, in the order of writing, and
// "test" if they are of several tests.
func differing(cells []*plan.Cell) []string {
	var axes []string
	for _, c := range cells {
		for _, a := range c.Axes {
			if slices.Contains(axes, a) {
				continue
			}
			v, ok := cells[0].Axis(a)
			w, other := c.Axis(a)
			if ok != other || ok && !v.RawEquals(w) {
				axes = append(axes, a)
			}
		}
	}
	if slices.ContainsFunc(cells, func(c *plan.Cell) bool { return c.Test != cells[0].Test }) {
		axes = append(axes, "test")
	}
	return axes
}

// fixes reports whether the rows and columns of a table tell apart all cells
// that differ on an axis: whether one of them is each.AXIS.
func fixes(t *dsl.Table, axis string) bool {
	return slices.ContainsFunc(append(slices.Clone(t.Rows), t.Columns...), func(e *dsl.Expr) bool {
		x, ok := e.Expression.(*hclsyntax.ScopeTraversalExpr)
		return ok && len(x.Traversal) == 2 && x.Traversal.RootName() == "each" && slices.Contains(e.Axes, axis)
	})
}
