package chart

import (
	"cmp"
	"image/color"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// drawValues draws values over an axis, and runs in order.
func (s *sheet) drawValues(c draw.Canvas, p *plot.Plot) {
	s.gridLines(c, p, s.X.Scale != Categories && s.Kind != Runs, true)
	x, y := p.Transforms(&c)
	if s.bars() {
		c.StrokeLine2(draw.LineStyle{Color: gray, Width: 0.6}, c.Min.X, y(0), c.Max.X, y(0))
	}
	slot := x(1) - x(0) // of a category
	for i, series := range s.Series {
		look := s.looks[series.like()]
		shift := s.dodge(i)
		if s.X.Scale == Categories {
			shift = s.shift(i) * slot
		}
		if s.lines() {
			s.connect(&c, series, look, func(v float64) vg.Length { return x(v) + shift }, y)
		}
		for _, q := range series.Points {
			if q.Missing != "" {
				continue
			}
			at := vg.Point{X: x(q.X) + shift, Y: y(q.Y)}
			if s.bars() {
				half := slot * barWidth / vg.Length(len(s.Series)) / 2 * 0.9
				low, high := vg.Point{X: at.X - half, Y: min(at.Y, y(0))}, vg.Point{X: at.X + half, Y: max(at.Y, y(0))}
				if !q.Bound {
					s.bar(&c, look, low, high, q.Doubtful)
				}
				s.note(low, vg.Point{X: high.X, Y: max(high.Y, low.Y+8)}, q.Text)
			}
			s.point(&c, q, at, look, y)
		}
	}
}

// point draws a point with its interval; of a bar, which is drawn already, only
// that.
func (s *sheet) point(c *draw.Canvas, q Point, at vg.Point, look Identity, y func(float64) vg.Length) {
	if q.Low != nil && q.High != nil {
		low, high := vg.Point{X: at.X, Y: y(*q.Low)}, vg.Point{X: at.X, Y: y(*q.High)}
		if s.bars() { // seen on a dark bar, too
			c.StrokeLine2(draw.LineStyle{Color: color.White, Width: 3}, low.X, low.Y, high.X, high.Y)
		}
		whisker(c, s.whiskerInk(look), low, high)
	}
	switch {
	case q.Bound:
		limit(c, look.ink(), at)
	case !s.bars():
		mark(c, look.shape(), look.ink(), at, radius, q.Doubtful)
	}
	s.notePoint(at, q.Text)
}

// barWidth is the share of a category's place that its bars take together.
const barWidth = vg.Length(0.8)

// shift is how far the i-th of all series is from the middle of its category.
func (s *sheet) shift(i int) vg.Length {
	n := vg.Length(len(s.Series))
	return barWidth * (vg.Length(i) - (n-1)/2) / n
}

// dodge moves the i-th series a little to the side where intervals would hide
// each other.
func (s *sheet) dodge(i int) vg.Length {
	n := len(s.Series)
	if s.Kind != Value || n < 2 || n > 8 {
		return 0
	}
	for _, series := range s.Series {
		for _, q := range series.Points {
			if q.Low != nil {
				return 3 * (vg.Length(i) - vg.Length(n-1)/2)
			}
		}
	}
	return 0
}

// connect draws the line of a series, with a gap where a value is missing.
func (s *sheet) connect(c *draw.Canvas, series Series, look Identity, x, y func(float64) vg.Length) {
	points := slices.Clone(series.Points)
	slices.SortStableFunc(points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	var line []vg.Point
	line1 := draw.LineStyle{Color: look.ink(), Width: 1.2, Dashes: series.dashes(look)}
	for _, q := range points {
		if q.Missing != "" {
			c.StrokeLines(line1, line)
			line = nil
			continue
		}
		line = append(line, vg.Point{X: x(q.X), Y: y(q.Y)})
	}
	if len(line) > 1 {
		c.StrokeLines(line1, line)
	}
}
