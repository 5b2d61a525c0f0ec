package report

import (
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func latexOf(t *testing.T, r *Report) string {
	t.Helper()
	var b strings.Builder
	if err := Latex(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestLatex(t *testing.T) {
	s, p := planned(t, measuredHead+measuredTables)
	golden(t, "measured.tex", latexOf(t, built(t, s, p, measured(t, p))))
}

// latexCommands is all that a file of ours may say to TeX.
var latexCommands = strings.Fields(`begin end centering caption label toprule midrule bottomrule multicolumn resizebox
	ifdim ifdefined Umathchardef else fi width linewidth footnotesize par textsuperscript versusglyph providecommand texttt
	textbackslash textasciitilde textasciicircum textless textgreater textbar textquotedbl textquotesingle textasciigrave`)

// inert reports what in a file of LaTeX is more than tables and text: a
// command that is none of ours, an end of a group that we began, a comment, an
// active character, a ligature.
func inert(t *testing.T, out string) {
	t.Helper()
	depth := 0
	for i, line := range strings.Split(strings.Replace(out, glyphs, "", 1), "\n") {
		if strings.HasPrefix(line, "%") {
			continue
		}
		if line == fitted { // ends with a comment
			depth++
			continue
		}
		line = strings.Replace(line, `}~`, `} `, 1) // between a mark and its text
		for _, m := range regexp.MustCompile(`\\([A-Za-z]+|.)`).FindAllStringSubmatch(line, -1) {
			if len(m[1]) > 1 && !slices.Contains(latexCommands, m[1]) || len(m[1]) == 1 && !strings.Contains(`{}$&#_%\ `, m[1]) {
				t.Errorf("line %d has the command %s: %s", i+1, m[0], line)
			}
		}
		plain := regexp.MustCompile(`\\(\\|[^A-Za-z])`).ReplaceAllString(line, "")
		for _, c := range plain {
			switch c {
			case '{':
				depth++
			case '}':
				depth--
			case '%', '#', '~', '^', '_', '"', '\'', '`', '<', '|':
				t.Errorf("line %d has a bare %c: %s", i+1, c, line)
			}
			if depth < 0 {
				t.Errorf("line %d ends a group: %s", i+1, line)
			}
		}
		if strings.Contains(plain, "--") || strings.Contains(plain, ",,") {
			t.Errorf("line %d has a ligature: %s", i+1, line)
		}
		if i := strings.Index(plain, "$"); i >= 0 && strings.Count(plain, "$") != 2*strings.Count(plain, "$-$") {
			t.Errorf("line %d has mathematics: %s", i+1, line)
		}
	}
	if depth != 0 {
		t.Errorf("%d groups stay open", depth)
	}
}

// Text from outside is no command, ends no group and begins no comment, and a
// bracket at the start of a row is no argument of the end of the row before.
func TestLatexIsText(t *testing.T) {
	evil := "\\input{secret} }{ $x$ & # _ % ~ ^ ^^M \\\\ [1] \"'`|<> --- ,, '' \n\x1b 日本 ł Ŧ"
	r := &Report{Title: evil, Notes: []Note{{Text: evil}}, Tables: []*Table{{Name: evil, Title: evil,
		Columns: []Column{{"[" + evil, true}, {evil, false}}, Footnotes: []Footnote{{"1", evil}, {"?", evil}, {"", "[" + evil}},
		Rows: [][]Cell{{{Kind: KindLabel, Parts: []string{"[" + evil}}, {Kind: KindText, Parts: []string{evil}, Mark: "1"}}}}}}
	out := latexOf(t, r)
	golden(t, "untouched.tex", out)
	inert(t, out)
	for i, line := range strings.Split(out, "\n") {
		if strings.HasPrefix(line, "[") || strings.HasPrefix(line, "*") {
			t.Errorf("line %d begins with an argument: %s", i+1, line)
		}
	}
	if err := Latex(io.Discard, &Report{Tables: []*Table{{}}}); err != nil {
		t.Error(err)
	}
}

// Each part of a comparison has a column of its own, so that values, intervals
// and verdicts stand below each other; a table may not be wider than the text.
func TestLatexColumns(t *testing.T) {
	v := -0.5
	row := func(parts ...string) []Cell {
		c := Cell{Kind: KindNumber, Parts: parts, Mark: "1"}
		if len(parts) > 1 {
			c.Value = &v
		}
		return []Cell{{Kind: KindLabel, Parts: []string{"a"}}, c}
	}
	out := latexOf(t, &Report{Tables: []*Table{{Columns: []Column{{"who", true}, {"change", false}}, Rows: [][]Cell{
		row("-50%", "[-60%, -40%]", "slower"), row("-50%", "[-60%, -40%]", ""), row("-50%", "", ""), row("baseline"),
	}}}})
	for _, want := range []string{
		fitted + "\n\\begin{tabular}{lr@{\\ }r@{\\ }l}", `who & \multicolumn{3}{c}{change} \\`,
		`a & $-$50\% & {}[$-$60\%, $-$40\%] & slower\textsuperscript{1} \\`, `a & $-$50\% & {}[$-$60\%, $-$40\%]\textsuperscript{1} &  \\`,
		`a & $-$50\%\textsuperscript{1} &  &  \\`, `a & \multicolumn{3}{l}{baseline\textsuperscript{1}} \\`, "\\end{tabular}}\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	inert(t, out)
}

// Letters that pdfLaTeX stops at are printed by whatever engine reads the file;
// a table of Latin needs no macro for that.
func TestLatexGlyphs(t *testing.T) {
	table := func(text string) string {
		return latexOf(t, &Report{Tables: []*Table{{Title: text}}})
	}
	if out := table("日 Ŧ α"); !strings.Contains(out, glyphs) || !strings.Contains(out, `\caption{\versusglyph{日}{65E5} \versusglyph{Ŧ}{0166} \versusglyph{α}{03B1}}`) {
		t.Error(out)
	}
	if out := table("é ł € – 5 μs"); strings.Contains(out, "versusglyph") || !strings.Contains(out, "{é ł € – 5 µs}") {
		t.Error(out)
	}
}
