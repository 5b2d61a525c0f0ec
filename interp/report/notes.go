package report

import (
	"fmt"
	"strings"

	"versus/interp/analyze"
)

// namedCells is how many cells a note names before it only counts them.
const namedCells = 4

// maxNotes bounds the notes: a worker may remark something else in every run.
const maxNotes = 40

// notes are the remarks on the runs behind the tables, one note a kind of
// remark, in the order of the plan.
func notes(res *analyze.Result) []Note {
	var out []Note
	for _, p := range res.Problems {
		out = append(out, Note{Warning: true, Text: p + "."})
	}
	if len(res.Machines) > 0 {
		var names []string
		for _, m := range res.Machines {
			names = append(names, fmt.Sprintf("%s (%d)", m.Name, m.Cells))
		}
		out = append(out, Note{Text: fmt.Sprintf("The runs were made on %d machines, with so many cells each: %s. Only what a comparison compares was measured on the same one: "+
			"other differences between cells may be those of machines.", len(names), strings.Join(names, ", "))})
	}
	type group struct {
		remark analyze.Remark
		cells  []string
		more   int
	}
	groups := map[string]*group{}
	var order []*group
	for _, c := range res.Cells {
		for _, r := range c.Remarks() {
			g, ok := groups[r.What]
			if !ok {
				g = &group{remark: r}
				groups[r.What] = g
				order = append(order, g)
			}
			if len(g.cells) == namedCells {
				g.more++
				continue
			}
			g.cells = append(g.cells, fmt.Sprintf("%s (%s)", c.Name(), r.Detail))
		}
	}
	for _, d := range res.Scenario.Datasets {
		if d.Environment != "" {
			out = append(out, Note{Text: fmt.Sprintf("Environment of dataset %s: %s.", d.Name, strings.TrimSuffix(d.Environment, "."))})
		}
		if d.Clock == "realtime" {
			out = append(out, Note{Warning: true, Text: fmt.Sprintf("The times of dataset %s were read from the wall clock, which may be set while it is read.", d.Name)})
		}
	}
	for _, c := range res.Scenario.Comparisons {
		if len(c.Across) > 0 {
			out = append(out, Note{Text: fmt.Sprintf("The sides of comparison %s may differ in %s: that is meant.", c.Name, strings.Join(c.Across, ", "))})
		}
	}
	for i, g := range order {
		if i == maxNotes {
			return append(out, Note{Warning: true, Text: fmt.Sprintf("There are %d more kinds of remarks; the journal has them all.", len(order)-i)})
		}
		text := upperFirst(g.remark.What) + ": " + strings.Join(g.cells, ", ")
		if g.more > 0 {
			text += fmt.Sprintf(", and %d more cells", g.more)
		}
		out = append(out, Note{Warning: g.remark.Warning, Text: text + "."})
	}
	return out
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
