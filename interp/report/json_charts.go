package report

import "versus/interp/report/chart"

// jsonChart is the data of a chart, to draw it elsewhere.
type jsonChart struct {
	Name   string       `json:"name,omitempty"`
	Title  string       `json:"title,omitempty"`
	Kind   chart.Kind   `json:"kind"`
	X      jsonAxis     `json:"x"`
	Y      jsonAxis     `json:"y"`
	Z      *jsonAxis    `json:"z,omitempty"`
	Series []jsonSeries `json:"series"`
	Lines  []jsonLine   `json:"lines,omitempty"`
	Below  *jsonChart   `json:"below,omitempty"`
	Floor  float64      `json:"noise_floor,omitempty"`
	Notes  []string     `json:"notes,omitempty"`
}

type jsonAxis struct {
	Label      string      `json:"label"`
	Scale      chart.Scale `json:"scale"`
	Categories []string    `json:"categories,omitempty"`
	Marks      []jsonMark  `json:"marks,omitempty"`
}

type jsonMark struct {
	At   float64 `json:"at"`
	Text string  `json:"text,omitempty"`
}

type jsonSeries struct {
	Name   string        `json:"name"`
	Points []jsonPoint   `json:"points"`
	Runs   [][]jsonPoint `json:"runs,omitempty"`
	Boxes  []jsonBox     `json:"boxes,omitempty"`
}

type jsonPoint struct {
	X        *float64      `json:"x,omitempty"`
	Y        *float64      `json:"y,omitempty"`
	Z        *float64      `json:"z,omitempty"`
	Low      *float64      `json:"low,omitempty"`
	High     *float64      `json:"high,omitempty"`
	Doubtful bool          `json:"doubtful,omitempty"`
	Why      string        `json:"why,omitempty"`
	Bound    bool          `json:"bound,omitempty"`
	Verdict  chart.Verdict `json:"verdict,omitempty"`
	Text     string        `json:"text,omitempty"`
	Missing  string        `json:"missing,omitempty"`
}

type jsonBox struct {
	X         float64     `json:"x"`
	Median    float64     `json:"median"`
	Low       *float64    `json:"low,omitempty"`
	High      *float64    `json:"high,omitempty"`
	Quartiles *[2]float64 `json:"quartiles,omitempty"`
	Whiskers  *[2]float64 `json:"whiskers,omitempty"`
	Text      string      `json:"text,omitempty"`
}

type jsonLine struct {
	Series string       `json:"series,omitempty"`
	At     [][2]float64 `json:"at"`
	Text   string       `json:"text,omitempty"`
}

func jsonCharts(charts []*chart.Chart) []jsonChart {
	var out []jsonChart
	for _, c := range charts {
		out = append(out, jsonChartOf(c))
	}
	return out
}

func jsonChartOf(c *chart.Chart) jsonChart {
	j := jsonChart{Name: c.Name, Title: c.Title, Kind: c.Kind, X: jsonAxisOf(c.X), Y: jsonAxisOf(c.Y), Series: []jsonSeries{}, Floor: c.Floor, Notes: c.Notes}
	hasZ := c.Kind == chart.Heatmap
	if hasZ {
		z := jsonAxisOf(c.Z)
		j.Z = &z
	}
	for _, s := range c.Series {
		series := jsonSeries{Name: s.Name, Points: jsonPoints(s.Points, hasZ)}
		for _, run := range s.Runs {
			series.Runs = append(series.Runs, jsonPoints(run, hasZ))
		}
		for _, x := range s.Boxes {
			series.Boxes = append(series.Boxes, jsonBox(x))
		}
		j.Series = append(j.Series, series)
	}
	for _, l := range c.Lines {
		j.Lines = append(j.Lines, jsonLine{l.Series, l.At, l.Text})
	}
	if c.Below != nil {
		below := jsonChartOf(c.Below)
		j.Below = &below
	}
	return j
}

func jsonAxisOf(a chart.Axis) jsonAxis {
	j := jsonAxis{Label: a.Label, Scale: a.Scale, Categories: a.Names}
	for _, m := range a.Marks {
		j.Marks = append(j.Marks, jsonMark{m.At, m.Text})
	}
	return j
}

func jsonPoints(points []chart.Point, hasZ bool) []jsonPoint {
	out := []jsonPoint{}
	for _, p := range points {
		j := jsonPoint{Text: p.Text, Missing: p.Missing}
		if p.Missing == "" {
			j.X, j.Y, j.Low, j.High = &p.X, &p.Y, p.Low, p.High
			j.Doubtful, j.Why, j.Bound, j.Verdict = p.Doubtful, p.Why, p.Bound, p.Verdict
			if hasZ {
				j.Z = &p.Z
			}
		}
		out = append(out, j)
	}
	return out
}
