package diag

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The schema is that of OASIS, see testdata/README.md.
func TestSARIFIsValid(t *testing.T) {
	f, err := os.Open("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	document, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := c.Compile("sarif.json")
	if err != nil {
		t.Fatal(err)
	}
	rule := Rule{ID: "R05", Name: "best-half-odd-n", Severity: Info, Summary: "What it finds.", Help: "# R05"}
	d, src := mark(t, "a b/s.hcl", "x = \"延迟\" + «each.é»\n")
	found := func(f Finding) *hcl.Diagnostic {
		copy := *d
		copy.Extra, copy.Detail = f, f.Suppressed
		return &copy
	}
	var b bytes.Buffer
	diags := hcl.Diagnostics{
		{Severity: hcl.DiagWarning, Summary: "No place"}, found(Finding{Rule: rule}),
		found(Finding{Rule: rule, Open: true, Suppressed: "not yet"}), found(Finding{Rule: rule, Suppressed: "a night each"}),
	}
	if err := SARIF(&b, diags, map[string][]byte{"a b/s.hcl": []byte(src)}, "1.2", rule); err != nil {
		t.Fatal(err)
	}
	log, err := jsonschema.UnmarshalJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(log); err != nil {
		t.Error(err)
	}
	run := log.(map[string]any)["runs"].([]any)[0].(map[string]any)
	results := run["results"].([]any)
	if len(results) != 4 {
		t.Errorf("%d results", len(results))
	}
	delete(run, "tool") // the test must be able to fail
	if err := schema.Validate(log); err == nil || !strings.Contains(err.Error(), "tool") {
		t.Errorf("a log without a tool: %v", err)
	}
}
