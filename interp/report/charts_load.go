package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"versus/dsl"
	"versus/interp/analyze"
	"versus/interp/report/chart"
	"versus/stdlib/metric"
)

// loadPercentiles are the lines of a chart of load, by their names as metrics.
var loadPercentiles = []float64{0.5, 0.99, 0.999}

// step is a cell at its place on the axis of load.
type step struct {
	cell              *analyze.Cell
	offered, achieved float64
	why               string // it has no place
	saturated         string
}

// load draws latencies over the offered rate, and the achieved rate below: up to
// where the system, or the generator, keeps up.
func (b builder) load(c *chart.Chart, d *dsl.Chart, cells []*analyze.Cell) {
	below := &chart.Chart{Kind: chart.Value, X: chart.Axis{Scale: chart.Linear}, Y: chart.Axis{Scale: chart.Linear, Label: "achieved (1/s)"}}
	var steps [][]step
	smallest := math.Inf(1)
	groups := b.groups(d.Series, cells)
	for _, g := range groups {
		list := stepsOf(g.cells)
		for _, s := range list {
			if v := s.cell.Metric(metric.QuantileOf(d.Distribution, loadPercentiles[0]).Name); v.Missing == "" {
				smallest = min(smallest, v.Number)
			}
		}
		steps = append(steps, list)
	}
	unit, scale := unitFor(smallest)
	most := 0.0
	for i, g := range groups {
		for dash, p := range loadPercentiles {
			m := metric.QuantileOf(d.Distribution, p)
			short := strings.ReplaceAll(strings.TrimPrefix(m.Name, d.Distribution+"."), "_", ".")
			s := chart.Series{Name: strings.TrimSpace(g.name + " " + short), Of: orElse(g.name, d.Name), Dash: dash}
			for _, k := range steps[i] {
				s.Points = append(s.Points, k.latency(m.Name, s.Name, unit, scale))
			}
			c.Series = append(c.Series, s)
		}
		achieved := chart.Series{Name: g.name, Of: orElse(g.name, d.Name)}
		for _, k := range steps[i] {
			q := k.point(achieved.Name)
			if q.Missing == "" {
				q.Y = k.achieved
				q.Text = fmt.Sprintf("%s: %s/s of %s/s", orElse(g.name, k.cell.Name()), fixed(k.achieved, 0), fixed(k.offered, 0))
				most = max(most, k.offered)
			}
			achieved.Points = append(achieved.Points, q)
		}
		below.Series = append(below.Series, achieved)
		c.X.Marks = append(c.X.Marks, capacity(g.name, steps[i])...)
	}
	if most > 0 {
		below.Lines = []chart.Line{{At: [][2]float64{{0, 0}, {most, most}}, Text: "what was offered"}}
		c.Below = below
	}
	below.X.Marks = unnamed(c.X.Marks)
	below.X.Label = orElse(c.X.Label, "offered rate (1/s)")
	c.X.Scale = chart.Linear
	c.X.Label = below.X.Label
	c.Y.Label = timeLabel(c.Y.Label, d.Distribution, unit)
	if c.Y.Scale = chart.Scale(d.YAxis.Scale); c.Y.Scale == "" {
		c.Y.Scale = chart.Log10
	}
	c.Notes = append(c.Notes, "Percentiles of all messages of the valid runs together. Below: the achieved rate, which is the offered one on the grey line.")
	if len(c.X.Marks) > 0 {
		c.Notes = append(c.Notes, "A capacity is the largest rate that was achieved, where one that was offered was missed by more than 1%.")
	}
}

// stepsOf are the cells of a series in the order of their offered rates.
func stepsOf(cells []*analyze.Cell) []step {
	var out []step
	for _, cell := range cells {
		s := step{cell: cell}
		offered, achieved := cell.Metric("rate.offered"), cell.Metric("rate.achieved")
		switch {
		case offered.Missing != "":
			s.why = offered.Missing
		case achieved.Missing != "":
			s.why = achieved.Missing
		}
		s.offered, s.achieved = offered.Number, achieved.Number
		if s.why == "" {
			s.saturated = cell.Saturated()
		}
		out = append(out, s)
	}
	slices.SortStableFunc(out, func(a, b step) int { return cmp.Compare(a.offered, b.offered) })
	for i := 1; i < len(out); i++ {
		if a, b := &out[i-1], &out[i]; a.why == "" && b.why == "" && a.offered == b.offered {
			a.why, b.why = severalCells([]*analyze.Cell{a.cell, b.cell}), severalCells([]*analyze.Cell{a.cell, b.cell})
		}
	}
	return out
}

// point is a place at the offered rate, or why there is none.
func (k step) point(name string) chart.Point {
	if k.why != "" {
		return chart.Point{Text: names(name, k.cell.Name()), Missing: k.why}
	}
	return chart.Point{X: k.offered, Doubtful: k.saturated != "", Why: k.saturated}
}

func (k step) latency(metricName, name, unit string, scale float64) chart.Point {
	p := k.point(name)
	v := k.cell.Metric(metricName)
	switch {
	case p.Missing != "":
		return p
	case v.Missing != "":
		return chart.Point{X: k.offered, Text: fmt.Sprintf("%s at %s/s", name, fixed(k.offered, 0)), Missing: v.Missing}
	}
	p.Y = v.Number * scale
	if p.Why == "" && v.Warning != "" {
		p.Doubtful, p.Why = true, v.Warning
	}
	p.Text = fmt.Sprintf("%s at %s/s: %s %s", name, fixed(k.offered, 0), alone(p.Y, p.Y), unit)
	if p.Why != "" {
		p.Text += " (" + p.Why + ")"
	}
	return p
}

// missed is the share of the offered rate below which a step shows the capacity.
const missed = 0.99

// capacity is the largest rate that a series achieved, if more was offered.
func capacity(name string, steps []step) []chart.Tick {
	most, reached := 0.0, false
	for _, k := range steps {
		if k.why == "" {
			most = max(most, k.achieved)
			reached = reached || k.achieved < missed*k.offered
		}
	}
	if !reached || most <= 0 {
		return nil
	}
	return []chart.Tick{{At: most, Text: strings.TrimSpace("capacity "+name) + ": " + fixed(most, 0) + "/s"}}
}

func unnamed(ticks []chart.Tick) []chart.Tick {
	out := slices.Clone(ticks)
	for i := range out {
		out[i].Text = ""
	}
	return out
}
