package std

import (
	"slices"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

func TestSource(t *testing.T) {
	for _, name := range append(Names(), "std/methodologies.hcl") {
		source, ok := Source(name)
		if !ok {
			t.Fatalf("no %s", name)
		}
		file, diags := hclsyntax.ParseConfig(source, name, hcl.InitialPos)
		if diags.HasErrors() {
			t.Error(diags)
		}
		for _, b := range file.Body.(*hclsyntax.Body).Blocks {
			if b.Type != "methodology" || len(b.Labels) != 1 {
				t.Errorf("%s: block %s %v", name, b.Type, b.Labels)
			}
		}
	}
	if !slices.Contains(Names(), "std/methodologies") {
		t.Errorf("names: %v", Names())
	}
	for _, name := range []string{"", "std", "std/", "std/nothing", "methodologies", "std/../std/methodologies", "./std/methodologies", "/std/x"} {
		if _, ok := Source(name); ok {
			t.Errorf("%q must not be found", name)
		}
	}
}
