package page

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"

	"versus/interp/report"
	"versus/interp/report/chart"
)

// evils are texts that would do harm if a writer let any of them mean more than
// itself. Scenarios, datasets, workers and machines may say each of them.
var evils = map[string]string{
	"markup":        markup,
	"entities":      `&lt;script&gt; &#60; &amp; ]]> <!-- --> <?x?> %3Cscript%3E`,
	"terminal":      "\x1b[2J\x1b]0;title\x07\u009b31m\x00\x08\r\x7f\u0085 \u202eturned\u2066 \u200bhidden\u2028next",
	"not UTF-8":     "a\xff\xfeb\xc3",
	"not XML":       "\x01\ufffe\uffff\x0b",
	"formula":       `=HYPERLINK("http://evil.example","x")`,
	"wide formula":  "＝1+1",
	"blank formula": " \t=1+1",
	"at formula":    `@SUM(1+1)*cmd|' /C calc'!A0`,
	"minus formula": "-2+3+cmd|'x'!A",
	"commands":      "::error file=a::x\n::stop-commands::t\r\n##[add-mask]a\n  ::set-output name=a::b",
	"LaTeX":         `\input{/etc/passwd}\write18{x} }{ $x$ & # _ % ~ ^^M ^^5c ?` + "`" + ` -- ,, [1cm]`,
	"quote":         "> quote",
	"list":          "- list\n\n* list\n+ list",
	"numbers":       "1. one\n2) two",
	"heading":       "# heading\n===\n---",
	"plus":          "+ plus",
	"rule":          "---",
	"code":          "    code\n```\n~~~ x `y`",
	"link":          `[a](javascript:alert(1)) ![i](http://evil.example/i.png) <http://evil.example> [x]: http://evil.example`,
	"bare link":     "see https://evil.example/x and www.evil.example or http://evil.example, mailto:a@evil.example, a@evil.example",
	"mention":       "@everyone (@octocat) #1 octocat/repo#12 GH-3",
	"table":         `a|b \| c \\| d`,
	"emphasis":      `**b** _i_ ~~s~~ $m$ :tada: \*`,
	"task":          "[ ] task",
	"long":          strings.Repeat("W", 5000),
	"wide":          "日本語 👩‍👩‍👧 é ẞ",
}

// TestHostile writes a report with each text in every field that can have one,
// by every writer, and asks a reader of each format what it sees.
func TestHostile(t *testing.T) {
	for name, evil := range evils {
		t.Run(name, func(t *testing.T) {
			p := example(t, evil)
			for _, w := range []struct {
				name  string
				write func(io.Writer, *report.Report) error
				check func(*testing.T, string, string)
			}{
				{"text", func(w io.Writer, r *report.Report) error { return report.Text(w, r, report.Options{}) }, plainText},
				{"terminal", func(w io.Writer, r *report.Report) error {
					return report.Text(w, r, report.Options{Color: true, Width: 60})
				}, colored},
				{"markdown", report.Markdown, asMarkdown},
				{"csv", report.CSV, asCSV},
				{"runs", func(w io.Writer, _ *report.Report) error { return report.RunsCSV(w, p.Result) }, asCSV},
				{"json", report.JSON, asJSON},
				{"latex", report.Latex, asLatex},
				{"junit", report.JUnit, asXML},
				{"github", report.GitHub, asCommands},
				{"svg", func(w io.Writer, r *report.Report) error {
					return chart.SVG(w, r.Charts[0], chart.Options{})
				}, asXML},
				{"html", func(w io.Writer, _ *report.Report) error { return Write(w, p) }, asPage},
			} {
				t.Run(w.name, func(t *testing.T) {
					var b bytes.Buffer
					if err := w.write(&b, p.Report); err != nil {
						t.Fatal(err)
					}
					if !utf8.Valid(b.Bytes()) {
						t.Error("not UTF-8")
					}
					w.check(t, b.String(), evil)
				})
			}
		})
	}
}

// plainText is shown by a terminal, or stands in the log of a build, where
// GitHub takes lines for commands that begin with :: or have ##[ in them.
func plainText(t *testing.T, out, _ string) {
	visible(t, out)
	for line := range strings.Lines(out) {
		if strings.HasPrefix(strings.TrimLeft(line, " "), "::") || strings.Contains(line, "##[") {
			t.Errorf("a command: %q", line)
		}
	}
}

// visible reports characters that a terminal obeys, or that hide or turn text.
func visible(t *testing.T, out string) {
	t.Helper()
	for _, r := range out {
		if r != '\n' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp)) {
			t.Errorf("it holds %U", r)
			return
		}
	}
}

// colored is text with colours, and no other sequence.
func colored(t *testing.T, out, evil string) {
	plainText(t, regexp.MustCompile(`\x1b\[[0-9]*m`).ReplaceAllString(out, ""), evil)
}

