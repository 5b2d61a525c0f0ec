package report

import (
	"fmt"
	"slices"
	"strings"

	"versus/interp/analyze"
	"versus/stdlib/metric"
)

// latencyKinds are what the latencies that a table shows span, each once, in the
// order of its cells; none if it shows none.
func (b builder) latencyKinds(fields []field, cells []*analyze.Cell) (kinds []string) {
	if !b.showsLatency(fields) {
		return nil
	}
	for _, c := range cells {
		if kind := string(c.Plan.LatencyKind()); !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// showsLatency reports whether a value is computed from latencies.
func (b builder) showsLatency(fields []field) bool {
	isLatency := func(name string) bool {
		m, ok := metric.Lookup(name)
		return ok && m.Distribution() != ""
	}
	for _, f := range fields {
		names := slices.Clone(f.metrics())
		for _, name := range f.comparisons() {
			if c := b.res.Comparison(name); c != nil {
				names = append(names, expression{c.Comparison.Value}.metrics()...)
			}
		}
		if slices.ContainsFunc(names, isLatency) {
			return true
		}
	}
	return false
}

// latencyNote says what the latencies of a table span: of all, or test by test.
func latencyNote(cells []*analyze.Cell) string {
	tests := map[string][]string{} // by what their latency spans
	var spans []string
	for _, c := range cells {
		span, test := c.LatencySpan(), c.Plan.Test.Name
		if tests[span] == nil {
			spans = append(spans, span)
		}
		if !slices.Contains(tests[span], test) {
			tests[span] = append(tests[span], test)
		}
	}
	switch len(spans) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("Latency: %s.", spans[0])
	}
	var parts []string
	for _, span := range spans {
		parts = append(parts, fmt.Sprintf("%s in %s", span, strings.Join(tests[span], ", ")))
	}
	return fmt.Sprintf("Latency: %s.", strings.Join(parts, "; "))
}
