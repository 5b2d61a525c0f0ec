package page

import (
	"strings"

	"versus/interp/report"
)

// table is a table as the template prints it. A column of comparisons takes a
// column for each of its parts (value, interval, verdict), so that they stand
// below each other.
type table struct {
	ID, Title string
	Head      []head
	Rows      [][]cell
	Footnotes []footnote
	AllRuns   *table
}

type head struct {
	Title string
	Label bool
	Span  int // columns that it stands over
}

// cell is a cell of the page: one part of a cell of the report, or all of it.
type cell struct {
	Label  bool
	Class  string
	Text   string
	Span   int    // columns that it takes
	Mark   string // of the footnote whose id is Note
	Note   string
	Spoken string // what a sign such as ? means, for who hears it
}

// footnote explains what has its mark; Sign is a mark that stands in the cells
// themselves, such as N/A.
type footnote struct{ ID, Mark, Sign, Text string }

func tableOf(t *report.Table, id string) table {
	out := table{ID: id, Title: text(t.Title)}
	slots := make([][]string, len(t.Columns))
	for j, c := range t.Columns {
		slots[j] = slotsOf(t, j)
		out.Head = append(out.Head, head{text(c.Title), c.Label, len(slots[j])})
	}
	known := map[string]string{}
	for i, f := range t.Footnotes {
		n := footnote{Mark: text(f.Mark), Text: text(f.Text)}
		if strings.Trim(f.Mark, "0123456789") != "" {
			n.Mark, n.Sign = "", n.Mark
		}
		if f.Mark != "" {
			n.ID = id + "-note-" + string(rune('a'+i%26)) + strings.Repeat("x", i/26)
			known[f.Mark] = n.ID
		}
		out.Footnotes = append(out.Footnotes, n)
	}
	for i, row := range t.Rows {
		var cells []cell
		same := i > 0
		for j, c := range row {
			if !t.Columns[j].Label {
				cells = append(cells, cellsOf(c, slots[j], known)...)
				continue
			}
			x := cell{Label: true, Class: string(c.Kind), Text: text(c.Text()), Span: 1}
			same = same && text(t.Rows[i-1][j].Text()) == x.Text
			if same && j+1 < len(row) && t.Columns[j+1].Label { // the innermost label always shows
				x.Class += " same"
			}
			cells = append(cells, x)
		}
		out.Rows = append(out.Rows, cells)
	}
	if t.AllRuns != nil {
		all := tableOf(t.AllRuns, id+"-all")
		out.AllRuns = &all
	}
	return out
}

// partNames are what the parts of a cell are, and their classes in the page.
var partNames = []string{"value", "interval", "verdict"}

// slotsOf names the parts that column j has anything in; the value is always
// among them.
func slotsOf(t *report.Table, j int) []string {
	used := []string{partNames[0]}
	for k := 1; k < len(partNames); k++ {
		for _, row := range t.Rows {
			if k < len(row[j].Parts) && row[j].Parts[k] != "" {
				used = append(used, partNames[k])
				break
			}
		}
	}
	return used
}

var spoken = map[report.Kind]string{
	report.KindMissing: "not available", report.KindUndefined: "undefined", report.KindAmbiguous: "several cells",
}

// cellsOf spreads a cell over the slots of its column. What is no number takes
// them all. A mark stands at the last part that says something.
func cellsOf(c report.Cell, slots []string, known map[string]string) []cell {
	first := cell{Class: string(c.Kind), Text: text(c.Text()), Span: len(slots), Spoken: spoken[c.Kind]}
	out := []cell{first}
	last := 0
	if c.Value != nil && len(slots) > 1 {
		out = nil
		for i, name := range slots {
			x := cell{Class: string(c.Kind) + " " + name, Span: 1}
			for k, p := range c.Parts {
				if partNames[min(k, len(partNames)-1)] == name {
					x.Text = text(p)
				}
			}
			if x.Text != "" {
				last = i
			}
			out = append(out, x)
		}
	}
	if c.Mark != "" {
		out[last].Mark, out[last].Note = text(c.Mark), known[c.Mark]
	}
	return out
}
