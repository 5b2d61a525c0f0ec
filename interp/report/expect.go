package report

import (
	"fmt"
	"slices"

	"versus/dsl"
	"versus/interp/analyze"
)

// expect evaluates an expectation: its condition must hold at every cell where
// all of it has a value, and at one cell at least.
func (b builder) expect(e *dsl.Expectation) Expectation {
	var cells []*analyze.Cell
	for _, c := range b.res.Cells {
		if len(e.Tests) > 0 && !slices.Contains(e.Tests, c.Plan.Test.Name) || !b.holds(e.Where, c) {
			continue
		}
		if names := e.Condition.Comparisons; len(names) > 0 && len(b.candidates(names[0], []*analyze.Cell{c})) == 0 {
			continue
		}
		cells = append(cells, c)
	}
	names := e.Condition.Comparisons
	if e.ErrorMessage != nil {
		names = slices.Concat(names, e.ErrorMessage.Comparisons)
	}
	x := Expectation{Text: e.Text}
	family := b.family(names, cells)
	why := "no cell is looked at"
	for _, c := range cells {
		view := analyze.View{Result: b.res, Cell: c, Family: family}
		o := b.res.Scenario.EvalResult(e.Condition, c.Plan.Each, view)
		if o.Kind != dsl.IsBool {
			why = o.Why
			continue
		}
		x.Checked++
		if !o.Bool {
			x.Failures = append(x.Failures, c.Name()+": "+b.message(e, c, view))
		}
	}
	if x.Checked == 0 {
		x.Failures = []string{"it could not be checked: " + why}
	}
	switch {
	case len(x.Failures) == 0:
		x.Status = Pass
	case e.Severity == "info":
		x.Status = Info
	default:
		x.Status = Fail
	}
	return x
}

func (b builder) message(e *dsl.Expectation, c *analyze.Cell, view analyze.View) string {
	if e.ErrorMessage != nil {
		if o := b.res.Scenario.EvalResult(e.ErrorMessage, c.Plan.Each, view); o.Kind == dsl.IsText {
			return o.Text
		}
	}
	return fmt.Sprintf("not true: %s", e.Condition.Source)
}
