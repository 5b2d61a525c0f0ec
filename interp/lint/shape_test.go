package lint

import (
	"math"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"versus/drivers/all"
	"versus/dsl"
	"versus/interp/plan"
)

const oneComparison = `
scenario "s" {}
locals { million = 1e6 }
backend "grpc" "grpc" {}
backend "http" "http" {}
test "rpc" "t" {
  measure { duration = "1s" }
  rate = "1kHz"
  sweep { backend = [backend.grpc, backend.http] }
}
comparison "c" {
  baseline = { backend = backend.grpc }
  value    = FORMULA
}
table "t" {
  rows = [each.backend]
  column "HEADING" { value = COLUMN }
}
`

// passOf loads a scenario with a comparison and a column.
func passOf(t testing.TB, formula, heading, column string) *Pass {
	t.Helper()
	registry := all.Registry()
	config := dsl.Config{Drivers: registry.Kinds()}
	src := strings.NewReplacer("FORMULA", formula, "HEADING", heading, "COLUMN", column).Replace(oneComparison)
	s, diags := dsl.LoadSources("s.hcl", map[string][]byte{"s.hcl": []byte(src)}, config)
	if diags.HasErrors() {
		t.Fatalf("%s: %v", formula, diags)
	}
	p, diags := plan.New(s, registry, plan.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return &Pass{Scenario: s, Plan: p, Drivers: registry}
}

// TestShape recognises formulas by their trees, however they are written, and
// holds what it recognises against what the formula computes.
func TestShape(t *testing.T) {
	const b, c = "baseline.time_per_call", "candidate.time_per_call"
	for _, tt := range []struct {
		formula, p string
		form       form
	}{
		{"B / C", b, ratio},
		{"(B) / (C)", b, ratio},
		{"C / B", c, ratio},
		{"speedup(B, C)", b, ratio},
		{"1 / (C / B)", b, ratio},
		{"B * 2 / C", b, ratio},
		{"(B - C) / C", b, excess},
		{"B / C - 1", b, excess},
		{"-1 + B / C", b, excess},
		{"100 * (B / C) - 100", b, excess},
		{"100 * (B - C) / C", b, excess},
		{"(B - C) / C * local.million", b, excess},
		{"(B - C) * 100 / C", b, excess},
		{"reldiff(B, C)", b, excess},
		{"-(1 - B / C)", b, excess},
		{"(C - B) / B", c, excess},
		{"-(B - C) / B", c, excess},
		{"(B - C) / B", c, share},
		{"1 - C / B", c, share},
		{"(1 - C / B) * 100", c, share},
		{"-((C - B) / B)", c, share},
		{"-(C - B) / C", b, excess},
		{"B - C", b, difference},
		{"-(C - B)", b, difference},
		{"(B - C) * 1e6", b, difference},
		{"B + C", "", unknownForm},
		{"(B - C) / (B + C)", "", unknownForm},
		{"B / C - 2", "", unknownForm},
		{"B * C", "", unknownForm},
		{"pow(B / C, 2)", "", unknownForm},
		{"B / C > 1 ? B / C : 1", "", unknownForm},
	} {
		formula := strings.NewReplacer("B", b, "C", c).Replace(tt.formula)
		p := passOf(t, formula, "x", "comparison.c")
		s := p.shape("c")
		if s.form != tt.form || s.form != unknownForm && s.p.String() != tt.p {
			t.Errorf("%s: form %d of %s, want %d of %s", formula, s.form, s.p, tt.form, tt.p)
			continue
		}
		f, ok := p.Scenario.Compile(p.Scenario.Comparisons[0].Value)
		if s.form == unknownForm || !ok || strings.Contains(formula, "(baseline.time_per_call, ") {
			continue
		}
		values := map[string]float64{"baseline": 12, "candidate": 5}
		var metrics []float64
		for _, r := range f.Refs {
			metrics = append(metrics, values[r.Side])
		}
		x, y := values[s.p.side], values[s.q.side]
		want := s.scale * map[form]float64{ratio: x / y, excess: x/y - 1, share: 1 - x/y, difference: x - y}[s.form]
		if got := f.Eval(metrics); math.Abs(got-want) > 1e-9*math.Abs(want) {
			t.Errorf("%s is %g, and what was recognised of it %g", formula, got, want)
		}
	}
}

// TestQuantileShape sees the percentile in quantile(latency, p).
func TestQuantileShape(t *testing.T) {
	s := passOf(t, "quantile(baseline.latency, 0.999) / quantile(candidate.latency, 0.999)", "x", "comparison.c").shape("c")
	if s.form != ratio || !s.oneMetric() || s.p.String() != "baseline.latency.p99_9" {
		t.Errorf("%d of %s and %s", s.form, s.p, s.q)
	}
}

// TestReading says what a value means for the candidate.
func TestReading(t *testing.T) {
	for _, tt := range []struct {
		formula string
		want    reading
	}{
		{"(baseline.time_per_call - candidate.time_per_call) / candidate.time_per_call", speedup},
		{"baseline.time_per_call / candidate.time_per_call", speedup},
		{"(baseline.time_per_call - candidate.time_per_call) / baseline.time_per_call", saving},
		{"candidate.time_per_call / baseline.time_per_call - 1", growth},
		{"1 - baseline.time_per_call / candidate.time_per_call", noReading},
		{"candidate.throughput.rate / baseline.throughput.rate - 1", speedup},
		{"baseline.throughput.rate / candidate.throughput.rate", growth},
		{"1 - candidate.throughput.rate / baseline.throughput.rate", saving},
		{"baseline.time_per_call / candidate.latency.mean", noReading},
		{"baseline.samples.sent / candidate.samples.sent", noReading},
		{"baseline.time_per_call - candidate.time_per_call", noReading},
	} {
		if got := passOf(t, tt.formula, "x", "comparison.c").shape("c").read(); got != tt.want {
			t.Errorf("%s is read as %q, want %q", tt.formula, got, tt.want)
		}
	}
}

func TestAboutBaseline(t *testing.T) {
	p := passOf(t, "baseline.time_per_call / candidate.time_per_call", "x", "comparison.c")
	for words, want := range map[string]bool{
		"gRPC faster by": true, "grpc_faster": true, "gRPC faster than HTTP": true,
		"vs gRPC": false, "gRPC vs HTTP, faster by": false, "faster than gRPC": false, "grpcweb faster by": false, "gRPC": false, "": false,
	} {
		if got := aboutBaseline(p.Scenario.Comparisons[0], prose{words: words}); got != want {
			t.Errorf("%q: %v", words, got)
		}
	}
}

func TestUnitIn(t *testing.T) {
	for words, want := range map[string]string{
		"p99 (us)": "us", "p99 [ms]": "ms", "mean, us": "us", "QPS": "QPS", "calls/s": "calls/s", "Loss Rate (%)": "%", "loss%": "%",
		"time (s)": "s", "p99 (us, lower is better)": "us", "calls per second": "1/s", "p99 µs": "µs", "p99 (µs)": "µs",
		"p99": "", "s": "", "p99 at 100 Hz": "", "size B": "", "gRPC faster by (latency)": "", "": "", "p99 at 100 Hz (ms)": "ms", "(s": "",
	} {
		u, from, to, ok := prose{words: words}.unitIn()
		if u.name != want || ok != (want != "") {
			t.Errorf("%q has the unit %q, want %q", words, u.name, want)
		}
		if ok && want != "1/s" && words[from:to] != want {
			t.Errorf("%q: the unit is at %q", words, words[from:to])
		}
	}
}

// FuzzShape takes any expression apart without a panic.
func FuzzShape(f *testing.F) {
	for _, seed := range []string{"a / b - 1", "(baseline.latency.p99 - candidate.latency.p99) / 0", "-(1 - -x)", "quantile(latency, 2)", "speedup(1, 0)", "var.x[0] / local.y"} {
		f.Add(seed)
	}
	p := passOf(f, "baseline.time_per_call / candidate.time_per_call", "x", "comparison.c")
	f.Fuzz(func(t *testing.T, src string) {
		x, diags := hclsyntax.ParseExpression([]byte(src), "x", hcl.InitialPos)
		if diags.HasErrors() || len(src) > 1000 {
			return
		}
		if got := (shaper{p.Scenario, &dsl.Expr{Expression: x}}).parse(x); got.form > number && got.p.metric.Name == "" {
			t.Errorf("%s: form %d of nothing", src, got.form)
		}
	})
}
