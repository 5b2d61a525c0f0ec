package chart

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Options say how a chart is drawn.
type Options struct {
	// Looks are those of the series of all charts that are shown together; nil
	// looks at this chart alone.
	Looks map[string]Identity
	// Inline is for a page that prints title and notes itself: they are left out,
	// and values are shown where the pointer rests. Only SVG.
	Inline bool
}

// Sizes in points.
const (
	sheetWidth = vg.Length(400)
	plotHeight = vg.Length(230)
	rowHeight  = vg.Length(19)
	margin     = vg.Length(8)
	radius     = vg.Length(3)
)

var (
	ink  = color.NRGBA{0x22, 0x22, 0x22, 255}
	gray = color.NRGBA{0x59, 0x59, 0x59, 255}
	grid = color.NRGBA{0xDD, 0xDD, 0xDD, 255}
)

// sheet is a chart while it is laid out and drawn.
type sheet struct {
	*Chart
	looks  map[string]Identity
	inline bool

	title, notes []string
	legend       [][]int // the series in each row of the legend
	width        vg.Length
	height       vg.Length
	spots        []spot
}

// spot is a place of the drawing with the text that explains it.
type spot struct {
	min, max vg.Point
	text     string
}

// PNG draws a chart for a document that takes no SVG, at 192 dots per inch.
func PNG(w io.Writer, c *Chart, o Options) error {
	o.Inline = false
	s, err := layout(c, o)
	if err != nil {
		return err
	}
	canvas := vgimg.NewWith(vgimg.UseWH(s.width, s.height), vgimg.UseDPI(192))
	s.paint(draw.New(canvas))
	_, err = vgimg.PngCanvas{Canvas: canvas}.WriteTo(w)
	return err
}

// SVG draws a chart. It contains no script, refers to nothing outside, and
// names its fonts without bringing them.
func SVG(w io.Writer, c *Chart, o Options) error {
	s, err := layout(c, o)
	if err != nil {
		return err
	}
	canvas := vgsvg.NewWith(vgsvg.UseWH(s.width, s.height))
	s.paint(draw.New(canvas))
	var b strings.Builder
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	_, err = io.WriteString(w, s.dress(b.String()))
	return err
}

// layout finds the size of everything.
func layout(c *Chart, o Options) (*sheet, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	s := &sheet{Chart: c, looks: o.Looks, inline: o.Inline, width: sheetWidth}
	if s.looks == nil {
		s.looks = Identities(c.seriesNames())
	}
	room := s.width - 2*margin
	s.height = s.plotHeight() + 2*margin
	if !o.Inline {
		s.title = wrap(style(12, ink), printable(c.Title), room, maxTitle)
		s.notes = wrap(style(8, gray), printable(strings.Join(s.remarks(), " ")), room, maxNotes)
		s.height += 16*vg.Length(len(s.title)) + 10*vg.Length(len(s.notes)) + 4
	}
	s.legend = s.legendRows(room)
	s.height += 14 * vg.Length(len(s.legend))
	return s, nil
}

// remarks are the notes, and what is missing in the picture.
func (s *sheet) remarks() []string {
	notes := s.Notes
	if missing := s.Missing(); len(missing) > 0 {
		text := "Not drawn: " + missing[0]
		if len(missing) > 1 {
			text += fmt.Sprintf(" (and %d more)", len(missing)-1)
		}
		notes = append(notes[:len(notes):len(notes)], text+".")
	}
	return notes
}

func (s *sheet) plotHeight() vg.Length {
	switch s.Kind {
	case Speedup, Heatmap:
		return 60 + rowHeight*vg.Length(max(2, len(s.Y.Names)))
	}
	return plotHeight
}

// paint draws everything on a canvas of the sheet's size.
func (s *sheet) paint(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	c = draw.Crop(c, margin, -margin, margin, -margin)
	top := c.Max.Y
	for _, line := range s.title {
		top -= 16
		c.FillText(style(12, ink), vg.Point{X: c.Min.X, Y: top + 4}, line)
	}
	for _, row := range s.legend {
		top -= 14
		s.legendRow(c, row, top)
	}
	bottom := c.Min.Y
	for i := len(s.notes) - 1; i >= 0; i-- {
		c.FillText(style(8, gray), vg.Point{X: c.Min.X, Y: bottom + 2}, s.notes[i])
		bottom += 10
	}
	c.Min.Y, c.Max.Y = bottom+4, top-4
	if s.Drawn() == 0 {
		c.FillText(style(10, gray), vg.Point{X: c.Min.X + 20, Y: (c.Min.Y + c.Max.Y) / 2}, "There is nothing to draw.")
		return
	}
	p := plot.New()
	p.BackgroundColor = nil
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Tick.Label.Font = fontOf(9)
		a.Tick.Label.Color, a.Color, a.Tick.LineStyle.Color = ink, gray, gray
		a.Tick.Length, a.Padding = 4, 2
	}
	x, y := s.spans()
	s.X.set(&p.X, x, s.width-100, false)
	s.Y.set(&p.Y, y, s.plotHeight(), true)
	if s.Y.Scale == Categories {
		p.Y.Scale = plot.InvertedScale{Normalizer: plot.LinearScale{}} // the first row on top
		s.shortenRows(&p.Y)
	}
	p.Add(s.layer())
	p.Draw(s.axisTitles(c))
}

