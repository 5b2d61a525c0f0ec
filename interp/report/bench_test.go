package report

import (
	"io"
	"strings"
	"testing"

	"versus/interp/analyze"
	"versus/interp/report/chart"
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

// Charts of a thousand cells of six runs: their data, then the pictures.
func BenchmarkChartsOfThousandCells(b *testing.B) {
	const blocks = `
chart "values" {
  x      = each.payload
  y      = latency.mean * 1e6
  series = each.backend
}
chart "runs" {
  kind   = "runs"
  y      = latency.mean * 1e6
  series = each.backend
}
chart "ratios" {
  x      = each.payload
  y      = comparison.vs_grpc
  series = each.backend
}
`
	sizes := strings.Replace(measuredHead, `["512B", "8KiB"]`, "range(1, 334)", 1)
	s, p := planned(b, sizes+blocks)
	res, err := analyze.Analyze(s, p, measured(b, p))
	if err != nil {
		b.Fatal(err)
	}
	benchmarkCharts(b, builder{res})
}

// Charts of whole distributions: eight cells of twelve runs, up to 8,000 messages
// each.
func BenchmarkDistributionCharts(b *testing.B) {
	var blocks string
	for _, kind := range []string{"percentiles", "ecdf", "ccdf", "windows"} {
		blocks += strings.NewReplacer("KIND", kind, `"c"`, `"`+kind+`"`, "each.backend", `"${each.backend.name} ${each.rate}"`, "each.rate == 2000", "true").Replace(curvesOf2000) + "\n"
	}
	s, p := planned(b, madeHead+blocks)
	res, err := analyze.Analyze(s, p, made(b, p))
	if err != nil {
		b.Fatal(err)
	}
	benchmarkCharts(b, builder{res})
}

func benchmarkCharts(b *testing.B, in builder) {
	for _, d := range in.res.Scenario.Charts {
		b.Run(d.Name+"/data", func(b *testing.B) {
			for b.Loop() {
				in.chart(d)
			}
		})
		c := in.chart(d)
		for name, draw := range map[string]func(io.Writer, *chart.Chart, chart.Options) error{"svg": chart.SVG, "png": chart.PNG} {
			b.Run(d.Name+"/"+name, func(b *testing.B) {
				for b.Loop() {
					if err := draw(io.Discard, c, chart.Options{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
