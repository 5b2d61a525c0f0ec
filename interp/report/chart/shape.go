package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// shape is the form of a point: corners of a polygon around 0 with radius 1, or
// strokes that cross there; none is a circle.
type shape struct {
	corners []vg.Point
	strokes [][2]vg.Point
}

var (
	circle   = shape{}
	square   = polygon(4, math.Pi/4)
	triangle = polygon(3, math.Pi/2)
	diamond  = polygon(4, 0)
	down     = polygon(3, -math.Pi/2)
	cross    = rays(2, math.Pi/4)
	plus     = rays(2, 0)
	star     = rays(3, math.Pi/2)
)

func polygon(n int, turn float64) shape {
	var s shape
	for i := range n {
		sin, cos := math.Sincos(turn + 2*math.Pi*float64(i)/float64(n))
		s.corners = append(s.corners, vg.Point{X: vg.Length(1.25 * cos), Y: vg.Length(1.25 * sin)})
	}
	return s
}

func rays(n int, turn float64) shape {
	var s shape
	for i := range n {
		sin, cos := math.Sincos(turn + math.Pi*float64(i)/float64(n))
		p := vg.Point{X: vg.Length(1.2 * cos), Y: vg.Length(1.2 * sin)}
		s.strokes = append(s.strokes, [2]vg.Point{{X: -p.X, Y: -p.Y}, p})
	}
	return s
}

// mark draws a point. A hollow one is white inside; of crosses, which have no
// inside, it is thin, in a ring.
func mark(c *draw.Canvas, s shape, ink color.Color, at vg.Point, r vg.Length, hollow bool) {
	width := vg.Length(1.2)
	if len(s.strokes) > 0 {
		width = 1.8
		if hollow {
			width = 0.8
		}
	}
	line := draw.LineStyle{Color: ink, Width: width}
	for _, x := range s.strokes {
		c.StrokeLine2(line, at.X+r*x[0].X, at.Y+r*x[0].Y, at.X+r*x[1].X, at.Y+r*x[1].Y)
	}
	var p vg.Path
	if len(s.strokes) > 0 {
		if hollow {
			p.Move(vg.Point{X: at.X + 1.5*r, Y: at.Y})
			p.Arc(at, 1.5*r, 0, 2*math.Pi)
			p.Close()
			c.SetLineStyle(line)
			c.Stroke(p)
		}
		return
	}
	if len(s.corners) == 0 {
		p.Move(vg.Point{X: at.X + r, Y: at.Y})
		p.Arc(at, r, 0, 2*math.Pi)
	}
	for i, k := range s.corners {
		q := vg.Point{X: at.X + r*k.X, Y: at.Y + r*k.Y}
		if i == 0 {
			p.Move(q)
		} else {
			p.Line(q)
		}
	}
	p.Close()
	if hollow {
		c.SetColor(color.White)
	} else {
		c.SetColor(ink)
	}
	c.Fill(p)
	c.SetLineStyle(line)
	c.Stroke(p)
}

// limit draws a point that is only the upper end of what can be: open, pointing
// down from a line.
func limit(c *draw.Canvas, ink color.Color, at vg.Point) {
	mark(c, down, ink, vg.Point{X: at.X, Y: at.Y - radius*0.8}, radius, true)
	c.StrokeLine2(draw.LineStyle{Color: ink, Width: 1.2}, at.X-radius*1.5, at.Y, at.X+radius*1.5, at.Y)
}

// bar draws a bar, or only its outline. Its hatching is that of the series'
// marker, so that bars are told apart in grey.
func (s *sheet) bar(c *draw.Canvas, look Identity, low, high vg.Point, hollow bool) {
	outline := []vg.Point{low, {X: low.X, Y: high.Y}, high, {X: high.X, Y: low.Y}, low}
	if hollow {
		c.StrokeLines(draw.LineStyle{Color: look.ink(), Width: 1.2, Dashes: []vg.Length{2, 1}}, outline)
		return
	}
	c.SetColor(look.ink())
	c.Fill(vg.Rectangle{Min: low, Max: high}.Path())
	gap := vg.Length(3 + look.marker)
	if look.marker == 0 { // the first is solid
		return
	}
	white := draw.LineStyle{Color: color.White, Width: 0.7}
	width, height := high.X-low.X, high.Y-low.Y
	for d := gap; d < width+height; d += gap {
		a := vg.Point{X: low.X + max(0, d-height), Y: low.Y + min(d, height)}
		b := vg.Point{X: low.X + min(d, width), Y: low.Y + max(0, d-width)}
		if look.marker%2 == 0 { // the other way
			a.X, b.X = low.X+high.X-a.X, low.X+high.X-b.X
		}
		c.StrokeLine2(white, a.X, a.Y, b.X, b.Y)
	}
	c.StrokeLines(draw.LineStyle{Color: look.ink(), Width: 0.8}, outline)
}

// whiskerInk is black on bars, and the colour of the series elsewhere.
func (s *sheet) whiskerInk(look Identity) color.Color {
	if s.bars() {
		return ink
	}
	return look.ink()
}

// whisker draws an interval, upright or level.
func whisker(c *draw.Canvas, of color.Color, a, b vg.Point) {
	line := draw.LineStyle{Color: of, Width: 1}
	c.StrokeLine2(line, a.X, a.Y, b.X, b.Y)
	const half = 2.5
	for _, end := range []vg.Point{a, b} {
		if a.X == b.X {
			c.StrokeLine2(line, end.X-half, end.Y, end.X+half, end.Y)
		} else {
			c.StrokeLine2(line, end.X, end.Y-half, end.X, end.Y+half)
		}
	}
}
