package diag

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// mark returns a diagnostic at the text in src between « and », and src
// without these signs.
func mark(t *testing.T, name, src string) (*hcl.Diagnostic, string) {
	t.Helper()
	before, rest, ok := strings.Cut(src, "«")
	marked, after, ok2 := strings.Cut(rest, "»")
	if !ok || !ok2 {
		t.Fatalf("no place marked in %q", src)
	}
	at := hcl.Range{Filename: name, Start: position(before), End: position(before + marked)}
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "Unknown name", Detail: "Did you mean this?", Subject: &at},
		before + marked + after
}

func position(before string) hcl.Pos {
	line := before[strings.LastIndex(before, "\n")+1:]
	return hcl.Pos{Line: strings.Count(before, "\n") + 1, Column: len([]rune(line)) + 1, Byte: len(before)}
}

func text(t *testing.T, diags hcl.Diagnostics, sources map[string][]byte, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := Text(&b, diags, sources, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextShowsThePlace(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"block", "table \"latency\" {\n  rows = [«each.bakend»]\n}\n", `
  on s.hcl line 2, in table "latency":
    2 |   rows = [each.bakend]
      |           ^^^^^^^^^^^`},
		{"nested block", "test \"rpc\" a {\n  sweep {\n    x = «y»\n  }\n}\n", `
  on s.hcl line 3, in test "rpc" a, sweep:
    3 |     x = y
      |         ^`},
		{"after a block", "a {}\nb = «y»\n", `
  on s.hcl line 2:
    2 | b = y
      |     ^`},
		{"object is no block", "a {\n  b = { c = «y» }\n}\n", `
  on s.hcl line 2, in a:
    2 |   b = { c = y }
      |             ^`},
		{"unfinished file", "a \"b\" {\n  c = (\"${«d»\n", `
  on s.hcl line 2, in a "b":
    2 |   c = ("${d
      |           ^`},
		{"tabs", "a {\n\tb =\t«y»\n}\n", `
  on s.hcl line 2, in a:
    2 |     b = y
      |         ^`},
		{"wide letters", "a = [\"延迟\", «延»]\n", `
  on s.hcl line 1:
    1 | a = ["延迟", 延]
      |              ^^`},
		{"combining letters", "a = [\"e\u0301\", «y»]\n", `
  on s.hcl line 1:
    1 | a = ["e` + "\u0301" + `", y]
      |           ^`},
		{"no width", "a = «»\n", `
  on s.hcl line 1:
    1 | a =
      |     ^`},
		{"end of file", "a = 1\n«»", `
  on s.hcl line 2:
    2 |
      | ^`},
		{"several lines", "a = «f(\n  1,\n)» # b\n", `
  on s.hcl line 1:
    1 | a = f(
      |     ^^
    2 |   1,
      |   ^^
    3 | ) # b
      | ^`},
		{"many lines", "a = «[\n1,\n2,\n3,\n4,\n5,\n6,\n7]»\n", `
  on s.hcl line 1:
    1 | a = [
      |     ^
    2 | 1,
      | ^^
    3 | 2,
      | ^^
  ... |
    6 | 5,
      | ^^
    7 | 6,
      | ^^
    8 | 7]
      | ^^`},
		{"Windows", "a = 1\r\nb = «y»\r\n", `
  on s.hcl line 2:
    2 | b = y
      |     ^`},
		{"terminal escapes", "a \"\x1b[2J\" {\n  b = \"\x1b]0;x\x07\u202e\" + «y»\n}\n", `
  on s.hcl line 2, in a "␛[2J":
    2 |   b = "␛]0;x␇` + "\ufffd" + `" + y
      |                   ^`},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, src := mark(t, "s.hcl", c.src)
			want := "Error: Unknown name\n" + c.want + "\n\n  Did you mean this?\n\n1 error\n"
			got := text(t, hcl.Diagnostics{d}, map[string][]byte{"s.hcl": []byte(src)}, Options{})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLongLinesAreShortened(t *testing.T) {
	d, src := mark(t, "s.hcl", strings.Repeat("é", 1000)+"«yes»"+strings.Repeat("z", 1000)+"\n")
	got := text(t, hcl.Diagnostics{d}, map[string][]byte{"s.hcl": []byte(src)}, Options{Width: 60})
	lines := strings.Split(got, "\n")
	code, signs := lines[3], lines[4]
	if narrow.StringWidth(code) > 60 || !strings.Contains(code, "yes") {
		t.Errorf("line of %d columns:\n%s", narrow.StringWidth(code), code)
	}
	if before, _, _ := strings.Cut(code, "yes"); narrow.StringWidth(before) != strings.Index(signs, "^^^") {
		t.Errorf("signs are not beneath the name:\n%s\n%s", code, signs)
	}
}

func TestTextOrdersAndCounts(t *testing.T) {
	at := func(file string, line int) *hcl.Range {
		p := hcl.Pos{Line: line, Column: 1, Byte: line * 10}
		return &hcl.Range{Filename: file, Start: p, End: p}
	}
	diags := hcl.Diagnostics{
		{Severity: hcl.DiagError, Summary: "three", Subject: at("b.hcl", 1)},
		{Severity: hcl.DiagWarning, Summary: "two", Subject: at("a.hcl", 12)},
		{Severity: hcl.DiagError, Summary: "one", Subject: at("a.hcl", 2)},
		{Severity: hcl.DiagError, Summary: "one", Subject: at("a.hcl", 2)},
		{Severity: hcl.DiagError, Summary: "none"},
	}
	want := `Error: none

Error: one

  on a.hcl line 2

Warning: two

  on a.hcl line 12

Error: three

  on b.hcl line 1

3 errors, 1 warning
`
	if diff := cmp.Diff(want, text(t, diags, nil, Options{})); diff != "" {
		t.Error(diff)
	}
	if got := text(t, nil, nil, Options{}); got != "" {
		t.Errorf("no diagnostics print %q", got)
	}
}

func TestTextWrapsAndColours(t *testing.T) {
	d := &hcl.Diagnostic{Severity: hcl.DiagWarning, Summary: "s", Detail: "Aaaa bbbb cccc dddd eeee ffff gggg hhhh iiii:\n  - kept as it is, however long the line may be\n\nend"}
	want := "\x1b[1;33mWarning:\x1b[0m \x1b[1ms\x1b[0m\n\n  Aaaa bbbb cccc dddd eeee ffff gggg\n  hhhh iiii:\n    - kept as it is, however long the line may be\n\n  end\n\n1 warning\n"
	if diff := cmp.Diff(want, text(t, hcl.Diagnostics{d}, nil, Options{Width: 40, Color: true})); diff != "" {
		t.Error(diff)
	}
}

func TestTextShowsValues(t *testing.T) {
	src := "a = var.runs + var.name + var.key + var.list[0] + var.later + var.none + local.x + nosuch\n"
	e, diags := hclsyntax.ParseExpression([]byte(src[4:len(src)-1]), "s.hcl", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	d := &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "s", Expression: e, EvalContext: &hcl.EvalContext{Variables: map[string]cty.Value{
		"var": cty.ObjectVal(map[string]cty.Value{
			"runs": cty.NumberIntVal(5), "name": cty.StringVal("x\x1b[0m"), "key": cty.StringVal("secret").Mark("sensitive"),
			"list": cty.ListVal([]cty.Value{cty.True}), "later": cty.UnknownVal(cty.Number), "none": cty.NullVal(cty.String),
		}),
		"local": cty.ObjectVal(map[string]cty.Value{"x": cty.ListVal([]cty.Value{cty.True})}),
	}}}
	want := `Error: s

  with local.x (a list of bool with 1 element)
  with var.key (sensitive)
  with var.later (a number, known later)
  with var.list[0] = true
  with var.name = "x␛[0m"
  with var.none = null
  with var.runs = 5

1 error
`
	if diff := cmp.Diff(want, text(t, hcl.Diagnostics{d}, nil, Options{})); diff != "" {
		t.Error(diff)
	}
}

func TestStackTracesAreNotShown(t *testing.T) {
	d := &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "s",
		Detail: "Call to function \"log\" failed: panic in function implementation: big.Float: NaN\ngoroutine 1 [running]:\nmain.go:12"}
	got := text(t, hcl.Diagnostics{d}, nil, Options{})
	if strings.Contains(got, "goroutine") || !strings.Contains(got, "no result for these arguments\n  (big.Float: NaN)") {
		t.Error(got)
	}
	if strings.Contains(d.Detail, "no result") {
		t.Error("the diagnostic of the caller was changed")
	}
}

func TestJSON(t *testing.T) {
	d, src := mark(t, "s.hcl", "table \"x\" {\n  rows = [«each.é»]\n}\n")
	var b bytes.Buffer
	if err := JSON(&b, hcl.Diagnostics{d, d}, map[string][]byte{"s.hcl": []byte(src)}); err != nil {
		t.Fatal(err)
	}
	want := `{
  "format_version": "1.0",
  "valid": false,
  "error_count": 1,
  "warning_count": 0,
  "diagnostics": [
    {
      "severity": "error",
      "summary": "Unknown name",
      "detail": "Did you mean this?",
      "range": {
        "filename": "s.hcl",
        "start": {
          "line": 2,
          "column": 11,
          "byte": 22
        },
        "end": {
          "line": 2,
          "column": 17,
          "byte": 29
        }
      },
      "snippet": {
        "context": "table \"x\"",
        "code": "  rows = [each.é]",
        "start_line": 2,
        "highlight_start_offset": 10,
        "highlight_end_offset": 17,
        "values": []
      }
    }
  ]
}
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
	b.Reset()
	if err := JSON(&b, nil, nil); err != nil || !strings.Contains(b.String(), `"valid": true`) || !strings.Contains(b.String(), `"diagnostics": []`) {
		t.Errorf("%v: %s", err, b.String())
	}
}

func TestSARIF(t *testing.T) {
	d, src := mark(t, "a b/s.hcl", "x = \"延迟\" + «each.é»\n")
	var b bytes.Buffer
	if err := SARIF(&b, hcl.Diagnostics{d, {Severity: hcl.DiagWarning, Summary: "No place"}}, map[string][]byte{"a b/s.hcl": []byte(src)}, "1.2"); err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	want := sarifRun{
		Tool: sarifTool{sarifDriver{"versus", "1.2", []sarifRule{
			{ID: "no-place", ShortDescription: sarifMessage{"No place"}},
			{ID: "unknown-name", ShortDescription: sarifMessage{"Unknown name"}}}}},
		ColumnKind: "unicodeCodePoints",
		Results: []sarifResult{
			{RuleID: "no-place", Level: "warning", Message: sarifMessage{"No place"}},
			{RuleID: "unknown-name", Level: "error", Message: sarifMessage{"Did you mean this?"},
				Locations: []sarifLocation{{sarifPhysical{sarifArtifact{"a%20b/s.hcl"}, sarifRegion{1, 12, 1, 18}}}}},
		},
	}
	if diff := cmp.Diff([]sarifRun{want}, log.Runs); diff != "" || log.Version != "2.1.0" {
		t.Error(diff)
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestErrorsOfTheWriterAreReturned(t *testing.T) {
	d := hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "s"}}
	for name, err := range map[string]error{
		"text":  Text(failing{}, d, nil, Options{}),
		"json":  JSON(failing{}, d, nil),
		"sarif": SARIF(failing{}, d, nil, ""),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Whatever the source and the range, every format is written, and nothing
// that controls a terminal gets out.
func FuzzText(f *testing.F) {
	f.Add("a \"b\" {\n\tc = «延»\n}\n", 10, 14, 60)
	f.Add("\x1b[2J\xff{{{}}}\r\n", -1, 99, 0)
	f.Fuzz(func(t *testing.T, src string, from, to, width int) {
		at := hcl.Range{Filename: src, Start: hcl.Pos{Line: 1, Column: 1, Byte: from}, End: hcl.Pos{Line: 1, Column: 1, Byte: to}}
		diags := hcl.Diagnostics{{Severity: hcl.DiagError, Summary: src, Detail: src, Subject: &at}}
		files := map[string][]byte{src: []byte(src)}
		out := text(t, diags, files, Options{Width: width})
		for _, r := range out {
			if r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x202e) {
				t.Fatalf("%q gets out: %q", r, out)
			}
		}
		var b bytes.Buffer
		if err := JSON(&b, diags, files); err != nil || !json.Valid(b.Bytes()) {
			t.Fatalf("JSON: %v", err)
		}
		if err := SARIF(&b, diags, files, ""); err != nil {
			t.Fatalf("SARIF: %v", err)
		}
	})
}

func ExampleText() {
	src := "table \"latency\" {\n  rows = [each.bakend]\n}\n"
	diags := hcl.Diagnostics{{
		Severity: hcl.DiagError, Summary: "Unknown axis", Detail: "There is no axis bakend here. Did you mean backend?",
		Subject: &hcl.Range{Filename: "s.hcl", Start: hcl.Pos{Line: 2, Column: 11, Byte: 28}, End: hcl.Pos{Line: 2, Column: 22, Byte: 39}},
	}}
	var b bytes.Buffer
	Text(&b, diags, map[string][]byte{"s.hcl": []byte(src)}, Options{})
	fmt.Print(b.String())
	// Output:
	// Error: Unknown axis
	//
	//   on s.hcl line 2, in table "latency":
	//     2 |   rows = [each.bakend]
	//       |           ^^^^^^^^^^^
	//
	//   There is no axis bakend here. Did you mean backend?
	//
	// 1 error
}
