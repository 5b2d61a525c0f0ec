package lint

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"versus/dsl"
	"versus/interp/plan"
)

var x09 = &Rule{
	ID: "X09", Slug: "confounded-factors", Severity: Error,
	What: "Two factors always change together: each backend has a payload of its own, by `zip` or by a filter, or the two sides of a comparison differ in two axes that it names. " +
		"Where only one of the axes is named, such cells are never paired. A second difference that is meant is listed in `across`. Axes that are zipped with each other but not with the backend or the host, and that no comparison names, are one factor, and not reported.",
	Why:     "The effect of one can't be told from that of the other.",
	Source:  "Any text on the design of experiments; Hoefler and Belli 2015 (SC), section 4.",
	Example: "sweep {\n  zip = { backend = [backend.grpc, backend.http], payload = [\"512B\", \"8KiB\"] }\n}\n",
	Cure:    "sweep {\n  backend = [backend.grpc, backend.http]\n  payload = [\"512B\", \"8KiB\"]\n}\n",
	Check: func(p *Pass) {
		for _, t := range p.Scenario.Tests {
			p.confounded(t)
		}
		for _, c := range p.Scenario.Comparisons {
			p.twoAtOnce(c)
		}
	},
}

// confounded finds axes of a test that determine each other.
func (p *Pass) confounded(t *dsl.Test) {
	var cells []*plan.Cell
	all := p.Cells(t, func(c *plan.Cell) bool {
		cells = append(cells, c)
		return true
	})
	if len(cells) < 2 {
		return
	}
	axes := slices.DeleteFunc(differing(cells), func(a string) bool { return a == "test" })
	for i, a := range axes {
		for _, b := range axes[i+1:] {
			if !p.comparedBy(t, a) && !p.comparedBy(t, b) || !oneToOne(cells, a, b) {
				continue
			}
			if !all {
				p.NotChecked(t.Range, "The test has more than %d cells; among these, %s and %s always change together.", maxCells, a, b)
				continue
			}
			p.Report(axisRange(t, b), "In this test %s and %s always change together (%s): what comes of one can't be told from what comes of the other. Measure each value of one with each of the other.",
				a, b, cellText(cells[0], []string{a, b}))
		}
	}
}

// comparedBy reports whether a reader compares values of the axis: backends
// and hosts always, others if a comparison names them.
func (p *Pass) comparedBy(t *dsl.Test, axis string) bool {
	return axis == "backend" || axis == "host" || slices.ContainsFunc(p.Compared(t), func(c *dsl.Comparison) bool {
		return slices.ContainsFunc(slices.Concat(c.Baseline, c.Candidate), func(s dsl.SelectorAxis) bool { return s.Axis == axis })
	})
}

// oneToOne reports whether two axes determine each other in all cells.
func oneToOne(cells []*plan.Cell, a, b string) bool {
	there, back := map[string]string{}, map[string]string{}
	for _, c := range cells {
		x, y := factor(c, a), factor(c, b)
		if v, ok := there[x]; ok && v != y {
			return false
		}
		if v, ok := back[y]; ok && v != x {
			return false
		}
		there[x], back[y] = y, x
	}
	return len(there) > 1
}

// factor is the value of an axis; backends with the same options are one.
func factor(c *plan.Cell, axis string) string {
	if axis == "backend" && live(c) {
		return c.Backend.Driver + text(c.Backend.Options)
	}
	return valueKey(c, axis)
}

func axisRange(t *dsl.Test, axis string) hcl.Range {
	for _, s := range t.Sweeps {
		for _, a := range s.Axes {
			if a.Name == axis {
				return a.Range
			}
		}
	}
	return t.Range
}

// twoAtOnce finds pairs that differ on several of the axes that the comparison
// names. Hosts are F03's, and between tests F01 compares what they ask for.
func (p *Pass) twoAtOnce(c *dsl.Comparison) {
	at := c.Range
	if a := p.placeOf(c, "baseline"); a != nil {
		at = a.Range
	}
	ps := p.Pairs(c)
	for _, pair := range ps.All {
		if pair.Baseline == nil {
			continue
		}
		axes := slices.DeleteFunc(differing([]*plan.Cell{pair.Baseline, pair.Candidate}), func(a string) bool {
			return a == "host" || a == "test" || slices.Contains(c.Across, a)
		})
		if len(axes) < 2 {
			continue
		}
		p.Report(at, "The two sides differ in %s at once (%s against %s): what comes of one can't be told from what comes of the other. Let them differ in one, or list the other in across.",
			strings.Join(axes, " and "), cellText(pair.Candidate, axes), cellText(pair.Baseline, axes))
		return
	}
}
