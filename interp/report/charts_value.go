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

// spot is a place of a chart after evaluation.
type spot struct {
	series int
	position
	shown
	median *analyze.Median // of all runs, for what has one
}

// values draws an expression over an axis. Where runs are many enough for an
// interval, points are the medians of all runs, as in the companion of a table;
// otherwise they are the values that tables show, without an interval.
func (b builder) values(c *chart.Chart, d *dsl.Chart, cells []*analyze.Cell) {
	at := b.positions(&c.X, d.X, d.XAxis.Scale, cells)
	if c.X.Scale == chart.Categories && d.XAxis.Scale != "" {
		c.Notes = append(c.Notes, fmt.Sprintf("The values of %s are not all numbers: they are categories, and the scale has no meaning.", c.X.Label))
	}
	f := field{digits: -1, source: expression{d.Y}}
	family := b.family(f.comparisons(), cells)
	var spots []spot
	for i, g := range b.groups(d.Series, cells) {
		c.Series = append(c.Series, chart.Series{Name: g.name})
		var order []position
		together := map[position][]*analyze.Cell{}
		for _, cell := range g.cells {
			p := at[cell]
			if c.X.Scale != chart.Categories {
				p.label = "" // 1024 and "1KiB" are one place
			}
			if together[p] == nil {
				order = append(order, p)
			}
			together[p] = append(together[p], cell)
		}
		for _, p := range order {
			s := spot{series: i, position: position{p.at, at[together[p][0]].label}, shown: b.show(place{together[p], f}, family)}
			if s.cell != nil && s.outcome.Kind == dsl.IsNumber && (showsMean(f) || showsPercentile(f)) {
				m := b.res.MedianOfRuns(s.cell, f.metrics(), func(v analyze.View) dsl.Outcome { return f.eval(b, v) })
				s.median = &m
			}
			spots = append(spots, s)
		}
	}
	b.plotValues(c, d, f, spots)
}

// plotValues makes points of evaluated places.
func (b builder) plotValues(c *chart.Chart, d *dsl.Chart, f field, spots []spot) {
	medians := slices.ContainsFunc(spots, func(s spot) bool { return s.median != nil && s.median.NoInterval == "" })
	st := b.spotStyle(f, spots)
	intervals := medians
	var numbers []float64
	for _, s := range spots {
		p := s.point(medians)
		who := names(c.Series[s.series].Name, s.label)
		p.Text = who
		if p.Missing == "" {
			numbers = append(numbers, p.Y)
			p.Text = who + ": " + st.print(p.Y)
			if p.Low != nil {
				in := analyze.Interval{Low: *p.Low, High: *p.High}
				follow := st.following(in)
				p.Text = who + ": " + follow.print(p.Y) + " " + bounds(follow, in, p.Y)
				intervals = true
			}
		}
		c.Series[s.series].Points = append(c.Series[s.series].Points, p)
	}
	if c.Y.Label == "" {
		c.Y.Label = b.valueLabel(d.Y)
	}
	c.Y.Scale = chart.Scale(d.YAxis.Scale)
	if c.Y.Scale == "" {
		c.Y.Scale = valueScale(c.X.Scale, numbers)
	}
	switch {
	case medians:
		c.Notes = append(c.Notes, fmt.Sprintf("Medians of all valid runs, with exact intervals of at least %.0f%%.", analyze.MedianConfidence*100))
	case intervals:
		c.Notes = append(c.Notes, "Values as in the tables, with the intervals of the comparison.")
	default:
		c.Notes = append(c.Notes, "Values as in the tables, without intervals.")
	}
}

// valueScale is the scale of values if none is asked for.
func valueScale(x chart.Scale, numbers []float64) chart.Scale {
	if x == chart.Categories || len(numbers) == 0 {
		return chart.Linear
	}
	if low := slices.Min(numbers); low > 0 && slices.Max(numbers) > 10*low {
		return chart.Log10
	}
	return chart.Linear
}

