package dsl

import (
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"versus/dsl/schema"
)

// maxAxis is the largest number of values of one axis.
const maxAxis = 100000

// buildTests builds the tests: their methodology, sweeps and arguments.
func (l *loader) buildTests(s *Scenario) {
	defaults := l.first("defaults")
	l.each1("defaults", func(n *node) {
		if n != defaults {
			l.fail(&n.rng, "Duplicate block", "There is already a defaults block at %s.", defaults.rng)
		}
	})
	l.each1("methodology", func(n *node) {
		s.Methodologies = append(s.Methodologies, l.methodology(n.name(), []*node{n}, false))
	})
	l.each1("test", func(n *node) {
		t := &Test{Pattern: n.labels[0], Name: n.name(), Title: l.str(n, "title"), Group: l.str(n, "group"), Args: map[string]*Expr{}, Range: n.rng}
		if t.Title == "" {
			t.Title = t.Name
		}
		t.Methodology = l.methodologyOf(n, defaults)
		for _, b := range n.blocks {
			if b.spec.Type == "sweep" {
				t.Sweeps = append(t.Sweeps, l.sweep(b))
			}
		}
		if t.Pattern == "replay" && n.attr("shows") != nil {
			t.Shows, _ = l.get(n, "shows").(string)
			if t.Shows == t.Name {
				rng := n.attr("shows").expr.Range()
				l.fail(&rng, "Invalid value of shows", "A test shows the measurements of another one.")
			}
		}
		l.arguments(t, n, defaults)
		l.checkBackend(t, n)
		s.Tests = append(s.Tests, t)
		l.tests[t.Name] = t
	})
	if len(s.Tests) == 0 && !l.diags.HasErrors() {
		l.fail(l.top, "Missing block", "A scenario needs a test: test \"rpc\" \"NAME\" { }.")
	}
}

// sweep evaluates the axes of a sweep. Its filter follows in arguments, when
// all axes of the test are known.
func (l *loader) sweep(n *node) *Sweep {
	s := &Sweep{Range: n.rng}
	if len(n.labels) > 0 {
		s.Name = n.labels[0]
	}
	zips := 0
	for _, a := range n.attrs {
		switch {
		case a.name == "where":
		case a.name == "zip":
			zips++
			s.Axes = append(s.Axes, l.zip(a, zips)...)
		default:
			s.Axes = append(s.Axes, l.axis(a.name, a.expr, a, 0))
		}
	}
	seen := map[string]hcl.Range{}
	for _, axis := range s.Axes {
		if first, ok := seen[axis.Name]; ok {
			rng := axis.Range
			l.fail(&rng, "Duplicate axis", "The sweep has an axis %q already, at %s.", axis.Name, first)
		}
		seen[axis.Name] = axis.Range
	}
	if len(s.Axes) == 0 {
		l.fail(&n.rng, "Empty sweep", "A sweep needs an axis: a name and the list of its values.")
	}
	return s
}

// zip reads zip = { a = [...], b = [...] } in the order of writing.
func (l *loader) zip(a *attr, group int) []Axis {
	pairs, diags := hcl.ExprMap(a.expr)
	if diags.HasErrors() {
		rng := a.expr.Range()
		l.fail(&rng, "Invalid value of zip", "Write zip = { a = [...], b = [...] }.")
		return nil
	}
	var axes []Axis
	for _, p := range pairs {
		name := hcl.ExprAsKeyword(p.Key)
		if name == "" {
			if v, diags := p.Key.Value(nil); !diags.HasErrors() && v.Type() == cty.String && v.IsKnown() && !v.IsNull() {
				name = v.AsString()
			}
		}
		rng := p.Key.Range()
		if !validName(name) || name == "where" || name == "zip" {
			l.fail(&rng, "Invalid name", "%s", nameRule(name))
			continue
		}
		axis := l.axis(name, p.Value, a, group)
		axis.Range = rng
		axes = append(axes, axis)
	}
	for _, axis := range axes {
		if len(axis.Values) > 0 && len(axes[0].Values) > 0 && len(axis.Values) != len(axes[0].Values) {
			rng := axis.Range
			l.fail(&rng, "Lists of different lengths", "Axes that move together have equally many values; %q has %d and %q has %d.",
				axes[0].Name, len(axes[0].Values), axis.Name, len(axis.Values))
		}
	}
	return axes
}

