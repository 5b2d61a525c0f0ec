package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"
)

// Options say how text is written.
type Options struct {
	// Color colors verdicts and expectations.
	Color bool
	// Width is the number of columns of the terminal. Wider tables are broken
	// into parts, each with the labels of the rows; 0 breaks nothing.
	Width int
}

// textWidth is the width to which prose is wrapped, if the terminal is not
// narrower.
const textWidth = 100

// narrow measures text whatever the locale says of East Asian characters: a
// report looks the same everywhere.
var narrow = &runewidth.Condition{EastAsianWidth: false, StrictEmojiNeutral: true}

// width is the number of columns of a terminal that a text takes.
func width(s string) int { return narrow.StringWidth(s) }

// Text writes the report for a terminal or a plain file.
func Text(w io.Writer, r *Report, o Options) error {
	b := bufio.NewWriter(w)
	t := textWriter{w: b, o: o}
	t.report(r)
	if t.err != nil {
		return t.err
	}
	return b.Flush()
}

type textWriter struct {
	w   *bufio.Writer
	o   Options
	err error
}

func (t *textWriter) report(r *Report) {
	t.heading(r.Title)
	if r.Description != "" {
		t.wrap("", r.Description)
	}
	for _, table := range r.Tables {
		t.line("")
		t.table(table)
	}
	if len(r.Charts) > 0 {
		t.line("")
		t.heading("Charts")
		for _, c := range r.Charts {
			t.wrap("- ", chartLine(c))
			t.sketch(c)
		}
		t.wrap("", "Draw them: versus report "+orElse(r.Result, "RESULT")+" --charts FOLDER")
	}
	if len(r.Expectations) > 0 {
		t.line("")
		t.heading("Expectations")
		for _, e := range r.Expectations {
			t.expectation(e)
		}
	}
	if len(r.Notes) > 0 {
		t.line("")
		t.heading("Notes")
		for _, n := range r.Notes {
			bullet := "- "
			if n.Warning {
				bullet = "! "
			}
			t.wrap(bullet, n.Text)
		}
	}
	if r.Resamples > 0 {
		t.line("")
		t.wrap("", IntervalNote(r))
	}
}

// IntervalNote says where the intervals of comparisons come from.
func IntervalNote(r *Report) string {
	return fmt.Sprintf("Intervals of comparisons are approximate: %s resamples of the runs, which select the kept runs again (percentile bootstrap, seed %d).", fixed(float64(r.Resamples), 0), r.Seed)
}

func (t *textWriter) expectation(e Expectation) {
	color := map[Status]string{Pass: green, Fail: red, Info: yellow}[e.Status]
	t.line(t.paint(color, fmt.Sprintf("%-4s", e.Status)) + "  " + clean(e.Text))
	for _, f := range e.Failures {
		t.wrap("      ", f)
	}
}

func (t *textWriter) table(table *Table) {
	if table.Title != "" {
		t.heading(table.Title)
	}
	if len(table.Rows) == 0 {
		t.line("(no cells to show)")
		return
	}
	parts := t.split(table)
	if t.o.Width > 0 && !t.fits(parts) {
		t.records(table)
		parts = nil
	}
	for i, part := range parts {
		if i > 0 {
			t.line("")
		}
		t.draw(part)
	}
	for _, f := range table.Footnotes {
		switch {
		case f.Mark == "":
			t.wrap("", f.Text)
		case isNumber(f.Mark):
			t.wrap(superscript(f.Mark)+" ", f.Text)
		default:
			t.wrap(f.Mark+": ", f.Text)
		}
	}
	if table.AllRuns != nil {
		t.line("")
		t.table(table.AllRuns)
	}
}

func (t *textWriter) line(s string) {
	if t.err == nil {
		_, t.err = t.w.WriteString(logLine(strings.TrimRight(s, " ")) + "\n")
	}
}

// wrap writes prose with a hanging indent as wide as its bullet.
func (t *textWriter) wrap(bullet, text string) { t.wrapped(bullet, "", text) }

// wrapped is wrap in a colour.
func (t *textWriter) wrapped(bullet, color, text string) {
	indent := strings.Repeat(" ", width(bullet))
	for i, l := range t.lines(text, width(bullet)) {
		if i > 0 {
			bullet = indent
		}
		t.line(bullet + t.paint(color, l))
	}
}

// heading writes a title.
func (t *textWriter) heading(text string) {
	for _, l := range t.lines(text, 0) {
		t.line(t.paint(bold, logLine(l)))
	}
}

// lines breaks prose to the width, less an indent.
func (t *textWriter) lines(text string, indent int) []string {
	limit := textWidth
	if t.o.Width > 0 {
		limit = min(limit, t.o.Width)
	}
	var out []string
	current := ""
	for _, word := range strings.Fields(clean(text)) {
		for wide(word) && indent+width(word) > limit && limit-indent >= narrowest {
			// Chinese and Japanese have no blanks to break a line at.
			room := limit - indent
			if current != "" {
				room -= width(current) + 1
			}
			head := narrow.Truncate(word, max(room, 0), "")
			out = append(out, strings.TrimSpace(current+" "+head))
			word, current = word[len(head):], ""
		}
		switch {
		case current == "":
			current = word
		case indent+width(current)+1+width(word) > limit:
			out = append(out, current)
			current = word
		default:
			current += " " + word
		}
	}
	return append(out, current)
}

// wide says whether a word has characters that take two columns.
func wide(word string) bool { return width(word) > utf8.RuneCountInString(word) }

// Colors of a terminal (ECMA-48).
const (
	bold   = "1"
	red    = "31"
	green  = "32"
	yellow = "33"
	dim    = "2"
)

func (t *textWriter) paint(color, s string) string {
	if !t.o.Color || color == "" || s == "" {
		return s
	}
	return "\x1b[" + color + "m" + s + "\x1b[0m"
}

// strip removes the colors that paint added.
func strip(s string) string {
	if !strings.HasPrefix(s, "\x1b[") {
		return s
	}
	_, s, _ = strings.Cut(s, "m")
	return strings.TrimSuffix(s, "\x1b[0m")
}

func colorOf(k Kind) string {
	switch k {
	case KindBetter:
		return green
	case KindWorse:
		return red
	case KindUndefined, KindAmbiguous:
		return yellow
	case KindMissing, KindBaseline:
		return dim
	}
	return ""
}

func isNumber(mark string) bool { return strings.Trim(mark, "0123456789") == "" }

func superscript(mark string) string {
	return strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴",
		"5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹").Replace(mark)
}
