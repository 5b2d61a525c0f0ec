package report

import (
	"fmt"

	"versus/dsl"
	"versus/interp/analyze"
	"versus/stdlib/metric"
)

// table evaluates a table.
func (b builder) table(l layout) *Table {
	g := b.arrange(l)
	t := &Table{Name: l.name, Title: l.title, Columns: append(labelColumns(l), g.columns...)}
	var names []string
	for _, f := range l.fields {
		names = append(names, f.comparisons()...)
	}
	family := b.family(names, g.cells)
	values := make([][]shown, len(g.rows))
	for i := range g.rows {
		for _, p := range g.places[i] {
			values[i] = append(values[i], b.show(p, family))
		}
	}
	// Rows are made at their full length: footnotes point at cells.
	t.Rows = labelRows(g)
	skip := len(l.rows)
	var notes footnotes
	for j := range g.columns {
		st := b.style(g, values, j)
		for i := range g.rows {
			c := &t.Rows[i][skip+j]
			*c = values[i][j].cellOf(st, family)
			explain(&notes, c, values[i][j], g.places[i][j].field)
		}
	}
	if t.AllRuns = b.allRuns(l, g, values); t.AllRuns != nil && readsMeans(l.fields) {
		for _, text := range keptNotes(g.cells) {
			notes.table(text)
		}
	}
	if t.LatencyKinds = b.latencyKinds(l.fields, g.cells); t.LatencyKinds != nil {
		notes.table(latencyNote(g.cells))
	}
	if family.Size() > 1 {
		notes.table(fmt.Sprintf("Verdicts hold for the %d comparisons of this table together (Holm).", family.Size()))
	}
	b.noiseNotes(&notes, names)
	t.Footnotes = notes.finish()
	return t
}

func labelColumns(l layout) []Column {
	var columns []Column
	for _, r := range l.rows {
		columns = append(columns, Column{Title: r.heading, Label: true})
	}
	return columns
}

func labelRows(g grid) [][]Cell {
	var rows [][]Cell
	for _, labels := range g.rows {
		row := make([]Cell, len(labels)+len(g.columns))
		for j, text := range labels {
			row[j] = Cell{Kind: KindLabel, Parts: []string{text}}
		}
		rows = append(rows, row)
	}
	return rows
}

// style chooses how column j is printed.
func (b builder) style(g grid, values [][]shown, j int) style {
	format, digits := "number", -1
	var numbers []float64
	for i := range values {
		v := values[i][j]
		f := g.places[i][j].field
		digits = f.digits
		if name, ok := f.printedAs(); ok {
			if c := b.res.Comparison(name); c != nil {
				format = c.Comparison.Format
			}
		}
		if v.outcome.Kind == dsl.IsNumber && v.kind == "" {
			numbers = append(numbers, v.outcome.Number)
		}
	}
	st := styleOf(format, numbers)
	if digits >= 0 {
		st.decimals, st.given = digits, true
	}
	return st
}

// cellOf prints a place.
func (s shown) cellOf(st style, family *analyze.Family) Cell {
	switch {
	case s.kind == KindBaseline:
		return Cell{Kind: KindBaseline, Parts: []string{"baseline"}}
	case s.kind == KindAmbiguous:
		return Cell{Kind: KindAmbiguous, Parts: []string{"several"}}
	case s.kind == KindMissing, s.outcome.Kind == dsl.IsMissing:
		return Cell{Kind: KindMissing, Parts: []string{"N/A"}}
	case s.outcome.Kind == dsl.IsUndefined:
		return Cell{Kind: KindUndefined, Parts: []string{"?"}}
	case s.outcome.Kind != dsl.IsNumber:
		return Cell{Kind: KindText, Parts: []string{s.outcome.Text}}
	}
	v := s.outcome.Number
	c := Cell{Kind: KindNumber, Parts: []string{st.print(v)}, Value: &v}
	if s.pair != nil && !s.pair.Single() {
		s.compared(&c, st, family)
	}
	return c
}

