package report

import (
	"slices"
	"strings"
)

// box is a table as texts, ready to draw.
type box struct {
	head  []string
	rows  [][]string
	right []bool // columns aligned right
	rules []bool // rows with a line above them: a new group begins
}

// split prepares a table and breaks it into parts that fit the width.
func (t *textWriter) split(table *Table) []box {
	labels := 0
	for labels < len(table.Columns) && table.Columns[labels].Label {
		labels++
	}
	columns := make([][]string, len(table.Columns))
	sizes := make([]int, len(columns))
	for j := range columns {
		columns[j] = t.column(table, j, labels)
		sizes[j] = width(clean(table.Columns[j].Title))
		for _, text := range columns[j] {
			sizes[j] = max(sizes[j], width(strip(text)))
		}
	}
	var parts []box
	for _, picked := range fit(sizes, labels, t.o.Width) {
		b := box{rows: make([][]string, len(table.Rows)), rules: rules(table, labels)}
		for _, j := range picked {
			b.head = append(b.head, clean(table.Columns[j].Title))
			b.right = append(b.right, j >= labels && alignRight(table, j) && !inParts(table, j))
			for i := range table.Rows {
				b.rows[i] = append(b.rows[i], columns[j][i])
			}
		}
		parts = append(parts, b)
	}
	return parts
}

// fit spreads columns over parts of at most total columns of the terminal; the
// first labels columns are in every part. A column too wide by itself stays.
func fit(sizes []int, labels, total int) [][]int {
	var base []int
	used := 1
	for j := range labels {
		base = append(base, j)
		used += sizes[j] + 3
	}
	parts := [][]int{slices.Clone(base)}
	left := used
	for j := labels; j < len(sizes); j++ {
		last := len(parts) - 1
		if total > 0 && left+sizes[j]+3 > total && len(parts[last]) > labels {
			parts = append(parts, slices.Clone(base))
			last, left = last+1, used
		}
		parts[last] = append(parts[last], j)
		left += sizes[j] + 3
	}
	return parts
}

// alignRight says whether a column holds numbers.
func alignRight(table *Table, j int) bool {
	for _, row := range table.Rows {
		if row[j].Kind == KindText {
			return false
		}
	}
	return true
}

// inParts says whether a column has cells of several parts, which are aligned
// among themselves.
func inParts(table *Table, j int) bool {
	for _, row := range table.Rows {
		if len(row[j].Parts) > 1 {
			return true
		}
	}
	return false
}

// rules says above which rows a new group begins. Groups of one row each need
// no rules.
func rules(table *Table, labels int) []bool {
	out := make([]bool, len(table.Rows))
	groups := 1
	for i := 1; i < len(out) && labels > 1; i++ {
		out[i] = table.Rows[i][0].Parts[0] != table.Rows[i-1][0].Parts[0]
		if out[i] {
			groups++
		}
	}
	if groups == len(out) {
		clear(out)
	}
	return out
}

// column prints the cells of a column: labels that repeat the row above are
// left out, and the parts of comparisons stand below each other.
func (t *textWriter) column(table *Table, j, labels int) []string {
	var sizes []int
	for _, row := range table.Rows {
		for k, part := range row[j].parts() {
			if k == len(sizes) {
				sizes = append(sizes, 0)
			}
			sizes[k] = max(sizes[k], width(part))
		}
	}
	var out []string
	for i, row := range table.Rows {
		c := row[j]
		switch {
		case j < labels-1 && i > 0 && sameLabels(table.Rows[i-1], row, j):
			out = append(out, "")
		case j < labels:
			out = append(out, clean(c.Parts[0]))
		default:
			out = append(out, t.paint(colorOf(c.Kind), align(c.parts(), sizes)))
		}
	}
	return out
}

func sameLabels(a, b []Cell, upTo int) bool {
	for j := 0; j <= upTo; j++ {
		if a[j].Parts[0] != b[j].Parts[0] {
			return false
		}
	}
	return true
}

// parts are the parts of a cell with its mark, made safe.
func (c Cell) parts() []string {
	var out []string
	for _, p := range c.Parts {
		out = append(out, clean(p))
	}
	if c.Mark != "" && len(out) > 0 {
		last := len(out) - 1
		for last > 0 && out[last] == "" {
			last--
		}
		out[last] += superscript(c.Mark)
	}
	return out
}

// align puts the parts of a cell below those of its neighbours: value and
// interval to the right, verdict to the left.
func align(parts []string, sizes []int) string {
	if len(sizes) <= 1 {
		return strings.Join(parts, "")
	}
	var b strings.Builder
	for k, size := range sizes {
		text := ""
		if k < len(parts) {
			text = parts[k]
		}
		if k > 0 && size > 0 {
			b.WriteByte(' ')
		}
		pad := strings.Repeat(" ", size-width(text))
		if k < 2 {
			b.WriteString(pad + text)
		} else {
			b.WriteString(text + pad)
		}
	}
	return b.String()
}
