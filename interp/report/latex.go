package report

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
)

// Latex writes the tables as LaTeX, each a table environment to take into a
// document, with its footnotes below. A comparison takes a column for each of
// its parts, and a table wider than the text is made smaller. What else a report
// says is in the comments at the top. Text is UTF-8, which LaTeX reads by itself
// since 2018, and signs that its kernel has since 2020; what its fonts for Latin
// lack goes through \versusglyph, which any engine can print.
func Latex(w io.Writer, r *Report) error {
	var tables strings.Builder
	for _, t := range r.Tables {
		latexTable(&tables, t, "tab:"+latexLabel(t.Name))
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "%% %s\n%% Needs \\usepackage{booktabs,graphicx} and, with pdfLaTeX, \\usepackage[T1]{fontenc}.\n", clean(r.Title))
	for _, e := range r.Expectations {
		fmt.Fprintf(b, "%% %s: %s\n", e.Status, clean(e.Text))
	}
	for _, n := range r.Notes {
		fmt.Fprintf(b, "%% %s\n", clean(n.Text))
	}
	if strings.Contains(tables.String(), `\versusglyph`) {
		b.WriteString(glyphs)
	}
	b.WriteString(tables.String())
	return b.Flush()
}

// glyphs defines \versusglyph, unless the document has one of its own.
const glyphs = `% Some characters need LuaLaTeX or XeLaTeX and a font that has them; pdfLaTeX prints
% their codes. With fonts for them, define \newcommand{\versusglyph}[2]{#1} before.
\providecommand{\versusglyph}[2]{\ifdefined\Umathchardef#1\else\texttt{U+#2}\fi}
`

// fitted makes a table as wide as the text if it is wider (graphicx).
const fitted = `\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%`

func latexTable(b *strings.Builder, t *Table, label string) {
	fmt.Fprintf(b, "\n\\begin{table}\n\\centering\n\\caption{%s}\n\\label{%s}\n", latex(t.Title), label)
	if len(t.Rows) == 0 {
		b.WriteString("(no cells to show)\n")
	} else {
		latexRows(b, t)
	}
	if len(t.Footnotes) > 0 {
		b.WriteString("\\begin{flushleft}\\footnotesize\n")
		for _, f := range t.Footnotes {
			switch {
			case f.Mark == "":
				fmt.Fprintf(b, "%s\\par\n", latexStart(latex(f.Text)))
			case isNumber(f.Mark):
				fmt.Fprintf(b, "\\textsuperscript{%s}~%s\\par\n", f.Mark, latex(f.Text))
			default:
				fmt.Fprintf(b, "%s: %s\\par\n", latexStart(latex(f.Mark)), latex(f.Text))
			}
		}
		b.WriteString("\\end{flushleft}\n")
	}
	b.WriteString("\\end{table}\n")
	if t.AllRuns != nil {
		latexTable(b, t.AllRuns, label+"-all-runs")
	}
}

// latexRows writes the rows of a table below its head.
func latexRows(b *strings.Builder, t *Table) {
	labels := 0
	var align, head []string
	slots := make([][]int, len(t.Columns))
	for j, c := range t.Columns {
		if c.Label {
			labels++
		}
		slots[j] = slotsOf(t, j)
		how := latexAlign(t, j, slots[j])
		align, head = append(align, strings.Join(how, `@{\ }`)), append(head, spanned(len(how), how[0], latexStart(latex(c.Title))))
	}
	fmt.Fprintf(b, "%s\n\\begin{tabular}{%s}\n\\toprule\n%s \\\\\n\\midrule\n", fitted, strings.Join(align, ""), strings.Join(head, " & "))
	rule := rules(t, labels)
	for i, row := range t.Rows {
		if rule[i] {
			b.WriteString("\\midrule\n")
		}
		var cells []string
		for j, c := range row {
			if j < labels-1 && i > 0 && sameLabels(t.Rows[i-1], row, j) {
				cells = append(cells, "")
				continue
			}
			cells = append(cells, c.latex(slots[j]))
		}
		fmt.Fprintf(b, "%s \\\\\n", strings.Join(cells, " & "))
	}
	b.WriteString("\\bottomrule\n\\end{tabular}}\n")
}

