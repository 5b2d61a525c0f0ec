package audit

import (
	"fmt"
	"slices"

	"versus/dsl"
	"versus/interp/analyze"
)

// Expectation is what became of one `expect` with a finding.
type Expectation struct {
	*dsl.ExpectedFinding
	Checked  int // cells that it looked at
	Failures []string
}

// Expectations holds the findings of an audit against those that the scenario
// expects, in the order of the scenario.
func Expectations(res *analyze.Result, findings []*Finding) []Expectation {
	var out []Expectation
	for _, e := range res.Scenario.Findings {
		x := Expectation{ExpectedFinding: e}
		if e.Check == "none" {
			x.Checked = len(res.Cells)
			for _, f := range findings {
				if f.Severity == Error && f.Expected == "" && !f.NotChecked {
					x.Failures = append(x.Failures, f.String())
				}
			}
		} else {
			x.look(res, findings)
		}
		out = append(out, x)
	}
	return out
}

// look holds one check against the cells that are selected.
func (x *Expectation) look(res *analyze.Result, findings []*Finding) {
	found := cellsOf(findings, x.Check)
	for _, c := range res.Cells {
		if !selects(res, x.Tests, x.Where, c) {
			continue
		}
		x.Checked++
		if !found[c] {
			x.Failures = append(x.Failures, c.Name()+": the audit does not find "+x.Check)
		}
	}
	if x.Checked == 0 {
		x.Failures = []string{"it could not be checked: no cell is looked at"}
	}
}

func cellsOf(findings []*Finding, id string) map[*analyze.Cell]bool {
	found := map[*analyze.Cell]bool{}
	for _, f := range findings {
		if f.Check.ID == id && !f.NotChecked {
			for _, c := range f.Cells {
				found[c] = true
			}
		}
	}
	return found
}

// mark notes which findings the scenario expects: those all of whose cells are
// selected by expectations of their check.
func mark(res *analyze.Result, findings []*Finding) {
	known := map[string]map[*analyze.Cell]string{}
	for _, e := range res.Scenario.Findings {
		if known[e.Check] == nil {
			known[e.Check] = map[*analyze.Cell]string{}
		}
		for _, c := range res.Cells {
			if selects(res, e.Tests, e.Where, c) {
				known[e.Check][c] = e.Text
			}
		}
	}
	for _, f := range findings {
		for i, c := range f.Cells {
			text, ok := known[f.Check.ID][c]
			if !ok {
				f.Expected = ""
				break
			}
			if i == 0 {
				f.Expected = text
			}
		}
	}
}

// selects says whether an expectation looks at a cell.
func selects(res *analyze.Result, tests []string, where *dsl.Expr, c *analyze.Cell) bool {
	if len(tests) > 0 && !slices.Contains(tests, c.Plan.Test.Name) {
		return false
	}
	if where == nil {
		return true
	}
	o := res.Scenario.EvalResult(where, c.Plan.Each, analyze.View{Result: res, Cell: c})
	return o.Kind == dsl.IsBool && o.Bool
}

// String is the finding in one line.
func (f *Finding) String() string {
	text := f.Check.ID + " " + f.Message
	if where := f.Where(); where != "" {
		return fmt.Sprintf("%s: %s", where, text)
	}
	return text
}

// Unexpected are the errors that the scenario does not expect.
func Unexpected(findings []*Finding) []*Finding {
	var out []*Finding
	for _, f := range findings {
		if f.Severity == Error && !f.NotChecked && f.Expected == "" {
			out = append(out, f)
		}
	}
	return out
}
