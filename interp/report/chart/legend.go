package chart

import (
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const sample = vg.Length(22) // what stands before a name

// entry is one name of the legend. It draws its sample with the lower left
// corner at a point.
type entry struct {
	text   string
	sample func(c *draw.Canvas, at vg.Point)
}

// entries are those of the series, then what hollow and open points mean.
func (s *sheet) entries() []entry {
	var out []entry
	switch {
	case s.Kind == Heatmap:
		return nil
	case s.Kind == Speedup:
		out = s.verdicts()
	case len(s.Series) > 1 || len(s.Series) == 1 && s.Series[0].Name != "":
		for _, series := range s.Series {
			look := s.looks[series.like()]
			out = append(out, entry{series.Name, func(c *draw.Canvas, at vg.Point) { s.sampleOf(c, series, look, at) }})
		}
	}
	return append(out, s.meanings()...)
}

// maxMeanings is how many reasons for hollow points the legend has room for.
const maxMeanings = 4

// meanings say why points are hollow, and which are bounds.
func (s *sheet) meanings() []entry {
	var out []entry
	var whys []string
	bound := false
	for _, c := range []*Chart{s.Chart, s.Below} {
		if c == nil {
			continue
		}
		for p := range c.places() {
			bound = bound || p.Bound
			why, _, _ := strings.Cut(p.Why, ": ") // the rest is in the text of the point
			if p.Doubtful && why != "" && !slices.Contains(whys, why) {
				whys = append(whys, why)
			}
		}
	}
	hollow := func(c *draw.Canvas, at vg.Point) {
		mark(c, circle, gray, vg.Point{X: at.X + sample/2, Y: at.Y + 5}, radius, true)
	}
	if len(whys) > maxMeanings {
		whys = append(whys[:maxMeanings-1], "doubtful for other reasons: see the values")
	}
	for _, why := range whys {
		out = append(out, entry{why, hollow})
	}
	if bound {
		out = append(out, entry{"at most that: none was seen", func(c *draw.Canvas, at vg.Point) {
			limit(c, gray, vg.Point{X: at.X + sample/2, Y: at.Y + 7})
		}})
	}
	return out
}

// verdicts are those of a speedup, in their order.
func (s *sheet) verdicts() []entry {
	var out []entry
	for _, v := range []Verdict{Better, Worse, NotShown, NoVerdict} {
		for p := range s.places() {
			if p.Verdict == v {
				look := verdictLooks[v]
				out = append(out, entry{string(v), func(c *draw.Canvas, at vg.Point) {
					mark(c, look.shape, look.ink, vg.Point{X: at.X + sample/2, Y: at.Y + 5}, radius, look.hollow)
				}})
				break
			}
		}
	}
	return out
}

func (s *sheet) sampleOf(c *draw.Canvas, series Series, look Identity, at vg.Point) {
	if s.lines() {
		c.StrokeLine2(draw.LineStyle{Color: look.ink(), Width: 1.4, Dashes: series.dashes(look)}, at.X, at.Y+5, at.X+sample, at.Y+5)
	}
	switch {
	case s.stepped() || s.Kind == Percentiles || s.Kind == Windows:
	case s.bars():
		s.bar(c, look, vg.Point{X: at.X + 4, Y: at.Y + 1}, vg.Point{X: at.X + sample - 4, Y: at.Y + 9}, false)
	default:
		mark(c, look.shape(), look.ink(), vg.Point{X: at.X + sample/2, Y: at.Y + 5}, radius, false)
	}
}

// legendRows breaks the legend into rows. A chart of one series without a name
// has none.
func (s *sheet) legendRows(room vg.Length) [][]entry {
	var rows [][]entry
	left := vg.Length(0)
	for _, e := range s.entries() {
		e.text = shorten(style(9, ink), printable(e.text), room-sample-16)
		need := e.width()
		if len(rows) == 0 || need > left {
			rows, left = append(rows, nil), room
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], e)
		left -= need
	}
	return rows
}

func (e entry) width() vg.Length { return sample + 4 + style(9, ink).Width(e.text) + 12 }

func legendRow(c draw.Canvas, row []entry, y vg.Length) {
	x := c.Min.X
	for _, e := range row {
		e.sample(&c, vg.Point{X: x, Y: y})
		c.FillText(style(9, ink), vg.Point{X: x + sample + 4, Y: y + 2}, e.text)
		x += e.width()
	}
}

// lines says whether the points of a series are connected: only on a scale.
func (s *sheet) lines() bool {
	switch s.Kind {
	case Percentiles, ECDF, CCDF, Windows, Load:
		return true
	}
	return s.Kind == Value && s.X.Scale != Categories
}

// bars says whether values are bars: of categories, and never on a logarithmic
// axis, which has no 0 for them to begin at.
func (s *sheet) bars() bool {
	return s.Kind == Value && s.X.Scale == Categories && !s.Y.Scale.log()
}
