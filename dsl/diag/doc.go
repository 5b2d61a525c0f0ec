// Package diag shows diagnostics: to people as text, with the source underlined
// at the exact place, and to programs as JSON (with the field names of
// Terraform's `validate -json`) or SARIF 2.1.0 (as code hosts read it).
//
// It finds no mistakes and changes no meaning. Whatever it prints of a scenario
// is made harmless for a terminal first.
package diag

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// Info is the severity of what is good to know; HCL itself has none below warnings.
const Info hcl.DiagnosticSeverity = hcl.DiagWarning + 1

// ordered returns diags without duplicates and sorted: those without a place
// first, then by file and position. Details are without Go's stack traces.
func ordered(diags hcl.Diagnostics) hcl.Diagnostics {
	type key struct {
		severity        hcl.DiagnosticSeverity
		summary, detail string
		at              hcl.Range
	}
	seen := map[key]bool{}
	var out hcl.Diagnostics
	for _, d := range diags {
		if d == nil {
			continue
		}
		shown := *d
		shown.Detail = withoutTrace(d.Detail)
		k := key{d.Severity, d.Summary, shown.Detail, place(d)}
		if !seen[k] {
			seen[k] = true
			out = append(out, &shown)
		}
	}
	slices.SortStableFunc(out, func(a, b *hcl.Diagnostic) int {
		x, y := place(a), place(b)
		if c := strings.Compare(x.Filename, y.Filename); c != 0 {
			return c
		}
		return x.Start.Byte - y.Start.Byte
	})
	return out
}

// place returns where d is, or the zero range if it says no place.
func place(d *hcl.Diagnostic) hcl.Range {
	if d.Subject == nil {
		return hcl.Range{}
	}
	return *d.Subject
}

// withoutTrace replaces what cty writes about a function that panicked, a
// whole Go stack trace.
func withoutTrace(detail string) string {
	const mark = "panic in function implementation: "
	head, tail, found := strings.Cut(detail, mark)
	if !found {
		return detail
	}
	why, _, _ := strings.Cut(tail, "\n")
	return fmt.Sprintf("%sthe function has no result for these arguments (%s).", head, strings.TrimSpace(why))
}

func count(diags hcl.Diagnostics) (errors, warnings int) {
	for _, d := range diags {
		switch d.Severity {
		case hcl.DiagError:
			errors++
		case hcl.DiagWarning:
			warnings++
		}
	}
	return errors, warnings
}

func severityName(d *hcl.Diagnostic) string {
	switch d.Severity {
	case hcl.DiagError:
		return "error"
	case Info:
		return "info"
	}
	return "warning"
}
