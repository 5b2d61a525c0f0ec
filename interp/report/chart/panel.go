package chart

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// panels draws the chart and what is below it, one plot over the other.
func (s *sheet) panels(c draw.Canvas) {
	x, y := s.spans()
	if s.Below == nil {
		s.panel(s.axisTitles(c, true), x, y, true, nil)
		return
	}
	under := &sheet{Chart: s.Below, looks: s.looks, inline: s.inline, width: s.width}
	x2, y2 := under.spans()
	x = span{math.Min(x.low, x2.low), math.Max(x.high, x2.high)}
	upper, lower := c, c
	upper.Min.Y = c.Min.Y + belowHeight
	lower.Max.Y = upper.Min.Y - 6
	upper, lower = s.axisTitles(upper, false), under.axisTitles(lower, true)
	// One column of both has the room that the wider labels take.
	a, b := s.plot(x, y, false).DataCanvas(upper).Min.X, under.plot(x, y2, true).DataCanvas(lower).Min.X
	upper.Min.X += max(0, b-a)
	lower.Min.X += max(0, a-b)
	s.panel(upper, x, y, false, nil)
	under.panel(lower, x, y2, true, s)
}

// panel draws one plot. Its spots are those of another sheet, if it is given.
func (s *sheet) panel(c draw.Canvas, x, y span, labels bool, owner *sheet) {
	c.Max.X -= s.endsWidth()
	p := s.plot(x, y, labels)
	p.Add(s.layer())
	p.Draw(c)
	if owner != nil {
		owner.spots = append(owner.spots, s.spots...)
	}
}

// plot has the axes of a panel. Without labels the horizontal one has only ticks.
func (s *sheet) plot(x, y span, labels bool) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Tick.Label.Font, a.Tick.Label.Handler = fontOf(9), handler
		a.Tick.Label.Color, a.Color, a.Tick.LineStyle.Color = ink, gray, gray
		a.Tick.Length, a.Padding = 4, 2
	}
	s.X.set(&p.X, x, s.width-100-s.endsWidth(), false)
	s.Y.set(&p.Y, y, s.plotHeight(), true)
	if !labels {
		p.X.Tick.Label.Color = color.Transparent
		p.X.Tick.Label.Font.Size = 1
	}
	if s.Y.Scale == Categories {
		p.Y.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}} // the first row on top
		s.shortenRows(&p.Y)
	}
	return p
}

// axisTitles writes what the axes show and returns the rest of the canvas.
// (Those of gonum's plot take the wrong room beside a logarithmic axis.)
func (s *sheet) axisTitles(c draw.Canvas, horizontal bool) draw.Canvas {
	st := style(9, ink)
	st.XAlign = draw.XCenter
	upright := st
	upright.Rotation = math.Pi / 2
	below := vg.Length(0)
	if horizontal {
		below = 13
		title := shorten(st, axisTitle(s.X), c.Max.X-c.Min.X)
		c.FillText(st, vg.Point{X: min(c.Center().X+20, c.Max.X-st.Width(title)/2), Y: c.Min.Y + 2}, title)
	}
	c.FillText(upright, vg.Point{X: c.Min.X + 9, Y: c.Center().Y + below/2}, shorten(st, axisTitle(s.Y), c.Max.Y-c.Min.Y))
	return draw.Crop(c, 14, 0, below, 0)
}

func (s *sheet) shortenRows(a *plot.Axis) {
	room := s.width * 0.4
	if s.endsWidth() > 0 {
		room = s.width * 0.35
	}
	var ticks []plot.Tick
	for i, name := range s.Y.Names {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: shorten(a.Tick.Label, printable(name), room)})
	}
	a.Tick.Marker = plot.ConstantTicks(ticks)
}

// spans are the ranges of both axes.
func (s *sheet) spans() (x, y span) {
	x, y = empty(), empty()
	for p := range s.places() {
		x.add(p.X)
		y.add(p.Y)
		to, scale := &y, s.Y.Scale
		if s.Kind == Speedup {
			to, scale = &x, s.X.Scale
		}
		for _, end := range []*float64{p.Low, p.High} {
			if end != nil && (*end > 1e-100 || !scale.log()) {
				to.add(*end)
			}
		}
	}
	for _, m := range s.X.Marks {
		x.add(m.At)
	}
	for _, m := range s.Y.Marks {
		y.add(m.At)
	}
	s.least(&x, &y)
	x, y = x.padded(s.X.Scale), y.padded(s.Y.Scale)
	if s.X.Scale == Categories {
		x = span{-0.5, float64(len(s.X.Names)) - 0.5}
	}
	if s.Y.Scale == Categories {
		y = span{-0.5, float64(len(s.Y.Names)) - 0.5}
	}
	return x, y
}

// least adds what the axes of a kind show whatever the values are.
func (s *sheet) least(x, y *span) {
	switch s.Kind {
	case Value, Percentiles, Load:
		if !s.Y.Scale.log() {
			y.add(0)
		}
		if s.Kind == Percentiles {
			x.add(1)
		}
	case ECDF:
		y.add(0)
		y.add(1)
	case CCDF:
		y.add(1)
	case Speedup:
		x.add(1)
		if s.Floor > 1 {
			x.add(s.Floor)
			x.add(1 / s.Floor)
		}
	}
	if s.Floor > 1 && s.Kind == Strip { // ratios, under pairs
		y.add(s.Floor)
		y.add(1 / s.Floor)
	}
}

