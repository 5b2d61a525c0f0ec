package lint

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"versus/dsl"
	"versus/interp/plan"
)

var k07 = &Rule{
	ID: "K07", Slug: "geomean-invalid", Severity: Warning,
	What: "A geometric mean is taken of values that can be 0 or negative (a relative difference, a difference, a rate of losses or errors), of comparisons of different metrics or of opposite directions, or, in the rows of one table, over different sets of cells.",
	Why: "A geometric mean needs values above 0: one candidate that is slower by (b - c) / c leaves the row without a value. " +
		"Two of them can be compared only over the same cells: Ice over TAO is 3.39x over the 11 rows for Linux, 2.12x over the 8 for Windows XP, and 3.00x over the 8 for Linux that both have.",
	Source:  "Fleming and Wallace 1986; benchstat, which warns of it; the published table of Ice and TAO, 2005.",
	Example: `column "overall" { value = geomean(comparison.faster_by) } # (b - c) / c`,
	Cure:    `column "overall" { value = geomean(comparison.times_as_fast) } # b / c`,
	Check: func(p *Pass) {
		for _, e := range p.formulas() {
			p.checkGeomeans(e)
		}
		for _, t := range p.Scenario.Tables {
			for _, col := range p.columns(t) {
				if col.expr.Over != nil {
					p.checkSets(t, col)
				}
			}
		}
	},
}

func (p *Pass) checkGeomeans(e *dsl.Expr) {
	if e.Over != nil {
		x, ok := e.Over.Expression.(hclsyntax.Expression)
		if ok {
			p.checkPositive(e.Over, x)
		}
		return
	}
	for _, call := range Calls(e, "geomean") {
		terms := listed(call)
		for _, x := range terms {
			if p.checkPositive(e, x) {
				return
			}
		}
		p.checkMixed(e, call, terms)
	}
}

// checkPositive reports a term of a geometric mean that can be 0 or less.
func (p *Pass) checkPositive(e *dsl.Expr, x hclsyntax.Expression) bool {
	s, name := p.termShape(e, x)
	switch {
	case s.form == excess || s.form == share || s.form == difference:
		what := "This"
		if name != "" {
			what = "The value of comparison " + name
		}
		p.Report(x.Range(), "%s is negative where the candidate is on the other side of the baseline, and then there is no geometric mean. Take it of the ratio, without the - 1.", what)
	case s.form == single && oftenZero(s.p.metric):
		p.Report(x.Range(), "%s is 0 in a run without fault, and then there is no geometric mean. Show it cell by cell.", upperFirst(s.p.String()))
	default:
		return false
	}
	return true
}

// termShape is the shape of a term, and the comparison that it is, if any.
func (p *Pass) termShape(e *dsl.Expr, x hclsyntax.Expression) (s shape, comparison string) {
	if t, ok := x.(*hclsyntax.ScopeTraversalExpr); ok {
		if name, ok := comparisonName(t.Traversal); ok {
			return p.shape(name), name
		}
	}
	return shaper{p.Scenario, e}.parse(x), ""
}

// checkMixed reports a geometric mean of things of which some grow where
// others fall.
func (p *Pass) checkMixed(e *dsl.Expr, call *hclsyntax.FunctionCallExpr, terms []hclsyntax.Expression) {
	var readings []reading
	var singles []string
	for _, x := range terms {
		s, _ := p.termShape(e, x)
		if r := s.read(); r != noReading && !slices.Contains(readings, r) {
			readings = append(readings, r)
		}
		if s.form == single && !slices.Contains(singles, s.p.metric.Unit) {
			singles = append(singles, s.p.metric.Unit)
		}
	}
	if len(readings) > 1 {
		p.Report(call.Range(), "These ratios are of opposite directions: one grows where the candidate is better, another where it is worse. Their mean says neither.")
	} else if len(singles) > 1 {
		p.Report(call.Range(), "These are values of different units, whose mean means nothing.")
	}
}

// checkSets reports a table whose rows take their means over different cells.
func (p *Pass) checkSets(t *dsl.Table, col column) {
	at := p.places(t)
	if at.unknown != "" {
		p.NotChecked(col.expr.Range(), "It is not known whether the rows of this table take their means over the same cells: %s.", at.unknown)
		return
	}
	free := p.freeAxes(t, col)
	first, size := "", 0
	for _, key := range at.order {
		cells := p.counted(col, at.cells[key])
		if len(cells) == 0 {
			continue
		}
		var set []string
		for _, c := range cells {
			set = append(set, p.axesText(c, free))
		}
		slices.Sort(set)
		text := strings.Join(slices.Compact(set), "\n")
		if first == "" {
			first, size = text, len(cells)
		} else if text != first {
			p.Report(col.expr.Range(), "The rows of this table take their means over different cells (%d in the first, %d in that of %s): they can't be compared. Keep to those that all have, with `where`.",
				size, len(cells), strings.Join(strings.FieldsFunc(key, func(r rune) bool { return r == 0 }), ", "))
			return
		}
	}
}

// freeAxes are the axes over which the means of a table range.
func (p *Pass) freeAxes(t *dsl.Table, col column) []string {
	var axes []string
	for _, test := range p.tests(t.Tests) {
		for _, s := range test.Sweeps {
			for _, a := range s.Axes {
				if !fixes(t, a.Name) && !slices.Contains(axes, a.Name) && !p.selected(col, a.Name) {
					axes = append(axes, a.Name)
				}
			}
		}
	}
	return axes
}

// selected reports whether the comparison of a column names the axis.
func (p *Pass) selected(col column, axis string) bool {
	name, _ := col.comparison()
	c := p.comparisonOf(name)
	return c != nil && slices.ContainsFunc(slices.Concat(c.Baseline, c.Candidate), func(s dsl.SelectorAxis) bool { return s.Axis == axis })
}

func (p *Pass) axesText(c *plan.Cell, axes []string) string {
	parts := []string{c.Test.Name}
	for _, a := range axes {
		label := ""
		if v, ok := c.Axis(a); ok {
			label = dsl.Label(v)
		}
		parts = append(parts, label)
	}
	return strings.Join(parts, "\x00")
}

// upperFirst begins a sentence.
func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
