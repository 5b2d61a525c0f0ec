package diag

import (
	"encoding/json"
	"io"

	"github.com/hashicorp/hcl/v2"
)

type jsonReport struct {
	FormatVersion string           `json:"format_version"`
	Valid         bool             `json:"valid"`
	ErrorCount    int              `json:"error_count"`
	WarningCount  int              `json:"warning_count"`
	Diagnostics   []jsonDiagnostic `json:"diagnostics"`
}

type jsonDiagnostic struct {
	Severity string       `json:"severity"`
	Summary  string       `json:"summary"`
	Detail   string       `json:"detail"`
	Range    *jsonRange   `json:"range,omitempty"`
	Snippet  *jsonSnippet `json:"snippet,omitempty"`
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

// jsonSnippet holds whole source lines; the offsets are bytes into Code.
type jsonSnippet struct {
	Context              *string `json:"context"`
	Code                 string  `json:"code"`
	StartLine            int     `json:"start_line"`
	HighlightStartOffset int     `json:"highlight_start_offset"`
	HighlightEndOffset   int     `json:"highlight_end_offset"`
	Values               []value `json:"values"`
}

// JSON writes diagnostics as one JSON object with the fields of Terraform's
// `validate -json`: format_version, valid, error_count, warning_count and
// diagnostics, which is never null. The error is that of w.
func JSON(w io.Writer, diags hcl.Diagnostics, sources map[string][]byte) error {
	files := newLibrary(sources)
	diags = ordered(diags)
	report := jsonReport{FormatVersion: "1.0", Diagnostics: []jsonDiagnostic{}}
	report.ErrorCount, report.WarningCount = count(diags)
	report.Valid = report.ErrorCount == 0
	for _, d := range diags {
		out := jsonDiagnostic{Severity: severityName(d), Summary: d.Summary, Detail: d.Detail}
		if d.Subject != nil && d.Subject.Filename != "" {
			out.Range = &jsonRange{d.Subject.Filename, jsonPos(d.Subject.Start), jsonPos(d.Subject.End)}
			out.Snippet = snippet(d, files.source(d.Subject.Filename))
		}
		report.Diagnostics = append(report.Diagnostics, out)
	}
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(report)
}

func snippet(d *hcl.Diagnostic, s *source) *jsonSnippet {
	if s == nil {
		return nil
	}
	from, to := s.clamp(*d.Subject)
	first := s.lineOf(from)
	last := max(first, s.lineOf(max(to-1, from)))
	start, end := s.lines[first], 0
	text, lastStart := s.line(last)
	end = lastStart + len(text)
	out := &jsonSnippet{
		Code:                 string(s.text[start:end]),
		StartLine:            first + 1,
		HighlightStartOffset: min(from, end) - start,
		HighlightEndOffset:   min(to, end) - start,
		Values:               values(d),
	}
	if out.Values == nil {
		out.Values = []value{}
	}
	if context := s.enclosing(from); context != "" {
		out.Context = &context
	}
	return out
}
