package page

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"versus/drivers"
	"versus/drivers/replay"
	"versus/dsl"
	"versus/interp/analyze"
	"versus/interp/journal"
	"versus/interp/plan"
	"versus/interp/report"
)

// markup is text that would do harm if any of it were taken for markup, a style,
// a script or the end of one.
const markup = `</script></style></title>--><script>alert(1)</script><img src=x onerror=alert(1)> "'&{{.}} javascript:alert(1)`

// quoted is a text as a string of the language.
func quoted(s string) string {
	var b strings.Builder
	for _, r := range strings.NewReplacer(`\`, `\\`, `"`, `\"`, "${", "$${", "%{", "%%{").Replace(strings.ToValidUTF8(s, "")) {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return `"` + b.String() + `"`
}

// scenario has evil text wherever a scenario can have text.
func scenario(t *testing.T, evil string) (*dsl.Scenario, map[string][]byte) {
	t.Helper()
	e := quoted(evil)
	main := `
scenario "s" {
  title       = ` + e + `
  description = ` + e + `
}
dataset "csv" "d" {
  file        = "d.csv"
  environment = ` + e + `
  units       = { us = "us" }
}
backend "replay" "a" {
  title   = ` + e + `
  dataset = dataset.d
  where   = { who = "a" }
  metrics = { "latency.mean" = column("us") }
}
backend "replay" "b" {
  dataset = dataset.d
  where   = { who = "b" }
  metrics = { "latency.mean" = column("us") }
}
test "replay" "t" {
  title   = ` + e + `
  payload = bytes(each.size)
  sweep {
    backend = [backend.a, backend.b]
    size    = [512, 1024]
    word    = [` + e + `]
  }
}
comparison "c" {
  title    = ` + e + `
  baseline = { backend = backend.a }
  value    = candidate.latency.mean / baseline.latency.mean
  format   = "ratio"
  unit     = ` + e + `
}
table "one" {
  title = ` + e + `
  rows  = [each.backend, each.size, each.word]
  column ` + e + ` { value = latency.mean * 1e6 }
  column "ratio" { value = comparison.c }
  column "text" { value = each.word }
  column "said" { value = "${each.word} ${fixed(latency.mean * 1e6, 0)}" }
  column "none" { value = latency.mean / 0 }
}
table "two" {
  title = ` + e + `
  rows  = [each.backend]
  column "us" { value = latency.mean * 1e6 }
}
chart "lines" {
  title  = ` + e + `
  x      = each.size
  y      = latency.mean * 1e6
  series = each.backend
  x_axis { label = ` + e + ` }
}
chart "bars" {
  x      = each.word
  y      = latency.mean * 1e6
  series = each.backend
  where  = each.size == 512
}
chart "speedup" {
  kind   = "speedup"
  x      = each.word
  y      = comparison.c
  series = each.backend
}
chart "map" {
  kind  = "heatmap"
  x     = each.size
  y     = each.backend
  value = comparison.c
}
expect ` + e + ` {
  condition     = latency.mean < 0
  error_message = ` + e + `
}
`
	sources := map[string][]byte{"main.hcl": []byte(main), "d.csv": []byte("who,size,us\na,512,10\na,1024,11\nb,512,20\nb,1024,30\n")}
	reg := drivers.Registry{replay.Driver}
	s, diags := dsl.LoadSources("main.hcl", sources, dsl.Config{Drivers: reg.Kinds(), Patterns: map[string][]string{"replay": {"replay"}}})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return s, sources
}

// example is the page of such a scenario, the machine's texts as evil.
func example(t *testing.T, evil string) *Page {
	t.Helper()
	s, sources := scenario(t, evil)
	p, diags := plan.New(s, drivers.Registry{replay.Driver}, plan.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	var runs []journal.Run
	for i := range p.Cells() {
		c, err := p.Cell(i)
		if err != nil {
			t.Fatal(err)
		}
		values, err := replay.Driver.Recorded(c.Workload, 0)
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, journal.Run{Cell: c.Key, Order: i, Status: journal.OK, Values: values})
	}
	runs[3].Status, runs[3].Error, runs[3].Values = journal.Failed, evil, nil
	res, err := analyze.Analyze(s, p, runs)
	if err != nil {
		t.Fatal(err)
	}
	page := &Page{
		Report: report.Build(res), Result: res,
		About: []Fact{{evil, evil}}, Environment: []Fact{{"CPU", evil}},
		Fingerprint: evil, Methodology: []string{evil, "a = b"},
	}
	for name, text := range sources {
		page.Sources = append(page.Sources, Source{name + evil, string(text)})
	}
	slices.SortFunc(page.Sources, func(a, b Source) int { return strings.Compare(a.Name, b.Name) })
	return page
}

func written(t *testing.T, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// element is an element with its attributes.
type element struct {
	*html.Node
	attrs map[string]string
}

func elements(t *testing.T, page string) []element {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var out []element
	for n := range root.Descendants() {
		if n.Type == html.ElementNode {
			e := element{n, map[string]string{}}
			for _, a := range n.Attr {
				e.attrs[a.Key] = a.Val
			}
			out = append(out, e)
		}
	}
	return out
}

func content(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// What a screen reader, a keyboard and a printer need (WCAG 2.2 A and AA, as far
// as it shows in the text of a page).
func TestAccessible(t *testing.T) {
	all := elements(t, written(t, example(t, markup)))
	ids := map[string]element{}
	level := 0
	h1 := 0
	for _, e := range all {
		if id, ok := e.attrs["id"]; ok {
			if _, twice := ids[id]; twice {
				t.Errorf("the id %q is there twice", id)
			}
			ids[id] = e
		}
		if len(e.Data) == 2 && e.Data[0] == 'h' && e.Data[1] >= '1' && e.Data[1] <= '6' {
			n := int(e.Data[1] - '0')
			if n > level+1 {
				t.Errorf("%s %q follows a heading of level %d", e.Data, content(e.Node), level)
			}
			level = n
			if n == 1 {
				h1++
			}
			if strings.TrimSpace(content(e.Node)) == "" {
				t.Errorf("an empty %s", e.Data)
			}
		}
	}
	if h1 != 1 {
		t.Errorf("%d headings of the first level", h1)
	}
	landmarks := map[string]bool{}
	for _, e := range all {
		label, labelled := e.attrs["aria-label"], e.attrs["aria-labelledby"]
		if e.Data == "section" || e.attrs["role"] == "region" { // boxes that scroll are groups: two tables may have one title
			name := label
			if labelled != "" {
				name = content(ids[labelled].Node)
			}
			if landmarks[name] {
				t.Errorf("two landmarks are called %q", name)
			}
			landmarks[name] = true
		}
		if labelled != "" && ids[labelled].Node == nil {
			t.Errorf("<%s> is labelled by %q, which is not there", e.Data, labelled)
		}
		switch e.Data {
		case "html":
			if e.attrs["lang"] == "" {
				t.Error("no language")
			}
		case "title":
			if e.Parent.Data == "head" && content(e.Node) == "" {
				t.Error("no title")
			}
		case "a":
			if target := strings.TrimPrefix(e.attrs["href"], "#"); ids[target].Node == nil {
				t.Errorf("a link to %q, which is not there", target)
			}
			if content(e.Node) == "" {
				t.Error("a link without text")
			}
		case "th":
			s := e.attrs["scope"]
			if s != "col" && s != "row" && (s != "colgroup" || e.attrs["colspan"] == "") {
				t.Errorf("the head %q has the scope %q", content(e.Node), s)
			}
		case "tr":
			if n, want := columns(e.Node), columns(ancestor(e.Node, "table").FirstChild.NextSibling.FirstChild); n != want {
				t.Errorf("a row has %d columns, the head %d: %s", n, want, content(e.Node))
			}
		case "table", "nav":
			if label == "" && labelled == "" {
				t.Errorf("<%s> has no name", e.Data)
			}
		case "svg":
			if e.attrs["role"] != "img" || label == "" {
				t.Errorf("a chart without a description: %v", e.attrs)
			}
		case "details":
			if e.FirstChild == nil || e.FirstChild.Data != "summary" {
				t.Error("details without a summary")
			}
		}
		if e.attrs["tabindex"] != "" && (e.attrs["tabindex"] != "0" || e.attrs["role"] == "" || label == "" && labelled == "") {
			t.Errorf("<%s> takes the focus without a role and a name", e.Data)
		}
	}
}

// The parts of a comparison stand in columns of their own, under one heading;
// what has no parts takes all of them, and a mark stands at the last part.
func TestParts(t *testing.T) {
	v := 0.5
	row := func(kind report.Kind, value *float64, parts ...string) []report.Cell {
		return []report.Cell{{Kind: report.KindLabel, Parts: []string{"a"}}, {Kind: kind, Parts: parts, Value: value, Mark: "1"}}
	}
	got := tableOf(&report.Table{
		Columns: []report.Column{{Title: "who", Label: true}, {Title: "change"}},
		Rows: [][]report.Cell{
			row(report.KindWorse, &v, "50%", "[40%, 60%]", "slower"), row(report.KindNumber, &v, "50%", "[40%, 60%]", ""),
			row(report.KindBaseline, nil, "baseline"), row(report.KindMissing, nil, "N/A"),
		},
		Footnotes: []report.Footnote{{Mark: "1", Text: "why"}},
	}, "t")
	who := cell{Label: true, Class: "label", Text: "a", Span: 1}
	same := who // one column of labels: each shows
	note := "t-note-a"
	want := [][]cell{
		{who, {Class: "worse value", Text: "50%", Span: 1}, {Class: "worse interval", Text: "[40%, 60%]", Span: 1}, {Class: "worse verdict", Text: "slower", Span: 1, Mark: "1", Note: note}},
		{same, {Class: "number value", Text: "50%", Span: 1}, {Class: "number interval", Text: "[40%, 60%]", Span: 1, Mark: "1", Note: note}, {Class: "number verdict", Span: 1}},
		{same, {Class: "baseline", Text: "baseline", Span: 3, Mark: "1", Note: note}},
		{same, {Class: "missing", Text: "N/A", Span: 3, Mark: "1", Note: note, Spoken: "not available"}},
	}
	if diff := cmp.Diff(want, got.Rows); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]head{{"who", true, 1}, {"change", false, 3}}, got.Head); diff != "" {
		t.Error(diff)
	}
}

func ancestor(n *html.Node, name string) *html.Node {
	for n.Data != name {
		n = n.Parent
	}
	return n
}

// columns is how many columns the cells of a row take.
func columns(row *html.Node) int {
	n := 0
	for c := range row.ChildNodes() {
		span := 1
		for _, a := range c.Attr {
			if a.Key == "colspan" {
				span, _ = strconv.Atoi(a.Val)
			}
		}
		if c.Type == html.ElementNode {
			n += span
		}
	}
	return n
}

// Text has a contrast of 4.5 to 1 in both themes (WCAG 1.4.3).
func TestContrast(t *testing.T) {
	themes := regexp.MustCompile(`(?s):root \{(.*?)\}`).FindAllStringSubmatch(style, -1)
	if len(themes) != 3 {
		t.Fatalf("%d themes", len(themes))
	}
	for _, theme := range themes {
		colors := map[string]float64{}
		for _, m := range regexp.MustCompile(`--(\w+): #([0-9a-f]+);`).FindAllStringSubmatch(theme[1], -1) {
			colors[m[1]] = luminance(t, m[2])
		}
		for _, ink := range []string{"ink", "soft", "link", "good", "bad", "warn"} {
			for _, paper := range []string{"paper", "head"} {
				a, b := colors[ink], colors[paper]
				if r := (math.Max(a, b) + 0.05) / (math.Min(a, b) + 0.05); r < 4.5 {
					t.Errorf("%s on %s: %.2f", ink, paper, r)
				}
			}
		}
	}
}

func luminance(t *testing.T, hex string) float64 {
	if len(hex) == 3 {
		hex = fmt.Sprintf("%c%c%c%c%c%c", hex[0], hex[0], hex[1], hex[1], hex[2], hex[2])
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		v, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		x := float64(v) / 255
		if x <= 0.04045 {
			sum += weight * x / 12.92
		} else {
			sum += weight * math.Pow((x+0.055)/1.055, 2.4)
		}
	}
	return sum
}

// The page has everything: what was measured, how, on what, and all numbers.
func TestContents(t *testing.T) {
	p := example(t, markup)
	p.About, p.Environment = []Fact{{"begun", "2026-01-01"}}, []Fact{{"CPU", "a fast one"}}
	p.Fingerprint = "abc123"
	page := written(t, p)
	for _, want := range []string{
		"The values of 4 cells were recorded elsewhere, and not measured here; 3 of 4 are valid.", "The numbers were recorded elsewhere", "1 of the scenario's expectations fails", "2026-01-01", "a fast one", "abc123", "a = b",
		"who,size,us\na,512,10", "test,backend,size,word,latency_kind,run,status,latency.mean", ",512,", "1e-05", "<abbr title=\"undefined\">?</abbr>",
		"b came out 2.00 times as slow as", ">?: division by zero in latency.mean / 0.<",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if n := strings.Count(page, "<svg "); n != 2*4 {
		t.Errorf("%d charts, want 4, each wide and narrow", n)
	}
}

func TestCut(t *testing.T) {
	line := strings.Repeat("1,", 1000) + "\n"
	got := cut(strings.Repeat(line, 5000))
	kept, note, _ := strings.Cut(got, "(")
	n := strings.Count(kept, "\n")
	if len(kept) > maxCSV || !strings.HasSuffix(kept, line) || note != fmt.Sprintf("%d more lines are left out; the journal has them)\n", 5000-n) {
		t.Errorf("%d bytes, %d lines, %q", len(kept), n, note)
	}
	if cut(line) != line {
		t.Error("a short text is cut")
	}
}
