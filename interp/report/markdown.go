package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Markdown writes the report as GitHub Flavored Markdown. Labels are repeated
// in every row, so that the tables can be read by programs too.
func Markdown(w io.Writer, r *Report) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# %s\n", markdown(r.Title))
	if r.Description != "" {
		fmt.Fprintf(b, "\n%s\n", markdown(r.Description))
	}
	for _, t := range r.Tables {
		markdownTable(b, t, "##")
	}
	if len(r.Charts) > 0 {
		b.WriteString("\n## Charts\n\n")
		for _, c := range r.Charts {
			fmt.Fprintf(b, "- %s\n", markdown(chartLine(c)))
		}
	}
	if len(r.Expectations) > 0 {
		b.WriteString("\n## Expectations\n\n")
		for _, e := range r.Expectations {
			fmt.Fprintf(b, "- **%s** %s\n", e.Status, markdown(e.Text))
			for _, f := range e.Failures {
				fmt.Fprintf(b, "  - %s\n", markdown(f))
			}
		}
	}
	if len(r.Notes) > 0 {
		b.WriteString("\n## Notes\n\n")
		for _, n := range r.Notes {
			sign := ""
			if n.Warning {
				sign = "**Warning.** "
			}
			fmt.Fprintf(b, "- %s%s\n", sign, markdown(n.Text))
		}
	}
	if r.Resamples > 0 {
		fmt.Fprintf(b, "\n%s\n", IntervalNote(r))
	}
	return b.Flush()
}

func markdownTable(b *bufio.Writer, t *Table, level string) {
	fmt.Fprintf(b, "\n%s %s\n\n", level, markdown(t.Title))
	if len(t.Rows) == 0 {
		b.WriteString("(no cells to show)\n")
		return
	}
	var head, rule []string
	for j, c := range t.Columns {
		head = append(head, markdown(c.Title))
		if !c.Label && alignRight(t, j) {
			rule = append(rule, "---:")
		} else {
			rule = append(rule, "---")
		}
	}
	markdownRow(b, head)
	markdownRow(b, rule)
	for _, row := range t.Rows {
		var cells []string
		for _, c := range row {
			cells = append(cells, c.markdown())
		}
		markdownRow(b, cells)
	}
	if len(t.Footnotes) > 0 {
		b.WriteString("\n")
	}
	for _, f := range t.Footnotes {
		switch {
		case f.Mark == "":
			fmt.Fprintf(b, "- %s\n", markdown(f.Text))
		case isNumber(f.Mark):
			fmt.Fprintf(b, "- <sup>%s</sup> %s\n", f.Mark, markdown(f.Text))
		default:
			fmt.Fprintf(b, "- %s: %s\n", f.Mark, markdown(f.Text))
		}
	}
	if t.AllRuns != nil {
		markdownTable(b, t.AllRuns, "###")
	}
}

func markdownRow(b *bufio.Writer, cells []string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

func (c Cell) markdown() string {
	text := markdown(c.Text())
	if c.Mark != "" {
		text += "<sup>" + c.Mark + "</sup>"
	}
	return text
}

// Text is what the cell says, in one line, without its mark.
func (c Cell) Text() string {
	var parts []string
	for _, p := range c.Parts {
		if p != "" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, " ")
}
