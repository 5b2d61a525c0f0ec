package dsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"versus/dsl/schema"
	"versus/stdlib/metric"
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
		l.arguments(t, n, defaults)
		l.checkBackend(t, n)
		s.Tests = append(s.Tests, t)
		l.tests[t.Name] = t
	})
	if len(s.Tests) == 0 && !l.diags.HasErrors() {
		l.fail(nil, "Missing block", "A scenario needs a test: test \"rpc\" \"NAME\" { }.")
	}
}

// methodologyOf merges what a test says of its own, the methodology that it
// names, and the defaults, in this order.
func (l *loader) methodologyOf(n, defaults *node) *Methodology {
	chain := []*node{n}
	name := l.methodologyName(n)
	if m := l.named("methodology", name); m != nil {
		chain = append(chain, m)
	}
	if defaults != nil {
		chain = append(chain, defaults)
		if def := l.methodologyName(defaults); name == "" && def != "" {
			name = def
			if m := l.named("methodology", name); m != nil {
				chain = append(chain, m)
			}
		}
	}
	return l.methodology(name, chain, n.labels[0] != "replay")
}

func (l *loader) methodologyName(n *node) string {
	if n.attr("methodology") == nil {
		return ""
	}
	return l.str(n, "methodology")
}

func (l *loader) named(kind, name string) *node {
	for _, n := range l.nodes {
		if n.spec.Type == kind && n.name() == name && name != "" {
			return n
		}
	}
	return nil
}

// methodology builds one from the blocks of a chain of nodes: the first that
// has a block says what it holds.
func (l *loader) methodology(name string, chain []*node, complete bool) *Methodology {
	find := func(kind string) *node {
		for _, n := range chain {
			if b := n.block(kind); b != nil {
				return b
			}
		}
		return nil
	}
	// Order, seed and the like have one home: the methodology block.
	own := &node{spec: &methodologyBlock}
	for _, n := range chain {
		if n.spec.Type == "methodology" {
			own = n
			break
		}
	}
	m := &Methodology{Name: name, Runs: 1, Order: l.str(own, "order"), Seed: int64(l.num(own, "seed")),
		Pause: l.num(own, "pause"), Timeout: l.num(own, "timeout"), Drain: l.num(own, "drain"), Range: chain[0].rng}
	m.NoiseFloor = l.boolean(own, "noise_floor")
	m.Warmup = l.extent(find("warmup"))
	measure := find("measure")
	m.Measure = l.extent(measure)
	if complete && measure == nil {
		rng := chain[0].rng
		l.fail(&rng, "No measurement", "Say how long %s is measured: measure { duration = \"5s\" }, or measure { calls = 100000 }, here or in its methodology.", chain[0].address())
	} else if measure != nil && m.Measure == (Extent{}) && len(measure.attrs) > 0 && !l.diags.HasErrors() {
		l.fail(&measure.rng, "Invalid measurement", "A measurement can't be empty.")
	}
	if complete {
		m.Runs = defaultRuns
	}
	l.repetition(m, chain)
	if b := find("keep"); b != nil {
		m.Keep = l.keep(b)
	}
	if b := find("gate"); b != nil {
		m.Gate = l.gate(b)
	}
	return m
}

// repetition reads how often a cell is measured: repeat or until, of the first
// in the chain that has one of them.
func (l *loader) repetition(m *Methodology, chain []*node) {
	for _, n := range chain {
		repeat, until := n.block("repeat"), n.block("until")
		switch {
		case repeat != nil && until != nil:
			l.fail(&until.rng, "Two stop rules", "Write repeat for a fixed number of runs, or until, whose max is the largest number; not both.")
		case repeat != nil:
			m.Runs = max(1, int(l.num(repeat, "runs")))
		case until != nil:
			m.Until = &Until{RelativeInterval: l.num(until, "relative_interval"), Min: int(l.num(until, "min")), Max: int(l.num(until, "max"))}
			m.Runs = max(1, m.Until.Max)
			if m.Until.Max < m.Until.Min && until.attr("max") != nil && !l.diags.HasErrors() {
				l.fail(&until.rng, "Invalid until", "max is %d, below min, which is %d.", m.Until.Max, m.Until.Min)
			}
		default:
			continue
		}
		return
	}
}

// gate reads the limits beyond which a run does not count.
func (l *loader) gate(n *node) map[string]float64 {
	gate := map[string]float64{}
	for _, a := range n.attrs {
		switch v := l.get(n, a.name).(type) {
		case float64:
			gate[a.name] = v
		case bool:
			if !v {
				gate[a.name] = 0
			}
		}
	}
	if len(n.attrs) == 0 {
		l.fail(&n.rng, "Empty gate", "A gate needs a limit, such as rate_error = 0.01.")
	}
	return gate
}

// defaultRuns is how often a cell is measured if nothing says so: the fewest
// runs with which a 95% interval of the median exists.
const defaultRuns = 6

func (l *loader) extent(n *node) Extent {
	if n == nil {
		return Extent{}
	}
	if len(n.attrs) != 1 {
		rng := n.rng
		l.fail(&rng, "Invalid "+n.spec.Type, "Write exactly one of duration, calls and messages.")
		return Extent{}
	}
	if n.attrs[0].name == "duration" {
		return Extent{Seconds: l.num(n, "duration")}
	}
	return Extent{Calls: int64(l.num(n, n.attrs[0].name))}
}

func (l *loader) keep(n *node) Keep {
	var k Keep
	if (n.attr("best") == nil) == (n.attr("trimmed") == nil) {
		l.fail(&n.rng, "Invalid keep", "Write exactly one of best and trimmed, such as best = n / 2 or trimmed = 0.1.")
	}
	if n.attr("trimmed") != nil {
		k.Trimmed = l.num(n, "trimmed")
	}
	if a := n.attr("best"); a != nil {
		k.Best = l.expr(a, where{time: schema.Result, runs: true, metrics: true})
		if len(k.Best.Metrics) > 0 {
			rng := k.Best.Range()
			l.fail(&rng, "Invalid value of best", "How many runs count depends on n alone; `by` names the metric.")
		}
	}
	if a := n.attr("by"); a != nil {
		e := l.expr(a, where{time: schema.Result, metrics: true})
		if len(e.Metrics) == 1 && e.Metrics[0].Metric == strings.TrimSpace(e.Source) {
			k.By = e.Metrics[0].Metric
			if m, _ := metric.Lookup(k.By); m.Combine != metric.MeanOfKept {
				l.fail(&e.Metrics[0].Range, "Invalid value of by", "%s comes from all valid runs, so that it can't pick some of them. Use a mean, time_per_call or throughput.rate.", k.By)
			}
		} else if !l.diags.HasErrors() {
			rng := e.Range()
			l.fail(&rng, "Invalid value of by", "Write the name of one metric, such as time_per_call or latency.mean.")
		}
	}
	return k
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
