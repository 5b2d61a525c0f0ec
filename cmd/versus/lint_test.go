package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// What lint writes of every rule's cases is valid SARIF, by the schema of OASIS.
func TestLintWritesSARIF(t *testing.T) {
	f, err := os.Open("../../dsl/diag/testdata/sarif-schema-2.1.0.json")
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
	schema := c.MustCompile("sarif.json")
	cases, err := filepath.Glob("../../interp/lint/testdata/*/*.hcl")
	if err != nil || len(cases) == 0 {
		t.Fatal(cases, err)
	}
	var out, errs bytes.Buffer
	a := &app{out: &out, err: &errs}
	if code := a.main(append([]string{"lint", "-format", "sarif"}, cases...)); code != exitExpectation {
		t.Fatalf("exit status %d: %s", code, errs.String())
	}
	log, err := jsonschema.UnmarshalJSON(&out)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(log); err != nil {
		t.Error(err)
	}
}
