package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"versus/dsl"
	"versus/interp/analyze"
	"versus/interp/report/chart"
	"versus/stdlib/metric"
)

// curve is the distribution of one series.
type curve struct {
	name string
	cell *analyze.Cell
	*analyze.Curve
	why string // there is none
}

// curves are the distributions of a chart's series, one cell each.
func (b builder) curves(d *dsl.Chart, cells []*analyze.Cell) []curve {
	var out []curve
	for _, g := range b.groups(d.Series, cells) {
		c := curve{name: g.name}
		if len(g.cells) > 1 {
			c.why = "several cells fall in one series: they differ in " + strings.Join(analyze.Differs(g.cells), ", ")
		} else {
			c.cell = g.cells[0]
			c.Curve, c.why = c.cell.Curve(d.Distribution)
		}
		out = append(out, c)
	}
	return out
}

// timeUnit is the unit in which the distributions are shown.
func timeUnit(curves []curve) (name string, scale float64) {
	smallest := math.Inf(1)
	for _, c := range curves {
		if c.Curve != nil {
			smallest = min(smallest, c.Quantile(0.5))
		}
	}
	unit := timeUnits[0]
	for _, u := range timeUnits[1:] {
		if smallest*unit.scale < 1 {
			unit = u
		}
	}
	return unit.name, unit.scale
}

// perDecade is how many points a curve of percentiles has in each decade of 1/(1-p).
const perDecade = 24

// percentiles draws what latency a share of the messages exceeds, over 1/(1-p),
// so that 90 %, 99 % and 99.9 % are equally far apart. A curve ends where fewer
// than one message lies beyond, and is marked where fewer than ten do.
func (b builder) percentiles(c *chart.Chart, d *dsl.Chart, cells []*analyze.Cell) {
	curves := b.curves(d, cells)
	unit, scale := timeUnit(curves)
	last := 1.0
	low, high := math.Inf(1), 0.0
	for _, k := range curves {
		s := chart.Series{Name: k.name}
		if k.why != "" {
			s.Points = append(s.Points, chart.Point{Text: orElse(k.name, d.Name), Missing: k.why})
		} else {
			s.Points = k.points(d.Distribution, unit, scale)
			for _, p := range s.Points {
				low, high, last = min(low, p.Y), max(high, p.Y), max(last, p.X)
			}
		}
		c.Series = append(c.Series, s)
	}
	c.X.Scale = chart.Log10
	c.X.Label = orElse(c.X.Label, "share of messages that are faster")
	c.X.Ticks = []chart.Tick{{At: 1, Text: "0%"}, {At: 2, Text: "50%"}, {At: 10, Text: "90%"}, {At: 100, Text: "99%"}}
	for k := 3; math.Pow(10, float64(k)) <= last; k++ {
		c.X.Ticks = append(c.X.Ticks, chart.Tick{At: math.Pow(10, float64(k)), Text: "99." + strings.Repeat("9", k-2) + "%"})
	}
	c.Y.Label = timeLabel(c.Y.Label, d.Distribution, unit)
	c.Y.Scale = chart.Scale(d.YAxis.Scale)
	if c.Y.Scale == "" {
		c.Y.Scale = valueScale(c.X.Scale, []float64{low, high})
	}
	c.Notes = append(c.Notes, "All messages of the valid runs together. A curve ends where fewer than one message lies beyond, and is thin and dotted where fewer than ten do.")
	if slices.ContainsFunc(c.Series, func(s chart.Series) bool {
		return slices.ContainsFunc(s.Points, func(p chart.Point) bool { return p.Low != nil })
	}) {
		c.Notes = append(c.Notes, fmt.Sprintf("Intervals (%.0f%%) come from the messages alone, as many independent ones as they are worth: they say nothing of how runs differ.", analyze.MedianConfidence*100))
	}
}

// timeLabel is the label of an axis of times, whose unit the report chooses.
func timeLabel(given, distribution, unit string) string {
	return orElse(given, strings.ReplaceAll(distribution, "_", " ")) + " (" + unit + ")"
}

// points are those of a percentile curve. Whole nines say their values.
func (k curve) points(distribution, unit string, scale float64) []chart.Point {
	var xs []float64
	for i := 0; ; i++ {
		x := math.Pow(10, float64(i)/perDecade)
		if x >= float64(k.Count) {
			break
		}
		xs = append(xs, x)
	}
	said := map[float64]bool{}
	for x := 10.0; x <= float64(k.Count); x *= 10 {
		said[x] = true
		xs = append(xs, x)
	}
	if k.Count >= 2 {
		said[2] = true
		xs = append(xs, 2)
	}
	xs = append(xs, float64(k.Count))
	slices.Sort(xs)
	xs = slices.CompactFunc(xs, func(a, b float64) bool { return math.Abs(a-b) < 1e-9*b })
	st := styleOf("number", []float64{k.Quantile(0.5) * scale})
	var out []chart.Point
	for _, x := range xs {
		p := 1 - 1/x
		if p > 0 && !k.Visible(p) {
			continue
		}
		q := chart.Point{X: x, Y: k.Quantile(max(p, 1e-12)) * scale, Doubtful: k.Few(p)}
		if said[math.Round(x)] && math.Abs(x-math.Round(x)) < 1e-6 {
			m := metric.QuantileOf(distribution, 1-1/math.Round(x))
			q.Text = fmt.Sprintf("%s: %s %s", names(k.name, strings.ReplaceAll(strings.TrimPrefix(m.Name, distribution+"."), "_", ".")), st.print(q.Y), unit)
			if in, ok := k.cell.Within(m.Name); ok {
				low, high := in.Low*scale, in.High*scale
				q.Low, q.High = &low, &high
				q.Text += " " + bounds(st, analyze.Interval{Low: low, High: high}, q.Y)
			}
		}
		out = append(out, q)
	}
	return out
}

// maxSteps is how many steps of an ECDF are drawn at most: more can't be seen.
const maxSteps = 500

// ecdf draws the share of the messages that took no longer than each latency.
func (b builder) ecdf(c *chart.Chart, d *dsl.Chart, cells []*analyze.Cell) {
	curves := b.curves(d, cells)
	unit, scale := timeUnit(curves)
	low, high := math.Inf(1), 0.0
	for _, k := range curves {
		s := chart.Series{Name: k.name}
		if k.why != "" {
			s.Points = append(s.Points, chart.Point{Text: orElse(k.name, d.Name), Missing: k.why})
			c.Series = append(c.Series, s)
			continue
		}
		steps := k.Steps()
		every := len(steps)/maxSteps + 1
		for i, step := range steps {
			if i%every != 0 && i != len(steps)-1 {
				continue
			}
			x := step.Value * scale
			low, high = min(low, x), max(high, x)
			s.Points = append(s.Points, chart.Point{X: x, Y: float64(step.UpTo) / float64(k.Count)})
		}
		c.Series = append(c.Series, s)
	}
	c.X.Scale = chart.Scale(d.XAxis.Scale)
	if c.X.Scale == "" {
		c.X.Scale = valueScale(chart.Linear, []float64{low, high})
	}
	c.X.Label = timeLabel(c.X.Label, d.Distribution, unit)
	c.Y.Label = orElse(c.Y.Label, "share of messages up to it")
	c.Notes = append(c.Notes, "All messages of the valid runs together.")
}
