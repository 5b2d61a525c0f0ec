package analyze

import (
	"fmt"

	"versus/dsl"
)

// sides answers a comparison's formula for a pair of cells.
type sides struct {
	baseline, candidate *Cell
	runs                func(c *Cell, name string) (float64, string) // as in View
}

var _ dsl.Results = sides{}

func (s sides) Metric(side, name string) (float64, string) {
	cell := s.candidate
	if side == "baseline" {
		cell = s.baseline
	}
	if s.runs != nil {
		return s.runs(cell, name)
	}
	v := cell.Metric(name)
	return v.Number, v.Missing
}

func (sides) Comparison(name, _ string) (float64, string, string) {
	return 0, "", "comparison." + name + " can't be used inside a comparison"
}

// View answers the expressions of a table or an expectation at one cell. Its
// family is the set of pairs shown together, over which p values are adjusted
// (Holm 1979): the verdict of a pair depends on the company it is shown in.
type View struct {
	Result *Result
	Cell   *Cell
	Family *Family
	// Runs, if set, replaces the metrics of cells, also within the formulas of
	// comparisons: package report asks for medians of all runs this way.
	// Comparisons then have a value and nothing else.
	Runs func(c *Cell, name string) (float64, string)
}

var _ dsl.Results = View{}

// Metric implements dsl.Results.
func (v View) Metric(side, name string) (float64, string) {
	if side != "" {
		return 0, side + ".* has a meaning only in a comparison"
	}
	if v.Runs != nil {
		return v.Runs(v.Cell, name)
	}
	m := v.Cell.Metric(name)
	return m.Number, m.Missing
}

// Comparison implements dsl.Results. The fields are those of the language:
// "p" is adjusted over the family, "verdict" is its text.
func (v View) Comparison(name, field string) (number float64, text string, why string) {
	c := v.Result.Comparison(name)
	if c == nil {
		return 0, "", "there is no comparison " + name
	}
	pair, why := c.At(v.Cell)
	if pair == nil {
		return 0, "", why
	}
	if v.Runs != nil {
		return v.replaced(pair, field)
	}
	switch field {
	case "value":
		return pair.Value.Number, "", pair.missing()
	case "low":
		return pair.Interval.Low, "", pair.NoInterval
	case "high":
		return pair.Interval.High, "", pair.NoInterval
	case "p":
		return v.Family.P(pair), "", pair.NoTest
	case "verdict":
		verdict := v.Family.Verdict(pair)
		if verdict == Undecided {
			return 0, "", pair.NoVerdict()
		}
		return 0, pair.Words(verdict), ""
	}
	return 0, "", fmt.Sprintf("a comparison has no field %q", field)
}

// replaced is the value of a comparison over other numbers than the metrics.
func (v View) replaced(p *Pair, field string) (number float64, text string, why string) {
	if p.Refused != "" {
		return 0, "", p.Refused
	}
	if field != "value" {
		return 0, "", "there is no " + field + " of medians"
	}
	o := v.Result.Scenario.EvalResult(p.Comparison.Comparison.Value, p.Candidate.Plan.Each, sides{p.Baseline, p.Candidate, v.Runs})
	if o.Kind != dsl.IsNumber {
		return 0, "", "the formula of " + p.Comparison.Comparison.Name + " has no value over medians: " + o.Why
	}
	return o.Number, "", ""
}
