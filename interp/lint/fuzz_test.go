package lint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"versus/dsl"
	"versus/interp/lint"
	"versus/interp/plan"
)

// FuzzFix: whatever loads can be linted and mended, and loads afterwards.
func FuzzFix(f *testing.F) {
	cases, err := filepath.Glob("testdata/*/bad*.hcl")
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range cases {
		src, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		reload := fromSource()
		sources := map[string][]byte{"s.hcl": src}
		if _, _, diags := reload(sources); diags.HasErrors() {
			t.Skip()
		}
		fixed, diags := lint.Fix(sources, reload, registry, lint.Rules())
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		for _, finding := range fixed.Findings {
			finding.Diagnostic()
		}
	})
}

// fromSource loads s.hcl.
func fromSource() lint.Loader {
	return func(sources map[string][]byte) (*dsl.Scenario, *plan.Plan, hcl.Diagnostics) {
		s, diags := dsl.LoadSources("s.hcl", sources, config())
		if diags.HasErrors() {
			return nil, nil, diags
		}
		p, more := plan.New(s, registry, plan.Options{Many: true})
		return s, p, append(diags, more...)
	}
}

// TestFixKeepsFilesOfOthers: imports are linted, and mended only inside the
// scenario's folder and in the native syntax.
func TestFixKeepsFilesOfOthers(t *testing.T) {
	const test = "scenario \"s\" {}\nimport \"%s\" {}\nbackend \"grpc\" \"grpc\" {}\ntest \"rpc\" \"t\" {\n  methodology = methodology.m\n  backend = backend.grpc\n}\n"
	native := "methodology \"m\" {\n  warmup { duration = \"2s\" }\n  measure { duration = \"10s\" }\n  repeat { runs = 5 } # five\n}\n"
	json := `{"methodology": {"m": {"warmup": {"duration": "2s"}, "measure": {"duration": "10s"}, "repeat": {"runs": 5}}}}`
	for _, c := range []struct {
		name, src string
		mended    bool
	}{
		{"./m.hcl", native, true},
		{"./sub/m.hcl", native, true},
		{"../m.hcl", native, false},
		{"./m.hcl.json", json, false},
	} {
		name := strings.TrimPrefix(c.name, "./")
		sources := map[string][]byte{"s.hcl": fmt.Appendf(nil, test, c.name), name: []byte(c.src)}
		fixed, diags := lint.Fix(sources, fromSource(), registry, lint.Rules())
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		changed := string(fixed.Sources[name]) != c.src
		if changed != c.mended {
			t.Errorf("%s: changed: %t\n%s", c.name, changed, fixed.Sources[name])
		}
		left := strings.Contains(strings.Join(reports(fixed.Findings), "\n"), "R04")
		if left == c.mended {
			t.Errorf("%s: R04 is left: %t", c.name, left)
		}
	}
}

// BenchmarkLint: many tests, and one with a million cells.
func BenchmarkLint(b *testing.B) {
	for _, c := range []struct {
		name         string
		tests, sizes int
	}{{"500 tests", 500, 4}, {"1000 tests", 1000, 4}, {"a million cells", 1, 1000}} {
		b.Run(c.name, func(b *testing.B) {
			var src strings.Builder
			src.WriteString("scenario \"s\" {}\nbackend \"grpc\" \"grpc\" {}\nbackend \"http\" \"http\" {}\n")
			for i := range c.tests {
				fmt.Fprintf(&src, "methodology \"m%d\" {\n  measure { duration = \"1s\" }\n}\n", i)
				fmt.Fprintf(&src, "test \"rpc\" \"t%d\" {\n  methodology = methodology.m%d\n  payload = bytes(each.payload)\n  concurrency = each.concurrency\n  sweep {\n    backend = [backend.grpc, backend.http]\n    payload = range(1, %d)\n    concurrency = range(1, %d)\n  }\n}\n", i, i, c.sizes, c.sizes)
				fmt.Fprintf(&src, "table \"t%d\" {\n  test = test.t%d\n  rows = [each.backend]\n  column \"mean\" { value = latency.mean }\n}\n", i, i)
			}
			s, p, diags := fromSource()(map[string][]byte{"s.hcl": []byte(src.String())})
			if diags.HasErrors() {
				b.Fatal(diags)
			}
			b.ReportMetric(float64(p.Cells()), "cells")
			for b.Loop() {
				lint.Run(s, p, registry, lint.Rules())
			}
		})
	}
}
