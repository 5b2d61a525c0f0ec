package dsl

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/json"
)

func TestCheckSourceAccepts(t *testing.T) {
	for name, src := range map[string]string{
		"empty":           "",
		"byte order mark": "\ufeffa = 1\n",
		"deep enough":     "a = " + strings.Repeat("(", 249) + "1" + strings.Repeat(")", 249) + "\n",
		"many in a row":   "a = [" + strings.Repeat("-1, (2), !true, ", 2000) + "]\n",
		"many attributes": strings.Repeat("a = b ? -1 : [c[0], \"${d}\"]\n", 5000),
		"many in braces":  "a = {\n" + strings.Repeat("b = c ? d : e + f\n", 5000) + "}\n",
		"many directives": "a = \"" + strings.Repeat("%{if a}b%{endif}", 1000) + "\"\n",
		"minus, not sign": "a = 1" + strings.Repeat(" - 1", 900) + "\n",
		"long text":       "a = \"" + strings.Repeat("x", maxString) + "\"\n",
		"numbers":         "a = [1e308, 5e-324, 0e-999999, 0.1, 12345678901234567890]\n",
		"broken":          "a = (1 + [2 }\nb = \"\n",
		"s.json":          `{"a": "${(1 + 2) / 3}", "b": [1, -2.5e3], "c\u0041": "\\"}`,
		"broken.json":     `{"a": `,
	} {
		if diags := checkSource(name, []byte(src)); diags.HasErrors() {
			t.Errorf("%s: %v", name, diags)
		}
	}
}

func TestCheckSourceRefuses(t *testing.T) {
	nest := func(open string, n int) string { return "a = " + strings.Repeat(open, n) }
	for name, c := range map[string]struct{ src, summary, place string }{
		"size":             {strings.Repeat(" ", maxSource+1), "File too large", "1,1"},
		"bytes":            {"a = 1\nb = \"\xff\"\n", "File is not UTF-8", "2,6"},
		"UTF-16":           {"\xff\xfea\x00", "File is not UTF-8", "1,1"},
		"tokens":           {"a = [" + strings.Repeat("1,", maxTokens/2) + "]", "File too long", "1,200003"},
		"parentheses":      {nest("(", 300_000), "File too long", ""},
		"parentheses, few": {nest("(", 251), "Nesting too deep", "1,255"},
		"brackets":         {nest("[", 251), "Nesting too deep", ""},
		"objects":          {nest("{b=", 251), "Nesting too deep", ""},
		"blocks":           {strings.Repeat("a {\n", 251), "Nesting too deep", "251,3"},
		"calls":            {nest("f(", 251), "Nesting too deep", ""},
		"signs":            {nest("-", 251), "Nesting too deep", ""},
		"nots":             {nest("!", 251), "Nesting too deep", ""},
		"templates":        {nest(`"${`, 126), "Nesting too deep", ""},
		"heredocs":         {nest("<<A\n${", 126), "Nesting too deep", ""},
		"conditionals":     {"a = " + strings.Repeat("b ? c : ", 251) + "d\n", "Nesting too deep", ""},
		"directives":       {`a = "` + strings.Repeat("%{if a}", 251), "Nesting too deep", ""},
		"operators":        {"a = 1" + strings.Repeat(" + 1", 1001), "Expression too long", ""},
		"indices":          {"a = b" + strings.Repeat("[c]", 1001), "Expression too long", ""},
		"mixed":            {"a = " + strings.Repeat("(-[!", 100), "Nesting too deep", ""},
		"closed wrongly":   {"a = " + strings.Repeat("(}", 251), "Nesting too deep", ""},
		"text":             {"\n a = \"" + strings.Repeat("x$${", maxString/4) + "y\"\n", "Text too long", "2,6"},
		"heredoc":          {"a = <<A\n" + strings.Repeat("x\n", maxString/2+1) + "A\n", "Text too long", "1,5"},
		"lines":            {"a = <<A\n" + strings.Repeat("\n", maxPieces+1) + "A\n", "Text too long", "1,5"},
		"huge":             {"a = 1e309", "Number out of range", "1,5"},
		"tiny":             {"a = 1e-1000000", "Number out of range", "1,5"},
		"digits":           {"a = 1." + strings.Repeat("0", 100), "Number out of range", "1,5"},
		"hidden":           {`a = "x${1e-1000000}"`, "Number out of range", "1,9"},
		"depth.json":       {strings.Repeat(`[`, 300_000), "Nesting too deep", "1,251"},
		"huge.json":        {`{"a": -1e1000000}`, "Number out of range", "1,7"},
		"template.json":    {`{"a": "${` + strings.Repeat("(", 250) + `"}`, "Nesting too deep", "1,7"},
		"escaped.json":     {`{"a": "x\u0024\u007b1e-1000000}"}`, "Number out of range", "1,7"},
		"key.json":         {`{"${1e-1000000}": 1}`, "Number out of range", "1,2"},
		"text.json":        {`{"a": "` + strings.Repeat("x", maxString) + `"}`, "Text too long", "1,7"},
		"tokens.json":      {"[" + strings.Repeat("1,", maxTokens/2), "File too long", ""},
		"mark.json":        {"\ufeff{}", "Byte order mark in JSON", "1,1"},
	} {
		diags := checkSource(name, []byte(c.src))
		if len(diags) != 1 {
			t.Errorf("%s: %d diagnostics, want 1: %.300v", name, len(diags), diags)
			continue
		}
		d := diags[0]
		if d.Summary != c.summary {
			t.Errorf("%s: %q, want %q", name, d.Summary, c.summary)
		}
		if place := strings.TrimPrefix(d.Subject.String(), name+":"); c.place != "" && !strings.HasPrefix(place, c.place+"-") {
			t.Errorf("%s: at %s, want %s", name, place, c.place)
		}
	}
}

