package chart

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// drawCurves draws distributions: percentiles as lines, dashed finely where
// they rest on few samples, and ECDFs as steps.
func (s *sheet) drawCurves(c draw.Canvas, p *plot.Plot) {
	gridLines(c, p, true, true)
	x, y := p.Transforms(&c)
	for _, series := range s.Series {
		look := s.looks[series.Name]
		solid := draw.LineStyle{Color: look.ink(), Width: 1.4, Dashes: look.dashes()}
		doubtful := draw.LineStyle{Color: look.ink(), Width: 0.8, Dashes: []vg.Length{1, 2}}
		var before *vg.Point
		var run []vg.Point
		var runStyle draw.LineStyle
		for _, q := range series.Points {
			if q.Missing != "" {
				continue
			}
			at := vg.Point{X: x(q.X), Y: y(q.Y)}
			st := solid
			if q.Doubtful {
				st = doubtful
			}
			if before != nil {
				if len(run) == 0 || st.Width != runStyle.Width {
					c.StrokeLines(runStyle, run)
					run, runStyle = []vg.Point{*before}, st
				}
				if s.Kind == ECDF {
					run = append(run, vg.Point{X: at.X, Y: before.Y})
				}
				run = append(run, at)
			}
			before = &at
			if q.Low != nil && q.High != nil {
				whisker(&c, look.ink(), vg.Point{X: at.X, Y: y(*q.Low)}, vg.Point{X: at.X, Y: y(*q.High)})
			}
			if q.Text != "" {
				mark(&c, look.shape(), look.ink(), at, radius*0.8, q.Doubtful)
				s.notePoint(at, q.Text)
			}
		}
		c.StrokeLines(runStyle, run)
	}
}

// drawSpeedup draws a dot with its interval in each row, around a line at 1.
func (s *sheet) drawSpeedup(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	if s.Floor > 1 {
		c.SetColor(grid)
		c.Fill(vg.Rectangle{Min: vg.Point{X: x(1 / s.Floor), Y: c.Min.Y}, Max: vg.Point{X: x(s.Floor), Y: c.Max.Y}}.Path())
	}
	gridLines(c, p, true, false)
	c.StrokeLine2(draw.LineStyle{Color: ink, Width: 1}, x(1), c.Min.Y, x(1), c.Max.Y)
	for _, series := range s.Series {
		look := s.looks[series.Name]
		for _, q := range series.Points {
			if q.Missing != "" {
				continue
			}
			at := vg.Point{X: x(q.X), Y: y(q.Y)}
			if q.Low != nil && q.High != nil {
				whisker(&c, look.ink(), vg.Point{X: x(*q.Low), Y: at.Y}, vg.Point{X: x(*q.High), Y: at.Y})
			}
			mark(&c, look.shape(), look.ink(), at, radius, q.Doubtful)
			s.notePoint(at, q.Text)
		}
	}
}
