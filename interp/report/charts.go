package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"versus/dsl"
	"versus/interp/analyze"
	"versus/interp/report/chart"
	"versus/stdlib/units"
)

// chart evaluates a chart block.
func (b builder) chart(d *dsl.Chart) *chart.Chart {
	c := &chart.Chart{Kind: chart.Kind(d.Kind), Name: d.Name, Title: d.Title}
	c.X.Label, c.Y.Label = d.XAxis.Label, d.YAxis.Label
	c.X.Marks, c.Y.Marks = marks(d.XAxis), marks(d.YAxis)
	cells := b.chosen(d.Tests, d.Where)
	map[chart.Kind]func(*chart.Chart, *dsl.Chart, []*analyze.Cell){
		chart.Value: b.values, chart.Load: b.load, chart.Percentiles: b.percentiles, chart.ECDF: b.ecdf, chart.CCDF: b.ccdf,
		chart.Strip: b.strip, chart.Runs: b.runs, chart.Windows: b.windows,
		chart.Speedup: b.speedup, chart.Pairs: b.pairs, chart.Heatmap: b.heatmap,
	}[c.Kind](c, d, cells)
	for p := c; p != nil; p = p.Below {
		for _, a := range []*chart.Axis{&p.X, &p.Y} {
			if a.Scale == "" {
				a.Scale = chart.Linear
			}
		}
		leaveOutNonPositive(p)
	}
	if note := latencyNote(cells); note != "" && b.chartsLatency(c.Kind, d) {
		c.Notes = append(c.Notes, note)
	}
	c.Notes = append(c.Notes, caption(cells)...)
	return c
}

// chartsLatency says whether a chart shows latencies, which span what they span.
func (b builder) chartsLatency(kind chart.Kind, d *dsl.Chart) bool {
	switch kind {
	case chart.Load, chart.Percentiles, chart.ECDF, chart.CCDF, chart.Windows:
		return true
	}
	var fields []field
	for _, e := range []*dsl.Expr{d.Y, d.Value} {
		if e != nil {
			fields = append(fields, field{source: expression{e}})
		}
	}
	return b.showsLatency(fields)
}

// marks are the hairlines that a scenario asks for.
func marks(a dsl.ChartAxis) []chart.Tick {
	var out []chart.Tick
	for _, m := range a.Marks {
		out = append(out, chart.Tick{At: m.At, Text: m.Text})
	}
	return out
}

// chosen are the cells that a block looks at.
func (b builder) chosen(tests []string, where *dsl.Expr) []*analyze.Cell {
	var cells []*analyze.Cell
	for _, c := range b.res.Cells {
		if (len(tests) == 0 || slices.Contains(tests, c.Plan.Test.Name)) && b.holds(where, c) {
			cells = append(cells, c)
		}
	}
	return cells
}

// group is the cells that one expression gives one label, in the order of the plan.
type group struct {
	name  string
	cells []*analyze.Cell
}

// groups sorts all cells of a chart by what an expression says of them; nil gives
// one group without a name.
func (b builder) groups(e *dsl.Expr, cells []*analyze.Cell) []group {
	return groupsBy(b.namer(e, cells), cells)
}

// groupsBy sorts cells by their names.
func groupsBy(name func(*analyze.Cell) string, cells []*analyze.Cell) []group {
	var out []group
	at := map[string]int{}
	for _, c := range cells {
		name := name(c)
		i, ok := at[name]
		if !ok {
			i = len(out)
			at[name] = i
			out = append(out, group{name: name})
		}
		out[i].cells = append(out[i].cells, c)
	}
	return out
}

// namer names each cell of a chart by an expression, as tables do, but for sizes
// of messages: 1024 and "1KiB" are both 1KiB. All cells of the chart decide
// whether it is sizes; nil names none.
func (b builder) namer(e *dsl.Expr, cells []*analyze.Cell) func(*analyze.Cell) string {
	switch {
	case e == nil:
		return func(*analyze.Cell) string { return "" }
	case b.areSizes(e, cells):
		return func(c *analyze.Cell) string {
			size, _ := b.number(e, c)
			return units.FormatSize(size)
		}
	}
	return func(c *analyze.Cell) string { return b.label(e, c) }
}

// position is a place on the horizontal axis.
type position struct {
	at    float64
	label string
}

