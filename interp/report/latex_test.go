package report

import (
	"io"
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

// Text from outside is no command, ends no group and begins no comment.
func TestLatexIsText(t *testing.T) {
	evil := "\\input{secret} }{ $x$ & # _ % ~ ^ \\\\ [1] \"'`|<>\n\x1b"
	r := &Report{Title: evil, Notes: []Note{{Text: evil}}, Tables: []*Table{{Name: evil, Title: evil,
		Columns: []Column{{evil, true}, {evil, false}}, Footnotes: []Footnote{{"1", evil}, {"?", evil}, {"", evil}},
		Rows: [][]Cell{{{Kind: KindLabel, Parts: []string{"[" + evil}}, {Kind: KindText, Parts: []string{evil}, Mark: "1"}}}}}}
	out := latexOf(t, r)
	golden(t, "untouched.tex", out)
	for i, line := range strings.Split(out, "\n") {
		if strings.HasPrefix(line, "%") {
			continue
		}
		if strings.Contains(line, `\input`) {
			t.Errorf("line %d has a command: %s", i+1, line)
		}
		depth := 0
		for j := 0; j < len(line); j++ {
			switch {
			case line[j] == '\\':
				j++
			case line[j] == '{':
				depth++
			case line[j] == '}':
				depth--
			case line[j] == '%' || line[j] == '#' || line[j] == '~' && !strings.Contains(line, "footnotesize"):
				t.Errorf("line %d has a bare %c: %s", i+1, line[j], line)
			}
			if depth < 0 {
				t.Errorf("line %d ends a group: %s", i+1, line)
			}
		}
		if depth != 0 {
			t.Errorf("line %d leaves a group open: %s", i+1, line)
		}
	}
	if err := Latex(io.Discard, &Report{Tables: []*Table{{}}}); err != nil {
		t.Error(err)
	}
}