// axis evaluates the list of an axis and checks each value.
func (l *loader) axis(name string, x hcl.Expression, a *attr, zip int) Axis {
	axis := Axis{Name: name, Zip: zip, Range: a.rng}
	rng := x.Range()
	v := l.eval(x, a, where{time: schema.Load})
	switch {
	case v.ContainsMarked():
		l.fail(&rng, "Sensitive axis", "The values of an axis are printed and written; a sensitive value can't be among them.")
		return axis
	case !v.IsKnown():
		return axis
	case v.IsNull() || !v.CanIterateElements() || v.Type().IsObjectType() || v.Type().IsMapType():
		l.fail(&rng, "Invalid axis", "The axis %q needs a list of values in [ ], not %s.", name, kindOf(v))
		return axis
	}
	if n := v.LengthInt(); n == 0 || n > maxAxis {
		l.fail(&rng, "Invalid axis", "The axis %q has %d values; it must have from 1 to %d.", name, n, maxAxis)
		return axis
	}
	seen := map[string]bool{}
	for it := v.ElementIterator(); it.Next(); {
		_, value := it.Element()
		if why := axisValueError(name, value); why != "" {
			l.fail(&rng, "Invalid axis", "%s", why)
			return axis
		}
		key := value.Type().FriendlyName() + Label(value)
		if named, ok := refersTo(name, value); ok {
			key = named
		}
		if seen[key] && zip == 0 {
			l.fail(&rng, "Value twice", "The axis %q has the value %s twice; it would be measured once.", name, Label(value))
			return axis
		}
		seen[key] = true
		axis.Values = append(axis.Values, value)
	}
	return axis
}

func axisValueError(axis string, v cty.Value) string {
	if v.IsNull() || !v.IsWhollyKnown() {
		return fmt.Sprintf("The axis %q has a value that is null or not known.", axis)
	}
	if v.Type() == cty.Number {
		if _, ok := number(v); !ok {
			return fmt.Sprintf("The axis %q has a number that is not finite.", axis)
		}
	}
	if axis == "backend" || axis == "host" {
		if _, ok := refersTo(axis, v); !ok {
			return fmt.Sprintf("The axis %q needs references %s.NAME, not %s.", axis, axis, kindOf(v))
		}
	}
	return ""
}

// axes are the names of all axes of a test, in order of their first writing.
func (t *Test) axes() []string {
	var names []string
	for _, s := range t.Sweeps {
		for _, a := range s.Axes {
			if !slices.Contains(names, a.Name) {
				names = append(names, a.Name)
			}
		}
	}
	return names
}

// axisTypes are the types of axes all of whose values have the same.
func axisTypes(tests []*Test) map[string]cty.Type {
	types := map[string]cty.Type{}
	for _, t := range tests {
		for _, s := range t.Sweeps {
			for _, a := range s.Axes {
				for _, v := range a.Values {
					if have, ok := types[a.Name]; ok && !have.Equals(v.Type()) {
						types[a.Name] = cty.DynamicPseudoType
					} else {
						types[a.Name] = v.Type()
					}
				}
			}
		}
	}
	return types
}

// arguments checks the arguments of a test, and the filters of its sweeps.
func (l *loader) arguments(t *Test, n, defaults *node) {
	w := where{time: schema.Cell, axes: t.axes(), types: axisTypes([]*Test{t})}
	for _, spec := range workload {
		a := n.attr(spec.Name)
		if a == nil && defaults != nil {
			a = defaults.attr(spec.Name)
		}
		if a == nil || a.spec.NotBuilt != "" {
			continue
		}
		w.missing = func(axis string) string { return l.noAxis(t, n, defaults, axis, spec.Name) }
		t.Args[spec.Name] = l.expr(a, w)
	}
	i := 0
	for _, b := range n.blocks {
		if b.spec.Type != "sweep" {
			continue
		}
		s := t.Sweeps[i]
		i++
		if a := b.attr("where"); a != nil {
			w.missing = func(axis string) string {
				if !slices.Contains(builtinEach, axis) && !s.has(axis) {
					return fmt.Sprintf("This sweep has no axis %q, so that its filter can't ask for it.", axis)
				}
				return ""
			}
			s.Where = l.expr(a, w)
		}
	}
}

func (s *Sweep) has(axis string) bool {
	return slices.ContainsFunc(s.Axes, func(a Axis) bool { return a.Name == axis })
}

// noAxis says why each.AXIS has no value in some cell of a test, or "".
func (l *loader) noAxis(t *Test, n, defaults *node, axis, argument string) string {
	if slices.Contains(builtinEach, axis) {
		return ""
	}
	fallback := axis != argument && (n.attr(axis) != nil || defaults != nil && defaults.attr(axis) != nil)
	for i, s := range t.Sweeps {
		if !s.has(axis) && !fallback {
			name := s.Name
			if name == "" {
				name = fmt.Sprintf("number %d", i+1)
			}
			return fmt.Sprintf("Sweep %s of the test has no axis %q. Give it one, or give the test an argument %q.", name, axis, axis)
		}
	}
	return ""
}

// checkBackend makes sure that every cell of a test has a backend.
func (l *loader) checkBackend(t *Test, n *node) {
	if t.Args["backend"] != nil {
		return
	}
	rng := n.rng
	if len(t.Sweeps) == 0 {
		l.fail(&rng, "No backend", "Test %q has neither a sweep nor the argument backend.", t.Name)
	}
	for _, s := range t.Sweeps {
		if !s.has("backend") {
			rng := s.Range
			l.fail(&rng, "No backend", "The sweep has no axis backend, and the test no argument backend.")
		}
	}
}
