package lint

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"versus/drivers"
	"versus/dsl"
	"versus/interp/plan"
)

var x04 = &Rule{
	ID: "X04", Slug: "duplicate-cell", Severity: Error, Auto: true,
	What: "Two cells of a test ask for the same in every setting: two values of an axis that mean the same (`\"1KiB\"` and `1024`), or an axis that only labels rows (`trial = [1, 2, 3]`). " +
		"The same value twice in a list is refused when the scenario is loaded. Two backends with the same options are two cells on purpose: they show the noise.",
	Why:     "What is one cell measured twice is shown, counted and averaged as two. That is pseudo-replication: the sample looks larger than it is, and the interval smaller.",
	Source:  "Hurlbert 1984 (Ecological Monographs, Pseudoreplication and the design of ecological field experiments).",
	Example: "test \"rpc\" \"capacity\" {\n  payload = bytes(each.payload)\n\n  sweep {\n    backend = [backend.grpc, backend.http]\n    payload = [\"1KiB\", 1024]\n  }\n}\n",
	Cure:    "test \"rpc\" \"capacity\" {\n  payload = bytes(each.payload)\n\n  sweep {\n    backend = [backend.grpc, backend.http]\n    payload = [\"1KiB\"]\n  }\n}\n",
	Check: func(p *Pass) {
		for _, t := range p.Live() {
			p.duplicates(t)
		}
	},
}

// maxHashed bounds the bytes of texts of payloads that are compared.
const maxHashed = 256 << 20

// settings is what a cell asks for, but for what the backend's name says.
type settings struct {
	backend, place, call, transfer string
	payload                        drivers.Payload
	concurrency, topics, inFlight  int
	rate                           float64
	eventService                   bool
}

func settingsOf(c *plan.Cell) settings {
	w := c.Workload
	var place strings.Builder
	for _, role := range slices.Sorted(maps.Keys(c.Place)) {
		fmt.Fprintf(&place, "%s=%s,", role, c.Place[role].Name)
	}
	return settings{c.Backend.Name, place.String(), w.Call, w.Transfer, w.Payload, w.Concurrency, w.Topics, w.InFlight, w.Rate, w.EventService}
}

// twice is a value of an axis that asks for the same as an earlier one does.
type twice struct {
	axis        string
	value, same cty.Value
	cells       int // with the value that an earlier cell repeats
}

func (p *Pass) duplicates(t *dsl.Test) {
	first := map[settings]*plan.Cell{}
	with := map[string]int{} // cells by axis and value
	found := map[string]*twice{}
	unused := p.unusedAxes(t)
	hashed, several := 0, ""
	all := p.Cells(t, func(c *plan.Cell) bool {
		for _, a := range c.Axes {
			with[a+"="+valueKey(c, a)]++
		}
		s := settingsOf(c)
		hashed += len(s.payload.Text)
		earlier := first[s]
		if earlier == nil {
			first[s] = c
			return hashed < maxHashed
		}
		differ := slices.DeleteFunc(differing([]*plan.Cell{earlier, c}), func(a string) bool { return slices.Contains(unused, a) })
		switch len(differ) {
		case 0: // X02's
		case 1:
			a := differ[0]
			key := a + "=" + valueKey(c, a)
			if found[key] == nil {
				found[key] = &twice{axis: a, value: c.Each[a], same: earlier.Each[a]}
			}
			found[key].cells++
		default:
			several = cellText(earlier, differ) + " and " + cellText(c, differ)
		}
		return hashed < maxHashed
	})
	if !all || hashed >= maxHashed {
		p.NotChecked(t.Range, "The test has too many cells, or too long payloads, to compare all of them.")
	}
	for _, key := range slices.Sorted(maps.Keys(found)) {
		p.reportTwice(t, found[key], found[key].cells == with[key])
	}
	if several != "" {
		p.Report(t.Range, "Cells with %s ask for the same in every setting. Measure one of them, with more runs if that is meant.", several)
	}
}

func valueKey(c *plan.Cell, axis string) string {
	v, ok := c.Axis(axis)
	if !ok {
		return ""
	}
	return v.Type().FriendlyName() + dsl.Label(v)
}

// reportTwice reports a value. whole says that every cell with it repeats
// another, so that it can be removed.
func (p *Pass) reportTwice(t *dsl.Test, d *twice, whole bool) {
	labels := !slices.ContainsFunc(slices.Collect(maps.Values(t.Args)), func(e *dsl.Expr) bool {
		return e.AllAxes || slices.Contains(e.Axes, d.axis)
	}) && t.Args[d.axis] == nil && !p.isArgument(d.axis)
	for _, s := range t.Sweeps {
		for _, a := range s.Axes {
			i := slices.IndexFunc(a.Values, d.value.RawEquals)
			if a.Name != d.axis || i < 0 {
				continue
			}
			at := a.Range
			list := p.listOf(s, a)
			if list != nil {
				at = list.Exprs[i].Range()
			}
			if labels {
				p.Report(at, "%s = %s measures exactly what %s = %s does: the axis only labels rows. To measure a cell more often, write repeat { runs = N }.",
					d.axis, dsl.Label(d.value), d.axis, dsl.Label(d.same))
				continue
			}
			f := p.Report(at, "%s asks for the same cells as %s, under another name. Remove one of them.", upper(d.axis+" = "+dsl.Label(d.value)), d.axis+" = "+dsl.Label(d.same))
			if list != nil && whole && i > 0 {
				f.removeElement(p.Scenario, list, i)
			}
		}
	}
}

func (p *Pass) isArgument(axis string) bool {
	for _, b := range dsl.Language(nil).Blocks {
		if b.Type == "test" && b.Attr(nil, axis) != nil {
			return true
		}
	}
	return false
}

// listOf is the list of an axis as written, nil if it is not written out value
// by value.
func (p *Pass) listOf(s *dsl.Sweep, a dsl.Axis) *hclsyntax.TupleConsExpr {
	block := p.Scenario.Find(s.Range)
	if block == nil || a.Zip != 0 || block.Attr(a.Name) == nil {
		return nil
	}
	list, ok := block.Attr(a.Name).Expr.(*hclsyntax.TupleConsExpr)
	if !ok || len(list.Exprs) != len(a.Values) {
		return nil
	}
	return list
}

// removeElement adds edits that take element i, above 0, out of a list: it and
// the comma after it, or before the last one. Comments stay.
func (f *Finding) removeElement(s *dsl.Scenario, list *hclsyntax.TupleConsExpr, i int) {
	element := list.Exprs[i].Range()
	from, to := element.End, list.SrcRange.End
	if i == len(list.Exprs)-1 {
		from, to = list.Exprs[i-1].Range().End, element.Start
	}
	src := s.Sources[element.Filename]
	if to.Byte > len(src) {
		return
	}
	tokens, _ := hclsyntax.LexExpression(src[from.Byte:to.Byte], element.Filename, from)
	for _, t := range tokens {
		if t.Type == hclsyntax.TokenComma {
			f.Edit(t.Range, "")
			break
		}
	}
	f.Edit(element, "")
}
