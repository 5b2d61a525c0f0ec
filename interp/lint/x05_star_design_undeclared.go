package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"versus/dsl"
	"versus/interp/plan"
)

var x05 = &Rule{
	ID: "X05", Slug: "star-design-undeclared", Severity: Info, Auto: true,
	What: "A test varies one axis at a time around a centre, and a table has two of these axes in its rows and columns, as if all combinations had been measured. " +
		"Sweeps that have names (`sweep \"by_size\"`) declare that each stands for itself, and are not reported.",
	Why:     "What two factors do together is not measured: that large messages on many topics are another matter than either. A reader of the table looks for cells that do not exist, or thinks the effects add up.",
	Source:  "Hoefler and Belli 2015 (SC), rule 4 and section 4 on factorial designs. AimRT 0.8: its tables of channels have 18 of the 36 combinations of backend, size and number of topics.",
	Example: "test \"pubsub\" \"channel\" {\n  sweep {\n    payload = [512, 1024, 2048]\n    topics  = [1]\n  }\n\n  sweep {\n    payload = [1024]\n    topics  = [1, 4, 8]\n  }\n}\n",
	Cure:    "test \"pubsub\" \"channel\" {\n  sweep \"by_payload\" {\n    payload = [512, 1024, 2048]\n    topics  = [1]\n  }\n\n  sweep \"by_topics\" {\n    payload = [1024]\n    topics  = [1, 4, 8]\n  }\n}\n",
	Check: func(p *Pass) {
		for _, t := range p.Scenario.Tests {
			if slices.ContainsFunc(t.Sweeps, func(s *dsl.Sweep) bool { return s.Name == "" }) {
				p.star(t)
			}
		}
	},
}

func (p *Pass) star(t *dsl.Test) {
	d, all := p.design(t)
	if !d.isStar() || !p.shownTogether(t, d.axes) {
		return
	}
	if !all {
		p.NotChecked(t.Range, "The test has more than %d cells; whether it varies one axis at a time was not looked at.", maxCells)
		return
	}
	f := p.Report(t.Range, "This test varies %s one at a time: it has %d of the %d combinations, and what they do together is not measured. If that is meant, give each sweep a name that says so; else write one sweep.",
		strings.Join(d.axes, " and "), len(d.points), d.product())
	taken := map[string]bool{}
	for _, s := range t.Sweeps {
		taken[s.Name] = true
	}
	for _, s := range t.Sweeps {
		block := p.Scenario.Find(s.Range)
		if s.Name != "" || block == nil || block.Body.Empty() {
			continue
		}
		name := d.nameOf(s)
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s_%d", d.nameOf(s), n)
		}
		taken[name] = true
		end := block.Range.End
		f.Edit(hcl.Range{Filename: block.Range.Filename, Start: end, End: end}, fmt.Sprintf(" %q", name))
	}
}

// design is which combinations of the axes of a test are measured, the
// backend and the host aside.
type design struct {
	axes   []string            // that have several values
	points [][]string          // the values of axes, each combination once
	counts []map[string]int    // by axis: points with a value
	seen   map[string]struct{} // of points
}

func (p *Pass) design(t *dsl.Test) (d design, all bool) {
	var cells []*plan.Cell
	all = p.Cells(t, func(c *plan.Cell) bool {
		cells = append(cells, c)
		return true
	})
	if len(cells) == 0 {
		return d, all
	}
	for _, a := range differing(cells) {
		if a != "backend" && a != "host" {
			d.axes = append(d.axes, a)
			d.counts = append(d.counts, map[string]int{})
		}
	}
	d.seen = map[string]struct{}{}
	for _, c := range cells {
		point := make([]string, len(d.axes))
		for i, a := range d.axes {
			point[i] = valueKey(c, a)
		}
		key := strings.Join(point, "\x00")
		if _, again := d.seen[key]; again {
			continue
		}
		d.seen[key] = struct{}{}
		d.points = append(d.points, point)
		for i, v := range point {
			d.counts[i][v]++
		}
	}
	return d, all
}

func (d design) product() int {
	n := 1
	for _, c := range d.counts {
		n = min(n*len(c), 1<<40)
	}
	return n
}

// isStar reports whether each point differs from the centre, which has the
// most frequent value of each axis, on one axis at most.
func (d design) isStar() bool {
	if len(d.axes) < 2 || len(d.points) >= d.product() {
		return false
	}
	centre := make([]string, len(d.axes))
	for i, counts := range d.counts {
		for v, n := range counts {
			if best := counts[centre[i]]; n > best || n == best && v < centre[i] {
				centre[i] = v
			}
		}
	}
	if _, measured := d.seen[strings.Join(centre, "\x00")]; !measured {
		return false
	}
	return !slices.ContainsFunc(d.points, func(point []string) bool {
		apart := 0
		for i := range point {
			if point[i] != centre[i] {
				apart++
			}
		}
		return apart > 1
	})
}

// nameOf names a sweep by what it varies.
func (d design) nameOf(s *dsl.Sweep) string {
	name := ""
	for _, a := range s.Axes {
		if slices.Contains(d.axes, a.Name) && len(a.Values) > 1 {
			name += "_" + a.Name
		}
	}
	if name == "" {
		return "centre"
	}
	return "by" + name
}

// shownTogether reports whether a table has two of the axes in its rows and
// columns; a scenario without tables prints one that does.
func (p *Pass) shownTogether(t *dsl.Test, axes []string) bool {
	if len(p.Scenario.Tables) == 0 {
		return true
	}
	return slices.ContainsFunc(p.Scenario.Tables, func(table *dsl.Table) bool {
		shown := 0
		for _, a := range axes {
			if fixes(table, a) {
				shown++
			}
		}
		return shown > 1 && slices.Contains(p.tests(table.Tests), t)
	})
}
