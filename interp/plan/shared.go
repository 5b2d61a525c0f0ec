package plan

import (
	"slices"
	"strings"
)

// maxShared bounds the cells that are compared one by one to find those that
// two sweeps have in common.
const maxShared = 1 << 22

// shared finds the cells of g that an earlier grid of the test has. Only
// combinations of values that both grids know are looked at, so that sweeps
// without common values cost nothing.
func (p *Plan) shared(t *testPlan, g *grid) bool {
	for _, earlier := range t.grids {
		other := newMembership(earlier)
		digits := make([]int, len(g.dims))
		candidates := make([][]int, len(g.dims))
		sizes := make([]int, len(g.dims))
		for d := range g.dims {
			candidates[d] = other.candidates(&g.dims[d])
			sizes[d] = len(candidates[d])
		}
		n, err := product(sizes, maxShared)
		if err != nil {
			p.problems.fail(g.rng(), "Sweeps share too many cells", "%s has more than %d combinations in common with %s; write them as one sweep.",
				sentenceStart(g.describe()), maxShared, earlier.describe())
			return false
		}
		for i := range n {
			for d := len(sizes) - 1; d >= 0; d-- {
				digits[d] = candidates[d][i%sizes[d]]
				i /= sizes[d]
			}
			if rank, ok := g.cells.rank(digits); ok && other.has(g, digits) {
				g.repeated = append(g.repeated, rank)
			}
		}
	}
	slices.Sort(g.repeated)
	g.repeated = slices.Compact(g.repeated)
	p.repeated += len(g.repeated)
	return true
}

// membership tells whether a cell of another grid of the same test is a cell
// of this one.
type membership struct {
	*grid
	digit  []map[string]int           // by dimension: from the texts of its axes to the digit
	texts  map[string]map[string]bool // by axis: the texts of its values
	digits []int
}

func newMembership(g *grid) *membership {
	m := &membership{grid: g, texts: map[string]map[string]bool{}, digits: make([]int, len(g.dims))}
	for i := range g.dims {
		d := &g.dims[i]
		index := make(map[string]int, d.size())
		for v := range d.size() {
			index[d.tuple(v)] = v
		}
		m.digit = append(m.digit, index)
		for j, axis := range d.axes {
			set := map[string]bool{}
			for _, value := range d.values[j] {
				set[value.text] = true
			}
			m.texts[axis] = set
		}
	}
	return m
}

// tuple is the identity of a digit.
func (d *dim) tuple(v int) string {
	if len(d.axes) == 1 {
		return d.values[0][v].text
	}
	var b strings.Builder
	for i := range d.axes {
		b.WriteString(d.values[i][v].text + "\x00")
	}
	return b.String()
}

// candidates are the digits of a dimension of another grid whose values occur
// in this one, as far as it names the axes.
func (m *membership) candidates(d *dim) []int {
	var digits []int
	for v := range d.size() {
		ok := true
		for i, axis := range d.axes {
			if set, named := m.texts[axis]; named && !set[d.values[i][v].text] {
				ok = false
			}
		}
		if ok {
			digits = append(digits, v)
		}
	}
	return digits
}

// has reports whether this grid has the cell that other has at the digits:
// every axis of the test has the same value in both.
func (m *membership) has(other *grid, digits []int) bool {
	for i := range m.dims {
		d := &m.dims[i]
		tuple := ""
		for _, axis := range d.axes {
			text := other.lookup(other.vars[axis], digits).text
			if len(d.axes) == 1 {
				tuple = text
			} else {
				tuple += text + "\x00"
			}
		}
		v, ok := m.digit[i][tuple]
		if !ok {
			return false
		}
		m.digits[i] = v
	}
	if _, ok := m.cells.rank(m.digits); !ok {
		return false
	}
	for _, axis := range m.test.axes {
		v := m.vars[axis]
		if v.dim < 0 && m.lookup(v, m.digits).text != other.lookup(other.vars[axis], digits).text {
			return false
		}
	}
	return true
}
