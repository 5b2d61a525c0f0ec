package dsl

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

func TestImprove(t *testing.T) {
	for _, c := range []struct{ src, at, say string }{
		{"a = 5ms\n", "5ms", `Write "5ms" in quotes`},
		{"a = [1, 5ms]\n", "5ms", `Write "5ms" in quotes`},
		{"a = f(5ms)\n", "5ms", `Write "5ms" in quotes`},
		{"a = { b = 5ms }\n", "5ms", `Write "5ms" in quotes`},
		{"a { b = 5ms }\n", "5ms", `Write "5ms" in quotes`},
		{"a = 5µs\n", "5µs", `Write "5µs" in quotes`},
		{"a = 56kbit/s\n", "56kbit/s", `Write "56kbit/s" in quotes`},
		{"a = 1.5e3s\n", "1.5e3s", `Write "1.5e3s" in quotes`},
		{"a = 5 ms\n", "5 ms", `in quotes: "5ms"`},
		{"a = 10%\n", "10%", "10% as 10 / 100"},
		{"a = [10%, 5]\n", "10%", "10% as 10 / 100"},
		{"a { b = 10% }\n", "10%", "10% as 10 / 100"},
		{"a = 'x y'\n", "'x y'", `Write a text in double quotes: "x y"`},
		{"a = it's\n", "'", `Write texts in double quotes`},
		{"a = 0x10\n", "0x10", "Numbers are decimal"},
		{"a = 1_000\n", "1_000", "Write 1000 without"},
		{"a = .5\n", ".5", "write 0.5"},
		{"a = +1\n", "+", "Leave it out"},
		{"a = b and c\n", "and", "Write && instead"},
		{"a = b or c\n", "or", "Write || instead"},
		{"a = not b\n", "not", "Write ! instead"},
		{"a = 2**3\n", "**", "pow(a, b)"},
		{"a: 1\n", "a:", "a = ..."},
		{"a == 1\n", "a ==", "a = ..."},
		{"a = [1 2]\n", "2", "Expected a comma"}, // not ours: stays
	} {
		_, diags := hclsyntax.ParseConfig([]byte(c.src), "f.hcl", hcl.InitialPos)
		diags = improve(diags, []byte(c.src))
		if len(diags) != 1 {
			t.Errorf("%q: %d diagnostics, want 1: %v", c.src, len(diags), diags)
			continue
		}
		d := diags[0]
		if at := string(d.Subject.SliceBytes([]byte(c.src))); at != c.at || d.Subject.Filename != "f.hcl" {
			t.Errorf("%q: at %s %q, want %q", c.src, d.Subject.Filename, at, c.at)
		}
		if !strings.Contains(d.Detail, c.say) {
			t.Errorf("%q: %q does not say %q", c.src, d.Detail, c.say)
		}
	}
}

func TestDuplicateKeys(t *testing.T) {
	for src, want := range map[string]string{
		"a = { x = 1, x = 2 }\n":                               "x",
		"a = { x = 1, \"x\" = 2 }\n":                           `"x"`,
		"a = { x = 1, (\"x\") = 2 }\n":                         `("x")`,
		"a = { 1 = 1, \"1\" = 2 }\n":                           "",
		"b {\n  c = f([{ x = { y = 1, z = 2, y = 3 } }])\n}\n": "y",
		"a = { \"\u00e9\" = 1, \"e\u0301\" = 2 }\n":            "\"e\u0301\"", // the same letter, composed and not
		"a = { x = 1, y = 1 }\n":                               "",
		"a = { (b) = 1, (b) = 2 }\n":                           "",
		"a = { x = 1 }\nb = { x = 1 }\n":                       "",
	} {
		file, diags := hclsyntax.ParseConfig([]byte(src), "f.hcl", hcl.InitialPos)
		if diags.HasErrors() {
			t.Fatalf("%q: %v", src, diags)
		}
		diags = checkParsed(file)
		got := ""
		for _, d := range diags {
			got += string(d.Subject.SliceBytes([]byte(src)))
		}
		if got != want {
			t.Errorf("%q: duplicates %q, want %q", src, got, want)
		}
	}
}
