package format

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

func TestSource(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"nothing", "", ""},
		{"only blank lines", "\n \n\n", ""},
		{"layout", "a{\nb=1\n  ccc = [1,2]\n}", "a {\n  b   = 1\n  ccc = [1, 2]\n}\n"},
		{"blank lines", "\n\na = 1\n\n\n\nb {\n\n\n  c = 1\n\n  \n\n  d = 2\n\n}\n\n\n", "a = 1\n\nb {\n  c = 1\n\n  d = 2\n}\n"},
		{"blank lines in lists", "a = [\n\n  1,\n\n\n  2,\n\n]\n", "a = [\n  1,\n\n  2,\n]\n"},
		{"blank lines and comments", "# a\n\n\n# b\nc {\n\n  # d\n\n\n  e = 1 # f\n\n\n  # g\n\n}\n# h\n\n", "# a\n\n# b\nc {\n  # d\n\n  e = 1 # f\n\n  # g\n}\n# h\n"},
		{"no final newline", "a = 1", "a = 1\n"},
		{"comment at the end", "a = 1 // b", "a = 1 # b\n"},
		{"comment signs", "// a // b\nc = \"//\" //d\n/* e // f */\n", "# a // b\nc = \"//\" #d\n/* e // f */\n"},
		{"labels", "test rpc \"latency\" {\n}\n", "test \"rpc\" \"latency\" {\n}\n"},
		{"template", "a = \"${b}\"\n", "a = b\n"},
		{"template of an operation", "a = \"${b + c}\"\n", "a = b + c\n"},
		{"template within an operation", "a = \"${b + c}\" * 2\nd = \"${e}\" * 2\n", "a = (b + c) * 2\nd = e * 2\n"},
		{"template next to a minus", "a = \"${b}\"-1\n", "a = (b) - 1\n"},
		{"templates inside templates", "a = \"${f(\"${b}\", \"x${c}\")}\"\n", "a = f(b, \"x${c}\")\n"},
		{"template with strip markers", "a = \"${~ b ~}\"\n", "a = b\n"},
		{"template as a key", "a = { \"${b}\" = \"${c}\" }\n", "a = { \"${b}\" = c }\n"},
		{"template over lines", "a = \"${[\n  1,\n]}\"\n", "a = \"${[\n  1,\n]}\"\n"},
		{"no template", "a = \"$${b}\"\nc = \"x${b}\"\n", "a = \"$${b}\"\nc = \"x${b}\"\n"},
		{"heredoc", "a = <<-E\n  x  \n\n\n  ${b}\n  E\n", "a = <<-E\n  x  \n\n\n  ${b}\n  E\n"},
		{"the trap", "v = (baseline-candidate)/candidate\n", "v = (baseline - candidate) / candidate\n"},
		{"the trap in metrics", "v = baseline.latency.mean-candidate.latency.mean\n", "v = baseline.latency.mean - candidate.latency.mean\n"},
		{"the trap with numbers", "v = n-1\nw = latency.p99_9-1.5\n", "v = n - 1\nw = latency.p99_9 - 1.5\n"},
		{"the trap in a for", "v = [for x in y : x-1]\n", "v = [for x in y : x - 1]\n"},
		{"the trap after a name", "v = local.a-local.b\nw = each.payload-var.size\n", "v = local.a - local.b\nw = each.payload - var.size\n"},
		{"no trap", "v = tao-candidate\nw = local.models.gpt-4\nx = { baseline-candidate = 1 }\ny = \"baseline-candidate\"\n",
			"v = tao-candidate\nw = local.models.gpt-4\nx = { baseline-candidate = 1 }\ny = \"baseline-candidate\"\n"},
		{"Windows", "# a\r\nb = 1\r\n\r\n\r\n\r\nc = 2\r\n", "# a\nb = 1\n\nc = 2\n"},
		{"byte order mark", "\ufeff\na = 1\n", "a = 1\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, diags := Source("s.hcl", []byte(c.src))
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Error(diff)
			}
			checkInvariants(t, []byte(c.src), got)
		})
	}
}

// checkInvariants checks that formatting again changes nothing, and that all
// comments are still there, in order.
func checkInvariants(t *testing.T, src, out []byte) {
	t.Helper()
	again, diags := Source("s.hcl", out)
	if diags.HasErrors() {
		t.Fatalf("the result is refused: %v\n%s", diags, out)
	}
	if diff := cmp.Diff(string(out), string(again)); diff != "" {
		t.Errorf("formatting again changes it:\n%s", diff)
	}
	if diff := cmp.Diff(comments(src), comments(out)); diff != "" {
		t.Errorf("comments changed:\n%s", diff)
	}
}

func comments(src []byte) []string {
	var all []string
	tokens, _ := hclsyntax.LexConfig(src, "", hcl.InitialPos)
	for _, t := range tokens {
		if t.Type == hclsyntax.TokenComment {
			text := strings.TrimSpace(string(t.Bytes))
			if rest, ok := strings.CutPrefix(text, "//"); ok {
				text = "#" + rest
			}
			all = append(all, strings.TrimSpace(text))
		}
	}
	return all
}

func TestRefused(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"s.hcl", "a = \n", "Invalid expression"},
		{"s.hcl", "a = " + strings.Repeat("(", 1000), "Nesting too deep"},
		{"s.hcl.json", "{}", "JSON is not formatted"},
	} {
		out, diags := Source(c.name, []byte(c.src))
		if out != nil || len(diags) == 0 || diags[0].Summary != c.want {
			t.Errorf("%s: %q, %v; want %s", c.name, out, diags, c.want)
		}
	}
}

func TestDiff(t *testing.T) {
	if got := Diff("s.hcl", []byte("a\n"), []byte("a\n")); got != "" {
		t.Errorf("no difference prints %q", got)
	}
	got := Diff("s.hcl", []byte("a=1\n"), []byte("a = 1\n"))
	for _, want := range []string{"--- s.hcl\n", "+++ s.hcl (formatted)\n", "-a=1\n", "+a = 1\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// The shipped scenarios are the style: they come out as they are.
func TestScenariosAreFormatted(t *testing.T) {
	names, err := filepath.Glob("../../scenarios/*.hcl")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		out, diags := Source(name, src)
		if diags.HasErrors() {
			t.Errorf("%s: %v", name, diags)
		} else if !bytes.Equal(src, out) {
			t.Errorf("not formatted:\n%s", Diff(name, src, out))
		}
	}
}

func FuzzSource(f *testing.F) {
	for _, seed := range []string{
		"a {\n\n  b=\"${c+\"${d}\"}\"-1 // e\n\n\n}\n", "a = <<-E\n  ${b}\n  E\n# c", "a = baseline.x-candidate.y-1\r\n\r\n\r\n",
		"a = {\n  \"${b}\" : [for c in d : c-1], # e\n\n}\n", "a b \"c\" {}\n", "a = b ? \"${c}\" : \"${~d~}\"\n", "/* a */ b = 1 /* c */\n",
		"a = [{\n  b = 1 },\n\n\n{ c = 2 }]\n", "a = b.*.c[*].d\n", "\ufeffa=1",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		out, diags := Source("s.hcl", src)
		if !diags.HasErrors() {
			checkInvariants(t, src, out)
		} else if len(diags) == 1 && diags[0].Summary == "Formatting failed" {
			t.Fatalf("%v\n%s", diags, src)
		}
	})
}
