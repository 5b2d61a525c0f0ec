package dsl

import (
	"slices"
	"strings"

	"versus/stdlib/metric"
)

// chartKinds are the values of chart.kind.
var chartKinds = []string{"value", "percentiles", "ecdf", "runs", "speedup", "heatmap"}

// chartArgs says which arguments of a chart mean something in each kind: those
// it needs, and those it may have.
var chartArgs = map[string]struct{ needs, may []string }{
	"value":       {[]string{"x", "y"}, []string{"series"}},
	"percentiles": {nil, []string{"y", "series"}},
	"ecdf":        {nil, []string{"y", "series"}},
	"runs":        {[]string{"y"}, []string{"series"}},
	"speedup":     {[]string{"y"}, []string{"x", "series"}},
	"heatmap":     {[]string{"x", "y", "value"}, nil},
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
		case name == "y" && (c.Kind == "percentiles" || c.Kind == "ecdf"):
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
	l.chartShape(c, n)
	return c
}

// chartShape checks what depends on several arguments, and reads the axes.
func (l *loader) chartShape(c *Chart, n *node) {
	if c.Kind == "speedup" && c.Y != nil {
		name, ok := c.Y.IsComparison()
		if rng := c.Y.Range(); !ok {
			l.fail(&rng, "Invalid value of y", "A chart of kind \"speedup\" draws a comparison, and nothing computed from it: write y = comparison.NAME.")
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
		if a := b.attr("scale"); a != nil && !hasScale(c.Kind, b.spec.Type) {
			rng := a.rng
			l.fail(&rng, "Argument without meaning", "The scale of this axis is given by the kind %q.", c.Kind)
		}
		if b.spec.Type == "x_axis" {
			c.XAxis = axis
		} else {
			c.YAxis = axis
		}
	}
}

// hasScale says whether a scenario may choose the scale of an axis.
func hasScale(kind, axis string) bool {
	switch kind {
	case "value":
		return true
	case "percentiles", "runs":
		return axis == "y_axis"
	case "ecdf":
		return axis == "x_axis"
	}
	return false
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
