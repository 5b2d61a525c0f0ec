package report

import (
	"fmt"

	"versus/dsl"
	"versus/interp/analyze"
	"versus/interp/report/chart"
	"versus/stdlib/metric"
)

// speedup draws the default comparison of each pair: the ratio of Hodges and
// Lehmann over all runs with its exact interval, a row each.
func (b builder) speedup(c *chart.Chart, d *dsl.Chart, cells []*analyze.Cell) {
	cmp := b.res.Comparison(d.Comparison)
	cells = b.candidates(d.Comparison, cells)
	family := b.family([]string{d.Comparison}, cells)
	for _, g := range b.groups(d.Series, cells) {
		s := chart.Series{Name: g.name}
		for _, row := range b.groups(d.X, g.cells) {
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
				s.Points = append(s.Points, p)
			}
		}
		c.Series = append(c.Series, s)
	}
	c.Y.Scale, c.X.Scale = chart.Categories, chart.Log2
	c.X.Label = orElse(c.X.Label, ratioLabel(cmp))
	if cmp.Noise != nil {
		c.Floor = cmp.Noise.Floor
	}
	c.Notes = append(c.Notes, "Ratios by Hodges-Lehmann over all runs, with exact intervals where there are runs enough. Hollow, or of crosses thin: no difference is shown.")
	if c.Floor > 1 {
		c.Notes = append(c.Notes, fmt.Sprintf("The grey band is the noise floor, %s: so far apart came two measurements of the same baseline.", style{format: "percent", decimals: -1}.print(c.Floor-1)))
	}
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
	q.Doubtful = !analyze.Better(verdict) && !analyze.Worse(verdict)
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
	for _, y := range b.groups(d.Y, cells) {
		row := add(rows, &c.Y, y.name)
		for _, x := range b.groups(d.X, y.cells) {
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
