package audit

import (
	"fmt"
	"math"
	"slices"
)

var a25 = &Check{
	ID: "A25", Title: "Chart against table",
	What: "A chart, or a text, shows the measurements of a table with other values, or under another name. The data of the chart are a test of their own, which says which test it `shows`.",
	Formula: "Each row of the chart against the row of the table with the same backend, the same declared load and equal axes where both have them: |chart - table|, for each metric that both have. " +
		"Where a value is not that of its own row but that of another backend, the labels were swapped.",
	Tolerance: "Half a unit of the last decimal that the metric has anywhere in each of the two: beyond it an error. A row of the chart with none in the table, or with several, is a warning.",
	Source:    "Hoefler and Belli 2015, rule 12, on charts. AimRT's chart of 0.8.0 whose series have the names of other backends than in the table beside it.",
	Needs:     "it needs the data of a chart, as a replay test that `shows` another",
	run: func(p *pass) {
		for _, r := range p.rows {
			if r.cell.Plan.Test.Shows != "" {
				p.saw(r)
				p.chart(r)
			}
		}
	},
}

// chart holds a row of a chart against the table that it shows.
func (p *pass) chart(r *row) {
	var alike []*row // rows of the table that differ from r in the backend at most
	for _, t := range p.rows {
		if t.test == r.cell.Plan.Test.Shows && sameLoad(r, t) {
			alike = append(alike, t)
		}
	}
	var own []*row
	for _, t := range alike {
		if t.backend == r.backend {
			own = append(own, t)
		}
	}
	switch len(own) {
	case 0:
		p.report(Warning, []*row{r}, "the table has no row for %s with this load.", r.backend)
		return
	case 1:
	default: // which one the chart shows, nobody can tell
		p.report(Warning, append([]*row{r}, own...), "the table has %d rows for %s with this load: declare in the test of the chart what tells them apart.", len(own), r.backend)
		return
	}
	p.saw(own...)
	for _, name := range r.recordedMetrics() {
		if p.agrees(r, own[0], name) {
			continue
		}
		in, _ := r.has(name)
		want, _ := own[0].has(name)
		text := fmt.Sprintf("%s is %s here and %s in the table", name, quantityOf(name, in[0]), quantityOf(name, want[0]))
		other := slices.IndexFunc(alike, func(t *row) bool {
			_, has := t.has(name)
			return t.backend != r.backend && has && p.agrees(r, t, name)
		})
		if other >= 0 {
			text += fmt.Sprintf(", where %s has the value that is called %s here", alike[other].backend, r.backend)
		}
		p.report(Error, []*row{r, own[0]}, "%s.", text)
	}
}

// agrees says that two rows have the same value, but for rounding, or that one
// of them has none.
func (p *pass) agrees(a, b *row, name string) bool {
	x, ok := a.has(name)
	y, both := b.has(name)
	if !ok || !both {
		return true
	}
	rounding := p.halfUnit(a.cell, name) + p.halfUnit(b.cell, name)
	return math.Abs(x[0]-y[0]) <= rounding*(1+1e-9)
}

// sameLoad says that two rows were measured under the same load, as far as both
// say, and have equal axes where both have them, the backend apart.
func sameLoad(a, b *row) bool {
	for _, pair := range [][2]float64{{a.size, b.size}, {a.topics, b.topics}, {a.callers, b.callers}, {a.rate, b.rate}} {
		if pair[0] != 0 && pair[1] != 0 && pair[0] != pair[1] {
			return false
		}
	}
	for _, axis := range a.cell.Plan.Axes {
		v, _ := a.cell.Plan.Axis(axis)
		w, ok := b.cell.Plan.Axis(axis)
		if axis != "backend" && ok && slices.Contains(b.cell.Plan.Axes, axis) && !v.RawEquals(w) {
			return false
		}
	}
	return true
}
