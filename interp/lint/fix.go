package lint

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"versus/drivers"
	"versus/dsl"
	"versus/dsl/format"
	"versus/interp/plan"
)

// maxRounds bounds how often Fix applies edits: a cure may uncover another
// finding, but two that undo each other must not go on for ever.
const maxRounds = 10

// Loader loads and plans a scenario whose files have these contents.
type Loader func(sources map[string][]byte) (*dsl.Scenario, *plan.Plan, hcl.Diagnostics)

// Fixed is what Fix made of a scenario.
type Fixed struct {
	Scenario *dsl.Scenario // as it is after the edits
	Sources  map[string][]byte
	Changed  []string   // names in Sources, sorted
	Applied  []*Finding // what was cured, in order; their places are those at the time
	Findings []*Finding // what is left
}

// Fix applies the edits of the findings of automatic rules, until there are no
// more or ten rounds have passed, and lays out the files that it changed. It
// writes nothing; files outside the scenario's folder, imports from std and
// files in JSON are never changed. The diagnostics are those of loading; if
// they have errors the result is nil.
func Fix(sources map[string][]byte, load Loader, reg drivers.Registry, rules []*Rule) (*Fixed, hcl.Diagnostics) {
	f := &Fixed{Sources: maps.Clone(sources)}
	for round := 0; ; round++ {
		s, p, diags := load(f.Sources)
		if diags.HasErrors() {
			if round > 0 {
				diags = append(hcl.Diagnostics{broken(f.Applied)}, diags...)
			}
			return nil, diags
		}
		f.Scenario, f.Findings = s, Run(s, p, reg, rules)
		edits, cured := chosen(s, f.Findings)
		if len(cured) == 0 || round == maxRounds {
			f.note(sources)
			return f, diags
		}
		for name, es := range edits {
			edited := applied(f.Sources[name], es)
			if laidOut, bad := format.Source(name, edited); !bad.HasErrors() {
				edited = laidOut
			}
			f.Sources[name] = edited
		}
		f.Applied = append(f.Applied, cured...)
	}
}

// broken says that a cure of ours made a scenario that does not load.
func broken(applied []*Finding) *hcl.Diagnostic {
	var ids []string
	for _, f := range applied {
		ids = append(ids, f.Rule.ID)
	}
	slices.Sort(ids)
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "A fix broke the scenario",
		Detail: fmt.Sprintf("Nothing was changed. The fix of one of these rules makes a scenario that does not load: %s. Please report this, with the scenario.",
			strings.Join(slices.Compact(ids), ", "))}
}

// note records which files differ from what they were.
func (f *Fixed) note(before map[string][]byte) {
	for _, name := range slices.Sorted(maps.Keys(f.Sources)) {
		if !bytes.Equal(before[name], f.Sources[name]) {
			f.Changed = append(f.Changed, name)
		}
	}
}

// Editable reports whether Fix may change a file of a scenario.
func Editable(s *dsl.Scenario, name string) bool {
	_, read := s.Sources[name]
	return read && strings.HasSuffix(name, ".hcl") && !strings.HasPrefix(name, "../")
}

// chosen are the edits to apply together: those of each finding as a whole,
// and none that touches what an earlier finding edits; it has another round.
func chosen(s *dsl.Scenario, findings []*Finding) (map[string][]Edit, []*Finding) {
	edits := map[string][]Edit{}
	var cured []*Finding
	for _, f := range findings {
		if !f.Rule.Auto || f.Reason != "" || f.NotChecked || len(f.Edits) == 0 || f.Severity == Off {
			continue
		}
		free := !slices.ContainsFunc(f.Edits, func(e Edit) bool {
			return !Editable(s, e.Range.Filename) ||
				slices.ContainsFunc(edits[e.Range.Filename], func(other Edit) bool { return touch(e.Range, other.Range) })
		})
		if !free {
			continue
		}
		for _, e := range f.Edits {
			edits[e.Range.Filename] = append(edits[e.Range.Filename], e)
		}
		cured = append(cured, f)
	}
	return edits, cured
}

// touch reports whether two edits overlap, or would insert at the same place.
func touch(a, b hcl.Range) bool {
	return a.Start.Byte <= b.End.Byte && b.Start.Byte <= a.End.Byte
}

// applied returns src with the edits made, which do not overlap.
func applied(src []byte, edits []Edit) []byte {
	edits = slices.Clone(edits)
	slices.SortStableFunc(edits, func(a, b Edit) int { return a.Range.Start.Byte - b.Range.Start.Byte })
	var out []byte
	at := 0
	for _, e := range edits {
		out = append(out, src[at:e.Range.Start.Byte]...)
		out = append(out, e.Text...)
		at = e.Range.End.Byte
	}
	return append(out, src[at:]...)
}