// slotsOf says which parts of its cells column j has anything in; a column
// without any has its first.
func slotsOf(t *Table, j int) []int {
	var used []int
	for _, row := range t.Rows {
		for k, p := range row[j].Parts {
			if (p != "" || k == 0) && !slices.Contains(used, k) {
				used = append(used, k)
			}
		}
	}
	if used == nil {
		return []int{0}
	}
	slices.Sort(used)
	return used
}

// latexAlign aligns the parts of a column: value and interval to the right,
// verdict to the left.
func latexAlign(t *Table, j int, slots []int) []string {
	if t.Columns[j].Label || !alignRight(t, j) && len(slots) == 1 {
		return []string{"l"}
	}
	var how []string
	for _, k := range slots {
		if k < 2 {
			how = append(how, "r")
		} else {
			how = append(how, "l")
		}
	}
	return how
}

// spanned is text over several columns, if it is.
func spanned(columns int, align, text string) string {
	if columns < 2 {
		return text
	}
	if align != "l" {
		align = "c"
	}
	return fmt.Sprintf(`\multicolumn{%d}{%s}{%s}`, columns, align, text)
}

var negative = regexp.MustCompile(`-([0-9])`)

// latex is the cell as the columns of its slots, with its mark. A minus is a
// minus.
func (c Cell) latex(slots []int) string {
	mark := ""
	if c.Mark != "" {
		mark = "\\textsuperscript{" + latex(c.Mark) + "}"
	}
	if len(slots) > 1 && c.Value == nil {
		return spanned(len(slots), "l", latexStart(latex(c.Text()))+mark)
	}
	last := 0
	texts := make([]string, len(slots))
	for i, k := range slots {
		if k >= len(c.Parts) || c.Parts[k] == "" {
			continue
		}
		texts[i], last = latex(c.Parts[k]), i
		if c.Value != nil {
			texts[i] = negative.ReplaceAllString(texts[i], "$$-$$$1")
		}
		texts[i] = latexStart(texts[i])
	}
	texts[last] += mark
	return strings.Join(texts, " & ")
}

// latexStart keeps a text from being the argument of what stands before it: a
// bracket after the end of a row is its height.
func latexStart(text string) string {
	if strings.HasPrefix(text, "[") || strings.HasPrefix(text, "*") {
		return "{}" + text
	}
	return text
}

// latexEscapes has the signs of TeX, and what fonts in T1 would join to another
// sign.
var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "_", `\_`, "%", `\%`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`,
	`"`, `\textquotedbl{}`, "'", `\textquotesingle{}`, "`", `\textasciigrave{}`, "--", `-{}-{}`, ",,", `,{},{}`,
	"\u03bc", "\u00b5", "\u2212", `$-$`,
)

// latex makes text from outside mean itself in LaTeX.
func latex(s string) string {
	s = latexEscapes.Replace(clean(s))
	if strings.IndexFunc(s, lacking) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if lacking(r) {
			fmt.Fprintf(&b, `\versusglyph{%c}{%04X}`, r, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// lacking says that pdfLaTeX with T1 fonts stops at a character: its kernel of
// 2022 was asked for each of them.
func lacking(r rune) bool {
	return r > 0x17e && !strings.ContainsRune("–—‘’‚“”„†‡•…‰€™", r) || strings.ContainsRune("ĦħĸĿŀŉŦŧ", r)
}

var noLabel = regexp.MustCompile(`[^0-9A-Za-z]+`)

// latexLabel leaves of a name what a label may have.
func latexLabel(s string) string { return noLabel.ReplaceAllString(s, "-") }
