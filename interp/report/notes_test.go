package report

import (
	"slices"
	"testing"

	"versus/dsl"
	"versus/interp/analyze"
	"versus/stdlib/dataset"
)

// What a scenario declares about its numbers stands beside them.
func TestNotesOfDeclarations(t *testing.T) {
	got := notes(&analyze.Result{Scenario: &dsl.Scenario{
		Datasets: []*dsl.Dataset{
			{Index: dataset.NewIndex("old", nil), Environment: "Pentium 4, Fedora Core 3."},
			{Index: dataset.NewIndex("silent", nil)},
		},
		Comparisons: []*dsl.Comparison{
			{Name: "price", Across: []string{"qos", "load"}},
			{Name: "plain"},
		},
	}})
	want := []Note{
		{Text: "Environment of dataset old: Pentium 4, Fedora Core 3."},
		{Text: "The sides of comparison price may differ in qos, load: that is meant."},
	}
	if !slices.Equal(got, want) {
		t.Errorf("notes %v, want %v", got, want)
	}
}
