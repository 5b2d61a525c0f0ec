package report

import (
	"fmt"

	"versus/interp/audit"
)

// expected is what became of an expectation about the audit.
func expected(e audit.Expectation) Expectation {
	x := Expectation{Text: e.Text, Status: Pass, Checked: e.Checked, Failures: e.Failures}
	switch {
	case len(e.Failures) == 0:
	case e.Severity == "info":
		x.Status = Info
	default:
		x.Status = Fail
	}
	return x
}

// auditNotes say which errors of the audit the scenario does not know of, one
// note a check. The whole is printed by `versus audit`.
func auditNotes(findings []*audit.Finding) []Note {
	var out []Note
	counts := map[string]int{}
	for _, f := range audit.Unexpected(findings) {
		counts[f.Check.ID]++
	}
	for _, f := range audit.Unexpected(findings) {
		n := counts[f.Check.ID]
		if n == 0 {
			continue // said already
		}
		counts[f.Check.ID] = 0
		text := fmt.Sprintf("Audit %s, %s: %s: %s", f.Check.ID, f.Check.Title, f.Where(), f.Message)
		if n > 1 {
			text += fmt.Sprintf(" There are %d more; `versus audit` lists them.", n-1)
		}
		out = append(out, Note{Warning: true, Text: text})
	}
	return out
}
