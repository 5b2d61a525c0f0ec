package diag

import (
	"encoding/json"
	"io"
	"net/url"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
)

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool       sarifTool     `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               string        `json:"id"`
	Name             string        `json:"name,omitempty"`
	ShortDescription sarifMessage  `json:"shortDescription"`
	FullDescription  *sarifMessage `json:"fullDescription,omitempty"`
	Help             *sarifHelp    `json:"help,omitempty"`
	Default          *sarifDefault `json:"defaultConfiguration,omitempty"`
}

type sarifHelp struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown"`
}

type sarifDefault struct {
	Level string `json:"level"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID       string             `json:"ruleId"`
	Kind         string             `json:"kind,omitempty"`
	Level        string             `json:"level"`
	Message      sarifMessage       `json:"message"`
	Locations    []sarifLocation    `json:"locations,omitempty"`
	Suppressions []sarifSuppression `json:"suppressions,omitempty"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Justification string `json:"justification"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   sarifRegion   `json:"region"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

// sarifRegion counts lines and columns from 1, columns in Unicode code points.
type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
	EndLine     int `json:"endLine"`
	EndColumn   int `json:"endColumn"`
}

// Rule is a rule that diagnostics come from.
type Rule struct {
	ID, Name string // "R05", "best-half-odd-n"
	Severity hcl.DiagnosticSeverity
	Summary  string // one sentence
	Help     string // its page, in Markdown
}

// Finding is what is known of the diagnostic of a rule, as its Extra.
type Finding struct {
	Rule Rule
	// Open says that the rule could not decide.
	Open bool
	// Suppressed is the reason why it was silenced; empty if it was not.
	Suppressed string
}

// SARIF writes diagnostics as a SARIF 2.1.0 log (OASIS, 2020), which code hosts
// show beside the source. version is that of versus; it may be empty. The rule
// of a result is that of the Finding in its Extra, else its summary. rules are
// listed whether they found something or not. The error is that of w.
func SARIF(w io.Writer, diags hcl.Diagnostics, sources map[string][]byte, version string, rules ...Rule) error {
	files := newLibrary(sources)
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	driver := &run.Tool.Driver
	driver.Name, driver.Version, driver.Rules = "versus", version, []sarifRule{}
	seen := map[string]bool{}
	for _, r := range rules {
		seen[r.ID] = true
		driver.Rules = append(driver.Rules, describe(r))
	}
	for _, d := range ordered(diags) {
		result := resultOf(d)
		if !seen[result.RuleID] {
			seen[result.RuleID] = true
			driver.Rules = append(driver.Rules, sarifRule{ID: result.RuleID, ShortDescription: sarifMessage{d.Summary}})
		}
		if d.Subject != nil && d.Subject.Filename != "" {
			result.Locations = []sarifLocation{{sarifPhysical{
				Artifact: sarifArtifact{uri(d.Subject.Filename)},
				Region:   region(*d.Subject, files.source(d.Subject.Filename)),
			}}}
		}
		run.Results = append(run.Results, result)
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(sarifLog{
		Schema:  "https://json.schemastore.org/sarif-2.1.0.json",
		Version: "2.1.0",
		Runs:    []sarifRun{run},
	})
}

func describe(r Rule) sarifRule {
	return sarifRule{
		ID: r.ID, Name: r.Name, ShortDescription: sarifMessage{r.Summary}, FullDescription: &sarifMessage{r.Summary},
		Help:    &sarifHelp{Text: r.Help, Markdown: r.Help},
		Default: &sarifDefault{levels[r.Severity]},
	}
}

// levels are SARIF's words for severities.
var levels = map[hcl.DiagnosticSeverity]string{hcl.DiagError: "error", hcl.DiagWarning: "warning", Info: "note"}

// resultOf is a diagnostic without its place.
func resultOf(d *hcl.Diagnostic) sarifResult {
	text := d.Detail
	if text == "" {
		text = d.Summary
	}
	result := sarifResult{RuleID: slug(d.Summary), Level: levels[d.Severity], Message: sarifMessage{text}}
	finding, ok := hcl.DiagnosticExtra[Finding](d)
	if !ok {
		return result
	}
	result.RuleID = finding.Rule.ID
	if finding.Open { // SARIF allows no level beside a kind other than "fail"
		result.Kind, result.Level = "open", "none"
	}
	if finding.Suppressed != "" {
		result.Suppressions = []sarifSuppression{{"inSource", finding.Suppressed}}
	}
	return result
}

func region(r hcl.Range, s *source) sarifRegion {
	if s == nil { // HCL's columns are graphemes, near enough without the text
		return sarifRegion{max(r.Start.Line, 1), max(r.Start.Column, 1), max(r.End.Line, 1), max(r.End.Column, 1)}
	}
	at := func(offset int) (line, column int) {
		i := s.lineOf(offset)
		return i + 1, utf8.RuneCount(s.text[s.lines[i]:offset]) + 1
	}
	from, to := s.clamp(r)
	var out sarifRegion
	out.StartLine, out.StartColumn = at(from)
	out.EndLine, out.EndColumn = at(to)
	return out
}

// uri returns a file name as a relative URI reference, or a file URI.
func uri(name string) string {
	u := url.URL{Path: filepath.ToSlash(name)}
	if filepath.IsAbs(name) {
		u.Scheme = "file"
	}
	return u.String()
}

// slug turns a summary into an identifier: "unknown-name".
func slug(summary string) string {
	words := strings.FieldsFunc(strings.ToLower(summary), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	return strings.Join(words, "-")
}