// layer draws the data of a kind between the hairlines and the lines over it.
func (s *sheet) layer() plot.Plotter {
	data := s.drawValues
	switch s.Kind {
	case Speedup:
		data = s.drawSpeedup
	case Heatmap:
		data = s.drawHeatmap
	case Percentiles, ECDF, CCDF, Windows:
		data = s.drawCurves
	case Strip:
		data = s.drawStrip
	}
	return layer(func(c draw.Canvas, p *plot.Plot) {
		data(c, p)
		s.drawLines(c, p)
		s.markNames(c, p)
	})
}

// layer is a plot.Plotter.
type layer func(c draw.Canvas, p *plot.Plot)

func (l layer) Plot(c draw.Canvas, p *plot.Plot) { l(c, p) }

// gridLines draws the lines behind the data at labelled ticks, and the marks.
func (s *sheet) gridLines(c draw.Canvas, p *plot.Plot, xs, ys bool) {
	x, y := p.Transforms(&c)
	line := draw.LineStyle{Color: grid, Width: 0.6}
	if xs {
		for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
			if at := x(t.Value); t.Label != "" && c.ContainsX(at) {
				c.StrokeLine2(line, at, c.Min.Y, at, c.Max.Y)
			}
		}
	}
	if ys {
		for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
			if at := y(t.Value); t.Label != "" && c.ContainsY(at) {
				c.StrokeLine2(line, c.Min.X, at, c.Max.X, at)
			}
		}
	}
	s.hairlines(c, x, y)
}

// hairlines draws the marks, behind the data.
func (s *sheet) hairlines(c draw.Canvas, x, y func(float64) vg.Length) {
	line := draw.LineStyle{Color: gray, Width: 0.6, Dashes: []vg.Length{2, 2}}
	for _, m := range s.X.Marks {
		c.StrokeLine2(line, x(m.At), c.Min.Y, x(m.At), c.Max.Y)
	}
	for _, m := range s.Y.Marks {
		c.StrokeLine2(line, c.Min.X, y(m.At), c.Max.X, y(m.At))
	}
}

// markNames writes the names of the marks over the data, none over another.
func (s *sheet) markNames(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	st := style(7, ink)
	write := func(at vg.Point, name string) {
		c.SetColor(faded(color.NRGBA{255, 255, 255, 255}, 200))
		c.Fill(vg.Rectangle{Min: vg.Point{X: at.X - 1, Y: at.Y - 2}, Max: vg.Point{X: at.X + st.Width(name) + 1, Y: at.Y + 6}}.Path())
		c.FillText(st, at, name)
	}
	var rows []vg.Length // where each row is free
	marks := slices.Clone(s.X.Marks)
	slices.SortStableFunc(marks, func(a, b Tick) int { return cmp.Compare(a.At, b.At) })
	for _, m := range marks {
		if m.Text == "" {
			continue
		}
		name := shorten(st, printable(m.Text), (c.Max.X-c.Min.X)/3)
		left := min(x(m.At)+2, c.Max.X-st.Width(name))
		row := slices.IndexFunc(rows, func(free vg.Length) bool { return free <= left })
		if row < 0 {
			row, rows = len(rows), append(rows, 0)
		}
		rows[row] = left + st.Width(name) + 4
		write(vg.Point{X: left, Y: c.Max.Y - 7 - 8*vg.Length(row)}, name)
	}
	for _, m := range s.Y.Marks {
		if m.Text == "" {
			continue
		}
		write(vg.Point{X: c.Min.X + 2, Y: y(m.At) + 2}, shorten(st, printable(m.Text), c.Max.X-c.Min.X))
	}
}

// drawLines draws what connects places.
func (s *sheet) drawLines(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, l := range s.Lines {
		st := draw.LineStyle{Color: gray, Width: 0.8}
		if look, ok := s.looks[l.Series]; ok && l.Series != "" {
			st.Color = look.ink()
		}
		if l.Thick {
			st.Width = 1.8
		}
		var at []vg.Point
		for _, q := range l.At {
			at = append(at, vg.Point{X: x(q[0]), Y: y(q[1])})
		}
		c.StrokeLines(st, at)
		if len(at) > 0 {
			s.notePoint(vg.Point{X: (at[0].X + at[len(at)-1].X) / 2, Y: (at[0].Y + at[len(at)-1].Y) / 2}, l.Text)
		}
	}
}

// note remembers what a place says.
func (s *sheet) note(min, max vg.Point, text string) {
	if text != "" {
		s.spots = append(s.spots, spot{min, max, text})
	}
}

func (s *sheet) notePoint(at vg.Point, text string) {
	s.note(vg.Point{X: at.X - 7, Y: at.Y - 7}, vg.Point{X: at.X + 7, Y: at.Y + 7}, text)
}

// faded is a colour in the background.
func faded(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}
