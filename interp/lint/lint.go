// Package lint is the methodology linter: it reads a scenario and its plan and
// reports what would make the results wrong or doubtful. It runs nothing, and
// it never fires on what it can't know: then it says "not checked".
//
// A rule is one file with everything about it: what it finds, why that
// matters, its source, an example and its cure. The pages in docs/rules and
// `versus lint --explain` come from there. Run applies the rules, then the
// severities and suppressions of the scenario (suppress.go); Fix applies the
// edits of findings (fix.go).
package lint

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"versus/drivers"
	"versus/dsl"
	"versus/interp/plan"
)

// Severity says how bad a finding is.
type Severity string

// The severities. Only errors make `versus lint` exit with status 1.
const (
	Error   Severity = "error"   // the result would be wrong or meaningless
	Warning Severity = "warning" // the result would be doubtful
	Info    Severity = "info"
	Off     Severity = "off"
)

// Rule finds one kind of mistake.
type Rule struct {
	ID       string // "R05"
	Slug     string // "best-half-odd-n"
	Severity Severity
	// What, Why and Source explain the rule: what it detects, why that is a
	// mistake, and who showed it (author, year, or the published table).
	What, Why, Source string
	// Example is HCL that it reports, Cure the same HCL made right.
	Example, Cure string
	// Auto says that its findings carry edits that are safe to apply.
	Auto  bool
	Check func(*Pass)
}

// Pass is what a rule looks at, and where it reports.
type Pass struct {
	Scenario *dsl.Scenario
	Plan     *plan.Plan
	Drivers  drivers.Registry

	rule     *Rule
	findings []*Finding

	// What rules have asked for and others will ask for again.
	known     known
	blocks    map[string]*dsl.Block       // see topLevel
	summaries map[string]plan.TestSummary // see planned
	usesOf    map[string][]Use            // by test
}

// Finding is one report of a rule.
type Finding struct {
	Rule     *Rule
	Severity Severity
	Message  string
	Range    hcl.Range
	// NotChecked says that the rule could not decide, and Message why.
	NotChecked bool
	// Edits cure it, if the rule is one that can be applied safely.
	Edits []Edit
	// Reason is why it was suppressed; empty if it was not.
	Reason string
}

// Edit replaces the bytes of a range; an empty range inserts.
type Edit struct {
	Range hcl.Range
	Text  string
}

// Report adds a finding with the rule's own severity. The message says what is
// wrong here and what to do, with the numbers at hand.
func (p *Pass) Report(at hcl.Range, format string, args ...any) *Finding {
	f := &Finding{Rule: p.rule, Severity: p.rule.Severity, Message: fmt.Sprintf(format, args...), Range: at}
	p.findings = append(p.findings, f)
	return f
}

// As changes the severity of a finding, where the rule says that it depends.
func (f *Finding) As(s Severity) *Finding {
	f.Severity = s
	return f
}

// Edit adds an edit that cures the finding.
func (f *Finding) Edit(at hcl.Range, text string) *Finding {
	f.Edits = append(f.Edits, Edit{at, text})
	return f
}

// NotChecked says that the rule can't decide, so that silence is not read as
// "passed".
func (p *Pass) NotChecked(at hcl.Range, format string, args ...any) {
	p.Report(at, format, args...).NotChecked = true
}

// Rules are all rules, in the order of their families. Each family has a file
// that lists its own: rules_r.go and so on.
func Rules() []*Rule {
	return slices.Concat(repetition, load, clocks, fairness, environment, matrix, comparisons, tables, suppressions)
}

// Run applies rules to a scenario and its plan. Findings are in the order of
// their places; the same place, in the order of the rules.
func Run(s *dsl.Scenario, p *plan.Plan, reg drivers.Registry, rules []*Rule) []*Finding {
	pass := &Pass{Scenario: s, Plan: p, Drivers: reg}
	for _, r := range rules {
		if r.Check != nil { // those about suppressions come last
			pass.rule = r
			r.Check(pass)
		}
	}
	findings := configure(s, rules, once(pass.findings))
	slices.SortStableFunc(findings, func(a, b *Finding) int {
		if a.Range.Filename != b.Range.Filename {
			if a.Range.Filename < b.Range.Filename {
				return -1
			}
			return 1
		}
		return a.Range.Start.Byte - b.Range.Start.Byte
	})
	return findings
}

// once drops findings that say the same of the same place: what two tests
// share is looked at twice.
func once(findings []*Finding) []*Finding {
	type key struct {
		rule    *Rule
		at      hcl.Range
		message string
	}
	seen := map[key]bool{}
	var kept []*Finding
	for _, f := range findings {
		k := key{f.Rule, f.Range, f.Message}
		if !seen[k] {
			seen[k] = true
			kept = append(kept, f)
		}
	}
	return kept
}