func TestMistakesOfOneKindAreNotReportedWithoutEnd(t *testing.T) {
	diags := checkSource("many", []byte(strings.Repeat("a = 1e999\n", 10_000)))
	if len(diags) != maxReports {
		t.Errorf("%d diagnostics, want %d", len(diags), maxReports)
	}
}

// What checkSource lets pass, the parser survives on a stack far smaller than
// the default: every pair of tokens, repeated.
func TestParserSurvivesWhatPasses(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(4 << 20))
	words := []string{"a", "1", "-", "(", ")", "[", "{", "}", "?", ":", ",", "\n", "*", "\"", "${", "%{if ", "<<A\n", "x("}
	for _, first := range words {
		for _, second := range words {
			unit := first + second
			src := []byte("a = " + strings.Repeat(unit, 5000/len(unit)))
			if !checkSource("s.hcl", src).HasErrors() {
				hclsyntax.ParseConfig(src, "s.hcl", hcl.InitialPos)
			}
			if !checkSource("s.json", src).HasErrors() {
				json.Parse(src, "s.json")
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"a = (1 + 2) * -3\n", "b \"c\" \"d\" {\n  e = [1, \"${f ? g : h}\"]\n}\n", "a = <<A\nx ${y} %{if z}w%{endif}\nA\n",
		"a = { b = 1, \"c\" = [for d in e : d => f if g...] }\n", "a = b[*].c.*.d[0]\n", "{\"a\": [\"${b}\", 1e3]}", "/* a", "a = 5ms\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if !checkSource("s.hcl", src).HasErrors() {
			file, diags := hclsyntax.ParseConfig(src, "s.hcl", hcl.InitialPos)
			improve(diags, src)
			if !diags.HasErrors() {
				checkParsed(file)
			}
		}
		if !checkSource("s.json", src).HasErrors() {
			json.Parse(src, "s.json")
		}
	})
}

func BenchmarkCheckSource(b *testing.B) {
	src := []byte(strings.Repeat("test \"rpc\" \"latency\" {\n  payload = bytes(each.payload) # \"512B\"\n  rate = 1 + 2 * 3\n}\n", 75))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		checkSource("s.hcl", src)
	}
}
