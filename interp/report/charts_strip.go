package report

import (
	"fmt"
	"slices"
	"strings"

	"versus/dsl"
	"versus/interp/analyze"
	"versus/interp/report/chart"
)

// allPoints is up to how many runs a strip shows each of them.
const allPoints = 20

// strip draws the runs of each place, with their median, its interval, and from
// analyze.MinBox runs on a box.
func (b builder) strip(c *chart.Chart, d *dsl.Chart, cells []*analyze.Cell) {
	c.X.Scale = chart.Categories
	places := map[string]int{}
	var numbers []float64
	type here struct {
		series, at int
		text       string
		runs       []oneRun
	}
	by := d.X
	if by == nil {
		by = d.Series
	}
	placeOf := b.namer(by, cells)
	var all []here
	for i, g := range b.groups(d.Series, cells) {
		c.Series = append(c.Series, chart.Series{Name: g.name})
		for _, place := range groupsBy(placeOf, g.cells) {
			if _, ok := places[place.name]; !ok {
				places[place.name] = len(c.X.Names)
				c.X.Names = append(c.X.Names, place.name)
			}
			h := here{series: i, at: places[place.name], text: g.name}
			if d.X != nil {
				h.text = names(g.name, place.name)
			}
			if len(place.cells) > 1 {
				c.Series[i].Points = append(c.Series[i].Points, chart.Point{X: float64(h.at), Text: orElse(h.text, d.Name), Missing: severalCells(place.cells)})
				continue
			}
			h.runs = b.perRun(d.Y, place.cells[0])
			numbers = append(numbers, numbersOf(h.runs)...)
			all = append(all, h)
		}
	}
	st := styleOf("number", numbers)
	boxes := false
	for _, h := range all {
		s := &c.Series[h.series]
		points, box := stripOf(h.runs, float64(h.at), st)
		s.Points = append(s.Points, points...)
		if box != nil {
			box.Text = orElse(h.text, h.runs[0].cell.Name()) + ": " + box.Text
			s.Boxes = append(s.Boxes, *box)
			boxes = boxes || box.Quartiles != nil
		}
	}
	if d.X != nil {
		c.X.Label = orElse(c.X.Label, heading(d.X))
	}
	c.Y.Label = orElse(c.Y.Label, b.valueLabel(d.Y))
	if c.Y.Scale = chart.Scale(d.YAxis.Scale); c.Y.Scale == "" {
		c.Y.Scale = valueScale(chart.Linear, numbers)
	}
	c.Notes = append(c.Notes, fmt.Sprintf("Each point is one run. A line is their median, with an exact interval of at least %.0f%% beside it where there are runs enough.", analyze.MedianConfidence*100))
	if boxes {
		c.Notes = append(c.Notes, fmt.Sprintf("From %d runs on: a box from quartile to quartile, with whiskers up to 1.5 times its height; of more than %d runs, only those beyond are points.", analyze.MinBox, allPoints))
	}
}

// severalCells says why a place has no value.
func severalCells(cells []*analyze.Cell) string {
	return "several cells fall in one place: they differ in " + strings.Join(analyze.Differs(cells), ", ")
}

// stripOf are the points of the runs of one place, and their summary, if all that
// count have a value.
func stripOf(runs []oneRun, at float64, st style) (points []chart.Point, box *chart.Box) {
	var values []float64
	for _, r := range runs {
		if r.value.Kind == dsl.IsNumber && r.invalid == "" {
			values = append(values, r.value.Number)
		}
	}
	inside := func(float64) bool { return false }
	if len(values) > 0 && !slices.ContainsFunc(runs, oneRun.lacks) {
		box, inside = boxOf(analyze.SpreadOf(values), at, st)
	}
	for _, r := range runs {
		p := r.point(at, st)
		if r.invalid == "" && p.Missing == "" && len(values) > allPoints && inside(p.Y) {
			continue
		}
		points = append(points, p)
	}
	return points, box
}

// boxOf draws a spread; inside says which values its whiskers span.
func boxOf(s analyze.Spread, at float64, st style) (box *chart.Box, inside func(float64) bool) {
	box = &chart.Box{X: at, Median: s.Median, Text: fmt.Sprintf("median %s of %s", st.print(s.Median), plural(s.N, "run", "runs"))}
	if s.NoInterval == "" {
		box.Low, box.High = &s.Interval.Low, &s.Interval.High
		follow := st.following(s.Interval)
		box.Text = fmt.Sprintf("median %s %s of %s", follow.print(s.Median), bounds(follow, s.Interval, s.Median), plural(s.N, "run", "runs"))
	}
	if s.Quartiles == nil {
		return box, func(float64) bool { return false }
	}
	box.Quartiles, box.Whiskers = &[2]float64{s.Quartiles.Low, s.Quartiles.High}, &[2]float64{s.Whiskers.Low, s.Whiskers.High}
	return box, func(v float64) bool { return v >= s.Whiskers.Low && v <= s.Whiskers.High }
}
