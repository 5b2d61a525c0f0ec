package report

import (
	"fmt"
	"slices"

	"versus/dsl"
	"versus/interp/analyze"
	"versus/interp/report/chart"
	"versus/stdlib/stats"
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
	medians := slices.ContainsFunc(spots, func(s spot) bool { return s.hasInterval() })
	st := b.spotStyle(f, spots)
	intervals, shares := medians, false
	var numbers []float64
	for _, s := range spots {
		p := s.point(medians)
		who := names(c.Series[s.series].Name, s.label)
		p.Text = who
		if p.Missing == "" {
			p.Text = who + ": " + st.print(p.Y)
			shares = b.share(&p, s, f) || shares
			numbers = append(numbers, p.Y)
			if p.Bound {
				p.Text = who + ": none was seen: at most " + style{format: "number", decimals: -1}.print(p.Y)
			}
			if p.Low != nil {
				in := analyze.Interval{Low: *p.Low, High: *p.High}
				follow := st.following(in)
				p.Text = who + ": " + follow.print(p.Y) + " " + bounds(follow, in, p.Y)
				intervals = true
			}
			s.doubt(&p, f)
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
	case shares:
		c.Notes = append(c.Notes, fmt.Sprintf("Shares over all valid runs, with intervals by Wilson (%.0f%%), which take events for independent. Where none was seen, the bound is 3/n.", analyze.MedianConfidence*100))
	case intervals:
		c.Notes = append(c.Notes, fmt.Sprintf("Values as in the tables, with the intervals of the comparison (bootstrap, seed %d).", analyze.Seed))
	default:
		c.Notes = append(c.Notes, "Values as in the tables, without intervals.")
	}
}

// share gives a point that is computed from one share of losses or errors the
// interval of Wilson; where none was seen, it is at the bound 3/n.
func (b builder) share(p *chart.Point, s spot, f field) bool {
	metrics := f.metrics()
	if s.cell == nil || len(metrics) != 1 || len(f.comparisons()) > 0 {
		return false
	}
	events, of, ok := s.cell.Counts(metrics[0])
	if !ok {
		return false
	}
	at := func(v float64) (float64, bool) {
		o := f.eval(b, analyze.View{Result: b.res, Cell: s.cell, Runs: func(*analyze.Cell, string) (float64, string) { return v, "" }})
		return o.Number, o.Kind == dsl.IsNumber
	}
	if events == 0 {
		bound, ok := at(stats.RuleOfThree(of))
		if ok {
			p.Y, p.Bound = bound, true
		}
		return ok
	}
	in, err := stats.Wilson(events, of, analyze.MedianConfidence)
	if err != nil {
		return false
	}
	low, okLow := at(in.Low)
	high, okHigh := at(in.High)
	if low > high { // the expression falls as the share rises
		low, high = high, low
	}
	if okLow && okHigh {
		p.Low, p.High = &low, &high
	}
	return okLow && okHigh
}

// doubt makes a point hollow whose cell was not loaded as it says, or that rests
// on too few messages.
func (s spot) doubt(p *chart.Point, f field) {
	if s.cell == nil {
		return
	}
	if p.Why = s.cell.Saturated(); p.Why == "" && s.pair == nil {
		if w := s.warnings(f); len(w) > 0 {
			p.Why = w[0]
		}
	}
	if p.Why != "" {
		p.Doubtful = true
		p.Text += " (" + p.Why + ")"
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

// hasInterval says whether the runs of a place give their median an interval.
func (s spot) hasInterval() bool {
	return s.median != nil && s.median.Outcome.Kind == dsl.IsNumber && s.median.NoInterval == ""
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
		if s.hasInterval() {
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
