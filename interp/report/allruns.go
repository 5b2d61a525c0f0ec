package report

import (
	"fmt"
	"slices"

	"versus/dsl"
	"versus/interp/analyze"
)

// allRuns is the companion of a table: for means over kept runs, the medians
// of all runs; for comparisons, the Hodges-Lehmann ratio of all runs. Nil if
// the table shows neither.
func (b builder) allRuns(l layout, g grid, values [][]shown) *Table {
	t := &Table{Name: l.name, Title: l.title + ", all runs", Columns: labelColumns(l), Rows: labelRows(g)}
	skip := len(l.rows)
	for i := range t.Rows {
		t.Rows[i] = t.Rows[i][:skip]
	}
	medians, ratios := false, false
	for j, column := range g.columns {
		c := b.companion(g, values, j)
		if !c.medians && !c.ratios && len(l.columns) == 0 {
			continue
		}
		medians, ratios = medians || c.medians, ratios || c.ratios
		t.Columns = append(t.Columns, column)
		for i := range t.Rows {
			t.Rows[i] = append(t.Rows[i], c.cells[i])
		}
	}
	if !medians && !ratios {
		return nil
	}
	if medians {
		t.Footnotes = append(t.Footnotes, Footnote{"", fmt.Sprintf("Medians of all runs, with exact intervals of at least %.0f%%.", analyze.MedianConfidence*100)})
	}
	if ratios {
		t.Footnotes = append(t.Footnotes, Footnote{"", "Ratios by Hodges-Lehmann over all runs, with exact intervals; above 1x is in favour of the candidate."})
	}
	t.Rows = slices.DeleteFunc(t.Rows, func(row []Cell) bool {
		return !slices.ContainsFunc(row[skip:], func(c Cell) bool { return c.Kind == KindNumber || c.Kind == KindText })
	})
	return t
}

// companion is one column of the companion: medians where the table has means
// over kept runs, ratios where it has comparisons.
type companion struct {
	cells           []Cell
	medians, ratios bool // worth showing
}

func (b builder) companion(g grid, values [][]shown, j int) companion {
	c := companion{cells: make([]Cell, len(g.rows))}
	medians := map[int]analyze.Median{}
	var numbers []float64
	digits := -1
	for i := range g.rows {
		s, f := values[i][j], g.places[i][j].field
		digits = f.digits
		c.cells[i] = Cell{Kind: KindEmpty, Parts: []string{""}}
		switch {
		case s.pair != nil:
			c.cells[i] = ratioCell(s.pair)
			c.ratios = c.ratios || c.cells[i].Kind == KindNumber
		case s.cell != nil && s.outcome.Kind != dsl.IsMissing && showsMean(f):
			m := b.res.MedianOfRuns(s.cell, f.metrics(), func(v analyze.View) dsl.Outcome { return f.eval(b, v) })
			medians[i] = m
			if m.Outcome.Kind == dsl.IsNumber {
				numbers = append(numbers, m.Outcome.Number)
			}
			c.medians = c.medians || s.cell.Selected()
		}
	}
	st := styleOf("number", numbers)
	if digits >= 0 {
		st.decimals = digits
	}
	for i, m := range medians {
		c.cells[i] = medianCell(m, st)
	}
	return c
}

// showsMean says whether a value is computed from a mean over kept runs.
func showsMean(f field) bool {
	return len(f.comparisons()) == 0 && slices.ContainsFunc(f.metrics(), analyze.IsMean)
}

// ratioCell is the default comparison of a pair.
func ratioCell(p *analyze.Pair) Cell {
	if p.Refused != "" || p.NoTest != "" || p.Single() {
		return Cell{Kind: KindEmpty, Parts: []string{""}}
	}
	st := style{"ratio", -1}
	r := &p.Ratio
	c := Cell{Kind: KindNumber, Parts: []string{st.print(r.Estimate)}, Value: &r.Estimate}
	if r.Level > 0 {
		c.Detail = &Detail{Low: &r.Low, High: &r.High}
		c.Parts = append(c.Parts, bounds(st, analyze.Interval{Low: r.Low, High: r.High}, r.Estimate))
	}
	return c
}

func medianCell(m analyze.Median, st style) Cell {
	switch m.Outcome.Kind {
	case dsl.IsNumber:
		v := m.Outcome.Number
		c := Cell{Kind: KindNumber, Parts: []string{st.print(v)}, Value: &v}
		if m.NoInterval == "" {
			c.Detail = &Detail{Low: &m.Interval.Low, High: &m.Interval.High}
			c.Parts = append(c.Parts, bounds(st, m.Interval, v))
		}
		return c
	case dsl.IsText:
		return Cell{Kind: KindText, Parts: []string{m.Outcome.Text}}
	}
	return Cell{Kind: KindEmpty, Parts: []string{""}}
}
