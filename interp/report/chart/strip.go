package chart

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// drawStrip draws the runs of each place side by side, each a little apart by
// its number, with the median and its interval beside them, and a box where
// there are values enough.
func (s *sheet) drawStrip(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	if s.Floor > 1 {
		c.SetColor(grid)
		c.Fill(vg.Rectangle{Min: vg.Point{X: c.Min.X, Y: y(1 / s.Floor)}, Max: vg.Point{X: c.Max.X, Y: y(s.Floor)}}.Path())
	}
	s.gridLines(c, p, false, true)
	slot := x(1) - x(0)
	room := slot * barWidth / vg.Length(max(1, s.dodged()))
	for i, series := range s.Series {
		look := s.looks[series.like()]
		shift := vg.Length(0)
		if s.dodged() > 1 {
			shift = s.shift(i) * slot
		}
		for _, b := range series.Boxes {
			s.box(&c, b, look, x(b.X)+shift, min(room*0.8, 40), y)
		}
		at := map[float64]int{} // runs drawn in a place
		for _, q := range series.Points {
			if q.Missing != "" {
				continue
			}
			n := at[q.X]
			at[q.X]++
			to := vg.Point{X: x(q.X) + shift + min(room, 40)*jitter(n), Y: y(q.Y)}
			mark(&c, look.shape(), look.ink(), to, radius*0.75, q.Doubtful)
			s.notePoint(to, q.Text)
		}
	}
}

// dodged is how many series share a place.
func (s *sheet) dodged() int {
	places := map[float64]map[int]bool{}
	most := 0
	for i, series := range s.Series {
		for _, b := range series.Boxes {
			if places[b.X] == nil {
				places[b.X] = map[int]bool{}
			}
			places[b.X][i] = true
			most = max(most, len(places[b.X]))
		}
	}
	if most > 1 {
		return len(s.Series)
	}
	return most
}

// jitter is where the n-th run of a place is drawn, as a share of its room: by
// its number, not by chance, so that a chart is the same each time.
func jitter(n int) vg.Length { return vg.Length((n*3)%7-3) / 14 }

// box draws the median with its interval, and quartiles and whiskers behind.
func (s *sheet) box(c *draw.Canvas, b Box, look Identity, at, width vg.Length, y func(float64) vg.Length) {
	half := width / 2
	if b.Quartiles != nil {
		low, high := vg.Point{X: at - half, Y: y(b.Quartiles[0])}, vg.Point{X: at + half, Y: y(b.Quartiles[1])}
		c.SetColor(faded(look.ink(), 35))
		c.Fill(vg.Rectangle{Min: low, Max: high}.Path())
		thin := draw.LineStyle{Color: look.ink(), Width: 0.6}
		c.StrokeLines(thin, []vg.Point{low, {X: low.X, Y: high.Y}, high, {X: high.X, Y: low.Y}, low})
		if b.Whiskers != nil {
			c.StrokeLine2(thin, at, high.Y, at, y(b.Whiskers[1]))
			c.StrokeLine2(thin, at, low.Y, at, y(b.Whiskers[0]))
		}
	}
	var over color.Color = ink
	c.StrokeLine2(draw.LineStyle{Color: over, Width: 1.6}, at-half, y(b.Median), at+half, y(b.Median))
	if b.Low != nil && b.High != nil {
		beside := at + half + 3
		whisker(c, over, vg.Point{X: beside, Y: y(*b.Low)}, vg.Point{X: beside, Y: y(*b.High)})
	}
	s.note(vg.Point{X: at - half, Y: y(b.Median) - 4}, vg.Point{X: at + half, Y: y(b.Median) + 4}, b.Text)
}
