package lint

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/hashicorp/hcl/v2"

	"versus/dsl/diag"
)

// severities of findings as diagnostics have them.
var severities = map[Severity]hcl.DiagnosticSeverity{Error: hcl.DiagError, Warning: hcl.DiagWarning, Info: diag.Info, Off: diag.Info}

// Described is a rule as package diag shows it.
func (r *Rule) Described() diag.Rule {
	return diag.Rule{ID: r.ID, Name: r.Slug, Severity: severities[r.Severity], Summary: r.Summary(), Help: "# " + r.Title() + "\n\n" + r.Page()}
}

// Diagnostic is a finding as package diag shows it.
func (f *Finding) Diagnostic() *hcl.Diagnostic {
	at := f.Range
	return &hcl.Diagnostic{
		Severity: severities[f.Severity], Summary: f.Rule.Title(), Detail: f.Message, Subject: &at,
		Extra: diag.Finding{Rule: f.Rule.Described(), Open: f.NotChecked, Suppressed: f.Reason},
	}
}

// Shown reports whether a finding is one to act on: neither suppressed nor
// "not checked".
func (f *Finding) Shown() bool { return f.Reason == "" && !f.NotChecked && f.Severity != Off }

// Report is what lint found in one scenario.
type Report struct {
	Scenario string // as the user named it
	Findings []*Finding
	Fixed    []*Finding // what was mended
}

type jsonFinding struct {
	Scenario   string    `json:"scenario"`
	Rule       string    `json:"rule"`
	Name       string    `json:"name"`
	Severity   Severity  `json:"severity"`
	Message    string    `json:"message"`
	Range      jsonRange `json:"range"`
	NotChecked bool      `json:"not_checked,omitempty"`
	Suppressed string    `json:"suppressed,omitempty"` // the reason
	Fixable    bool      `json:"fixable,omitempty"`
	Fixed      bool      `json:"fixed,omitempty"`
}

type jsonRange struct {
	Filename string  `json:"filename"`
	Start    jsonPos `json:"start"`
	End      jsonPos `json:"end"`
}

type jsonPos struct {
	Line   int `json:"line"`
	Column int `json:"column"`
	Byte   int `json:"byte"`
}

// WriteJSON writes reports as one JSON object: format_version, the numbers of
// errors, warnings and infos that are left, and all findings, with those fixed,
// suppressed and not checked marked as such. The error is that of w.
func WriteJSON(w io.Writer, reports []Report) error {
	out := struct {
		Version  string        `json:"format_version"`
		Errors   int           `json:"error_count"`
		Warnings int           `json:"warning_count"`
		Infos    int           `json:"info_count"`
		Findings []jsonFinding `json:"findings"`
	}{Version: "1.0", Findings: []jsonFinding{}}
	add := func(r Report, f *Finding, fixed bool) {
		out.Findings = append(out.Findings, jsonFinding{
			Scenario: r.Scenario, Rule: f.Rule.ID, Name: f.Rule.Slug, Severity: f.Severity, Message: f.Message,
			Range:      jsonRange{f.Range.Filename, jsonPos(f.Range.Start), jsonPos(f.Range.End)},
			NotChecked: f.NotChecked, Suppressed: f.Reason, Fixable: len(f.Edits) > 0, Fixed: fixed,
		})
	}
	for _, r := range reports {
		for _, f := range r.Fixed {
			add(r, f, true)
		}
		for _, f := range r.Findings {
			add(r, f, false)
			if !f.Shown() {
				continue
			}
			switch f.Severity {
			case Error:
				out.Errors++
			case Warning:
				out.Warnings++
			case Info:
				out.Infos++
			}
		}
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

// WriteJUnit writes reports in the XML of JUnit, as build servers read it: a
// suite for each scenario, and in it a case for each rule. Findings that are
// errors fail it; warnings and infos are its output; a rule that was suppressed
// or could not check, and says nothing else, is skipped. The error is that of w.
func WriteJUnit(w io.Writer, reports []Report, rules []*Rule) error {
	var suites []diag.Suite
	for _, r := range reports {
		suite := diag.Suite{Name: r.Scenario}
		for _, rule := range rules {
			suite.Cases = append(suite.Cases, junitOf(r, rule))
		}
		suites = append(suites, suite)
	}
	return diag.JUnit(w, "versus lint", suites)
}

func junitOf(r Report, rule *Rule) diag.Case {
	c := diag.Case{Name: rule.Title(), Class: r.Scenario}
	skipped := ""
	for _, f := range r.Findings {
		if f.Rule != rule {
			continue
		}
		place := fmt.Sprintf("%s:%d:%d", f.Range.Filename, f.Range.Start.Line, f.Range.Start.Column)
		switch {
		case f.Reason != "":
			skipped = "suppressed: " + f.Reason
		case f.NotChecked:
			skipped = "not checked: " + f.Message
		case f.Severity == Error:
			c.Failures = append(c.Failures, diag.Message{Message: f.Message, Text: place})
		default:
			c.Out += fmt.Sprintf("%s: %s: %s\n", place, f.Severity, f.Message)
		}
	}
	if skipped != "" && len(c.Failures) == 0 && c.Out == "" {
		c.Skipped = &diag.Message{Message: skipped}
	}
	return c
}
