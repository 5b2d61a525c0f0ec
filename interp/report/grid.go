package report

import (
	"slices"
	"strings"

	"versus/dsl"
	"versus/interp/analyze"
)

// layout says what a table shows, whether the scenario declares it or not.
type layout struct {
	name, title string
	tests       []string // empty: all
	where       *dsl.Expr
	rows        []labeler
	columns     []labeler // pivot: with one field
	fields      []field
}

// labeler names the row or column that a cell belongs to.
type labeler struct {
	heading string
	expr    *dsl.Expr                  // or, without an expression,
	label   func(*analyze.Cell) string // the label itself
}

// field is what stands in a column, or in every place of a pivot.
type field struct {
	title  string
	digits int // decimals; -1: chosen by the column
	source
}

// declared is the layout of a table block.
func declared(t *dsl.Table) layout {
	l := layout{name: t.Name, title: t.Title, tests: t.Tests, where: t.Where}
	if l.title == "" {
		l.title = t.Name
	}
	for _, e := range t.Rows {
		l.rows = append(l.rows, labeler{heading: heading(e), expr: e})
	}
	for _, e := range t.Columns {
		l.columns = append(l.columns, labeler{heading: heading(e), expr: e})
	}
	if t.Cell != nil {
		l.fields = append(l.fields, field{digits: -1, source: expression{t.Cell}})
	}
	for _, f := range t.Fields {
		l.fields = append(l.fields, field{title: f.Title, digits: f.Digits, source: expression{f.Value}})
	}
	return l
}

// heading is what each.test.group is called above its column: group. A title
// or name says nothing by itself: each.test.title is test.
func heading(e *dsl.Expr) string {
	parts := strings.Split(e.Source, ".")
	last := parts[len(parts)-1]
	if n := len(parts); n > 2 && parts[0] == "each" && (last == "title" || last == "name") {
		return parts[n-2]
	}
	if parts[0] != "each" {
		return e.Source
	}
	return last
}

// place is one place of the grid: what falls in it and what is shown of it.
type place struct {
	cells []*analyze.Cell
	field field
}

// grid is a table before its places are evaluated.
type grid struct {
	rows    [][]string // labels
	columns []Column   // without those of the labels
	places  [][]place
	cells   []*analyze.Cell // all that are shown
}

// arrange sorts the cells into rows and columns.
func (b builder) arrange(l layout) grid {
	var g grid
	rows, columns := newTree(), newTree()
	type spot struct{ row, column string }
	spots := map[spot][]*analyze.Cell{}
	for _, c := range b.res.Cells {
		if len(l.tests) > 0 && !slices.Contains(l.tests, c.Plan.Test.Name) || !b.holds(l.where, c) {
			continue
		}
		g.cells = append(g.cells, c)
		at := spot{row: rows.add(b.labels(l.rows, c))}
		if len(l.columns) > 0 {
			at.column = columns.add(b.labels(l.columns, c))
		}
		spots[at] = append(spots[at], c)
	}
	g.rows = rows.list()
	if len(l.rows) == 0 && len(g.cells) > 0 {
		g.rows = [][]string{nil}
	}
	if len(l.columns) == 0 {
		for _, f := range l.fields {
			g.columns = append(g.columns, Column{Title: f.title})
		}
	}
	heads := columns.list()
	for _, labels := range heads {
		g.columns = append(g.columns, Column{Title: strings.Join(labels, " / ")})
	}
	for _, row := range g.rows {
		var places []place
		if len(l.columns) == 0 {
			for _, f := range l.fields {
				places = append(places, place{spots[spot{row: key(row)}], f})
			}
		}
		for _, head := range heads {
			places = append(places, place{spots[spot{key(row), key(head)}], l.fields[0]})
		}
		g.places = append(g.places, places)
	}
	return g
}

func (b builder) labels(ls []labeler, c *analyze.Cell) []string {
	var labels []string
	for _, l := range ls {
		if l.expr == nil {
			labels = append(labels, l.label(c))
			continue
		}
		labels = append(labels, b.label(l.expr, c))
	}
	return labels
}

// holds evaluates a filter; what has no value does not hold.
func (b builder) holds(where *dsl.Expr, c *analyze.Cell) bool {
	if where == nil {
		return true
	}
	o := b.res.Scenario.EvalResult(where, c.Plan.Each, analyze.View{Result: b.res, Cell: c})
	return o.Kind == dsl.IsBool && o.Bool
}

// key identifies a list of labels, whatever they contain.
func key(labels []string) string {
	var b strings.Builder
	for _, l := range labels {
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(l, `\`, `\\`), "|", `\|`))
		b.WriteByte('|')
	}
	return b.String()
}

// tree keeps lists of labels, each once, those with equal first labels
// together, otherwise in the order in which they came.
type tree struct {
	order []string
	nodes map[string]*tree
}

func newTree() *tree { return &tree{nodes: map[string]*tree{}} }

func (t *tree) add(labels []string) (k string) {
	for _, l := range labels {
		next, ok := t.nodes[l]
		if !ok {
			next = newTree()
			t.nodes[l] = next
			t.order = append(t.order, l)
		}
		t = next
	}
	return key(labels)
}

func (t *tree) list() [][]string {
	var out [][]string
	for _, l := range t.order {
		rest := t.nodes[l].list()
		if len(rest) == 0 {
			out = append(out, []string{l})
		}
		for _, r := range rest {
			out = append(out, append([]string{l}, r...))
		}
	}
	return out
}
