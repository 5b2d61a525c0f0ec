package lint

import (
	"fmt"
	"slices"
	"strings"

	"versus/dsl"
	"versus/stdlib/metric"
)

var k10 = &Rule{
	ID: "K10", Slug: "ratio-without-absolute", Severity: Warning, Auto: true,
	What: "A table shows comparisons only, and no table of the scenario shows the compared metrics themselves for those tests.",
	Why: "Twice as fast can be 2 ns instead of 4 ns, or 2 s instead of 4 s; and a bad baseline makes everything look good. The reader needs the absolute values to judge, and to compare with other work. " +
		"The table of Ice and TAO is one of percentages only.",
	Source: "Hoefler and Belli 2015, rule 1; Heiser's list of benchmarking crimes (relative numbers only).",
	Example: `table "summary" {
  rows = [each.payload]
  column "against gRPC" { value = comparison.vs_grpc }
}`,
	Cure: `table "summary" {
  rows = [each.payload, each.backend]
  column "time per call (us)" { value = time_per_call * 1e6 }
  column "against gRPC" { value = comparison.vs_grpc }
}`,
	Check: func(p *Pass) {
		for _, t := range p.Scenario.Tables {
			p.checkAbsolute(t)
		}
	},
}

func (p *Pass) checkAbsolute(t *dsl.Table) {
	var compared []metric.Metric
	for _, col := range p.columns(t) {
		if len(col.expr.Metrics) > 0 {
			return
		}
		for _, name := range col.expr.Comparisons {
			c := p.comparisonOf(name)
			if c == nil {
				continue
			}
			for _, r := range c.Value.Metrics {
				m, ok := metric.Lookup(r.Metric)
				if ok && !slices.ContainsFunc(compared, func(have metric.Metric) bool { return have.Name == m.Name }) {
					compared = append(compared, m)
				}
			}
		}
	}
	if len(compared) == 0 || p.shownElsewhere(t, compared) {
		return
	}
	var list []string
	for _, m := range compared {
		list = append(list, m.Name)
	}
	f := p.Report(t.Range, "This table shows comparisons only, and no table shows %s itself. Add columns with the absolute values.", strings.Join(list, ", "))
	if b := p.block(t.Range); b != nil && t.Cell == nil {
		f.Insert(b, columnsOf(list))
	} else if b != nil && !b.Body.Empty() {
		end := b.Body
		end.Start = end.End
		f.Edit(end, "\n\n"+p.absolute(t, b, list))
	}
}

// absolute is a table of metrics beside one whose places have room for a
// single value each.
func (p *Pass) absolute(t *dsl.Table, b *dsl.Block, metrics []string) string {
	var rows []string
	for _, e := range slices.Concat(t.Rows, t.Columns) {
		rows = append(rows, e.Source)
	}
	name := t.Name + "_absolute"
	for slices.ContainsFunc(p.Scenario.Tables, func(other *dsl.Table) bool { return other.Name == name }) {
		name += "_"
	}
	lines := []string{fmt.Sprintf("table %q {", name)}
	for _, argument := range []string{"test", "where"} {
		if a := b.Attr(argument); a != nil {
			lines = append(lines, argument+" = "+a.Source)
		}
	}
	lines = append(lines, "rows = ["+strings.Join(rows, ", ")+"]", "", columnsOf(slices.Concat(metrics, p.spreadColumns(p.tests(t.Tests)))), "}")
	return strings.Join(lines, "\n")
}

// shownElsewhere reports whether other tables show all of the metrics for all
// tests of a table.
func (p *Pass) shownElsewhere(t *dsl.Table, metrics []metric.Metric) bool {
	for _, test := range p.tests(t.Tests) {
		for _, m := range metrics {
			if !slices.ContainsFunc(p.Uses(), func(u Use) bool {
				return u.Side == "" && u.Metric.Name == m.Name && strings.HasPrefix(u.By, "table ") && u.Of(test)
			}) {
				return false
			}
		}
	}
	return true
}

// unitOf is the unit in which a metric is best shown, and the factor to it.
func unitOf(m metric.Metric) (unit, factor string) {
	switch {
	case m.Unit == "s":
		return "us", " * 1e6"
	case m.Unit == "B":
		return "MiB", " / 1048576"
	case m.Unit == "B/s":
		return "MB/s", " / 1e6"
	case m.Unit == "1/s":
		return "1/s", ""
	case isShare(m):
		return "%", " * 100"
	}
	return "", ""
}

// columnsOf are column blocks that show metrics, one a line.
func columnsOf(names []string) string {
	var blocks []string
	for _, name := range names {
		m, _ := metric.Lookup(name)
		blocks = append(blocks, columnOf(m))
	}
	return strings.Join(blocks, "\n")
}

// columnOf is a column block that shows a metric in its best unit.
func columnOf(m metric.Metric) string {
	unit, factor := unitOf(m)
	heading := strings.NewReplacer("_", " ", ".", " ").Replace(m.Name)
	if unit != "" {
		heading += " (" + unit + ")"
	}
	return fmt.Sprintf("column %q { value = %s%s }", heading, m.Name, factor)
}
