package chart

import (
	"math"
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"
	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// letters writes texts in Liberation Sans. What that lacks (it has Latin, Greek
// and Cyrillic) takes a whole em if it is wide, as Chinese, Japanese and Korean
// are, whatever font it will have, so that a chart has the same layout
// everywhere. An SVG leaves the choice of that font to the reader's program; a PNG
// takes one of this machine (fonts.go), or draws an empty box.
type letters struct{ text.Plain }

var handler text.Handler = letters{text.Plain{Fonts: plot.DefaultTextHandler.Cache()}}

// Box is that of text.Plain, but for the width of letters that the font lacks.
func (h letters) Box(txt string, fnt font.Font) (width, height, depth vg.Length) {
	_, height, depth = h.Plain.Box("", fnt)
	face := h.Fonts.Lookup(fnt, fnt.Size)
	for part := range parts(txt, &face) {
		width += part.width
	}
	return width, height, depth
}

// Draw is that of text.Plain, part by part on a picture.
func (h letters) Draw(c vg.Canvas, txt string, sty text.Style, pt vg.Point) {
	face := h.Fonts.Lookup(sty.Font, sty.Font.Size)
	c.SetColor(sty.Color)
	if sty.Rotation != 0 {
		c.Push()
		c.Rotate(sty.Rotation)
		defer c.Pop()
	}
	sin, cos := math.Sincos(sty.Rotation)
	s, k := vg.Length(sin), vg.Length(cos)
	pt.X, pt.Y = pt.Y*s+pt.X*k, pt.Y*k-pt.X*s
	pt.Y += sty.Height(txt)*vg.Length(sty.YAlign) - face.Extents().Ascent + sty.Font.Size
	pt.X += vg.Length(sty.XAlign) * sty.Width(txt)
	if !isPicture(c) {
		c.FillString(face, pt, txt)
		return
	}
	for part := range parts(txt, &face) {
		if part.lacks {
			low, high := vg.Point{X: pt.X + 0.1*part.width, Y: pt.Y}, vg.Point{X: pt.X + 0.9*part.width, Y: pt.Y + 0.7*sty.Font.Size}
			d := draw.Canvas{Canvas: c}
			d.StrokeLines(draw.LineStyle{Color: sty.Color, Width: 0.5}, []vg.Point{low, {X: low.X, Y: high.Y}, high, {X: high.X, Y: low.Y}, low})
			c.SetColor(sty.Color)
		} else {
			c.FillString(part.face, pt, part.text)
		}
		pt.X += part.width
	}
}

// isPicture looks through the canvases that draw.Crop nests.
func isPicture(c vg.Canvas) bool {
	for {
		switch d := c.(type) {
		case *draw.Canvas:
			c = d.Canvas
		case draw.Canvas:
			c = d.Canvas
		default:
			_, ok := c.(*vgimg.Canvas)
			return ok
		}
	}
}

// part is letters of one font.
type part struct {
	text  string
	face  font.Face
	width vg.Length
	lacks bool // no font has it
}

// parts cuts a text where its font lacks letters, which are parts of their own.
func parts(txt string, face *font.Face) func(yield func(part) bool) {
	return func(yield func(part) bool) {
		var buf sfnt.Buffer
		start := 0
		flush := func(end int) bool {
			s := txt[start:end]
			return s == "" || yield(part{s, *face, face.Width(s), false})
		}
		for i, r := range txt {
			if has(face.Face, &buf, r) {
				continue
			}
			if !flush(i) {
				return
			}
			start = i + len(string(r))
			p := part{string(r), *face, face.Font.Size * vg.Length([]float64{0, 0.6, 1}[min(runewidth.RuneWidth(r), 2)]), true}
			if f := fonts.of(r); f != nil {
				p.face.Face, p.lacks = f, false
			}
			if !yield(p) {
				return
			}
		}
		flush(len(txt))
	}
}

// texts are all texts that a picture of the chart has.
func (s *sheet) texts() []string {
	out := slices.Concat(s.title, s.notes)
	for _, row := range s.legend {
		for _, e := range row {
			out = append(out, e.text)
		}
	}
	for c := s.Chart; c != nil; c = c.Below {
		out = append(out, c.Ends)
		for _, a := range []Axis{c.X, c.Y} {
			out = append(append(out, a.Label), a.Names...)
			for _, t := range slices.Concat(a.Ticks, a.Marks) {
				out = append(out, t.Text)
			}
		}
		for p := range c.places() {
			out = append(out, p.Label, p.Note, p.End)
		}
	}
	return out
}

// lacking finds fonts for the letters of texts and returns those for which there
// is none.
func lacking(texts []string) []rune {
	face := handler.Cache().Lookup(fontOf(9), 9)
	var buf sfnt.Buffer
	wanted := map[rune]bool{}
	for _, r := range printable(strings.Join(texts, "")) {
		if runewidth.RuneWidth(r) > 0 && !has(face.Face, &buf, r) {
			wanted[r] = true
		}
	}
	return fonts.find(wanted)
}
