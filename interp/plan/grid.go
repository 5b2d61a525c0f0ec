package plan

import (
	"slices"
	"sort"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"versus/dsl"
)

// maxRemembered bounds the values that a source remembers. An expression over
// more combinations of axis values is evaluated each time; that happens once a
// cell, which is nothing beside the run of the cell.
const maxRemembered = 1 << 16

// maxAxes bounds the axes of a sweep: sets of dimensions are 64 bits.
const maxAxes = 64

// A grid is one sweep of a test, or the only cell of a test without a sweep.
// Its dimensions are the axes that the sweep names; axes zipped together are
// one dimension.
type grid struct {
	plan     *Plan
	test     *testPlan
	sweep    *dsl.Sweep // nil for a test without a sweep
	dims     []dim
	cells    *matrix              // those that the filter keeps, without regard to other sweeps
	vars     map[string]*variable // what each.NAME is, by name
	args     []*source            // the arguments of the test that set something
	names    []string             // the names in vars, sorted
	wiring   *wiring
	keys     []keyPart
	repeated []int // accepted cells, by rank, that an earlier sweep of the test has; ascending
	first    int   // index in the plan of the first cell
	verified bool  // the drivers have agreed to every cell
}

// dim is one dimension: an axis, or several that are zipped.
type dim struct {
	axes   []string
	values [][]axisValue // by axis, then by digit
}

type axisValue struct {
	value cty.Value
	text  string
}

// size is the number of digits.
func (d *dim) size() int { return len(d.values[0]) }

// variable is what each.NAME means in a grid: exactly one of an axis (dim),
// an argument of the test (from), or a fixed value.
type variable struct {
	name     string
	dim, pos int // dim is -1 if the sweep does not name the axis
	from     *source
	fixed    axisValue
}

// source is where a value comes from: an expression, or an axis whose name is
// that of an argument. It remembers its value for each combination of digits
// of the dimensions that it depends on.
type source struct {
	arg   *argument
	rng   hcl.Range
	expr  *dsl.Expr // nil for an axis
	axis  *variable
	deps  []int // dimensions, ascending
	table []*known
}

// known is a value of a source: decoded, or why not.
type known struct {
	axisValue
	set   setting
	diags hcl.Diagnostics
}

type keyPart struct {
	variable *variable
	texts    []string // NAME=VALUE by digit, for an axis
}

func dependencies(set uint64) []int {
	var dims []int
	for d := range maxAxes {
		if set>>d&1 == 1 {
			dims = append(dims, d)
		}
	}
	return dims
}

// value returns the value of the source at the digits.
func (g *grid) value(s *source, digits []int) *known {
	if s.table == nil {
		return g.compute(s, digits)
	}
	slot := &s.table[numberOf(s.deps, g.dims, digits)]
	if *slot == nil {
		*slot = g.compute(s, digits)
	}
	return *slot
}

func numberOf(deps []int, dims []dim, digits []int) int {
	n := 0
	for _, d := range deps {
		n = n*dims[d].size() + digits[d]
	}
	return n
}

func (g *grid) compute(s *source, digits []int) *known {
	k := &known{}
	if s.expr == nil {
		k.axisValue = *g.lookup(s.axis, digits)
	} else {
		k.value, k.diags = g.eval(s.expr, digits)
		if k.diags.HasErrors() {
			return k
		}
		k.text = axisText(s.arg.Name, k.value)
	}
	set, err := g.plan.set(s.arg, k.value)
	if err != nil {
		k.diags = hcl.Diagnostics{unsuitable(s, err)}
	}
	k.set = set
	return k
}

// lookup returns the value of each.NAME at the digits.
func (g *grid) lookup(v *variable, digits []int) *axisValue {
	switch {
	case v.dim >= 0:
		return &g.dims[v.dim].values[v.pos][digits[v.dim]]
	case v.from != nil:
		if k := g.value(v.from, digits); k.text != "" {
			return &k.axisValue
		}
		return &absent
	}
	return &v.fixed
}

// absent is the value of an axis that a sweep does not name and that is no
// argument of the test.
var absent = axisValue{value: cty.NullVal(cty.DynamicPseudoType)}

// eval evaluates an expression at the digits.
func (g *grid) eval(e *dsl.Expr, digits []int) (cty.Value, hcl.Diagnostics) {
	names := e.Axes
	if e.AllAxes {
		names = g.names
	}
	each := make(map[string]cty.Value, len(names))
	var missing []string
	for _, name := range names {
		each[name] = absent.value
		if v := g.vars[name]; v != nil {
			each[name] = g.lookup(v, digits).value
		}
		if each[name].IsNull() {
			missing = append(missing, "each."+name)
		}
	}
	v, diags := g.plan.scenario.EvalCell(e, each)
	if !diags.HasErrors() {
		return v, nil
	}
	if len(missing) > 0 && !e.AllAxes {
		diags = slices.Clone(diags)
		for i, d := range diags {
			hint := *d
			hint.Detail += " " + strings.Join(missing, " and ") + " has no value here: " + g.describe() + " does not name that axis."
			diags[i] = &hint
		}
	}
	return v, diags
}

// sizes are the sizes of the given dimensions.
func (g *grid) sizes(dims []int) []int {
	sizes := make([]int, len(dims))
	for i, d := range dims {
		sizes[i] = g.dims[d].size()
	}
	return sizes
}

// all are all dimensions.
func (g *grid) all() []int {
	dims := make([]int, len(g.dims))
	for d := range dims {
		dims[d] = d
	}
	return dims
}

// describe names the grid in messages.
func (g *grid) describe() string {
	switch {
	case g.sweep == nil:
		return "test " + g.test.Name
	case g.sweep.Name != "":
		return "sweep " + g.sweep.Name + " of test " + g.test.Name
	}
	return "the sweep of test " + g.test.Name
}

// rng is where the grid is written.
func (g *grid) rng() *hcl.Range {
	if g.sweep == nil {
		return g.test.Range.Ptr()
	}
	return g.sweep.Range.Ptr()
}

// combination says in words which digits: "payload=8KiB, topics=4", for the
// dimensions given.
func (g *grid) combination(dims, digits []int) string {
	var parts []string
	for _, d := range dims {
		for i, axis := range g.dims[d].axes {
			parts = append(parts, axis+"="+g.dims[d].values[i][digits[d]].text)
		}
	}
	return strings.Join(parts, ", ")
}

// size is the number of cells that no earlier sweep has.
func (g *grid) size() int { return g.cells.total - len(g.repeated) }

// digitsOf writes the digits of the i-th cell of the grid.
func (g *grid) digitsOf(i int, digits []int) {
	skip := sort.Search(len(g.repeated), func(k int) bool { return g.repeated[k]-k > i })
	g.cells.at(i+skip, digits)
}

// key is the identity of the cell at the digits.
func (g *grid) key(digits []int) string {
	var buf [256]byte
	b := append(buf[:0], g.test.Name...)
	b = append(b, '[')
	first := true
	for i := range g.keys {
		part := &g.keys[i]
		v := part.variable
		text, named := "", ""
		if v.dim >= 0 {
			named = part.texts[digits[v.dim]]
		} else if text = g.lookup(v, digits).text; text == "" {
			continue
		}
		if !first {
			b = append(b, ',')
		}
		first = false
		if named != "" {
			b = append(b, named...)
			continue
		}
		b = append(b, v.name...)
		b = append(b, '=')
		b = append(b, text...)
	}
	return string(append(b, ']'))
}
