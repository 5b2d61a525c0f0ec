package lint

import (
	"slices"
	"strings"

	"versus/interp/plan"
)

var x06 = &Rule{
	ID: "X06", Slug: "holes", Severity: Warning,
	What:    "What a comparison compares was not measured at the same points: one backend has cells, such as the large payload, that another lacks.",
	Why:     "A mean over the cells, or the impression of a table, is then of different work: the side without the hard cells looks better. Whatever the reason for a hole is, the reader should be told.",
	Source:  "Hoefler and Belli 2015 (SC), rule 2: a subset needs a reason. benchstat refuses a geomean over different sets. ZeroC 2005: 11 rows for Linux and 8 for XP; the geometric means 3.39 and 2.12 do not compare, over the common 8 it is 3.00. AimRT 0.8 has 8192 bytes only across hosts.",
	Example: "sweep {\n  backend = [backend.grpc, backend.http]\n  payload = [\"512B\", \"8KiB\"]\n  where   = !(each.backend == backend.http && each.payload == \"8KiB\")\n}\n",
	Cure:    "sweep {\n  backend = [backend.grpc, backend.http]\n  payload = [\"512B\", \"8KiB\"]\n}\n",
	Check: func(p *Pass) {
		for _, c := range p.Scenario.Comparisons {
			if ps := p.Pairs(c); ps.compares() {
				p.holes(ps)
			}
		}
	},
}

// group is the cells of a comparison within which all that is compared should
// have the same points: one test, unless tests are compared.
type group struct {
	points   []string
	measured map[string]map[string]bool // by point: what was measured there
	compared []string                   // what is measured anywhere
	text     map[string]string
}

func (p *Pass) holes(ps *Pairs) {
	groups := map[string]*group{}
	var order []*group
	for _, c := range ps.Sides {
		name := ""
		if !ps.pairing.Named("test") {
			name = c.Test.Name
		}
		if groups[name] == nil {
			groups[name] = &group{measured: map[string]map[string]bool{}, text: map[string]string{}}
			order = append(order, groups[name])
		}
		groups[name].add(ps, c)
	}
	missing, all, example := 0, 0, ""
	for _, g := range order {
		for _, point := range g.points {
			for _, what := range g.compared {
				all++
				if g.measured[point][what] {
					continue
				}
				missing++
				if example == "" {
					example = g.text[what]
					if g.text[point] != "" {
						example += " at " + g.text[point]
					}
				}
			}
		}
	}
	switch {
	case missing == 0:
	case ps.Cut:
		p.NotChecked(ps.Comparison.Range, "A test of this comparison has more than %d cells; which of them are missing was not looked at.", maxCells)
	default:
		p.Report(ps.Comparison.Range, "%d of the %d cells that this compares are not measured: there is no %s, for example. Measure them, or leave these points out for all, or silence this rule with the reason.",
			missing, all, example)
	}
}

// add sorts a cell by its point, the axes that are not named, and by what is
// compared there, those that are.
func (g *group) add(ps *Pairs, c *plan.Cell) {
	var named, others []string
	for _, a := range append(slices.Clone(c.Axes), "backend", "host", "test") {
		switch {
		case ps.pairing.Named(a):
			named = append(named, a)
		case slices.Contains(c.Axes, a):
			others = append(others, a)
		}
	}
	slices.Sort(named)
	slices.Sort(others)
	named = slices.Compact(named)
	keyOf := func(kind string, axes []string) string {
		var b strings.Builder
		b.WriteString(kind)
		for _, a := range axes {
			b.WriteString("\x00" + a + "=" + valueKey(c, a))
		}
		g.text[b.String()] = cellText(c, axes)
		return b.String()
	}
	point, what := keyOf("at", others), keyOf("what", named)
	if g.measured[point] == nil {
		g.measured[point] = map[string]bool{}
		g.points = append(g.points, point)
	}
	g.measured[point][what] = true
	if !slices.Contains(g.compared, what) {
		g.compared = append(g.compared, what)
	}
}
