package lint_test

import (
	"path/filepath"
	"strings"
	"testing"

	"versus/dsl"
	"versus/interp/lint"
	"versus/interp/plan"
)

// TestLoadSeverities: where the severity of a rule depends, the cases have the
// one that is meant.
func TestLoadSeverities(t *testing.T) {
	for file, want := range map[string]lint.Severity{
		"L01/bad.hcl":           lint.Warning,
		"L01/bad_expect.hcl":    lint.Error,
		"L02/bad.hcl":           lint.Error,
		"L02/bad_alone.hcl":     lint.Warning,
		"L02/bad_in_flight.hcl": lint.Warning,
		"L03/bad.hcl":           lint.Error,
		"L03/bad_near.hcl":      lint.Warning,
		"L05/bad.hcl":           lint.Warning,
		"L05/bad_unnamed.hcl":   lint.Info,
		"L08/bad.hcl":           lint.Error,
		"L08/bad_threads.hcl":   lint.Warning,
		"L12/bad.hcl":           lint.Warning,
		"L12/bad_calls.hcl":     lint.Error,
		"L14/bad.hcl":           lint.Warning,
		"L14/bad_expect.hcl":    lint.Error,
		"L14/bad_drain.hcl":     lint.Error,
	} {
		s, p, _ := load(t, filepath.Join("testdata", filepath.FromSlash(file)))
		for _, f := range lint.Run(s, p, registry, lint.Rules()) {
			if f.Rule.ID == file[:3] && !f.NotChecked && f.Severity != want {
				t.Errorf("%s has the severity %s, and not %s: %s", file, f.Severity, want, f.Message)
			}
		}
	}
}

// manyCells has a million cells: rules look at some, and say so.
const manyCells = `
scenario "many" {}

backend "grpc" "grpc" {}

backend "http" "http" {}

test "rpc" "many" {
  rate        = each.rate
  concurrency = each.callers
  warmup { duration = "2s" }
  measure { duration = "10s" }

  sweep {
    backend = [backend.grpc, backend.http]
    rate    = range(1, 1001)
    callers = range(1, 501)
  }
}

table "many" {
  rows = [each.backend, each.rate, each.callers]

  column "p99 (us)" { value = latency.p99 * 1e6 }
}
`

func TestLoadOfManyCells(t *testing.T) {
	s, diags := dsl.LoadSources("many.hcl", map[string][]byte{"many.hcl": []byte(manyCells)}, config())
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	p, diags := plan.New(s, registry, plan.Options{Many: true})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	unsure := map[string]bool{}
	for _, f := range lint.Run(s, p, registry, lint.Rules()) {
		if f.NotChecked {
			unsure[f.Rule.ID] = true
		}
	}
	for _, id := range []string{"L01", "L03", "L09", "L11"} {
		if !unsure[id] {
			t.Errorf("%s looked at some of a million cells, and does not say so", id)
		}
	}
	if unsure["C04"] {
		t.Error("C04 does not need cells to know that one rpc test has latencies of one kind")
	}
}

// TestScopeOfRates: which titles of a test with several callers say of whom its
// rate is.
func TestScopeOfRates(t *testing.T) {
	s, _, _ := load(t, filepath.Join("testdata", "L05", "bad.hcl"))
	for title, said := range map[string]bool{
		"1 kHz":                               false,
		"1 kHz each":                          true,
		"Each backend at 1 kHz":               false,
		"1 kHz from each of 4 callers":        true,
		"1 kHz per caller":                    true,
		"1 kHz a caller":                      true,
		"4 kHz in all":                        true,
		"One caller":                          false,
		"1,000 calls a second/caller":         true,
		"4,000 calls a second, all callers":   true,
		"4,000 calls a second in total":       true,
		"1 kHz on every connection":           true,
		"together with other services, 1 kHz": true, // words can mislead: then it is silent
	} {
		src := strings.Replace(string(s.Sources[s.Main]), "1,000 calls a second", title, 1)
		again, diags := dsl.LoadSources(s.Main, map[string][]byte{s.Main: []byte(src)}, config())
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		p, _ := plan.New(again, registry, plan.Options{})
		found := false
		for _, f := range lint.Run(again, p, registry, lint.Rules()) {
			found = found || f.Rule.ID == "L05"
		}
		if found == said {
			t.Errorf("%q: said of whom the rate is: %t, want %t", title, !found, said)
		}
	}
}