// point is the point of a place, but for its text.
func (s spot) point(medians bool) chart.Point {
	p := chart.Point{X: s.at}
	if p.Missing = s.missing(); p.Missing != "" {
		return p
	}
	p.Y = s.outcome.Number
	if medians && s.median != nil {
		if s.median.Outcome.Kind != dsl.IsNumber {
			p.Missing = orElse(s.median.Outcome.Why, "there is no median over runs")
			return p
		}
		p.Y = s.median.Outcome.Number
		if s.median.NoInterval == "" {
			p.Low, p.High = &s.median.Interval.Low, &s.median.Interval.High
		}
	}
	if s.pair != nil && !s.pair.Single() && s.pair.NoInterval == "" {
		p.Low, p.High = &s.pair.Interval.Low, &s.pair.Interval.High
	}
	return p
}

// missing says why a place has no number, or "".
func (s shown) missing() string {
	switch {
	case s.kind == KindBaseline:
		return "it is the baseline"
	case s.kind != "":
		return orElse(s.why, "no value here")
	case s.outcome.Kind == dsl.IsMissing || s.outcome.Kind == dsl.IsUndefined:
		return orElse(s.outcome.Why, "no value here")
	case s.outcome.Kind != dsl.IsNumber:
		return fmt.Sprintf("%q is no number", s.outcome.Text)
	}
	return ""
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// spotStyle is how the numbers of a chart are printed.
func (b builder) spotStyle(f field, spots []spot) style {
	format := "number"
	if name, ok := f.printedAs(); ok {
		format = b.res.Comparison(name).Comparison.Format
	}
	var numbers []float64
	for _, s := range spots {
		if s.missing() == "" {
			numbers = append(numbers, s.outcome.Number)
		}
	}
	return styleOf(format, numbers)
}

// runs draws what an expression says of each run, in the order of time.
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
	var numbers []float64
	for _, r := range all {
		if r.value.Kind == dsl.IsNumber {
			numbers = append(numbers, r.value.Number)
		}
	}
	st := styleOf("number", numbers)
	for n, r := range all {
		p := chart.Point{X: float64(n + 1), Text: fmt.Sprintf("%s, run %d", r.cell.Name(), r.number+1)}
		if p.Missing = (shown{outcome: r.value}).missing(); p.Missing == "" {
			p.Y = r.value.Number
			p.Text += ": " + st.print(p.Y)
		}
		c.Series[r.series].Points = append(c.Series[r.series].Points, p)
	}
	c.X.Label = orElse(c.X.Label, "runs in the order of time")
	c.Y.Label = orElse(c.Y.Label, b.valueLabel(d.Y))
	c.Y.Scale = chart.Scale(d.YAxis.Scale)
	c.Notes = append(c.Notes, "Each point is one run.")
}

// oneRun is what an expression says of one run.
type oneRun struct {
	series        int
	cell          *analyze.Cell
	start         time.Time
	order, number int
	value         dsl.Outcome
}

// perRun evaluates an expression for each run of a cell; runs that don't count
// have a reason for a value.
func (b builder) perRun(e *dsl.Expr, cell *analyze.Cell) []oneRun {
	var out []oneRun
	no := func(why string) dsl.Outcome { return dsl.Outcome{Kind: dsl.IsMissing, Why: why} }
	whole := ""
	if len(e.Comparisons) > 0 {
		whole = "a comparison has no value in a single run"
	}
	values := map[string][]float64{}
	for _, m := range e.Metrics {
		v, why := cell.RunValues(m.Metric)
		whole = orElse(whole, why)
		values[m.Metric] = v
	}
	for i, r := range cell.Valid {
		o := no(whole)
		if whole == "" {
			o = b.res.Scenario.EvalResult(e, cell.Plan.Each, analyze.View{Result: b.res, Cell: cell, Runs: func(_ *analyze.Cell, name string) (float64, string) {
				return values[name][i], ""
			}})
		}
		out = append(out, oneRun{cell: cell, start: r.Start, order: r.Order, number: r.Run, value: o})
	}
	for _, x := range cell.Invalid {
		out = append(out, oneRun{cell: cell, start: x.Run.Start, order: x.Run.Order, number: x.Run.Run, value: no("it does not count: " + x.Why)})
	}
	for _, r := range slices.Concat(cell.Failed, cell.Skipped) {
		out = append(out, oneRun{cell: cell, start: r.Start, order: r.Order, number: r.Run, value: no(string(r.Status) + ": " + r.Error)})
	}
	return out
}
