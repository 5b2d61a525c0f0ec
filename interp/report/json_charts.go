package report

import "versus/interp/report/chart"

// jsonChart is the data of a chart, to draw it elsewhere.
type jsonChart struct {
	Name   string       `json:"name"`
	Title  string       `json:"title"`
	Kind   chart.Kind   `json:"kind"`
	X      jsonAxis     `json:"x"`
	Y      jsonAxis     `json:"y"`
	Z      *jsonAxis    `json:"z,omitempty"`
	Series []jsonSeries `json:"series"`
	Floor  float64      `json:"noise_floor,omitempty"`
	Notes  []string     `json:"notes,omitempty"`
}

type jsonAxis struct {
	Label      string      `json:"label"`
	Scale      chart.Scale `json:"scale"`
	Categories []string    `json:"categories,omitempty"`
}

type jsonSeries struct {
	Name   string      `json:"name"`
	Points []jsonPoint `json:"points"`
}

type jsonPoint struct {
	X        *float64 `json:"x,omitempty"`
	Y        *float64 `json:"y,omitempty"`
	Z        *float64 `json:"z,omitempty"`
	Low      *float64 `json:"low,omitempty"`
	High     *float64 `json:"high,omitempty"`
	Doubtful bool     `json:"doubtful,omitempty"`
	Text     string   `json:"text,omitempty"`
	Missing  string   `json:"missing,omitempty"`
}

func jsonCharts(charts []*chart.Chart) []jsonChart {
	var out []jsonChart
	for _, c := range charts {
		j := jsonChart{Name: c.Name, Title: c.Title, Kind: c.Kind, X: jsonAxisOf(c.X), Y: jsonAxisOf(c.Y), Series: []jsonSeries{}, Floor: c.Floor, Notes: c.Notes}
		if c.Kind == chart.Heatmap {
			z := jsonAxisOf(c.Z)
			j.Z = &z
		}
		for _, s := range c.Series {
			series := jsonSeries{Name: s.Name, Points: []jsonPoint{}}
			for _, p := range s.Points {
				series.Points = append(series.Points, jsonPointOf(p, c.Kind == chart.Heatmap))
			}
			j.Series = append(j.Series, series)
		}
		out = append(out, j)
	}
	return out
}

func jsonAxisOf(a chart.Axis) jsonAxis { return jsonAxis{a.Label, a.Scale, a.Names} }

func jsonPointOf(p chart.Point, hasZ bool) jsonPoint {
	j := jsonPoint{Text: p.Text, Missing: p.Missing}
	if p.Missing != "" {
		return j
	}
	j.X, j.Y, j.Low, j.High, j.Doubtful = &p.X, &p.Y, p.Low, p.High, p.Doubtful
	if hasZ {
		j.Z = &p.Z
	}
	return j
}
