package chart

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

const sample = vg.Length(22) // the line before a name

// legendRows breaks the legend into rows. A chart of one series without a name
// has none.
func (s *sheet) legendRows(room vg.Length) [][]int {
	if s.Kind == Heatmap || len(s.Series) == 1 && s.Series[0].Name == "" {
		return nil
	}
	var rows [][]int
	left := vg.Length(0)
	for i := range s.Series {
		need := s.entryWidth(i, room)
		if len(rows) == 0 || need > left {
			rows, left = append(rows, nil), room
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], i)
		left -= need
	}
	return rows
}

func (s *sheet) legendText(i int, room vg.Length) string {
	return shorten(style(9, ink), printable(s.Series[i].Name), room-sample-16)
}

func (s *sheet) entryWidth(i int, room vg.Length) vg.Length {
	return sample + 4 + style(9, ink).Width(s.legendText(i, room)) + 12
}

func (s *sheet) legendRow(c draw.Canvas, row []int, y vg.Length) {
	x, room := c.Min.X, c.Max.X-c.Min.X
	for _, i := range row {
		look := s.looks[s.Series[i].Name]
		if s.lines() {
			c.StrokeLine2(draw.LineStyle{Color: look.ink(), Width: 1.4, Dashes: look.dashes()}, x, y+5, x+sample, y+5)
		}
		if s.Kind != Percentiles && s.Kind != ECDF {
			if s.bars() {
				s.bar(&c, look, vg.Point{X: x + 4, Y: y + 1}, vg.Point{X: x + sample - 4, Y: y + 9})
			} else {
				mark(&c, look.shape(), look.ink(), vg.Point{X: x + sample/2, Y: y + 5}, radius, false)
			}
		}
		c.FillText(style(9, ink), vg.Point{X: x + sample + 4, Y: y + 2}, s.legendText(i, room))
		x += s.entryWidth(i, room)
	}
}

// lines says whether the points of a series are connected: only on a scale.
func (s *sheet) lines() bool {
	return s.Kind == Percentiles || s.Kind == ECDF || s.Kind == Value && s.X.Scale != Categories
}

// bars says whether values are bars: of categories, and never on a logarithmic
// axis, which has no 0 for them to begin at.
func (s *sheet) bars() bool {
	return s.Kind == Value && s.X.Scale == Categories && !s.Y.Scale.log()
}
