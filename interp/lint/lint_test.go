package lint_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"versus/drivers/all"
	"versus/dsl"
	"versus/interp/lint"
	"versus/interp/plan"
)

var registry = all.Registry()

func config() dsl.Config {
	patterns := map[string][]string{}
	for _, d := range registry {
		for _, p := range d.Patterns {
			patterns[d.Name] = append(patterns[d.Name], string(p))
		}
	}
	return dsl.Config{Drivers: registry.Kinds(), Patterns: patterns}
}

// load reads a scenario from disk, and returns how to load it again with other
// contents.
func load(t *testing.T, name string) (*dsl.Scenario, *plan.Plan, lint.Loader) {
	t.Helper()
	s, _, diags := dsl.Load(name, config())
	if diags.HasErrors() {
		t.Fatalf("%s: %v", name, diags)
	}
	p, diags := plan.New(s, registry, plan.Options{Many: true})
	if diags.HasErrors() {
		t.Fatalf("%s: %v", name, diags)
	}
	return s, p, func(sources map[string][]byte) (*dsl.Scenario, *plan.Plan, hcl.Diagnostics) {
		again, diags := dsl.LoadSources(s.Main, sources, config())
		if diags.HasErrors() {
			return nil, nil, diags
		}
		p, more := plan.New(again, registry, plan.Options{Many: true})
		return again, p, append(diags, more...)
	}
}

// reports are the findings that a user sees, without those "not checked".
func reports(findings []*lint.Finding) []string {
	var out []string
	for _, f := range findings {
		if f.Reason == "" && !f.NotChecked && f.Severity != lint.Off {
			out = append(out, fmt.Sprintf("%s %s: %s", f, f.Severity, f.Message))
		}
	}
	return out
}

// TestRules runs the cases of every rule: testdata/R05/bad*.hcl trips that rule
// and no other, good*.hcl trips none, and unknown*.hcl is one that the rule
// can't check. If the rule can mend it, fixed*.hcl is bad*.hcl after the fix,
// and clean.
func TestRules(t *testing.T) {
	for _, r := range lint.Rules() {
		t.Run(r.ID, func(t *testing.T) {
			mended := false
			for _, kind := range []string{"bad", "good", "unknown"} {
				cases, err := filepath.Glob(filepath.Join("testdata", r.ID, kind+"*.hcl"))
				if err != nil {
					t.Fatal(err)
				}
				if len(cases) == 0 && kind != "unknown" {
					t.Errorf("testdata/%s has no %s.hcl", r.ID, kind)
				}
				for _, name := range cases {
					t.Run(filepath.Base(name), func(t *testing.T) { mended = testCase(t, r, kind, name) || mended })
				}
			}
			if r.Auto != mended {
				t.Errorf("automatic: %t, and some case is mended: %t", r.Auto, mended)
			}
		})
	}
}

// testCase reports whether the rule has edits for the case.
func testCase(t *testing.T, r *lint.Rule, kind, name string) (mendable bool) {
	s, p, reload := load(t, name)
	findings := lint.Run(s, p, registry, lint.Rules())
	tripped, unknown := false, false
	for _, f := range findings {
		checkFinding(t, s, f)
		unknown = unknown || f.Rule == r && f.NotChecked
		if f.Reason != "" || f.NotChecked {
			continue
		}
		tripped = tripped || f.Rule == r
		mendable = mendable || f.Rule == r && len(f.Edits) > 0
		if f.Rule != r || kind != "bad" {
			t.Errorf("%s %s: %s", f, f.Severity, f.Message)
		}
	}
	if kind == "bad" && !tripped {
		t.Errorf("%s found nothing", r.ID)
	}
	if kind == "unknown" && !unknown {
		t.Errorf("%s does not say that it could not check", r.ID)
	}
	if kind == "bad" && mendable {
		testFix(t, r, name, s, reload)
	}
	return mendable
}

