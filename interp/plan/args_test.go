package plan

import (
	"strings"
	"testing"

	"versus/dsl"
	"versus/dsl/schema"
)

// TestEveryArgument: no argument of the language is silently without effect.
func TestEveryArgument(t *testing.T) {
	for _, b := range dsl.Language(nil).Blocks {
		if b.Type != "test" {
			continue
		}
		for _, a := range b.Attrs {
			if a.Time == schema.Cell && a.NotBuilt == "" && findArgument(a.Name) == nil {
				t.Errorf("the planner does not know the argument %q", a.Name)
			}
		}
	}
	if len(arguments) != len(decoders) {
		t.Errorf("%d arguments, %d decoders", len(arguments), len(decoders))
	}
	if doc := findArgument("in_flight").Doc; !strings.Contains(doc, "; 16, if absent") || defaultInFlight != 16 {
		t.Errorf("the default of in_flight is %d, and its description says: %s", defaultInFlight, doc)
	}
}