// compared adds the interval and the verdict of a pair.
func (s shown) compared(c *Cell, st style, family *analyze.Family) {
	p, d := s.pair, &Detail{}
	interval := ""
	if p.NoInterval == "" {
		d.Low, d.High = &p.Interval.Low, &p.Interval.High
		st = st.following(p.Interval)
		c.Parts[0] = st.print(s.outcome.Number)
		interval = bounds(st, p.Interval, s.outcome.Number)
	}
	verdict := family.Verdict(p)
	if verdict != analyze.Undecided {
		q := family.P(p)
		d.P, d.Ratio = &q, &p.Ratio.Estimate
		if p.Ratio.Level > 0 {
			d.RatioLow, d.RatioHigh = &p.Ratio.Low, &p.Ratio.High
		}
	}
	if n := p.Comparison.Noise; n != nil && n.Floor > 0 {
		d.NoiseFloor = &n.Floor
	}
	d.Verdict = p.Words(verdict)
	switch {
	case analyze.Better(verdict):
		c.Kind = KindBetter
	case analyze.Worse(verdict):
		c.Kind = KindWorse
	}
	c.Detail = d
	c.Parts = append(c.Parts, interval, d.Verdict)
}

func bounds(st style, in analyze.Interval, value float64) string {
	return "[" + st.printLike(in.Low, value) + ", " + st.printLike(in.High, value) + "]"
}

// explain adds the footnotes of a cell.
func explain(notes *footnotes, c *Cell, s shown, f field) {
	switch c.Kind {
	case KindMissing, KindUndefined, KindAmbiguous:
		why := s.why
		if why == "" {
			why = s.outcome.Why
		}
		notes.add(c, c.Parts[0], why)
		return
	}
	if w := s.warnings(f); len(w) > 0 {
		notes.add(c, "", w[0])
	}
	if p := s.pair; p != nil && c.Value != nil {
		notes.several = notes.several || !p.Single()
		switch {
		case p.Single():
			notes.table(singleRun)
		case p.NoInterval != "":
			notes.add(c, "", p.NoInterval)
		case p.Resamples < analyze.Resamples:
			notes.table(fmt.Sprintf("Intervals of %s come from %d resamples only: its formula is not plain arithmetic.", p.Comparison.Comparison.Name, p.Resamples))
		case p.NoVerdict() != "":
			notes.add(c, "", "no verdict: "+p.NoVerdict())
		}
	}
}

// noiseNotes print the noise floors of the comparisons shown.
func (b builder) noiseNotes(notes *footnotes, names []string) {
	for _, name := range names {
		if c := b.res.Comparison(name); c != nil && c.Noise != nil && c.Noise.Floor > 0 {
			notes.table(fmt.Sprintf("Noise floor of %s: %s. So far apart came two measurements of the same baseline (%s, A/A); a smaller difference gets no verdict.",
				name, style{format: "percent", decimals: -1}.print(c.Noise.Floor-1), pairs(c.Noise.Pairs)))
		}
	}
}

// readsMeans reports whether a value of the table depends on which runs are kept.
func readsMeans(fields []field) bool {
	for _, f := range fields {
		if len(f.comparisons()) > 0 {
			return true
		}
		for _, name := range f.metrics() {
			if m, ok := metric.Lookup(name); ok && m.Combine == metric.MeanOfKept {
				return true
			}
		}
	}
	return false
}

// keptNotes says how many runs the means of a table are over.
func keptNotes(cells []*analyze.Cell) []string {
	counts := map[string]int{}
	var order []string
	why := ""
	for _, c := range cells {
		if !c.Selected() {
			continue
		}
		text := fmt.Sprintf("the best %d of %d runs by %s", c.Kept, len(c.Valid), c.KeptBy)
		if c.Trimmed {
			text = fmt.Sprintf("%d of %d runs, without the %d best and the %d worst by %s", c.Kept, len(c.Valid),
				(len(c.Valid)-c.Kept)/2, (len(c.Valid)-c.Kept)/2, c.KeptBy)
		} else {
			why = " A mean of the best runs is too good by its nature: read it beside the median of all runs."
		}
		if counts[text]++; counts[text] == 1 {
			order = append(order, text)
		}
	}
	rest := "percentiles, extremes, losses and errors are over all." + why
	if len(order) == 1 {
		return []string{"Means are over " + order[0] + "; " + rest}
	}
	var out []string
	for _, text := range order {
		out = append(out, fmt.Sprintf("Means of %d of the cells are over %s.", counts[text], text))
	}
	if len(out) > 0 {
		out = append(out, upperFirst(rest))
	}
	return out
}

func pairs(n int) string {
	if n == 1 {
		return "1 pair"
	}
	return fmt.Sprintf("%d pairs", n)
}
