package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"versus/dsl"
)

// testPlan is a test with its grids.
type testPlan struct {
	*dsl.Test
	axes  []string // of all sweeps, by first appearance
	grids []*grid
	runs  int // of each cell
	first int // index in the plan of the first cell
	cells int
	twins []int // indices in the plan of the cells that are measured twice
}

// build makes the grids of a test, finds the cells that they share, and
// reports what is wrong with them.
func (p *Plan) build(test *dsl.Test) *testPlan {
	t := &testPlan{Test: test, runs: runsOf(test)}
	for _, s := range test.Sweeps {
		for _, a := range s.Axes {
			if !slices.Contains(t.axes, a.Name) {
				t.axes = append(t.axes, a.Name)
			}
		}
	}
	sweeps := test.Sweeps
	if len(sweeps) == 0 {
		sweeps = []*dsl.Sweep{nil}
	}
	for _, s := range sweeps {
		g := &grid{plan: p, test: t, sweep: s}
		if p.shape(g) && p.wire(g) && p.filter(g) && p.shared(t, g) {
			t.grids = append(t.grids, g)
			t.cells += g.size()
		}
	}
	return t
}

// shape makes the dimensions of a grid from the axes of its sweep.
func (p *Plan) shape(g *grid) bool {
	if g.sweep == nil {
		return true
	}
	if len(g.sweep.Axes) > maxAxes {
		p.problems.fail(g.rng(), "Too many axes", "A sweep may have %d axes; here are %d.", maxAxes, len(g.sweep.Axes))
		return false
	}
	groups := map[int]int{} // zip number to dimension
	ok := true
	for _, a := range g.sweep.Axes {
		values, good := p.axis(a)
		ok = ok && good
		at, zipped := groups[a.Zip]
		if a.Zip == 0 || !zipped {
			at = len(g.dims)
			groups[a.Zip] = at
			g.dims = append(g.dims, dim{})
		}
		d := &g.dims[at]
		if len(d.values) > 0 && d.size() != len(values) {
			p.problems.fail(&a.Range, "Lists of different lengths",
				"Axes that are zipped move together: %s has %d values, but %s has %d.", a.Name, len(values), d.axes[0], d.size())
			return false
		}
		d.axes = append(d.axes, a.Name)
		d.values = append(d.values, values)
	}
	for i := range g.dims {
		d := &g.dims[i]
		for _, text := range d.removeRepeated() {
			p.problems.add(&hcl.Diagnostic{Severity: hcl.DiagWarning, Summary: "Axis value repeated", Subject: g.rng(),
				Detail: fmt.Sprintf("%s has %s = %s more than once; it is measured once.", sentenceStart(g.describe()), strings.Join(d.axes, ", "), text)}, "")
		}
	}
	return ok
}

// axis takes the values of an axis.
func (p *Plan) axis(a dsl.Axis) (values []axisValue, ok bool) {
	if len(a.Values) == 0 {
		p.problems.fail(&a.Range, "Axis without values", "The list of axis %s is empty, so that the sweep has no cells.", a.Name)
		return nil, false
	}
	for i, v := range a.Values {
		if !v.IsWhollyKnown() || v.IsNull() {
			p.problems.fail(&a.Range, "Axis value missing",
				"Value %d of axis %s is null. To leave an axis at the test's own argument, write a sweep that does not name it.", i+1, a.Name)
			return nil, false
		}
		values = append(values, axisValue{v, axisText(a.Name, v)})
	}
	return values, true
}

// removeRepeated removes digits that stand for values that an earlier digit
// has, and returns their texts.
func (d *dim) removeRepeated() (removed []string) {
	seen := map[string]bool{}
	kept := make([][]axisValue, len(d.axes))
	for v := range d.size() {
		tuple := d.tuple(v)
		if seen[tuple] {
			removed = append(removed, strings.TrimSuffix(strings.ReplaceAll(tuple, "\x00", ", "), ", "))
			continue
		}
		seen[tuple] = true
		for i := range kept {
			kept[i] = append(kept[i], d.values[i][v])
		}
	}
	d.values = kept
	return removed
}

// runsOf is the number of runs of each cell of a test: 1 if its methodology
// does not say.
func runsOf(t *dsl.Test) int {
	if t.Methodology == nil {
		return 1
	}
	return max(t.Methodology.Runs, 1)
}
