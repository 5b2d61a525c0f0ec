package chart

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// drawCurves draws distributions and windows: percentiles as lines, dashed finely
// where they rest on few samples, and shares as steps. The runs alone are thin
// behind, and what an interval of the curve holds is shaded.
func (s *sheet) drawCurves(c draw.Canvas, p *plot.Plot) {
	s.gridLines(c, p, true, true)
	x, y := p.Transforms(&c)
	at := func(q Point) vg.Point { return vg.Point{X: x(q.X), Y: y(q.Y)} }
	for _, series := range s.Series {
		s.band(&c, series, x, y)
		look := s.looks[series.like()]
		for _, run := range series.Runs {
			s.curve(&c, run, at, draw.LineStyle{Color: faded(look.ink(), 120), Width: 0.5})
		}
	}
	for _, series := range s.Series {
		look := s.looks[series.like()]
		s.curve(&c, series.Points, at, draw.LineStyle{Color: look.ink(), Width: 1.4, Dashes: series.dashes(look)})
		for _, q := range series.Points {
			if q.Missing == "" && q.Text != "" {
				mark(&c, look.shape(), look.ink(), at(q), radius*0.8, q.Doubtful)
				s.notePoint(at(q), q.Text)
			}
		}
	}
}

// stepped says whether a curve is one of shares, which go up or down in steps.
func (s *sheet) stepped() bool { return s.Kind == ECDF || s.Kind == CCDF }

// curve draws a line through points, in steps if it is one of shares: finely
// dotted to those that are doubtful, with a gap where one is missing.
func (s *sheet) curve(c *draw.Canvas, points []Point, at func(Point) vg.Point, solid draw.LineStyle) {
	doubtful := draw.LineStyle{Color: solid.Color, Width: min(solid.Width, 0.8), Dashes: []vg.Length{1, 2}}
	var line []vg.Point
	few := false
	flush := func() {
		st := solid
		if few {
			st = doubtful
		}
		if len(line) > 1 {
			c.StrokeLines(st, line)
		}
	}
	for _, q := range points {
		if q.Missing != "" {
			flush()
			line = nil
			continue
		}
		to := at(q)
		if len(line) > 0 && q.Doubtful != few {
			flush()
			line = line[len(line)-1:]
		}
		few = q.Doubtful
		if s.stepped() && len(line) > 0 {
			line = append(line, vg.Point{X: to.X, Y: line[len(line)-1].Y})
		}
		line = append(line, to)
	}
	flush()
}

// band shades what the intervals along a curve hold: on a logarithmic axis up to
// where they reach 0.
func (s *sheet) band(c *draw.Canvas, series Series, x, y func(float64) vg.Length) {
	var low, high []vg.Point
	fill := func() {
		if len(low) > 1 {
			var p vg.Path
			p.Move(low[0])
			for _, q := range low[1:] {
				p.Line(q)
			}
			for i := len(high) - 1; i >= 0; i-- {
				p.Line(high[i])
			}
			p.Close()
			c.SetColor(faded(s.looks[series.like()].ink(), 45))
			c.Fill(p)
		}
		low, high = nil, nil
	}
	for _, q := range series.Points {
		if q.Missing != "" || q.Low == nil || q.High == nil || s.Y.Scale.log() && *q.Low <= 0 {
			fill()
			continue
		}
		a, b := vg.Point{X: x(q.X), Y: y(*q.Low)}, vg.Point{X: x(q.X), Y: y(*q.High)}
		if s.stepped() && len(low) > 0 {
			low = append(low, vg.Point{X: a.X, Y: low[len(low)-1].Y})
			high = append(high, vg.Point{X: b.X, Y: high[len(high)-1].Y})
		}
		low, high = append(low, a), append(high, b)
	}
	fill()
}
