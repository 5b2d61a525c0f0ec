package chart

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// verdictLooks are how ratios look by their verdict: colours that differ in
// brightness, and markers.
var verdictLooks = map[Verdict]struct {
	ink    color.NRGBA
	shape  shape
	hollow bool
}{
	None:      {ink, diamond, false},
	Better:    {palette[0], circle, false},
	Worse:     {palette[1], square, false},
	NotShown:  {gray, circle, true},
	NoVerdict: {gray, cross, false},
}

// drawSpeedup draws a dot with its interval in each row, around a line at 1.
func (s *sheet) drawSpeedup(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	if s.Floor > 1 {
		c.SetColor(grid)
		c.Fill(vg.Rectangle{Min: vg.Point{X: x(1 / s.Floor), Y: c.Min.Y}, Max: vg.Point{X: x(s.Floor), Y: c.Max.Y}}.Path())
	}
	s.gridLines(c, p, true, false)
	c.StrokeLine2(draw.LineStyle{Color: ink, Width: 1}, x(1), c.Min.Y, x(1), c.Max.Y)
	if s.Totals > 0 {
		at := y(float64(len(s.Y.Names)-s.Totals) - 0.5)
		c.StrokeLine2(draw.LineStyle{Color: gray, Width: 0.8}, c.Min.X, at, c.Max.X+s.endsWidth(), at)
	}
	ends := style(8, ink)
	ends.YAlign = draw.YCenter
	if s.endsWidth() > 0 {
		head := style(8, gray)
		c.FillText(head, vg.Point{X: c.Max.X + 6, Y: c.Max.Y - 1}, shorten(head, printable(s.Ends), s.endsWidth()-6))
	}
	for _, series := range s.Series {
		for _, q := range series.Points {
			if q.Missing != "" {
				none := style(8, gray)
				none.YAlign = draw.YCenter
				c.FillText(none, vg.Point{X: c.Min.X + 4, Y: y(q.Y)}, "N/A")
				continue
			}
			look := verdictLooks[q.Verdict]
			at := vg.Point{X: x(q.X), Y: y(q.Y)}
			if q.Low != nil && q.High != nil {
				whisker(&c, look.ink, vg.Point{X: x(*q.Low), Y: at.Y}, vg.Point{X: x(*q.High), Y: at.Y})
			}
			mark(&c, look.shape, look.ink, at, radius, look.hollow)
			s.notePoint(at, q.Text)
			c.FillText(ends, vg.Point{X: c.Max.X + 6, Y: at.Y}, shorten(ends, printable(q.End), s.endsWidth()-6))
		}
	}
}

// endsWidth is the room for what stands at the ends of rows.
func (s *sheet) endsWidth() vg.Length {
	if s.Kind != Speedup {
		return 0
	}
	st, widest := style(8, ink), vg.Length(0)
	for _, series := range s.Series {
		for _, q := range series.Points {
			if q.Missing == "" && q.End != "" {
				widest = max(widest, st.Width(shorten(st, printable(q.End), s.width/4)))
			}
		}
	}
	if widest == 0 {
		return 0
	}
	return max(widest, st.Width(shorten(st, printable(s.Ends), s.width/4))) + 8
}