// asMarkdown renders as GitHub does: there must be no more than our own headings,
// lists, tables and marks, and the text must come out as it went in.
func asMarkdown(t *testing.T, out, evil string) {
	visible(t, out)
	var b bytes.Buffer
	md := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithRendererOptions(html.WithUnsafe()))
	if err := md.Convert([]byte(out), &b); err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, e := range elements(t, b.String()) {
		if !slices.Contains(strings.Fields("html head body h1 h2 h3 p ul li table thead tbody tr th td sup strong"), e.Data) {
			t.Errorf("<%s> %v", e.Data, e.attrs)
		}
		nested := e.Data == "ul" && e.Parent.Data == "li" && !strings.HasPrefix(content(e.Parent), "fail ")
		if nested {
			t.Errorf("a list in a list: %q", content(e.Parent))
		}
		if e.Data == "h1" {
			text = content(e.Node)
		}
	}
	if want := strings.TrimSpace(report.Printable(strings.ToValidUTF8(evil, ""))); strings.Join(strings.Fields(text), " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("the title is %q, want %q", text, want)
	}
	if m := regexp.MustCompile(`(^|[^\w` + "`" + `])([@#]\w|GH-\d)`).FindString(out); m != "" {
		t.Errorf("GitHub would find %q and tell somebody", m)
	}
}

// asCSV reads as a spreadsheet does: a cell is a number, or begins like none of
// the signs that begin a formula.
func asCSV(t *testing.T, out, _ string) {
	visible(t, out)
	r := csv.NewReader(strings.NewReader(out))
	r.FieldsPerRecord = -1
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, record := range records {
		for _, field := range record {
			_, err := strconv.ParseFloat(field, 64)
			if f := strings.TrimSpace(field); err != nil && f != "" && strings.ContainsRune("=+-@|%＝＋－＠", []rune(f)[0]) {
				t.Errorf("a formula: %q", field)
			}
		}
	}
}

// asJSON has the text as it came, for programs.
func asJSON(t *testing.T, out, evil string) {
	var v struct{ Title string }
	if err := json.Unmarshal([]byte(out), &v); err != nil {
		t.Fatal(err)
	}
	if want := strings.ToValidUTF8(evil, ""); v.Title != want {
		t.Errorf("the title is %q, want %q", v.Title, want)
	}
}

// asLatex has no command that is none of ours; package report looks closer.
func asLatex(t *testing.T, out, _ string) {
	visible(t, out)
	for line := range strings.Lines(out) {
		if strings.HasPrefix(line, "%") {
			continue
		}
		if m := regexp.MustCompile(`\\(input|write|immediate|include|def|catcode)|\^\^`).FindString(line); m != "" {
			t.Errorf("%s in %q", m, line)
		}
	}
}

// asXML is one well-formed document without characters that nobody sees.
func asXML(t *testing.T, out, _ string) {
	d := xml.NewDecoder(strings.NewReader(out))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			if x.Name.Local == "script" {
				t.Error("a script")
			}
			for _, a := range x.Attr {
				visible(t, a.Value)
				if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "href" {
					t.Errorf("the attribute %s", a.Name.Local)
				}
			}
		case xml.CharData:
			visible(t, string(x))
		}
	}
}

// asCommands is a list of GitHub's commands, all of them ours.
func asCommands(t *testing.T, out, _ string) {
	visible(t, out)
	for line := range strings.Lines(out) {
		m := regexp.MustCompile(`^::(error|warning|notice) title=([^:,]*)::(.*)\n$`).FindStringSubmatch(line)
		if m == nil || strings.Contains(line, "##[") {
			t.Errorf("%q", line)
		}
	}
}

// Nothing in a report makes the page run or load anything.
func asPage(t *testing.T, page, evil string) {
	for _, e := range elements(t, page) {
		switch e.Data {
		case "script", "img", "iframe", "object", "embed", "link", "base", "form", "input", "foreignobject", "use", "image", "animate", "a":
			if e.Data != "a" || !strings.HasPrefix(e.attrs["href"], "#") {
				t.Errorf("<%s %v>", e.Data, e.attrs)
			}
		case "style":
			if got := content(e.Node); got != style {
				t.Error("the style is not what it was")
			}
		}
		for name, value := range e.attrs {
			if strings.HasPrefix(name, "on") || slices.Contains([]string{"src", "srcset", "action", "formaction", "background", "xlink:href", "srcdoc"}, name) {
				t.Errorf("<%s %s=%q>", e.Data, name, value)
			}
			if name == "style" && strings.ContainsAny(value, "(<") {
				t.Errorf("style %q", value)
			}
		}
	}
	visible(t, strings.ReplaceAll(page, "\t", "")) // tabs lay our own charts out
	shown := strings.Join(strings.Fields(report.Printable(strings.ToValidUTF8(evil, ""))), " ")
	for _, e := range elements(t, page) {
		if e.Data == "h1" && strings.Join(strings.Fields(content(e.Node)), " ") != shown {
			t.Errorf("the title is %q, want %q", content(e.Node), shown)
		}
	}
	if !strings.Contains(page, `content="default-src 'none'; style-src 'unsafe-inline'"`) {
		t.Error("no content security policy")
	}
}