func checkFinding(t *testing.T, s *dsl.Scenario, f *lint.Finding) {
	t.Helper()
	if f.Range.Filename == "" || f.Range.Start.Line < 1 {
		t.Errorf("%s has no place: %s", f.Rule.ID, f.Message)
	}
	if !strings.HasSuffix(f.Message, ".") || f.Message[:1] != strings.ToUpper(f.Message[:1]) {
		t.Errorf("%s: the message is no sentence: %s", f.Rule.ID, f.Message)
	}
	if len(f.Edits) > 0 && !f.Rule.Auto {
		t.Errorf("%s has edits, but is not automatic", f.Rule.ID)
	}
}

// testFix compares the result of the fix with fixed*.hcl, or writes that file if
// VERSUS_UPDATE_LINT is set.
func testFix(t *testing.T, r *lint.Rule, name string, s *dsl.Scenario, reload lint.Loader) {
	fixed, diags := lint.Fix(s.Sources, reload, registry, lint.Rules())
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	got := string(fixed.Sources[s.Main])
	if rest := reports(fixed.Findings); len(rest) > 0 {
		t.Errorf("after the fix there is still:\n%s\n%s", strings.Join(rest, "\n"), got)
	}
	for _, c := range commentsOf(s.Sources[s.Main]) {
		if !slices.Contains(commentsOf([]byte(got)), c) {
			t.Errorf("the fix lost the comment %q", c)
		}
	}
	wanted := strings.Replace(name, "bad", "fixed", 1)
	if os.Getenv("VERSUS_UPDATE_LINT") != "" {
		if err := os.WriteFile(wanted, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(wanted)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s:\n%s", wanted, diff)
	}
}

func commentsOf(src []byte) []string {
	tokens, _ := hclsyntax.LexConfig(src, "", hcl.InitialPos)
	var out []string
	for _, t := range tokens {
		if t.Type == hclsyntax.TokenComment {
			out = append(out, strings.TrimSpace(string(t.Bytes)))
		}
	}
	return out
}

func TestRulesAreComplete(t *testing.T) {
	ids, slugs := map[string]bool{}, map[string]bool{}
	for _, r := range lint.Rules() {
		if ids[r.ID] || slugs[r.Slug] {
			t.Errorf("%s %s is there twice", r.ID, r.Slug)
		}
		ids[r.ID], slugs[r.Slug] = true, true
		if len(r.ID) != 3 || r.Slug == "" || strings.ContainsAny(r.Slug, " _") {
			t.Errorf("rule %q has the name %q", r.ID, r.Slug)
		}
		for what, text := range map[string]string{"What": r.What, "Why": r.Why, "Source": r.Source} {
			if !strings.HasSuffix(text, ".") {
				t.Errorf("%s: %s is missing, or does not end with a full stop", r.ID, what)
			}
		}
		for what, text := range map[string]string{"Example": r.Example, "Cure": r.Cure} {
			if _, diags := hclsyntax.ParseConfig([]byte(text), what, hcl.InitialPos); text == "" || diags.HasErrors() {
				t.Errorf("%s: %s is no HCL: %v", r.ID, what, diags)
			}
		}
		if r.Severity != lint.Error && r.Severity != lint.Warning && r.Severity != lint.Info {
			t.Errorf("%s has the severity %q", r.ID, r.Severity)
		}
	}
	folders, _ := filepath.Glob("testdata/[A-Z]*")
	for _, f := range folders {
		if !ids[filepath.Base(f)] {
			t.Errorf("%s belongs to no rule", f)
		}
	}
}

func TestCleanIsClean(t *testing.T) {
	s, p, _ := load(t, "testdata/clean.hcl")
	for _, f := range lint.Run(s, p, registry, lint.Rules()) {
		t.Errorf("%s %s: %s", f, f.Severity, f.Message)
	}
}

func TestShippedScenariosAreClean(t *testing.T) {
	names, err := filepath.Glob("../../scenarios/*.hcl")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		s, p, _ := load(t, name)
		for _, f := range lint.Run(s, p, registry, lint.Rules()) {
			if f.Reason == "" && !f.NotChecked && (f.Severity == lint.Error || f.Severity == lint.Warning) {
				t.Errorf("%s %s: %s", f, f.Severity, f.Message)
			}
		}
	}
}
