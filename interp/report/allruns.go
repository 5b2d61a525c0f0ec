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
		cells := make([]Cell, len(g.rows))
		any := false
		for i := range g.rows {
			s, f := values[i][j], g.places[i][j].field
			switch {
			case s.pair != nil:
				cells[i] = ratioCell(s.pair)
				ratios = ratios || cells[i].Kind == KindNumber
			case s.cell != nil && s.outcome.Kind != dsl.IsMissing && showsMean(f):
				cells[i] = b.medianCell(s.cell, f)
				any = any || s.cell.Selected()
				medians = medians || s.cell.Selected()
				continue
			default:
				cells[i] = Cell{Kind: KindEmpty, Parts: []string{""}}
			}
			any = any || cells[i].Kind == KindNumber
		}
		if !any && len(l.columns) == 0 {
			continue
		}
		t.Columns = append(t.Columns, column)
		for i := range t.Rows {
			t.Rows[i] = append(t.Rows[i], cells[i])
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
	c := Cell{Kind: KindNumber, Parts: []string{st.print(p.Ratio)}, Value: &p.Ratio}
	if p.NoRatio == "" {
		c.Detail = &Detail{Low: &p.RatioInterval.Low, High: &p.RatioInterval.High}
		c.Parts = append(c.Parts, bounds(st, p.RatioInterval, p.Ratio))
	}
	return c
}

func (b builder) medianCell(cell *analyze.Cell, f field) Cell {
	m := b.res.MedianOfRuns(cell, f.metrics(), func(v analyze.View) dsl.Outcome { return f.eval(b, v) })
	switch m.Outcome.Kind {
	case dsl.IsNumber:
		v := m.Outcome.Number
		st := style{format: "number", decimals: f.digits}
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
