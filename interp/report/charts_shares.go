package report

import (
	"fmt"
	"math"
	"slices"

	"versus/dsl"
	"versus/interp/analyze"
	"versus/interp/report/chart"
)

const (
	// resolution is the part of an axis within which two steps of a curve of
	// shares can't be told apart, and thinResolution that of a single run.
	resolution, thinResolution = 1.0 / 400, 1.0 / 120
)

// ecdf draws the share of the messages that took no longer than each latency.
func (b builder) ecdf(c *chart.Chart, d *dsl.Chart, cells []*analyze.Cell) {
	b.shares(c, d, cells, curve.upTo)
	c.Y.Label = orElse(c.Y.Label, "share of messages up to it")
	c.Notes = append(c.Notes, "Thick: all messages of the valid runs together.")
	c.Notes = append(c.Notes, thinNote(c)...)
	c.Notes = append(c.Notes, bandNote(c, fmt.Sprintf("Shaded: the band of Dvoretzky, Kiefer and Wolfowitz (%.0f%%)", analyze.MedianConfidence*100))...)
}

// ccdf draws the share of the messages that took longer than each latency, both
// logarithmic, for the tail.
func (b builder) ccdf(c *chart.Chart, d *dsl.Chart, cells []*analyze.Cell) {
	b.shares(c, d, cells, curve.beyond)
	c.Y.Scale = chart.Log10
	c.Y.Label = orElse(c.Y.Label, "share of messages beyond it")
	c.Notes = append(c.Notes, "Thick: all messages of the valid runs together, dotted where fewer than ten lie beyond.")
	c.Notes = append(c.Notes, thinNote(c)...)
	c.Notes = append(c.Notes, bandNote(c, fmt.Sprintf("Shaded: the band of Dvoretzky, Kiefer and Wolfowitz (%.0f%%), up to where it reaches 0: it says little of tails", analyze.MedianConfidence*100))...)
}

// shares draws curves of shares over latencies.
func (b builder) shares(c *chart.Chart, d *dsl.Chart, cells []*analyze.Cell, draw func(k curve, scale, resolution float64) []chart.Point) {
	curves := b.curves(d, cells)
	unit, scale := timeUnit(curves)
	for _, k := range curves {
		s := chart.Series{Name: k.name}
		if k.why != "" {
			s.Points = append(s.Points, chart.Point{Text: orElse(k.name, d.Name), Missing: k.why})
			c.Series = append(c.Series, s)
			continue
		}
		s.Points = draw(k, scale, resolution)
		for _, x := range k.places(1) {
			if p := 1 - 1/x; isNine(x) && k.Visible(p) {
				s.Points = withQuantile(s.Points, k.Quantile(p)*scale, p, k.said(d.Distribution, unit, scale, x))
			}
		}
		s.Runs = k.alone(func(r curve) []chart.Point { return draw(r, scale, thinResolution) })
		if half, ok := k.Band(); ok {
			for i := range s.Points {
				p := &s.Points[i]
				from, to := max(0, p.Y-half), min(1, p.Y+half)
				p.Low, p.High = &from, &to
			}
		}
		c.Series = append(c.Series, s)
	}
	c.X.Scale = chart.Scale(d.XAxis.Scale)
	if c.X.Scale == "" {
		c.X.Scale = chart.Log10
	}
	c.X.Label = timeLabel(c.X.Label, d.Distribution, unit)
}

// withQuantile marks where a curve of shares passes quantile p, which is value: on one of
// its steps, half way up or down.
func withQuantile(points []chart.Point, value, p float64, text string) []chart.Point {
	i := slices.IndexFunc(points, func(q chart.Point) bool { return q.X >= value })
	if i < 0 {
		return points
	}
	q := points[i]
	q.X, q.Y, q.Text = value, p, text
	if points[0].Y > points[len(points)-1].Y { // it goes down
		q.Y = 1 - p
	}
	return slices.Insert(points, i, q)
}

// upTo is the share of messages up to each latency.
func (k curve) upTo(scale, resolution float64) []chart.Point {
	n := float64(k.Count)
	var out []chart.Point
	for _, step := range k.Steps() {
		out = append(out, chart.Point{X: step.Value * scale, Y: float64(step.UpTo) / n})
	}
	return thinned(out, resolution, func(y float64) float64 { return y })
}

// beyond is the share of messages beyond each latency. The curve ends at the
// longest, beyond which there is none.
func (k curve) beyond(scale, resolution float64) []chart.Point {
	n := float64(k.Count)
	steps := k.Steps()
	out := []chart.Point{{X: steps[0].Value * scale, Y: 1}}
	for _, step := range steps {
		left := float64(k.Count - step.UpTo)
		if left == 0 {
			left = out[len(out)-1].Y * n
		}
		out = append(out, chart.Point{X: step.Value * scale, Y: left / n, Doubtful: left < 10})
	}
	decades := max(1, math.Log10(n))
	return thinned(out, resolution, func(y float64) float64 { return math.Log10(y) / decades })
}

// thinned leaves out steps that can't be told from the one before: that are
// less than the resolution away, in latency (over its range, linear and
// logarithmic) and in what height says.
func thinned(points []chart.Point, resolution float64, height func(float64) float64) []chart.Point {
	if len(points) == 0 {
		return nil
	}
	first, last := points[0].X, points[len(points)-1].X
	near := func(a, b chart.Point) bool {
		return math.Abs(height(a.Y)-height(b.Y)) < resolution && b.X-a.X < resolution*(last-first) &&
			(!(first > 0) || math.Log(b.X/a.X) < resolution*math.Log(last/first))
	}
	out := points[:1]
	for i, p := range points[1:] {
		if i == len(points)-2 || !near(out[len(out)-1], p) || p.Doubtful != out[len(out)-1].Doubtful {
			out = append(out, p)
		}
	}
	return out
}
