package dsl

import (
	"slices"
	"strings"

	"versus/stdlib/metric"
	"versus/stdlib/units"
)

// chartKinds are the values of chart.kind.
var chartKinds = []string{"value", "load", "percentiles", "ecdf", "ccdf", "strip", "runs", "windows", "speedup", "pairs", "heatmap"}

// chartKind says what a kind of chart takes.
type chartKind struct {
	needs, may []string // arguments
	// distribution says that y is the name of one, and comparison that it is a
	// comparison.
	distribution, comparison bool
	// scales and marks are the axes whose scale a scenario may choose, and on
	// which it may mark places.
	scales, marks []string
}

var chartArgs = map[string]chartKind{
	"value":       {needs: []string{"x", "y"}, may: []string{"series"}, scales: []string{"x_axis", "y_axis"}, marks: []string{"x_axis", "y_axis"}},
	"load":        {may: []string{"y", "series"}, distribution: true, scales: []string{"y_axis"}},
	"percentiles": {may: []string{"y", "series"}, distribution: true, scales: []string{"y_axis"}},
	"ecdf":        {may: []string{"y", "series"}, distribution: true, scales: []string{"x_axis"}},
	"ccdf":        {may: []string{"y", "series"}, distribution: true, scales: []string{"x_axis"}},
	"strip":       {needs: []string{"y"}, may: []string{"x", "series"}, scales: []string{"y_axis"}, marks: []string{"y_axis"}},
	"runs":        {needs: []string{"y"}, may: []string{"series"}, scales: []string{"y_axis"}, marks: []string{"y_axis"}},
	"windows":     {may: []string{"series"}, scales: []string{"y_axis"}},
	"speedup":     {needs: []string{"y"}, may: []string{"x", "series"}, comparison: true},
	"pairs":       {needs: []string{"y"}, may: []string{"x", "series"}, comparison: true, scales: []string{"y_axis"}},
	"heatmap":     {needs: []string{"x", "y", "value"}},
}

func (l *loader) chart(n *node, s *Scenario, comparisons []string) *Chart {
	tests := l.testsOf(n, s)
	w := l.resultScope(tests, s, comparisons)
	c := &Chart{Name: n.name(), Title: l.str(n, "title"), Kind: l.str(n, "kind"), Tests: testNames(n, tests), Range: n.rng}
	if c.Title == "" {
		c.Title = c.Name
	}
	args, ok := chartArgs[c.Kind]
	if !ok {
		return c // refused already
	}
	for _, name := range args.needs {
		if rng := n.rng; n.attr(name) == nil {
			l.fail(&rng, "Incomplete chart", "A chart of kind %q needs the argument %q.", c.Kind, name)
		}
	}
	for _, name := range []string{"x", "y", "value", "series", "where"} {
		a := n.attr(name)
		switch {
		case a == nil:
			continue
		case name != "where" && !slices.Contains(args.needs, name) && !slices.Contains(args.may, name):
			rng := a.rng
			l.fail(&rng, "Argument without meaning", "A chart of kind %q has no argument %q.", c.Kind, name)
			continue
		case name == "y" && args.distribution:
			c.Distribution = l.distribution(a)
			continue
		}
		e := l.expr(a, w)
		switch name {
		case "x":
			c.X = e
		case "y":
			c.Y = e
		case "value":
			c.Value = e
		case "series":
			c.Series = e
		case "where":
			c.Where = e
		}
	}
	if c.Distribution == "" {
		c.Distribution = metric.Distributions[0]
	}
	l.chartShape(c, n, args)
	return c
}

// chartShape checks what depends on several arguments, and reads the axes.
func (l *loader) chartShape(c *Chart, n *node, kind chartKind) {
	if kind.comparison && c.Y != nil {
		name, ok := c.Y.IsComparison()
		if rng := c.Y.Range(); !ok {
			l.fail(&rng, "Invalid value of y", "A chart of kind %q draws a comparison, and nothing computed from it: write y = comparison.NAME.", c.Kind)
		}
		c.Comparison = name
	}
	for _, e := range []*Expr{c.X, c.Y, c.Value, c.Series} {
		if e != nil && e.Over != nil {
			rng := e.Range()
			l.fail(&rng, "One value a cell", "A chart draws the value of each cell; geomean over cells belongs into a table.")
		}
	}
	for _, b := range n.blocks {
		axis := ChartAxis{Scale: l.str(b, "scale"), Label: l.str(b, "label")}
		if a := b.attr("scale"); a != nil && !slices.Contains(kind.scales, b.spec.Type) {
			rng := a.rng
			l.fail(&rng, "Argument without meaning", "The scale of this axis is given by the kind %q.", c.Kind)
		}
		for _, m := range b.blocks {
			if rng := m.rng; !slices.Contains(kind.marks, b.spec.Type) {
				l.fail(&rng, "Mark without meaning", "The kind %q has no marks on this axis: what they would be in the report chooses.", c.Kind)
			}
			axis.Marks = append(axis.Marks, Mark{m.labels[0], l.place(m)})
		}
		if b.spec.Type == "x_axis" {
			c.XAxis = axis
		} else {
			c.YAxis = axis
		}
	}
}

// place reads where a mark is: a number or a size.
func (l *loader) place(m *node) float64 {
	switch v := l.get(m, "at").(type) {
	case float64:
		return v
	case string:
		at, err := units.Size(v)
		if err == nil {
			return at
		}
		rng := m.attr("at").rng
		l.fail(&rng, "Invalid value of at", "%s", sentence(err))
	case nil: // reported
	default:
		rng := m.attr("at").rng
		l.fail(&rng, "Invalid value of at", "A mark is at a number, or at a size such as \"64KiB\".")
	}
	return 0
}

// distribution reads the name of a distribution, which is no value by itself.
func (l *loader) distribution(a *attr) string {
	name := strings.TrimSpace(source(a.expr, a.src))
	if !slices.Contains(metric.Distributions, name) {
		rng := a.expr.Range()
		l.fail(&rng, "Invalid value of y", "This kind of chart draws a whole distribution: write y = %s.", strings.Join(metric.Distributions, ", or y = "))
	}
	return name
}
