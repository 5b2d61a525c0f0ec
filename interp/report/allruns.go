package report

import (
	"fmt"
	"math"
	"slices"

	"versus/dsl"
	"versus/interp/analyze"
)

// allRuns is the companion of a table: for means over kept runs, for what is
// computed from them, and for percentiles, the medians of all runs; for
// comparisons, the Hodges-Lehmann ratio of all runs. Nil if the table shows
// none of them.
func (b builder) allRuns(l layout, g grid, values [][]shown) *Table {
	t := &Table{Name: l.name, Title: l.title + ", all runs", Columns: labelColumns(l), Rows: labelRows(g)}
	skip := len(l.rows)
	for i := range t.Rows {
		t.Rows[i] = t.Rows[i][:skip]
	}
	var all companion
	for j, column := range g.columns {
		c := b.companion(g, values, j)
		if !c.shows() && len(l.columns) == 0 {
			continue
		}
		all.join(c)
		if c.other && len(l.columns) == 0 { // else headings are values of axes
			column.Title += ": times as good"
		}
		t.Columns = append(t.Columns, column)
		for i := range t.Rows {
			t.Rows[i] = append(t.Rows[i], c.cells[i])
		}
	}
	if !all.shows() {
		return nil
	}
	if all.medians || all.percentiles {
		t.Footnotes = append(t.Footnotes, Footnote{"", fmt.Sprintf("Medians of all runs, with exact intervals of at least %.0f%%.", analyze.MedianConfidence*100)})
	}
	if all.over {
		t.Footnotes = append(t.Footnotes, Footnote{"", fmt.Sprintf("Values over several cells, or computed from comparisons, are of medians of all runs, with bootstrap intervals of %.0f%%, which are approximate.", analyze.MedianConfidence*100)})
	}
	if all.percentiles {
		t.Footnotes = append(t.Footnotes, Footnote{"", "A percentile here is the median over the runs; in the table above it is of all messages together."})
	}
	if all.ratios {
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
	cells                              []Cell
	medians, percentiles, over, ratios bool // worth showing
	// other says that the ratios are something else than what the heading says of
	// the table's values: of a percentage, or of how many times as long it takes.
	other bool
}

func (c *companion) shows() bool { return c.medians || c.percentiles || c.over || c.ratios }

func (c *companion) join(o companion) {
	c.medians, c.percentiles = c.medians || o.medians, c.percentiles || o.percentiles
	c.over, c.ratios = c.over || o.over, c.ratios || o.ratios
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
			c.other = c.other || c.cells[i].Kind == KindNumber && !saysRatio(s.pair)
		case s.cell != nil && s.outcome.Kind != dsl.IsMissing && (showsMean(f) || showsPercentile(f)):
			m := b.res.MedianOfRuns(s.cell, f.metrics(), func(v analyze.View) dsl.Outcome { return f.eval(b, v) })
			medians[i] = m
			if m.Outcome.Kind == dsl.IsNumber {
				numbers = append(numbers, m.Outcome.Number)
			}
			c.medians = c.medians || s.cell.Selected() && showsMean(f)
			c.percentiles = c.percentiles || m.NoInterval == "" && m.Outcome.Kind == dsl.IsNumber && showsPercentile(f)
		case s.outcome.Kind == dsl.IsNumber && (s.over != nil || s.cell != nil && len(f.comparisons()) > 0):
			eval := b.overMedians(s, f)
			if !analyze.OverKept(eval) {
				continue
			}
			m := b.res.MedianOver(eval)
			medians[i] = m
			if m.Outcome.Kind == dsl.IsNumber {
				numbers = append(numbers, m.Outcome.Number)
				c.over = true
			}
		}
	}
	st := styleOf("number", numbers)
	if digits >= 0 {
		st.decimals, st.given = digits, true
	}
	for i, m := range medians {
		c.cells[i] = medianCell(m, st)
		if f := g.places[i][j].field; showsPercentile(f) && values[i][j].cell != nil {
			b.within(&c.cells[i], values[i][j], f)
		}
	}
	return c
}

// saysRatio reports whether the value of a pair reads as its Hodges-Lehmann ratio
// does: as a ratio, and not clearly on the other side of 1.
func saysRatio(p *analyze.Pair) bool {
	const clearly = 0.05
	value, ratio := math.Log(p.Value.Number), math.Log(p.Ratio.Estimate)
	opposite := value > clearly && ratio < -clearly || value < -clearly && ratio > clearly
	return p.Comparison.Comparison.Format == "ratio" && !opposite
}

// overMedians evaluates a value that is over several cells, or computed from
// comparisons, with other numbers in place of the metrics.
func (b builder) overMedians(s shown, f field) func(get func(*analyze.Cell, string) (float64, string)) dsl.Outcome {
	return func(get func(*analyze.Cell, string) (float64, string)) dsl.Outcome {
		at := func(c *analyze.Cell) dsl.Outcome {
			return f.eval(b, analyze.View{Result: b.res, Cell: c, Runs: get})
		}
		if s.over == nil {
			return at(s.cell)
		}
		var each []dsl.Outcome
		for _, c := range s.over {
			each = append(each, at(c))
		}
		return f.combine(each)
	}
}

// showsMean says whether a value is computed from a mean over kept runs.
func showsMean(f field) bool {
	return len(f.comparisons()) == 0 && slices.ContainsFunc(f.metrics(), analyze.IsMean)
}

// showsPercentile says whether a value is computed from one percentile alone.
func showsPercentile(f field) bool {
	names := f.metrics()
	return len(f.comparisons()) == 0 && len(names) == 1 && analyze.IsPercentile(names[0])
}

// within adds the interval that the messages of the runs give a percentile.
func (b builder) within(c *Cell, s shown, f field) {
	in, ok := s.cell.Within(f.metrics()[0])
	if !ok || c.Detail == nil {
		return
	}
	at := func(v float64) (float64, bool) {
		o := f.eval(b, analyze.View{Result: b.res, Cell: s.cell, Runs: func(*analyze.Cell, string) (float64, string) { return v, "" }})
		return o.Number, o.Kind == dsl.IsNumber
	}
	low, okLow := at(in.Low)
	high, okHigh := at(in.High)
	if low > high { // the expression falls as the percentile rises
		low, high = high, low
	}
	if okLow && okHigh {
		c.Detail.WithinLow, c.Detail.WithinHigh, c.Detail.Effective = &low, &high, &in.Effective
	}
}

// ratioCell is the default comparison of a pair.
func ratioCell(p *analyze.Pair) Cell {
	if p.Refused != "" || p.NoTest != "" || p.Single() {
		return Cell{Kind: KindEmpty, Parts: []string{""}}
	}
	st := style{format: "ratio", decimals: -1}
	r := &p.Ratio
	c := Cell{Kind: KindNumber, Parts: []string{st.print(r.Estimate)}, Value: &r.Estimate}
	if r.Level > 0 {
		in := analyze.Interval{Low: r.Low, High: r.High}
		st = st.following(in)
		c.Detail = &Detail{Low: &r.Low, High: &r.High}
		c.Parts = []string{st.print(r.Estimate), bounds(st, in, r.Estimate)}
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
			st = st.following(m.Interval)
			c.Parts = []string{st.print(v), bounds(st, m.Interval, v)}
		}
		return c
	case dsl.IsText:
		return Cell{Kind: KindText, Parts: []string{m.Outcome.Text}}
	}
	return Cell{Kind: KindEmpty, Parts: []string{""}}
}
