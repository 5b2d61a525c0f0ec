package report

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// Latex writes the tables as LaTeX, each a table environment to take into a
// document that uses the package booktabs, with its footnotes below. What else
// a report says is in the comments at the top. Text is UTF-8, which LaTeX reads
// by itself since 2018, and signs that its kernel has since 2020.
func Latex(w io.Writer, r *Report) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%% %s\n%% Needs \\usepackage{booktabs} and \\usepackage[T1]{fontenc}.\n", clean(r.Title))
	for _, e := range r.Expectations {
		fmt.Fprintf(b, "%% %s: %s\n", e.Status, clean(e.Text))
	}
	for _, n := range r.Notes {
		fmt.Fprintf(b, "%% %s\n", clean(n.Text))
	}
	for _, t := range r.Tables {
		latexTable(b, t, "tab:"+latexLabel(t.Name))
	}
	return b.Flush()
}

func latexTable(b *bufio.Writer, t *Table, label string) {
	labels := 0
	var columns, head []string
	for j, c := range t.Columns {
		align := "l"
		if !c.Label && alignRight(t, j) {
			align = "r"
		}
		if c.Label {
			labels++
		}
		columns, head = append(columns, align), append(head, latex(c.Title))
	}
	fmt.Fprintf(b, "\n\\begin{table}\n\\centering\n\\caption{%s}\n\\label{%s}\n", latex(t.Title), label)
	if len(t.Rows) == 0 {
		b.WriteString("(no cells to show)\n")
	} else {
		fmt.Fprintf(b, "\\begin{tabular}{%s}\n\\toprule\n%s \\\\\n\\midrule\n", strings.Join(columns, ""), strings.Join(head, " & "))
		rule := rules(t, labels)
		for i, row := range t.Rows {
			if rule[i] {
				b.WriteString("\\midrule\n")
			}
			var cells []string
			for j, c := range row {
				text := c.latex()
				if j < labels-1 && i > 0 && sameLabels(t.Rows[i-1], row, j) {
					text = ""
				}
				cells = append(cells, text)
			}
			fmt.Fprintf(b, "%s \\\\\n", strings.Join(cells, " & "))
		}
		b.WriteString("\\bottomrule\n\\end{tabular}\n")
	}
	for _, f := range t.Footnotes {
		switch {
		case f.Mark == "":
			fmt.Fprintf(b, "\n{\\footnotesize %s}\n", latex(f.Text))
		case isNumber(f.Mark):
			fmt.Fprintf(b, "\n{\\footnotesize \\textsuperscript{%s}~%s}\n", f.Mark, latex(f.Text))
		default:
			fmt.Fprintf(b, "\n{\\footnotesize %s: %s}\n", latex(f.Mark), latex(f.Text))
		}
	}
	b.WriteString("\\end{table}\n")
	if t.AllRuns != nil {
		latexTable(b, t.AllRuns, label+"-all-runs")
	}
}

var negative = regexp.MustCompile(`-([0-9])`)

// latex is the cell as LaTeX, with its mark. A minus is a minus, and a bracket
// after the end of a row is no argument of it.
func (c Cell) latex() string {
	text := latex(c.Text())
	if c.Value != nil {
		text = negative.ReplaceAllString(text, "$$-$$$1")
	}
	if strings.HasPrefix(text, "[") || strings.HasPrefix(text, "*") {
		text = "{}" + text
	}
	if c.Mark != "" {
		text += "\\textsuperscript{" + latex(c.Mark) + "}"
	}
	return text
}

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "_", `\_`, "%", `\%`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`,
	`"`, `\textquotedbl{}`, "`", `\textasciigrave{}`, "--", `-{}-{}`,
)

// latex makes text from outside mean itself in LaTeX.
func latex(s string) string { return latexEscapes.Replace(clean(s)) }

// latexLabel leaves of a name what a label may have.
func latexLabel(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '-'
	}, s)
}
