package report

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// publishedSchema is the schema in docs, which a test of cmd/versus keeps that
// of WriteSchema.
func publishedSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	f, err := os.Open(filepath.Join("..", "..", "docs", "report.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	document, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("report.json", document); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("report.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What is written is what the published schema says, with all that a report can
// have; and the schema says enough to tell what is not.
func TestSchema(t *testing.T) {
	schema := publishedSchema(t)
	s, p := planned(t, measuredHead+measuredTables+`
chart "by_size" {
  x      = each.payload
  y      = time_per_call * 1e6
  series = each.backend
}
chart "tail" {
  kind   = "percentiles"
  series = each.backend
}
chart "map" {
  kind  = "heatmap"
  x     = each.payload
  y     = each.backend
  value = comparison.vs_grpc
}
`)
	r := built(t, s, p, measured(t, p))
	r.Notes = append(r.Notes, Note{Warning: true, Text: "x"})
	var b bytes.Buffer
	if err := JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	if err := json.Unmarshal(b.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(document); err != nil {
		t.Error(err)
	}
	var empty bytes.Buffer
	if err := JSON(&empty, &Report{}); err != nil {
		t.Fatal(err)
	}
	none, err := jsonschema.UnmarshalJSON(&empty)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(none); err != nil {
		t.Errorf("a report of nothing: %v", err)
	}
	for what, spoil := range map[string]func(map[string]any){
		"another field": func(d map[string]any) { d["more"] = 1 },
		"no format":     func(d map[string]any) { delete(d, "format") },
		"another kind": func(d map[string]any) {
			d["tables"].([]any)[0].(map[string]any)["rows"].([]any)[0].([]any)[0].(map[string]any)["kind"] = "new"
		},
	} {
		var spoilt map[string]any
		if err := json.Unmarshal(b.Bytes(), &spoilt); err != nil {
			t.Fatal(err)
		}
		if spoil(spoilt); schema.Validate(spoilt) == nil {
			t.Errorf("%s: the schema takes it", what)
		}
	}
}

// The words that the schema allows are all that there are: each constant of the
// types is among them.
func TestSchemaHasAllWords(t *testing.T) {
	known := map[string]bool{}
	for _, values := range words {
		for _, v := range values {
			data, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			known[string(data)] = true
		}
	}
	for _, dir := range []string{".", "chart"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(dir, err)
		}
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(parsed, func(n ast.Node) bool {
				c, ok := n.(*ast.ValueSpec)
				if !ok {
					return true
				}
				name, ok := c.Type.(*ast.Ident)
				if !ok || !slices.Contains([]string{"Kind", "Status", "Scale", "Verdict"}, name.Name) {
					return true
				}
				for _, v := range c.Values {
					if text, ok := v.(*ast.BasicLit); ok && text.Value != `""` && !known[text.Value] {
						t.Errorf("%s: the schema does not know %s %s", file, name.Name, text.Value)
					}
				}
				return true
			})
		}
	}
}
