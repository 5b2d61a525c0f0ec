package lint

import (
	"slices"
	"strings"

	"versus/dsl"
	"versus/stdlib/metric"
)

var t10 = &Rule{
	ID: "T10", Slug: "no-n-no-spread", Severity: Warning, Auto: true,
	What: "A table shows means, and neither on how many samples they rest nor how far these spread: no samples.*, no percentile, minimum, maximum or standard deviation, no comparison with its interval. " +
		"Where a keep rule picks runs, the report adds the medians of all runs with their intervals by itself.",
	Why:    "A mean of 5 messages and one of 5 million look the same, and so do a steady system and one that stalls. Without either, nobody can tell whether two rows differ.",
	Source: "Hoefler and Belli 2015, rule 5.",
	Example: `table "t" {
  rows = [each.backend]
  column "mean (us)" { value = latency.mean * 1e6 }
}`,
	Cure: `table "t" {
  rows = [each.backend]
  column "mean (us)" { value = latency.mean * 1e6 }
  column "stddev (us)" { value = latency.stddev * 1e6 }
  column "samples" { value = samples.received }
}`,
	Check: func(p *Pass) {
		for _, t := range p.Scenario.Tables {
			p.checkSpread(t)
		}
	},
}

func (p *Pass) checkSpread(t *dsl.Table) {
	tests := p.tests(t.Tests)
	means, over := 0, 0
	for _, col := range p.columns(t) {
		if col.expr.Over != nil {
			over++
			continue
		}
		if len(col.expr.Comparisons) > 0 {
			return
		}
		for _, r := range col.expr.Metrics {
			m, _ := metric.Lookup(r.Metric)
			if saysSpread(m) {
				return
			}
			if m.Combine == metric.MeanOfKept && m.Better != metric.Neither {
				means++
			}
		}
	}
	if means == 0 || len(tests) == 0 || !slices.ContainsFunc(tests, func(t *dsl.Test) bool { return !picks(t) }) {
		return
	}
	columns := p.spreadColumns(tests)
	if len(columns) == 0 {
		p.NotChecked(t.Range, "This table shows means without spread and sample count, and the recorded results have neither.")
		return
	}
	f := p.Report(t.Range, "This table shows means, and neither how many samples they rest on nor how far these spread. Add columns for it: %s.", strings.Join(columns, ", "))
	if b := p.block(t.Range); b != nil && t.Cell == nil {
		f.Insert(b, columnsOf(columns))
	}
}

// saysSpread reports whether a metric tells of the spread or the number of samples.
func saysSpread(m metric.Metric) bool {
	_, last, _ := strings.Cut(m.Name, ".")
	return m.Quantile > 0 || strings.HasPrefix(m.Name, "samples.") || slices.Contains([]string{"stddev", "min", "max"}, last)
}

// spreadColumns are the metrics to add: those that every test has.
func (p *Pass) spreadColumns(tests []*dsl.Test) []string {
	wanted := []string{"latency.stddev", "samples.received"}
	return slices.DeleteFunc(wanted, func(name string) bool {
		return slices.ContainsFunc(tests, func(t *dsl.Test) bool { return t.Pattern == "replay" && !p.recorded(name) })
	})
}

// recorded reports whether some backend replays a metric.
func (p *Pass) recorded(name string) bool {
	return slices.ContainsFunc(p.Scenario.Backends, func(b *dsl.Backend) bool {
		metrics, _ := b.Options["metrics"].(map[string]any)
		_, ok := metrics[name]
		return ok
	})
}