// positions finds where each cell is on an axis: at a number if all cells have
// one, sizes and rates such as "8KiB" and "1kHz" included, and at a category
// otherwise. It fills in the axis.
func (b builder) positions(a *chart.Axis, e *dsl.Expr, scale string, cells []*analyze.Cell) map[*analyze.Cell]position {
	out := map[*analyze.Cell]position{}
	numeric, name := len(cells) > 0, b.namer(e, cells)
	for _, c := range cells {
		p := position{label: name(c)}
		v, ok := b.number(e, c)
		numeric = numeric && ok
		p.at = v
		out[c] = p
	}
	if a.Label == "" {
		a.Label = heading(e)
	}
	a.Scale = chart.Linear
	if scale != "" {
		a.Scale = chart.Scale(scale)
	}
	if !numeric {
		a.Scale = chart.Categories
	}
	at := map[string]int{}
	for _, c := range cells {
		p := out[c]
		if _, ok := at[p.label]; !ok {
			at[p.label] = len(at)
			if numeric {
				a.Ticks = append(a.Ticks, chart.Tick{At: p.at, Text: p.label})
			} else {
				a.Names = append(a.Names, p.label)
			}
		}
		if !numeric {
			out[c] = position{float64(at[p.label]), p.label}
		}
	}
	slices.SortStableFunc(a.Ticks, func(x, y chart.Tick) int { return cmp.Compare(x.At, y.At) })
	if len(a.Ticks) > maxTicks || len(e.Metrics) > 0 {
		a.Ticks = nil
	}
	return out
}

// areSizes says whether an expression is, at all cells, the size of their
// messages in bytes.
func (b builder) areSizes(e *dsl.Expr, cells []*analyze.Cell) bool {
	named := strings.TrimSpace(e.Source) == "each.payload"
	for _, c := range cells {
		v, ok := b.number(e, c)
		bytes := float64(c.Plan.Workload.Payload.Bytes)
		if !ok || bytes != v && !(named && bytes == 0 && v >= 0) {
			return false
		}
	}
	return len(cells) > 0
}

// maxTicks is up to how many measured places are all ticks.
const maxTicks = 16

// number is the number that an expression has at a cell.
func (b builder) number(e *dsl.Expr, c *analyze.Cell) (float64, bool) {
	if len(e.Metrics) > 0 || len(e.Comparisons) > 0 {
		o := b.res.Scenario.EvalResult(e, c.Plan.Each, analyze.View{Result: b.res, Cell: c})
		return o.Number, o.Kind == dsl.IsNumber
	}
	v, diags := b.res.Scenario.EvalCell(e, c.Plan.Each)
	if v, _ = v.UnmarkDeep(); diags.HasErrors() || v.IsNull() || !v.IsKnown() {
		return 0, false
	}
	switch v.Type() {
	case cty.Number:
		f, _ := v.AsBigFloat().Float64()
		return f, true
	case cty.String:
		for _, parse := range []func(string) (float64, error){units.Size, units.Rate} {
			if f, err := parse(v.AsString()); err == nil {
				return f, true
			}
		}
	}
	return 0, false
}

// valueLabel is what an axis is called that shows an expression.
func (b builder) valueLabel(e *dsl.Expr) string {
	if name, ok := e.IsComparison(); ok {
		c := b.res.Comparison(name).Comparison
		if c.Unit != "" {
			return c.Title + " (" + c.Unit + ")"
		}
		return c.Title
	}
	return strings.Join(strings.Fields(e.Source), " ")
}

// names joins what says which point it is.
func names(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), ", ")
}

// leaveOutNonPositive takes from logarithmic axes what has no place there.
func leaveOutNonPositive(c *chart.Chart) {
	const why = "0 and less have no place on a logarithmic axis"
	log := func(a chart.Axis) bool { return a.Scale == chart.Log2 || a.Scale == chart.Log10 }
	bad := func(x, y float64) bool { return log(c.X) && x <= 0 || log(c.Y) && y <= 0 }
	leave := func(points []chart.Point) {
		for j := range points {
			if p := &points[j]; p.Missing == "" && bad(p.X, p.Y) {
				p.Missing = why
			}
		}
	}
	for i := range c.Series {
		s := &c.Series[i]
		leave(s.Points)
		for _, run := range s.Runs {
			leave(run)
		}
		s.Boxes = slices.DeleteFunc(s.Boxes, func(x chart.Box) bool { return bad(x.X, x.Median) })
	}
	c.Lines = slices.DeleteFunc(c.Lines, func(l chart.Line) bool {
		return slices.ContainsFunc(l.At, func(at [2]float64) bool { return bad(at[0], at[1]) })
	})
	for _, a := range []*chart.Axis{&c.X, &c.Y} {
		a.Marks = slices.DeleteFunc(a.Marks, func(m chart.Tick) bool {
			out := log(*a) && m.At <= 0
			if out {
				c.Notes = append(c.Notes, fmt.Sprintf("The mark %s is not drawn: %s.", m.Text, why))
			}
			return out
		})
	}
}
