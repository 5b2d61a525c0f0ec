package manual

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"versus/dsl"
	"versus/dsl/format"
	"versus/dsl/schema"
	"versus/stdlib/functions"
	"versus/stdlib/metric"
)

func TestWrite(t *testing.T) {
	lang := &schema.Block{Blocks: []schema.Block{{
		Type: "host", Labels: []schema.Label{{Name: "kind", Kind: true}, {Name: "name", Declares: true}}, Many: true,
		Doc: "Where roles run. More.", Example: "host \"local\" \"a\" {}",
		Attrs: []schema.Attr{
			{Name: "size", Type: schema.Size, Time: schema.Cell, Default: `"1MiB"`, Min: 1, Max: 1 << 30, Doc: "How much.", Example: `"2MiB"`},
			{Name: "mode", Type: schema.String, OneOf: []string{"a", "b"}, Required: true, Doc: "This | that."},
		},
		Free:   &schema.Attr{Type: schema.List, Time: schema.Result, Doc: "An axis."},
		Kinds:  []schema.Kind{{Name: "local", Doc: "Here."}, {Name: "ssh", Doc: "There.", NotBuilt: "no", Attrs: []schema.Attr{{Name: "address", Type: schema.String, Doc: "Where."}}}},
		Blocks: []schema.Block{{Type: "sweep", Labels: []schema.Label{{Name: "name", Optional: true}}, Doc: "Axes.", NotBuilt: "no"}},
	}, {
		Type: "lab", Doc: "A lab.",
		Blocks: []schema.Block{{Type: "sweep", Labels: []schema.Label{{Name: "name", Optional: true}}, Doc: "Axes.", NotBuilt: "no"}},
	}}}
	var b bytes.Buffer
	if err := Write(&b, lang, []functions.Doc{{Name: "f", Signature: "f(a)", Description: "An a.", Example: "f(1)", Result: "2"}}, metric.All[:1]); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		intro,
		"| [`host \"KIND\" \"NAME\"`](#host-kind-name) | Where roles run |\n",
		"\n### `host \"KIND\" \"NAME\"`\n\nWhere roles run. More.\n\nIn a scenario: any number of times.\n\n```hcl\nhost \"local\" \"a\" {}\n```\n",
		"| `size` | size | cell | `\"1MiB\"` | How much. From 1 B to 1073741824 B. For example `\"2MiB\"`. |\n",
		"| `mode` | `\"a\"`, `\"b\"` | load | required | This \\| that. |\n",
		"| any other name | list | result |  | An axis. |\n",
		"| `ssh` | There. **Not built yet**",
		"\n#### `host \"ssh\" \"NAME\"`\n",
		"\n#### `sweep [\"NAME\"]`\n\nAxes. **Not built yet**: it parses, and is refused.\n\nIn `host \"KIND\" \"NAME\"`: at most once.\n",
		"\n### `lab`\n\nA lab.\n\nIn a scenario: at most once.\n\nBlocks in it, as in [`host \"KIND\" \"NAME\"`](#host-kind-name): `sweep`.\n\n##",
		"| `f(a)` | An a. | `f(1)` is `2` |\n",
		"| `latency.mean` | s | lower | mean of the runs kept |",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the manual lacks %q", want)
		}
	}
	if t.Failed() {
		t.Log(strings.TrimPrefix(b.String(), intro))
	}
}

// Every example in the introduction is laid out as `versus fmt` does, and
// every example of the language parses.
func TestExamples(t *testing.T) {
	examples := regexp.MustCompile("(?s)```hcl\n(.*?)```").FindAllStringSubmatch(intro, -1)
	if len(examples) < 3 {
		t.Fatalf("found %d examples", len(examples))
	}
	for _, e := range examples {
		out, diags := format.Source("intro.hcl", []byte(e[1]))
		if diags.HasErrors() {
			t.Errorf("%v\n%s", diags, e[1])
		} else if string(out) != e[1] {
			t.Error(format.Diff("intro.hcl", []byte(e[1]), out))
		}
	}
	everyBlock(dsl.Language(nil), func(b *schema.Block) {
		if b.Example == "" {
			return
		}
		out, diags := format.Source(b.Type+".hcl", []byte(b.Example+"\n"))
		if diags.HasErrors() {
			t.Errorf("example of %s: %v", b.Type, diags)
		} else if string(out) != b.Example+"\n" {
			t.Error(format.Diff(b.Type, []byte(b.Example+"\n"), out))
		}
	})
}

// The first example of the introduction is a whole scenario, and loads.
func TestFirstExampleLoads(t *testing.T) {
	_, rest, _ := strings.Cut(intro, "```hcl\n")
	src, _, _ := strings.Cut(rest, "```")
	drivers := []schema.Kind{{Name: "grpc"}, {Name: "http"}}
	patterns := map[string][]string{"grpc": {"rpc"}, "http": {"rpc"}}
	_, diags := dsl.LoadSources("first.hcl", map[string][]byte{"first.hcl": []byte(src)}, dsl.Config{Drivers: drivers, Patterns: patterns})
	if len(diags) > 0 {
		t.Error(diags)
	}
}

// The descriptions are sentences.
func TestDescriptions(t *testing.T) {
	check := func(where, doc string) {
		if !strings.HasSuffix(doc, ".") {
			t.Errorf("%s: the description %q is not a sentence", where, doc)
		}
	}
	attrs := func(where string, list []schema.Attr) {
		for _, a := range list {
			check(where+" "+a.Name, a.Doc)
		}
	}
	everyBlock(dsl.Language(nil), func(b *schema.Block) {
		check(b.Type, b.Doc)
		attrs(b.Type, b.Attrs)
		for _, k := range b.Kinds {
			check(b.Type+" "+k.Name, k.Doc)
			attrs(b.Type+" "+k.Name, k.Attrs)
		}
	})
	for _, f := range dsl.FunctionDocs() {
		check(f.Name, f.Description)
	}
	for _, m := range metric.All {
		check(m.Name, m.Doc)
	}
}

func everyBlock(b *schema.Block, visit func(*schema.Block)) {
	visit(b)
	for i := range b.Blocks {
		everyBlock(&b.Blocks[i], visit)
	}
	for i := range b.Kinds {
		for j := range b.Kinds[i].Blocks {
			everyBlock(&b.Kinds[i].Blocks[j], visit)
		}
	}
}
