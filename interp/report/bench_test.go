package report

import (
	"io"
	"strings"
	"testing"

	"versus/interp/analyze"
)

// A table of 1,000 cells with six columns, comparisons among them, from the
// analysis to the text.
func BenchmarkBuildAndText(b *testing.B) {
	sizes := strings.Replace(measuredHead, `["512B", "8KiB"]`, "range(1, 334)", 1)
	s, p := planned(b, sizes+measuredTables)
	res, err := analyze.Analyze(s, p, measured(b, p))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := Text(io.Discard, Build(res), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