// axisTitles writes what the axes show and returns the rest of the canvas.
// (Those of gonum's plot take the wrong room beside a logarithmic axis.)
func (s *sheet) axisTitles(c draw.Canvas) draw.Canvas {
	st := style(9, ink)
	st.XAlign = draw.XCenter
	upright := st
	upright.Rotation = math.Pi / 2
	c.FillText(st, vg.Point{X: c.Center().X + 20, Y: c.Min.Y + 2}, shorten(st, axisTitle(s.X), c.Max.X-c.Min.X))
	c.FillText(upright, vg.Point{X: c.Min.X + 9, Y: c.Center().Y + 10}, shorten(st, axisTitle(s.Y), c.Max.Y-c.Min.Y))
	return draw.Crop(c, 14, 0, 13, 0)
}

func (s *sheet) shortenRows(a *plot.Axis) {
	var ticks []plot.Tick
	for i, name := range s.Y.Names {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: shorten(a.Tick.Label, printable(name), s.width*0.4)})
	}
	a.Tick.Marker = plot.ConstantTicks(ticks)
}

// spans are the ranges of both axes.
func (s *sheet) spans() (x, y span) {
	x, y = empty(), empty()
	for _, series := range s.Series {
		for _, p := range series.Points {
			if p.Missing != "" {
				continue
			}
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
	}
	switch s.Kind {
	case Value:
		if !s.Y.Scale.log() {
			y.add(0)
		}
	case Percentiles:
		if !s.Y.Scale.log() {
			y.add(0)
		}
		x.add(1)
	case ECDF:
		y.add(0)
		y.add(1)
	case Speedup:
		x.add(1)
		if s.Floor > 1 {
			x.add(s.Floor)
			x.add(1 / s.Floor)
		}
	}
	x, y = x.padded(s.X.Scale), y.padded(s.Y.Scale)
	if s.X.Scale == Categories {
		x = span{-0.5, float64(len(s.X.Names)) - 0.5}
	}
	if s.Y.Scale == Categories {
		y = span{-0.5, float64(len(s.Y.Names)) - 0.5}
	}
	return x, y
}

// layer draws the data of a kind.
func (s *sheet) layer() plot.Plotter {
	switch s.Kind {
	case Speedup:
		return layer(s.drawSpeedup)
	case Heatmap:
		return layer(s.drawHeatmap)
	case Percentiles, ECDF:
		return layer(s.drawCurves)
	}
	return layer(s.drawValues)
}

// layer is a plot.Plotter.
type layer func(c draw.Canvas, p *plot.Plot)

func (l layer) Plot(c draw.Canvas, p *plot.Plot) { l(c, p) }

// gridLines draws the lines behind the data at labelled ticks.
func gridLines(c draw.Canvas, p *plot.Plot, xs, ys bool) {
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

func fontOf(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

func style(size vg.Length, c color.Color) text.Style {
	return text.Style{Color: c, Font: fontOf(size), Handler: plot.DefaultTextHandler}
}

// wrap breaks a text into lines of a width, most of them at most; an ellipsis
// stands for the rest.
func wrap(st text.Style, s string, width vg.Length, most int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(s) {
		word = shorten(st, word, width)
		switch {
		case len(lines) == most-1 && line != "" && st.Width(line+" "+word) > width:
			return append(lines, shorten(st, line+" "+word, width))
		case line == "":
			line = word
		case st.Width(line+" "+word) <= width:
			line += " " + word
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// shorten cuts a text that is too wide, and says so by an ellipsis.
func shorten(st text.Style, s string, width vg.Length) string {
	const most = 400 // letters; no text that fits has more
	r := []rune(s)
	if len(r) <= most && st.Width(s) <= width {
		return s
	}
	low, high := 0, min(len(r), most)
	for low < high {
		mid := (low + high + 1) / 2
		if st.Width(string(r[:mid])+"…") <= width {
			low = mid
		} else {
			high = mid - 1
		}
	}
	return string(r[:low]) + "…"
}
