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
	return unitFor(smallest)
}

// unitFor is the unit for times from the smallest on, in seconds.
func unitFor(smallest float64) (name string, scale float64) {
	unit := timeUnits[0]
	for _, u := range timeUnits[1:] {
		if smallest*unit.scale < 1 {
			unit = u
		}
	}
	return unit.name, unit.scale
}

const (
	// perDecade is how many points a curve of percentiles has in each decade of
	// 1/(1-p), and thinPerDecade that of a single run.
	perDecade, thinPerDecade = 24, 12
	// maxThin is up to how many runs each has a curve: more are a smear.
	maxThin = 30
)

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
			s.Runs = k.alone(func(r curve) []chart.Point { return r.grid(scale, thinPerDecade) })
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
	if c.Y.Scale == "" && high > 100*low { // two decades
		c.Y.Scale = chart.Log10
	}
	c.Notes = append(c.Notes, "Thick: all messages of the valid runs together. A curve ends where fewer than one message lies beyond, and is dotted where fewer than ten do.")
	c.Notes = append(c.Notes, thinNote(c)...)
	c.Notes = append(c.Notes, bandNote(c, fmt.Sprintf("Shaded: the interval between order statistics (%.0f%%)", analyze.MedianConfidence*100))...)
}

// alone are the curves of the single runs, if there are several but not many.
func (k curve) alone(draw func(curve) []chart.Point) [][]chart.Point {
	runs := k.Runs()
	if len(runs) < 2 || len(runs) > maxThin {
		return nil
	}
	var out [][]chart.Point
	for _, r := range runs {
		out = append(out, draw(curve{name: k.name, cell: k.cell, Curve: r}))
	}
	return out
}

// thinNote says what the thin lines are, if there are some.
func thinNote(c *chart.Chart) []string {
	if slices.ContainsFunc(c.Series, func(s chart.Series) bool { return len(s.Runs) > 0 }) {
		return []string{"Thin: each run alone."}
	}
	return nil
}

// bandNote says what is shaded, if something is.
func bandNote(c *chart.Chart, what string) []string {
	for _, s := range c.Series {
		for _, p := range s.Points {
			if p.Low != nil {
				return []string{what + ", of the messages alone, as many independent ones as they are worth: it says nothing of how runs differ."}
			}
		}
	}
	return nil
}

// timeLabel is the label of an axis of times, whose unit the report chooses.
func timeLabel(given, distribution, unit string) string {
	return orElse(given, strings.ReplaceAll(distribution, "_", " ")) + " (" + unit + ")"
}

// places are where a curve of percentiles is drawn: at so many points a decade,
// at the whole nines and the median, and at its end.
func (k curve) places(perDecade int) []float64 {
	end := float64(k.Count)
	xs := []float64{end}
	for i := 0; ; i++ {
		x := math.Pow(10, float64(i)/float64(perDecade))
		if x >= end {
			break
		}
		xs = append(xs, x)
	}
	for x := 10.0; x <= end; x *= 10 {
		xs = append(xs, x)
	}
	if end >= 2 {
		xs = append(xs, 2)
	}
	slices.Sort(xs)
	return slices.CompactFunc(xs, func(a, b float64) bool { return math.Abs(a-b) < 1e-9*b })
}

// grid is a curve of percentiles without anything else.
func (k curve) grid(scale float64, perDecade int) []chart.Point {
	var out []chart.Point
	for _, x := range k.places(perDecade) {
		if p := 1 - 1/x; p <= 0 || k.Visible(p) {
			out = append(out, chart.Point{X: x, Y: k.Quantile(max(p, 1e-12)) * scale, Doubtful: k.Few(p)})
		}
	}
	return out
}

// points are those of a percentile curve, with what the order statistics give as
// intervals. Whole nines say their values.
func (k curve) points(distribution, unit string, scale float64) []chart.Point {
	out := k.grid(scale, perDecade)
	for i := range out {
		q := &out[i]
		if q.X > 1 {
			if in, ok := k.Within(1 - 1/q.X); ok {
				low, high := in.Low*scale, in.High*scale
				q.Low, q.High = &low, &high
			}
		}
		if isNine(q.X) {
			q.Text = k.said(distribution, unit, scale, q.X)
		}
	}
	return out
}

// said is a whole nine, or the median, in words: its name, its value, and the
// interval of the order statistics if there is one. x is 1/(1-p).
func (k curve) said(distribution, unit string, scale, x float64) string {
	p := 1 - 1/math.Round(x)
	value := k.Quantile(p) * scale
	st := styleOf("number", []float64{k.Quantile(0.5) * scale})
	name := strings.TrimPrefix(metric.QuantileOf(distribution, p).Name, distribution+".")
	text := fmt.Sprintf("%s: %s %s", names(k.name, strings.ReplaceAll(name, "_", ".")), st.print(value), unit)
	if in, ok := k.Within(p); ok {
		text += " " + bounds(st, analyze.Interval{Low: in.Low * scale, High: in.High * scale}, value)
	}
	return text
}

// isNine says whether 1/(1-p) is of the median, or of p90, p99, p99.9, ...
func isNine(x float64) bool {
	n := math.Round(math.Log10(x))
	return math.Abs(x-2) < 1e-6 || n >= 1 && math.Abs(x/math.Pow(10, n)-1) < 1e-9
}
