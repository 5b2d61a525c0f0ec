package chart

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ramp is a scale of one colour that grows dark steadily, so that it reads the
// same in grey; wings are for values around a center: blue below, orange above
// (both after ColorBrewer: Harrower and Brewer 2003).
var (
	ramp  = []color.NRGBA{{0xF7, 0xFB, 0xFF, 255}, {0xC6, 0xDB, 0xEF, 255}, {0x6B, 0xAE, 0xD6, 255}, {0x21, 0x71, 0xB5, 255}, {0x08, 0x30, 0x6B, 255}}
	wings = []color.NRGBA{{0x05, 0x30, 0x61, 255}, {0x43, 0x93, 0xC3, 255}, {0xF7, 0xF7, 0xF7, 255}, {0xF1, 0x96, 0x3C, 255}, {0x7F, 0x3B, 0x08, 255}}
)

// drawHeatmap draws a field for each place that has a value, with the number on it.
func (s *sheet) drawHeatmap(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	z := empty()
	for _, series := range s.Series {
		for _, q := range series.Points {
			if q.Missing == "" {
				z.add(q.Z)
			}
		}
	}
	for _, series := range s.Series {
		for _, q := range series.Points {
			low := vg.Point{X: x(q.X - 0.5), Y: y(q.Y + 0.5)}
			high := vg.Point{X: x(q.X + 0.5), Y: y(q.Y - 0.5)}
			if q.Missing != "" {
				s.fieldText(&c, low, high, style(8, gray), q)
				s.note(low, high, q.Text+": "+q.Missing)
				continue
			}
			fill := s.heat(z, q.Z)
			c.SetColor(fill)
			c.Fill(vg.Rectangle{Min: low, Max: high}.Path())
			c.StrokeLines(draw.LineStyle{Color: color.White, Width: 1}, []vg.Point{low, {X: low.X, Y: high.Y}, high, {X: high.X, Y: low.Y}, low})
			st := style(9, ink)
			if luminance(fill) < 0.35 {
				st.Color = color.White
			}
			s.fieldText(&c, low, high, st, q)
			s.note(low, high, q.Text)
		}
	}
}

// fieldText writes the number on a field, and the line under it.
func (s *sheet) fieldText(c *draw.Canvas, low, high vg.Point, st text.Style, q Point) {
	st.XAlign, st.YAlign = draw.XCenter, draw.YCenter
	at, room := vg.Point{X: (low.X + high.X) / 2, Y: (low.Y + high.Y) / 2}, high.X-low.X-2
	if q.Note != "" {
		small := st
		small.Font.Size = 7
		c.FillText(small, vg.Point{X: at.X, Y: at.Y - 5}, shorten(small, printable(q.Note), room))
		at.Y += 4
	}
	c.FillText(st, at, shorten(st, printable(q.Label), room))
}

// fieldHeight is that of a row.
func (s *sheet) fieldHeight() vg.Length {
	for p := range s.places() {
		if p.Note != "" {
			return rowHeight + noteHeight
		}
	}
	return rowHeight
}

// heat is the colour of a value.
func (s *sheet) heat(z span, v float64) color.NRGBA {
	at := func(v float64) float64 {
		if s.Z.Scale.log() && v > 0 {
			return math.Log(v)
		}
		return v
	}
	if s.Center != nil {
		center := at(*s.Center)
		reach := max(at(z.high)-center, center-at(z.low))
		if reach <= 0 {
			return wings[2]
		}
		return blend(wings, 0.5+0.5*(at(v)-center)/reach)
	}
	if z.high == z.low {
		return ramp[1]
	}
	return blend(ramp, (at(v)-at(z.low))/(at(z.high)-at(z.low)))
}

// blend takes a colour of a scale at t from 0 to 1.
func blend(scale []color.NRGBA, t float64) color.NRGBA {
	t = min(max(t, 0), 1) * float64(len(scale)-1)
	k := min(int(t), len(scale)-2)
	f := t - float64(k)
	mix := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + f*(float64(b)-float64(a)))) }
	a, b := scale[k], scale[k+1]
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 255}
}

// luminance is the relative luminance of a colour, from 0 to 1 (WCAG 2).
func luminance(c color.NRGBA) float64 {
	part := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*part(c.R) + 0.7152*part(c.G) + 0.0722*part(c.B)
}
