package report

import (
	"strings"

	"versus/dsl"
	"versus/interp/analyze"
)

// source is where the value of a place comes from.
type source interface {
	eval(b builder, v analyze.View) dsl.Outcome
	// metrics are the metrics of the cell, and comparisons the comparisons,
	// that the value is computed from.
	metrics() []string
	comparisons() []string
	// over says that the value is taken over all cells of a place, and combine
	// how.
	over() bool
	combine(each []dsl.Outcome) dsl.Outcome
	// bare is the comparison that the value is, if it is nothing else, and
	// printedAs the comparison as which it is printed, if any.
	bare() (name string, ok bool)
	printedAs() (name string, ok bool)
}

// expression is a source that the scenario writes.
type expression struct{ *dsl.Expr }

func (e expression) eval(b builder, v analyze.View) dsl.Outcome {
	return b.res.Scenario.EvalResult(e.Expr, v.Cell.Plan.Each, v)
}

func (e expression) metrics() []string {
	var names []string
	for _, m := range e.Metrics {
		names = append(names, m.Metric)
	}
	return names
}

func (e expression) comparisons() []string { return e.Comparisons }

func (e expression) over() bool { return e.Over != nil }

func (e expression) combine(each []dsl.Outcome) dsl.Outcome { return e.Combine(each) }

func (e expression) bare() (string, bool) { return e.IsComparison() }

func (e expression) printedAs() (string, bool) {
	if e.Over != nil {
		return e.Over.IsComparison()
	}
	return e.IsComparison()
}

// shown is a place after evaluation.
type shown struct {
	cell    *analyze.Cell   // the one cell that counts, nil if there is none
	over    []*analyze.Cell // the cells that a value is taken over
	pair    *analyze.Pair   // of a bare comparison
	outcome dsl.Outcome
	kind    Kind   // set where there is no outcome: Baseline, Ambiguous, Missing
	why     string // for a footnote
}

// show evaluates a place. Of a comparison only the candidate counts: the
// baseline may stand in the same place.
func (b builder) show(p place, family *analyze.Family) shown {
	cells := p.cells
	names := p.field.comparisons()
	if len(names) > 0 {
		cells = b.candidates(names[0], p.cells)
	}
	switch {
	case len(p.cells) == 0:
		return shown{kind: KindMissing, why: "the plan has no such cell"}
	case len(cells) == 0:
		return b.notCandidate(names[0], p.cells)
	case p.field.over():
		var each []dsl.Outcome
		for _, c := range cells {
			each = append(each, p.field.eval(b, analyze.View{Result: b.res, Cell: c, Family: family}))
		}
		return shown{over: cells, outcome: p.field.combine(each)}
	case len(cells) > 1:
		return shown{kind: KindAmbiguous, why: "several cells fall in one place: they differ in " +
			strings.Join(analyze.Differs(cells), ", ") + ", which is neither in the rows nor in the columns of the table"}
	}
	s := shown{cell: cells[0]}
	if name, ok := p.field.bare(); ok {
		if c := b.res.Comparison(name); c != nil {
			s.pair, _ = c.At(s.cell)
		}
		if s.pair != nil {
			s.outcome = s.pair.Outcome()
			return s
		}
	}
	s.outcome = p.field.eval(b, analyze.View{Result: b.res, Cell: s.cell, Family: family})
	return s
}

func (b builder) candidates(comparison string, cells []*analyze.Cell) []*analyze.Cell {
	c := b.res.Comparison(comparison)
	var out []*analyze.Cell
	for _, cell := range cells {
		if c != nil && c.Side(cell) == analyze.IsCandidate {
			out = append(out, cell)
		}
	}
	return out
}

// notCandidate is what a place of a comparison shows without a candidate.
func (b builder) notCandidate(comparison string, cells []*analyze.Cell) shown {
	c := b.res.Comparison(comparison)
	why := ""
	for _, cell := range cells {
		if c == nil {
			break
		}
		if c.Side(cell) == analyze.IsBaseline && c.Candidates(cell) > 0 {
			return shown{kind: KindBaseline}
		}
		_, why = c.At(cell)
	}
	return shown{kind: KindMissing, why: why}
}

// family is the set of pairs whose verdicts a table or an expectation shows.
func (b builder) family(comparisons []string, cells []*analyze.Cell) *analyze.Family {
	var pairs []*analyze.Pair
	for _, name := range comparisons {
		c := b.res.Comparison(name)
		if c == nil {
			continue
		}
		for _, cell := range cells {
			if p, _ := c.At(cell); p != nil {
				pairs = append(pairs, p)
			}
		}
	}
	return analyze.NewFamily(pairs)
}

// label is the text that an expression gives a row or a column.
func (b builder) label(e *dsl.Expr, c *analyze.Cell) string {
	if len(e.Metrics) == 0 && len(e.Comparisons) == 0 { // a value of an axis, printed as a name
		v, diags := b.res.Scenario.EvalCell(e, c.Plan.Each)
		if diags.HasErrors() {
			return "?"
		}
		return dsl.Label(v)
	}
	o := b.res.Scenario.EvalResult(e, c.Plan.Each, analyze.View{Result: b.res, Cell: c})
	switch o.Kind {
	case dsl.IsMissing:
		return "N/A"
	case dsl.IsUndefined:
		return "?"
	}
	return o.Text
}

// warnings are what to know of the numbers that a place shows.
func (s shown) warnings(f field) []string {
	if s.cell == nil || s.outcome.Kind != dsl.IsNumber && s.outcome.Kind != dsl.IsText {
		return nil
	}
	var out []string
	for _, name := range f.metrics() {
		if w := s.cell.Metric(name).Warning; w != "" {
			out = append(out, w)
		}
	}
	if s.pair != nil {
		out = append(out, s.pair.Warnings()...)
	}
	return out
}
