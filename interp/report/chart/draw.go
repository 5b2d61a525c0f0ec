package chart

import (
	"fmt"
	"image/color"
	"io"
	"slices"
	"strings"

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
	// Narrow is for a phone: a chart of less width, but as high, whose letters
	// are as large.
	Narrow bool
}

// Sizes in points.
const (
	sheetWidth  = vg.Length(400)
	narrowWidth = vg.Length(300)
	plotHeight  = vg.Length(230)
	belowHeight = vg.Length(120)
	rowHeight   = vg.Length(19)
	noteHeight  = vg.Length(9) // of the second line of a field
	margin      = vg.Length(8)
	radius      = vg.Length(3)
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
	legend       [][]entry // by rows
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
	if none := lacking(s.texts()); len(none) > 0 {
		with := *c
		with.Notes = append(slices.Clone(c.Notes), fmt.Sprintf("Boxes stand for %d letters that no font of this machine has; the SVG has them.", len(none)))
		if s, err = layout(&with, o); err != nil {
			return err
		}
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
	canvas := &vector{Canvas: vgsvg.NewWith(vgsvg.UseWH(s.width, s.height))}
	s.paint(draw.New(canvas))
	var b strings.Builder
	if _, err := canvas.WriteTo(&b); err != nil {
		return err
	}
	_, err = io.WriteString(w, s.dress(b.String(), canvas.widths))
	return err
}

// layout finds the size of everything.
func layout(c *Chart, o Options) (*sheet, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	s := &sheet{Chart: c, looks: o.Looks, inline: o.Inline, width: sheetWidth}
	if o.Narrow {
		s.width = narrowWidth
	}
	if s.looks == nil {
		s.looks = Identities(c.seriesNames())
	}
	room := s.width - 2*margin
	s.height = s.plotHeight() + 2*margin
	if c.Below != nil {
		s.height += belowHeight
	}
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
	notes, missing := s.Notes, s.Missing()
	if s.Kind == Heatmap { // its fields say themselves that they are the baseline
		missing = slices.DeleteFunc(missing, func(text string) bool { return strings.HasSuffix(text, ": it is the baseline") })
	}
	if len(missing) > 0 {
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
	case Speedup:
		return 60 + rowHeight*vg.Length(max(2, len(s.Y.Names)))
	case Heatmap:
		return 60 + s.fieldHeight()*vg.Length(max(2, len(s.Y.Names)))
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
		legendRow(c, row, top)
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
	s.panels(c)
}
