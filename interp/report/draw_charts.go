package report

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"versus/interp/report/chart"
)

// DrawCharts writes each chart of the report as NAME.svg and NAME.png, and its
// data as NAME.csv, into a folder, which it makes, and returns the files. Files
// of these names are written over. A chart that can't be drawn keeps none of the
// others from it.
func DrawCharts(folder string, r *Report) (files []string, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, fmt.Errorf("the folder for the charts: %w", err)
	}
	looks := chart.Looks(r.Charts)
	var problems []error
	for _, c := range r.Charts {
		var svg, png, data bytes.Buffer
		o := chart.Options{Looks: looks}
		err := chart.SVG(&svg, c, o)
		if err == nil { // or both would say the same
			err = errors.Join(chart.PNG(&png, c, o), chartCSV(&data, c))
		}
		if err != nil {
			problems = append(problems, err)
			continue
		}
		for _, f := range []struct {
			ending  string
			content []byte
		}{{".svg", svg.Bytes()}, {".png", png.Bytes()}, {".csv", data.Bytes()}} {
			name := filepath.Join(folder, c.Name+f.ending)
			if err := os.WriteFile(name, f.content, 0o644); err != nil {
				return files, err
			}
			files = append(files, name)
		}
	}
	return files, errors.Join(problems...)
}

// chartCSV writes what a chart draws, a line for each point: of the panel below
// too, and of the runs alone. Numbers have full precision, in the units of the axes.
func chartCSV(w io.Writer, c *chart.Chart) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"panel", "series", "what", "x", "y", "z", "low", "high", "verdict", "remark", "text"}); err != nil {
		return err
	}
	for panel, name := c, "chart"; panel != nil; panel, name = panel.Below, "below" {
		for _, s := range panel.Series {
			rows := func(what string, points []chart.Point) error {
				for _, p := range points {
					if err := out.Write(append([]string{name, csvText(s.Name), what}, pointCSV(panel, p)...)); err != nil {
						return err
					}
				}
				return nil
			}
			if err := rows("point", s.Points); err != nil {
				return err
			}
			for i, run := range s.Runs {
				if err := rows("run "+strconv.Itoa(i+1), run); err != nil {
					return err
				}
			}
			for _, x := range s.Boxes {
				if err := rows("median", []chart.Point{{X: x.X, Y: x.Median, Low: x.Low, High: x.High, Text: x.Text}}); err != nil {
					return err
				}
			}
		}
	}
	out.Flush()
	return out.Error()
}

func pointCSV(c *chart.Chart, p chart.Point) []string {
	if p.Missing != "" {
		return []string{"", "", "", "", "", "", csvText(p.Missing), csvText(p.Text)}
	}
	z := ""
	if c.Kind == chart.Heatmap {
		z = number(&p.Z)
	}
	remark := p.Why
	switch {
	case p.Bound:
		remark = "an upper bound: none was seen"
	case p.Doubtful && remark == "" && p.Verdict == chart.None:
		remark = "fewer than 10 messages beyond"
	}
	return []string{placeCSV(c.X, p.X), placeCSV(c.Y, p.Y), z, number(p.Low), number(p.High), string(p.Verdict), csvText(remark), csvText(p.Text)}
}

// placeCSV is a value of an axis, or the name of a category.
func placeCSV(a chart.Axis, v float64) string {
	if i := int(math.Round(v)); a.Scale == chart.Categories && i >= 0 && i < len(a.Names) {
		return csvText(a.Names[i])
	}
	return number(&v)
}
