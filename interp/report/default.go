package report

import (
	"math"
	"slices"

	"versus/dsl"
	"versus/interp/analyze"
)

// mainMetrics are the columns of a table that no scenario asked for, in the
// order shown, where any cell has a value.
var mainMetrics = []struct {
	name, title string
	time        bool
}{
	{"latency.mean", "mean", true}, {"latency.p50", "p50", true}, {"latency.p99", "p99", true}, {"latency.max", "max", true},
	{"time_per_call", "per call", true}, {"throughput.rate", "rate (1/s)", false},
	{"samples.lost", "lost", false}, {"errors.count", "errors", false},
}

// timeUnits are the units in which times are shown, the largest that leaves
// the smallest value at 1 or more.
var timeUnits = []struct {
	name  string
	scale float64
}{{"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}}

// measure is a metric in a unit.
type measure struct {
	single
	metric string
	scale  float64
}

func (m measure) eval(_ builder, v analyze.View) dsl.Outcome {
	x, why := v.Metric("", m.metric)
	if why != "" {
		return dsl.Outcome{Kind: dsl.IsMissing, Why: why}
	}
	return dsl.Outcome{Kind: dsl.IsNumber, Number: x * m.scale}
}

func (m measure) metrics() []string         { return []string{m.metric} }
func (m measure) comparisons() []string     { return nil }
func (m measure) bare() (string, bool)      { return "", false }
func (m measure) printedAs() (string, bool) { return "", false }

// single is for sources that take the value of one cell.
type single struct{}

func (single) over() bool                        { return false }
func (single) combine([]dsl.Outcome) dsl.Outcome { return dsl.Outcome{} }

// compared is the value of a comparison.
type compared struct {
	single
	name string
}

func (c compared) eval(builder, analyze.View) dsl.Outcome {
	return dsl.Outcome{Kind: dsl.IsMissing, Why: c.name + " does not compare this"}
}

func (c compared) metrics() []string         { return nil }
func (c compared) comparisons() []string     { return []string{c.name} }
func (c compared) bare() (string, bool)      { return c.name, true }
func (c compared) printedAs() (string, bool) { return c.name, true }

// defaults are the tables of a scenario that declares none: one a test, all
// cells, the main metrics and the comparisons.
func (b builder) defaults() []layout {
	var out []layout
	for _, t := range b.res.Scenario.Tests {
		var cells []*analyze.Cell
		var axes []string
		for _, c := range b.res.Cells {
			if c.Plan.Test != t {
				continue
			}
			cells = append(cells, c)
			for _, a := range c.Plan.Axes {
				if !slices.Contains(axes, a) {
					axes = append(axes, a)
				}
			}
		}
		if len(cells) == 0 {
			continue
		}
		l := layout{name: t.Name, title: t.Title, tests: []string{t.Name}}
		if l.title == "" {
			l.title = t.Name
		}
		for _, a := range axes {
			l.rows = append(l.rows, labeler{heading: a, label: func(c *analyze.Cell) string {
				if v, ok := c.Plan.Each[a]; ok && !v.IsNull() {
					return dsl.Label(v)
				}
				return ""
			}})
		}
		l.fields = b.mainFields(cells)
		out = append(out, l)
	}
	return out
}

func (b builder) mainFields(cells []*analyze.Cell) []field {
	var fields []field
	for _, m := range mainMetrics {
		smallest, found := math.Inf(1), false
		for _, c := range cells {
			if v := c.Metric(m.name); v.Missing == "" {
				found = true
				smallest = min(smallest, math.Abs(v.Number))
			}
		}
		if !found {
			continue
		}
		title, scale := m.title, 1.0
		if m.time {
			unit := ""
			unit, scale = unitFor(smallest)
			title += " (" + unit + ")"
		}
		fields = append(fields, field{title: title, digits: -1, source: measure{metric: m.name, scale: scale}})
	}
	for _, c := range b.res.Comparisons {
		if !slices.ContainsFunc(cells, func(cell *analyze.Cell) bool { return c.Side(cell) == analyze.IsCandidate }) {
			continue
		}
		title := c.Comparison.Title
		if title == "" {
			title = c.Comparison.Name
		}
		if c.Comparison.Unit != "" {
			title += " (" + c.Comparison.Unit + ")"
		}
		fields = append(fields, field{title: title, digits: -1, source: compared{name: c.Comparison.Name}})
	}
	return fields
}
