package dsl

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// BenchmarkLoad loads a sound scenario of 300 lines: what `versus validate`
// and every editor wait for.
func BenchmarkLoad(b *testing.B) {
	src := longScenario()
	sources := map[string][]byte{"long.hcl": []byte(src)}
	b.ReportMetric(float64(strings.Count(src, "\n")), "lines")
	for b.Loop() {
		if _, diags := LoadSources("long.hcl", sources, testConfig()); diags.HasErrors() {
			b.Fatal(diags)
		}
	}
}

func longScenario() string {
	var s strings.Builder
	s.WriteString("scenario \"long\" {}\n\nmethodology \"m\" {\n  warmup { duration = \"1s\" }\n  measure { duration = \"1s\" }\n  repeat { runs = 6 }\n  keep { best = n / 2 }\n}\n")
	for i := range 15 {
		fmt.Fprintf(&s, `
backend "fast" "b%[1]d" {
  title   = "Backend %[1]d"
  version = "2"
  threads = %[1]d + 1
}

test "rpc" "t%[1]d" {
  methodology = methodology.m
  payload     = bytes(each.payload)
  concurrency = each.payload > 1000 ? 1 : 4
  sweep {
    backend = [backend.b%[1]d, backend.b%[2]d]
    payload = [for e in range(5, 14) : pow(2, e)]
  }
}
`, i, (i+1)%15)
	}
	s.WriteString(`
comparison "c" {
  baseline = { backend = backend.b0 }
  value    = (baseline.time_per_call - candidate.time_per_call) / candidate.time_per_call
}

table "all" {
  rows = [each.test, each.backend, each.payload]
  column "mean" { value = latency.mean * 1e6 }
  column "p99" { value = latency.p99 * 1e6 }
  column "c" { value = comparison.c }
}
`)
	return s.String()
}

func TestLongScenarioIsSound(t *testing.T) {
	_, diags := LoadSources("long.hcl", map[string][]byte{"long.hcl": []byte(longScenario())}, testConfig())
	if diags.HasErrors() {
		t.Fatal(diags)
	}
}

func BenchmarkLoadBad(b *testing.B) {
	src, err := os.ReadFile("testdata/bad/results.hcl")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		LoadSources("x.hcl", map[string][]byte{"x.hcl": src}, testConfig())
	}
}
