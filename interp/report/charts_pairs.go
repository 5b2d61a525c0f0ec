package report

import (
	"fmt"
	"math"

	"versus/dsl"
	"versus/interp/analyze"
	"versus/interp/report/chart"
	"versus/stdlib/metric"
)

// beside is how far the two sides of a pair are from the middle of their place.
const beside = 0.22

// pairs draws the runs of both sides that one round of an interleaved plan has,
// joined by a line, and below how many times as good the candidate was in each.
func (b builder) pairs(c *chart.Chart, d *dsl.Chart, cells []*analyze.Cell) {
	cmp := b.res.Comparison(d.Comparison)
	cells = b.candidates(d.Comparison, cells)
	below := &chart.Chart{Kind: chart.Strip, X: chart.Axis{Scale: chart.Categories}, Y: chart.Axis{Scale: chart.Log2, Label: "ratio", Marks: []chart.Tick{{At: 1}}}}
	ends := newSideMedians(cmp, cells)
	placeOf := b.namer(d.X, cells)
	var numbers []float64
	for _, g := range b.groups(d.Series, cells) {
		s, ratios := chart.Series{Name: g.name}, chart.Series{Name: g.name}
		for _, cell := range g.cells {
			pair, _ := cmp.At(cell)
			name := cell.Name()
			if d.X != nil {
				name = names(g.name, placeOf(cell))
			}
			rounds, why := pairedRuns(cmp, pair)
			if why != "" {
				s.Points = append(s.Points, chart.Point{Text: name, Missing: why})
				continue
			}
			at := float64(len(c.X.Names))
			c.X.Names = append(c.X.Names, name)
			values := make([]float64, 0, len(rounds))
			for _, r := range rounds {
				x, y := r.baseline*ends.scale, r.candidate*ends.scale
				numbers = append(numbers, x, y)
				ratio := y / x
				if cmp.Metric.Better != metric.Higher && cmp.Metric.Better != metric.Neither {
					ratio = x / y
				}
				text := fmt.Sprintf("%s, round %d: %s → %s, %s", name, r.number+1, ends.style.print(x), ends.style.print(y), style{format: "ratio", decimals: -1}.print(ratio))
				s.Points = append(s.Points, chart.Point{X: at - beside, Y: x}, chart.Point{X: at + beside, Y: y})
				c.Lines = append(c.Lines, chart.Line{Series: g.name, At: [][2]float64{{at - beside, x}, {at + beside, y}}, Text: text})
				ratios.Points = append(ratios.Points, chart.Point{X: at, Y: ratio, Text: text})
				values = append(values, ratio)
			}
			box, _ := boxOf(analyze.SpreadOf(values), at, style{format: "ratio", decimals: -1})
			box.Text = name + ": " + box.Text
			ratios.Boxes = append(ratios.Boxes, *box)
		}
		c.Series, below.Series = append(c.Series, s), append(below.Series, ratios)
	}
	c.X.Scale = chart.Categories
	below.X.Names, below.X.Label = c.X.Names, c.X.Label
	c.Y.Label = orElse(c.Y.Label, sideLabel(cmp, ends))
	if c.Y.Scale = chart.Scale(d.YAxis.Scale); c.Y.Scale == "" {
		c.Y.Scale = valueScale(chart.Linear, numbers)
	}
	c.Notes = append(c.Notes, fmt.Sprintf("A line joins the two runs of one round: the baseline's on the left, the candidate's on the right. Below: ratios of the rounds (%s), with their median and its exact interval of at least %.0f%% where there are rounds enough.", ratioLabel(cmp), analyze.MedianConfidence*100))
	c.Notes = append(c.Notes, b.floor(below, cmp)...)
	if len(c.X.Names) > 0 {
		c.Below = below
	}
}

// round is what both sides of a pair measured in one round.
type round struct {
	number              int
	baseline, candidate float64
}

// pairedRuns are the rounds that both sides have a valid run of. Only an
// interleaved plan makes the two close to each other in time.
func pairedRuns(c *analyze.Comparison, p *analyze.Pair) ([]round, string) {
	switch {
	case p.Refused != "":
		return nil, p.Refused
	case c.Metric == nil:
		return nil, "pairs need a formula over one metric of both sides"
	case recorded(p.Candidate) || recorded(p.Baseline):
		return nil, "recorded runs were not made in rounds"
	}
	if m := p.Candidate.Plan.Test.Methodology; m == nil || m.Order != "interleaved" || p.Baseline.Plan.Test.Methodology != m {
		return nil, "the runs were not made in rounds: pairs need a methodology with order = \"interleaved\""
	}
	x, why := p.Baseline.RunValues(c.Metric.Name)
	if why != "" {
		return nil, why
	}
	y, why := p.Candidate.RunValues(c.Metric.Name)
	if why != "" {
		return nil, why
	}
	at := map[int]float64{}
	for i, r := range p.Baseline.Valid {
		at[r.Run] = x[i]
	}
	var out []round
	for i, r := range p.Candidate.Valid {
		v, ok := at[r.Run]
		if ok && v > 0 && y[i] > 0 && !math.IsInf(y[i]/v, 0) {
			out = append(out, round{r.Run, v, y[i]})
		}
	}
	if len(out) == 0 {
		return nil, "no round has a valid run of both sides with a value above 0"
	}
	return out, ""
}

func sideLabel(c *analyze.Comparison, m sideMedians) string {
	switch {
	case c.Metric == nil:
		return ""
	case m.unit == "":
		return c.Metric.Name
	}
	return c.Metric.Name + " (" + m.unit + ")"
}
