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
	ID               string       `json:"id"`
	ShortDescription sarifMessage `json:"shortDescription"`
}

type sarifMessage struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	Level     string          `json:"level"`
	Message   sarifMessage    `json:"message"`
	Locations []sarifLocation `json:"locations,omitempty"`
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

// SARIF writes diagnostics as a SARIF 2.1.0 log (OASIS, 2020), which code hosts
// show beside the source. version is that of versus; it may be empty. The rule
// of a result is its summary. The error is that of w.
func SARIF(w io.Writer, diags hcl.Diagnostics, sources map[string][]byte, version string) error {
	files := newLibrary(sources)
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	driver := &run.Tool.Driver
	driver.Name, driver.Version, driver.Rules = "versus", version, []sarifRule{}
	seen := map[string]bool{}
	for _, d := range ordered(diags) {
		id := slug(d.Summary)
		if !seen[id] {
			seen[id] = true
			driver.Rules = append(driver.Rules, sarifRule{id, sarifMessage{d.Summary}})
		}
		text := d.Detail
		if text == "" {
			text = d.Summary
		}
		result := sarifResult{RuleID: id, Level: severityName(d), Message: sarifMessage{text}}
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
