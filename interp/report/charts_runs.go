package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"versus/dsl"
	"versus/interp/analyze"
	"versus/interp/report/chart"
)

// oneRun is what an expression says of one run.
type oneRun struct {
	series        int
	cell          *analyze.Cell
	start         time.Time
	order, number int
	value         dsl.Outcome
	valid         bool   // it counts
	invalid       string // why it does not count, though it has a value
}

// runs draws what an expression says of each run, in the order of time: of runs
// that a gate refused too, but hollow. Where a cell drifts, its trend is drawn.
func (b builder) runs(c *chart.Chart, d *dsl.Chart, cells []*analyze.Cell) {
	var all []oneRun
	for i, g := range b.groups(d.Series, cells) {
		c.Series = append(c.Series, chart.Series{Name: g.name})
		for _, cell := range g.cells {
			for _, r := range b.perRun(d.Y, cell) {
				r.series = i
				all = append(all, r)
			}
		}
	}
	slices.SortStableFunc(all, func(x, y oneRun) int {
		return cmp.Or(x.start.Compare(y.start), cmp.Compare(x.order, y.order))
	})
	numbers := numbersOf(all)
	st := styleOf("number", numbers)
	for n, r := range all {
		c.Series[r.series].Points = append(c.Series[r.series].Points, r.point(float64(n+1), st))
	}
	b.trends(c, all)
	c.X.Marks = blocks(all)
	c.X.Label = orElse(c.X.Label, "runs in the order of time")
	c.Y.Label = orElse(c.Y.Label, b.valueLabel(d.Y))
	if c.Y.Scale = chart.Scale(d.YAxis.Scale); c.Y.Scale == "" {
		c.Y.Scale = valueScale(chart.Linear, numbers)
	}
	c.Notes = append(c.Notes, "Each point is one run.")
	if len(c.X.Marks) > 0 {
		c.Notes = append(c.Notes, "Dashes part the rounds, or the cells, in which the runs were made.")
	}
}

// point is a run on a chart.
func (r oneRun) point(x float64, st style) chart.Point {
	p := chart.Point{X: x, Text: fmt.Sprintf("%s, run %d", r.cell.Name(), r.number+1)}
	if p.Missing = (shown{outcome: r.value}).missing(); p.Missing != "" {
		return p
	}
	p.Y = r.value.Number
	p.Text += ": " + st.print(p.Y)
	if r.invalid != "" {
		p.Doubtful, p.Why = true, "does not count, refused by a gate"
		p.Text += ", does not count: " + r.invalid
	}
	return p
}

// lacks says that a run counts and has no value. A median, or a trend, of the
// others would leave it out in silence.
func (r oneRun) lacks() bool { return r.valid && r.value.Kind != dsl.IsNumber }

func numbersOf(runs []oneRun) []float64 {
	var out []float64
	for _, r := range runs {
		if r.value.Kind == dsl.IsNumber {
			out = append(out, r.value.Number)
		}
	}
	return out
}

// trends draws the line of Theil and Sen through the runs of each cell that
// drifts, tested over all cells of the chart together.
func (b builder) trends(c *chart.Chart, all []oneRun) {
	at := map[*analyze.Cell][][2]float64{}
	var cells []*analyze.Cell
	series := map[*analyze.Cell]string{}
	partly := map[*analyze.Cell]bool{}
	for _, r := range all {
		partly[r.cell] = partly[r.cell] || r.lacks()
	}
	for n, r := range all {
		if partly[r.cell] || r.value.Kind != dsl.IsNumber || r.invalid != "" || recorded(r.cell) { // recorded at times unknown
			continue
		}
		if at[r.cell] == nil {
			cells = append(cells, r.cell)
			series[r.cell] = c.Series[r.series].Name
		}
		at[r.cell] = append(at[r.cell], [2]float64{float64(n + 1), r.value.Number})
	}
	values := make([][]float64, len(cells))
	for i, cell := range cells {
		for _, p := range at[cell] {
			values[i] = append(values[i], p[1])
		}
	}
	for i, t := range analyze.Trends(values) {
		if t == nil {
			continue
		}
		middle := analyze.SpreadOf(residuals(values[i], t.Slope)).Median
		l := chart.Line{Series: series[cells[i]], Text: fmt.Sprintf("%s drifts: %+.2g a run, p = %.2g", cells[i].Name(), t.Slope, t.P)}
		for k, p := range at[cells[i]] {
			l.At = append(l.At, [2]float64{p[0], middle + t.Slope*float64(k)})
		}
		c.Lines = append(c.Lines, l)
		c.Notes = append(c.Notes, l.Text+" (line: Theil-Sen; p: Mann-Kendall, adjusted over the cells of this chart).")
	}
}

// residuals are values less their slope: their median is where the line begins.
func residuals(values []float64, slope float64) []float64 {
	out := make([]float64, len(values))
	for k, v := range values {
		out[k] = v - slope*float64(k)
	}
	return out
}

// maxBlocks is how many boundaries are drawn: more are no help.
const maxBlocks = 40

// blocks are the boundaries between rounds of interleaved runs, and between
// cells of grouped ones. Random runs have none.
func blocks(all []oneRun) []chart.Tick {
	var out []chart.Tick
	for n := 1; n < len(all); n++ {
		x, y := all[n-1], all[n]
		m := y.cell.Plan.Test.Methodology
		if m == nil || recorded(y.cell) || m.Order == "random" {
			continue
		}
		if m.Order == "interleaved" && x.number != y.number || m.Order == "grouped" && x.cell != y.cell {
			out = append(out, chart.Tick{At: float64(n) + 0.5})
		}
	}
	if len(out) > maxBlocks {
		return nil
	}
	return out
}

// perRun evaluates an expression for each run of a cell; failed runs have a
// reason for a value, and those that a gate refused have both.
func (b builder) perRun(e *dsl.Expr, cell *analyze.Cell) []oneRun {
	var out []oneRun
	no := func(why string) dsl.Outcome { return dsl.Outcome{Kind: dsl.IsMissing, Why: why} }
	whole := ""
	if len(e.Comparisons) > 0 {
		whole = "a comparison has no value in a single run"
	}
	eval := func(get func(name string) (float64, string)) dsl.Outcome {
		return b.res.Scenario.EvalResult(e, cell.Plan.Each, analyze.View{Result: b.res, Cell: cell, Runs: func(_ *analyze.Cell, name string) (float64, string) { return get(name) }})
	}
	for i, r := range cell.Valid {
		o := no(whole)
		if whole == "" {
			o = eval(func(name string) (float64, string) { return cell.RunValue(i, name) })
		}
		out = append(out, oneRun{cell: cell, start: r.Start, order: r.Order, number: r.Run, value: o, valid: true})
	}
	for _, x := range cell.Invalid {
		r := oneRun{cell: cell, start: x.Run.Start, order: x.Run.Order, number: x.Run.Run, invalid: x.Why + " (gate " + x.Gate + ")"}
		r.value = no("it does not count: " + r.invalid)
		if len(e.Comparisons) == 0 {
			if o := eval(func(name string) (float64, string) { return cell.InvalidValue(x, name) }); o.Kind == dsl.IsNumber {
				r.value = o
			}
		}
		out = append(out, r)
	}
	for _, r := range slices.Concat(cell.Failed, cell.Skipped) {
		out = append(out, oneRun{cell: cell, start: r.Start, order: r.Order, number: r.Run, value: no(string(r.Status) + ": " + r.Error)})
	}
	return out
}
