package report

import (
	"fmt"
	"slices"

	"versus/dsl"
	"versus/interp/analyze"
	"versus/interp/report/chart"
	"versus/stdlib/metric"
	"versus/stdlib/stats"
)

// speedup draws the default comparison of each pair: the ratio of Hodges and
// Lehmann over all runs with its exact interval, a row each, with the medians of
// both sides at its end; and the geometric mean of each series last.
func (b builder) speedup(c *chart.Chart, d *dsl.Chart, cells []*analyze.Cell) {
	cmp := b.res.Comparison(d.Comparison)
	cells = b.candidates(d.Comparison, cells)
	family := b.family([]string{d.Comparison}, cells)
	ends := newSideMedians(cmp, cells)
	rowOf := b.namer(d.X, cells)
	var totals []chart.Series
	for _, g := range b.groups(d.Series, cells) {
		s := chart.Series{Name: g.name}
		var ratios []float64
		for _, row := range groupsBy(rowOf, g.cells) {
			name := names(g.name, row.name)
			if name == "" {
				name = row.cells[0].Name()
			}
			for _, cell := range row.cells {
				if len(row.cells) > 1 { // neither x nor series tells them apart
					name = cell.Name()
				}
				pair, _ := cmp.At(cell)
				p := ratioPoint(pair, family, name)
				p.Y = float64(len(c.Y.Names))
				c.Y.Names = append(c.Y.Names, name)
				if p.Missing == "" {
					ratios = append(ratios, p.X)
					p.End = ends.of(pair)
				}
				s.Points = append(s.Points, p)
			}
		}
		c.Series = append(c.Series, s)
		if mean := stats.GeoMean(ratios); len(ratios) > 1 && mean > 0 {
			name := names("geometric mean", g.name)
			totals = append(totals, chart.Series{Name: g.name, Points: []chart.Point{{X: mean, Text: name + ": " + style{format: "ratio", decimals: -1}.print(mean)}}})
			totals[len(totals)-1].Points[0].End = fmt.Sprintf("of %d", len(ratios))
			c.Totals++
			totals[len(totals)-1].Points[0].Label = name
		}
	}
	for _, t := range totals {
		t.Points[0].Y = float64(len(c.Y.Names))
		c.Y.Names = append(c.Y.Names, t.Points[0].Label)
		c.Series = append(c.Series, t)
	}
	c.Y.Scale, c.X.Scale = chart.Categories, chart.Log2
	c.X.Label = orElse(c.X.Label, ratioLabel(cmp))
	c.Ends = ends.heading()
	c.Notes = append(c.Notes, ratioNote)
	if c.Ends != "" {
		c.Notes = append(c.Notes, "At the ends of rows: the medians over runs of the baseline and of the candidate.")
	}
	c.Notes = append(c.Notes, b.floor(c, cmp)...)
}

const ratioNote = "Ratios by Hodges-Lehmann over all runs, with exact intervals where there are runs enough; verdicts hold for all rows together (Holm). A geometric mean has no interval: its rows are no sample."

// floor draws the noise floor of a comparison, and says what it is.
func (b builder) floor(c *chart.Chart, cmp *analyze.Comparison) []string {
	if cmp.Noise == nil || cmp.Noise.Floor <= 1 {
		return nil
	}
	c.Floor = cmp.Noise.Floor
	return []string{fmt.Sprintf("The grey band is the noise floor, %s: so far apart came two measurements of the same baseline.", style{format: "percent", decimals: -1}.print(c.Floor-1))}
}

// sideMedians prints the medians of both sides of pairs in one unit.
type sideMedians struct {
	metric *metric.Metric
	unit   string
	scale  float64
	style  style
}

func newSideMedians(c *analyze.Comparison, cells []*analyze.Cell) sideMedians {
	m := sideMedians{metric: c.Metric, scale: 1}
	if c.Metric == nil {
		return m
	}
	m.unit = c.Metric.Unit
	var all []float64
	for _, cell := range cells {
		if p, _ := c.At(cell); p != nil {
			all = append(all, m.medians(p)...)
		}
	}
	if m.unit == "s" && len(all) > 0 {
		m.unit, m.scale = unitFor(slices.Min(all))
	}
	for i := range all {
		all[i] *= m.scale
	}
	m.style = styleOf("number", all)
	return m
}

// medians are those of the baseline and of the candidate, or none.
func (m sideMedians) medians(p *analyze.Pair) []float64 {
	if m.metric == nil || p.Baseline == nil {
		return nil
	}
	x, why := p.Baseline.RunValues(m.metric.Name)
	y, whyNot := p.Candidate.RunValues(m.metric.Name)
	if why != "" || whyNot != "" {
		return nil
	}
	return []float64{stats.Median(x), stats.Median(y)}
}

