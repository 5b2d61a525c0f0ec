package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"versus/dsl"
	"versus/interp/analyze"
	"versus/interp/report/chart"
)

// windows draws how each run went along: the mean latency of its windows, and
// its levels between change points.
func (b builder) windows(c *chart.Chart, d *dsl.Chart, cells []*analyze.Cell) {
	smallest := math.Inf(1)
	type here struct {
		cell *analyze.Cell
		runs []analyze.Course
	}
	var all []here
	for _, g := range b.groups(d.Series, cells) {
		s := chart.Series{Name: g.name}
		h := here{cell: g.cells[0], runs: g.cells[0].Courses()}
		missing := ""
		switch {
		case len(g.cells) > 1:
			h.runs, missing = nil, severalCells(g.cells)
		case len(h.runs) == 0:
			missing = "no run has windows"
		}
		if missing != "" {
			s.Points = append(s.Points, chart.Point{Text: orElse(g.name, d.Name), Missing: missing})
		}
		for _, run := range h.runs {
			for _, v := range run.Means {
				if v > 0 {
					smallest = min(smallest, v)
				}
			}
		}
		c.Series = append(c.Series, s)
		all = append(all, h)
	}
	unit, scale := unitFor(smallest)
	var numbers []float64
	for i, h := range all {
		name := orElse(c.Series[i].Name, d.Name)
		for _, run := range h.runs {
			points, line := courseOf(h.cell, run, scale)
			line.Series = c.Series[i].Name
			line.Text = fmt.Sprintf("%s, run %d: %s, levels in %s: %s", name, run.Run+1, orElse(string(run.Class), "too few windows to tell"), unit, levels(run, scale))
			if len(line.At) > 0 {
				c.Lines = append(c.Lines, line)
			}
			c.Series[i].Runs = append(c.Series[i].Runs, points)
			for _, p := range points {
				if p.Missing == "" {
					numbers = append(numbers, p.Y)
				}
			}
		}
	}
	c.X.Label = orElse(c.X.Label, extentLabel(cells))
	c.Y.Label = timeLabel(c.Y.Label, "mean latency", unit)
	if c.Y.Scale = chart.Scale(d.YAxis.Scale); c.Y.Scale == "" {
		c.Y.Scale = valueScale(chart.Linear, numbers)
	}
	c.Notes = append(c.Notes, "A thin line is one run, by its windows; a thick one its levels between change points (PELT on level and spread), without outlying windows.")
}

// extent is how long the measurement of a cell is: in seconds, or 100 (per cent)
// if it is a number of messages.
func extent(c *analyze.Cell) float64 {
	if m := c.Plan.Workload.Measure; m.Calls == 0 && m.Seconds > 0 {
		return m.Seconds
	}
	return 100
}

func extentLabel(cells []*analyze.Cell) string {
	timed := func(c *analyze.Cell) bool { return c.Plan.Workload.Measure.Calls == 0 }
	switch {
	case !slices.ContainsFunc(cells, func(c *analyze.Cell) bool { return !timed(c) }):
		return "time since the measurement began (s)"
	case slices.ContainsFunc(cells, timed):
		return "seconds, or per cent of the messages"
	}
	return "per cent of the messages"
}

// courseOf is a run along its windows.
func courseOf(c *analyze.Cell, run analyze.Course, scale float64) (points []chart.Point, line chart.Line) {
	wide := extent(c) / float64(len(run.Means))
	for i, v := range run.Means {
		p := chart.Point{X: (float64(i) + 0.5) * wide, Y: v * scale}
		if !(v > 0) {
			p.Missing, p.Y = "no message in this window", 0
		}
		points = append(points, p)
	}
	line.Thick = true
	for _, l := range run.Levels {
		line.At = append(line.At, [2]float64{float64(l.From) * wide, l.Mean * scale}, [2]float64{float64(l.To) * wide, l.Mean * scale})
	}
	return points, line
}

func levels(run analyze.Course, scale float64) string {
	var out []string
	for _, l := range run.Levels {
		out = append(out, fmt.Sprintf("%.4g", l.Mean*scale))
	}
	return strings.Join(out, ", ")
}
