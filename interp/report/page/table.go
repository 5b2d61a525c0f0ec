package page

import (
	"strings"

	"versus/interp/report"
)

// table is a table as the template prints it.
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
}

type cell struct {
	Label   bool
	Class   string
	Value   string
	Detail  string // interval
	Verdict string
	Mark    string
	Note    string // id of the footnote
	Spoken  string // what a sign such as ? means, for who hears it
}

type footnote struct{ ID, Mark, Text string }

func tableOf(t *report.Table, id string) table {
	out := table{ID: id, Title: text(t.Title)}
	for _, c := range t.Columns {
		out.Head = append(out.Head, head{text(c.Title), c.Label})
	}
	known := map[string]string{}
	for i, f := range t.Footnotes {
		n := footnote{Mark: text(f.Mark), Text: text(f.Text)}
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
			x := cellOf(c, known)
			x.Label = j < len(t.Columns) && t.Columns[j].Label
			same = same && x.Label && text(t.Rows[i-1][j].Text()) == x.Value
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

var spoken = map[report.Kind]string{
	report.KindMissing: "not available", report.KindUndefined: "undefined", report.KindAmbiguous: "several cells",
}

func cellOf(c report.Cell, known map[string]string) cell {
	x := cell{Class: string(c.Kind), Mark: text(c.Mark), Note: known[c.Mark], Spoken: spoken[c.Kind]}
	if x.Mark == "" && len(c.Parts) > 0 { // N/A and ? may be explained without a mark
		if id, ok := known[c.Parts[0]]; ok {
			x.Note = id
		}
	}
	for i, p := range c.Parts {
		switch i {
		case 0:
			x.Value = text(p)
		case 1:
			x.Detail = text(p)
		default:
			x.Verdict = text(p)
		}
	}
	return x
}