func (m sideMedians) of(p *analyze.Pair) string {
	both := m.medians(p)
	if both == nil {
		return ""
	}
	return m.style.print(both[0]*m.scale) + " → " + m.style.print(both[1]*m.scale)
}

func (m sideMedians) heading() string {
	switch {
	case m.metric == nil:
		return ""
	case m.unit == "":
		return "medians"
	}
	return "medians (" + m.unit + ")"
}

// ratioLabel says what a ratio above 1 means.
func ratioLabel(c *analyze.Comparison) string {
	if c.Metric == nil {
		return "times the baseline"
	}
	if c.Metric.Better == metric.Neither {
		return "times the baseline's " + c.Metric.Name
	}
	return "times as good as the baseline, by " + c.Metric.Name
}

func ratioPoint(p *analyze.Pair, family *analyze.Family, name string) chart.Point {
	q := chart.Point{Text: name}
	switch {
	case p.Refused != "":
		q.Missing = p.Refused
	case p.NoTest != "":
		q.Missing = p.NoTest
	}
	if q.Missing != "" {
		return q
	}
	st := style{format: "ratio", decimals: -1}
	q.X = p.Ratio.Estimate
	if p.Ratio.Level > 0 {
		in := analyze.Interval{Low: p.Ratio.Low, High: p.Ratio.High}
		st = st.following(in)
		q.Low, q.High = &p.Ratio.Low, &p.Ratio.High
		q.Text += ": " + st.print(q.X) + " " + bounds(st, in, q.X)
	} else {
		q.Text += ": " + st.print(q.X)
	}
	verdict := family.Verdict(p)
	switch {
	case analyze.Better(verdict):
		q.Verdict = chart.Better
	case analyze.Worse(verdict):
		q.Verdict = chart.Worse
	case verdict == analyze.Undecided || verdict == stats.TooFewRuns:
		q.Verdict, q.Doubtful = chart.NoVerdict, true
	default:
		q.Verdict, q.Doubtful = chart.NotShown, true
	}
	if words := p.Words(verdict); words != "" {
		q.Text += ", " + words
	}
	return q
}

// heatmap draws a value over two axes.
func (b builder) heatmap(c *chart.Chart, d *dsl.Chart, cells []*analyze.Cell) {
	f := field{digits: -1, source: expression{d.Value}}
	family := b.family(f.comparisons(), cells)
	columns, rows := map[string]int{}, map[string]int{}
	var spots []spot
	add := func(index map[string]int, a *chart.Axis, name string) int {
		if _, ok := index[name]; !ok {
			index[name] = len(a.Names)
			a.Names = append(a.Names, name)
		}
		return index[name]
	}
	columnOf := b.namer(d.X, cells)
	for _, y := range b.groups(d.Y, cells) {
		row := add(rows, &c.Y, y.name)
		for _, x := range groupsBy(columnOf, y.cells) {
			column := add(columns, &c.X, x.name)
			spots = append(spots, spot{series: row, position: position{float64(column), names(y.name, x.name)}, shown: b.show(place{x.cells, f}, family)})
		}
	}
	st := b.spotStyle(f, spots)
	s := chart.Series{}
	for _, k := range spots {
		p := chart.Point{X: k.at, Y: float64(k.series), Text: k.label}
		if p.Missing = k.missing(); p.Missing == "" {
			p.Z = k.outcome.Number
			p.Label = st.print(p.Z)
			p.Text += ": " + p.Label
			if k.pair != nil && !k.pair.Single() {
				p.Note = k.pair.Words(family.Verdict(k.pair))
				p.Text = names(p.Text, p.Note)
			}
		} else if p.Label = "N/A"; k.kind == KindBaseline {
			p.Label = "baseline"
		}
		s.Points = append(s.Points, p)
	}
	c.Series = append(c.Series, s)
	c.X.Scale, c.Y.Scale, c.Z.Scale = chart.Categories, chart.Categories, chart.Linear
	c.X.Label, c.Y.Label = orElse(c.X.Label, heading(d.X)), orElse(c.Y.Label, heading(d.Y))
	c.Z.Label = b.valueLabel(d.Value)
	switch st.format {
	case "ratio":
		one := 1.0
		c.Z.Scale, c.Center = chart.Log2, &one
	case "percent":
		c.Center = new(float64)
	}
	if c.Z.Scale != chart.Linear {
		for _, p := range s.Points {
			if p.Missing == "" && p.Z <= 0 {
				c.Z.Scale = chart.Linear
			}
		}
	}
	c.Notes = append(c.Notes, "The number of a field is "+c.Z.Label+", as in the tables.")
}
