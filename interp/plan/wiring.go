package plan

import (
	"maps"
	"slices"
	"sort"
	"strings"

	"versus/drivers"
	"versus/dsl"
)

// wire finds what each name means in a grid, where each argument comes from,
// and what it depends on.
func (p *Plan) wire(g *grid) bool {
	t := g.test
	g.vars = map[string]*variable{}
	for _, name := range append([]string{"backend", "host", "test"}, t.axes...) {
		g.vars[name] = &variable{name: name, dim: -1, fixed: absent}
	}
	for d := range g.dims {
		for i, name := range g.dims[d].axes {
			g.vars[name] = &variable{name: name, dim: d, pos: i}
		}
	}
	g.names = slices.Sorted(maps.Keys(g.vars))
	w := &wiring{g: g, sources: map[string]*source{}, deps: map[*source]uint64{}}
	g.wiring = w
	for _, name := range g.names {
		w.derive(g.vars[name])
	}
	if v := g.vars["test"]; v.dim < 0 {
		v.fixed = axisValue{t.Test.Value(), stringText(t.Name)}
	}
	if v := g.vars["host"]; v.dim < 0 && v.from == nil {
		v.fixed = axisValue{p.local.Value(), stringText(p.local.Name)}
	}
	for _, a := range arguments {
		if a.means(t.Pattern) {
			if s := w.source(a.Name); s != nil {
				g.args = append(g.args, s)
			}
		}
	}
	if !slices.ContainsFunc(g.args, func(s *source) bool { return s.arg.Name == "backend" }) {
		p.problems.fail(g.rng(), "No backend", "Nothing says which backend %s measures. Write an axis, as in backend = [backend.NAME], or give the test the argument backend = backend.NAME.", g.describe())
		return false
	}
	if len(w.circle) > 0 {
		p.problems.fail(g.rng(), "Arguments in a circle", "%s leaves axes at the arguments of the test, and these refer to each other: %s. Name one of them in the sweep.",
			sentenceStart(g.describe()), strings.Join(w.circle, " -> "))
		return false
	}
	g.parts()
	return true
}

// wiring finds the sources of a grid and their dependencies.
type wiring struct {
	g       *grid
	sources map[string]*source
	deps    map[*source]uint64
	trail   []*source // being looked at
	circle  []string
}

// derive lets an axis that the sweep does not name have the value of the
// test's argument of that name, unless the argument is itself computed from
// the axis.
func (w *wiring) derive(v *variable) {
	if e := w.g.test.Args[v.name]; v.dim < 0 && v.from == nil && e != nil && !refers(e, v.name) {
		v.from = w.source(v.name)
	}
}

// refers reports whether the expression refers to each.NAME.
func refers(e *dsl.Expr, name string) bool { return e.AllAxes || slices.Contains(e.Axes, name) }

// source returns where an argument comes from: the test's expression, unless
// an axis of the same name overrides it; nil if it is absent.
func (w *wiring) source(name string) *source {
	if s, ok := w.sources[name]; ok {
		w.set(s)
		return s
	}
	a := findArgument(name)
	e, v := w.g.test.Args[name], w.g.vars[name]
	named := v != nil && v.dim >= 0
	// An axis of recorded results is a column, whatever it means: only what is
	// written as an argument is declared.
	recorded := w.g.test.Pattern == string(drivers.Replay) && name != "backend"
	s := &source{arg: a}
	switch {
	case a == nil:
		return nil
	case e == nil && recorded:
		return nil
	case e != nil && (!named || recorded || refers(e, name)):
		s.expr, s.rng = e, e.Range()
	case named:
		s.axis = v
		i := slices.IndexFunc(w.g.sweep.Axes, func(a dsl.Axis) bool { return a.Name == name })
		s.rng = w.g.sweep.Axes[i].Range
	default:
		return nil
	}
	w.sources[name] = s
	s.deps = dependencies(w.set(s))
	if n, err := product(w.g.sizes(s.deps), maxRemembered); err == nil {
		s.table = make([]*known, n)
	}
	return s
}

// set is the set of dimensions that a source depends on.
func (w *wiring) set(s *source) uint64 {
	if s.expr == nil {
		return 1 << s.axis.dim
	}
	if set, ok := w.deps[s]; ok {
		return set
	}
	if i := slices.Index(w.trail, s); i >= 0 {
		w.circle = nil
		for _, on := range append(w.trail[i:len(w.trail):len(w.trail)], s) {
			w.circle = append(w.circle, on.arg.Name)
		}
		return 0
	}
	w.trail = append(w.trail, s)
	set := w.ofExpr(s.expr)
	w.trail = w.trail[:len(w.trail)-1]
	w.deps[s] = set
	return set
}

// ofExpr is the set of dimensions that an expression depends on.
func (w *wiring) ofExpr(e *dsl.Expr) uint64 {
	names := e.Axes
	if e.AllAxes {
		names = w.g.names
	}
	var set uint64
	for _, name := range names {
		v := w.g.vars[name]
		if v == nil {
			continue
		}
		w.derive(v)
		switch {
		case v.dim >= 0:
			set |= 1 << v.dim
		case v.from != nil:
			set |= w.set(v.from)
		}
	}
	return set
}

// parts prepares the keys of the cells: axes by name, so that the order of
// writing does not matter, and backend in any case.
func (g *grid) parts() {
	names := slices.Clone(g.test.axes)
	if !slices.Contains(names, "backend") {
		names = append(names, "backend")
	}
	sort.Strings(names)
	for _, name := range names {
		part := keyPart{variable: g.vars[name]}
		if v := part.variable; v.dim >= 0 {
			for _, value := range g.dims[v.dim].values[v.pos] {
				part.texts = append(part.texts, name+"="+value.text)
			}
		}
		g.keys = append(g.keys, part)
	}
}
