package dsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"versus/dsl/schema"
)

// buildResults builds what is computed from results: comparisons, tables,
// charts, expectations.
func (l *loader) buildResults(s *Scenario) {
	var names []string
	l.each1("comparison", func(n *node) {
		if slices.Contains(names, n.name()) {
			l.fail(&n.rng, "Duplicate name", "There is already a comparison %q.", n.name())
			return
		}
		names = append(names, n.name())
		s.Comparisons = append(s.Comparisons, l.comparison(n, s))
	})
	seen := map[string]bool{}
	l.each1("table", func(n *node) {
		if seen[n.name()] {
			l.fail(&n.rng, "Duplicate name", "There is already a table %q.", n.name())
		}
		seen[n.name()] = true
		s.Tables = append(s.Tables, l.table(n, s, names))
	})
	drawn := map[string]bool{}
	l.each1("chart", func(n *node) {
		if drawn[n.name()] {
			l.fail(&n.rng, "Duplicate name", "There is already a chart %q.", n.name())
		}
		drawn[n.name()] = true
		s.Charts = append(s.Charts, l.chart(n, s, names))
	})
	l.each1("expect", func(n *node) {
		condition, finding := n.attr("condition"), n.attr("finding")
		switch rng := n.rng; {
		case (condition == nil) == (finding == nil):
			l.fail(&rng, "Incomplete expectation", "Write a condition, or the finding of the audit that is expected.")
		case finding != nil:
			s.Findings = append(s.Findings, l.expectedFinding(n, s))
		default:
			s.Expectations = append(s.Expectations, l.expectation(n, s, names))
		}
	})
}

// testsOf are the tests that a block looks at.
func (l *loader) testsOf(n *node, s *Scenario) []*Test {
	a := n.attr("test")
	if a == nil {
		return s.Tests
	}
	v := l.value(a)
	if !v.IsWhollyKnown() {
		return s.Tests
	}
	list := []cty.Value{v}
	if _, one := refersTo("test", v); !one && v.CanIterateElements() && !v.Type().IsObjectType() {
		list = v.AsValueSlice()
	}
	var tests []*Test
	for _, e := range list {
		name, ok := refersTo("test", e)
		if !ok {
			rng := a.expr.Range()
			l.fail(&rng, "Invalid value of test", "Write test.NAME, or a list of them; not %s.", kindOf(e))
			return s.Tests
		}
		if t := l.tests[name]; t != nil {
			tests = append(tests, t)
		}
	}
	return tests
}

// testNames is nil if a block names no tests.
func testNames(n *node, tests []*Test) []string {
	if n.attr("test") == nil {
		return nil
	}
	var names []string
	for _, t := range tests {
		names = append(names, t.Name)
	}
	return names
}

// resultScope is what expressions over the results of some tests may use.
func (l *loader) resultScope(tests []*Test, s *Scenario, comparisons []string) where {
	w := where{time: schema.Result, metrics: true, compare: true, comparisons: comparisons, types: axisTypes(tests)}
	for _, t := range tests {
		for _, axis := range t.axes() {
			if !slices.Contains(w.axes, axis) {
				w.axes = append(w.axes, axis)
			}
		}
	}
	for axis := range w.types {
		for _, t := range tests {
			if !slices.Contains(t.axes(), axis) {
				w.types[axis] = cty.DynamicPseudoType // null where a test lacks it
			}
		}
	}
	w.produced = func(metric string) string {
		why := ""
		for _, t := range tests {
			if why = notMeasured(t, metric, s); why == "" {
				return ""
			}
		}
		return why
	}
	return w
}

// notMeasured says why a test gives no value for a metric, or "".
func notMeasured(t *Test, metric string, s *Scenario) string {
	root, last, _ := strings.Cut(metric, ".")
	no := func(format string, args ...any) string {
		return fmt.Sprintf("%s is not measured by test %q: ", metric, t.Name) + fmt.Sprintf(format, args...)
	}
	switch {
	case t.Pattern == "replay":
		var have []string
		refused := false // metrics that were said to be wrong
		for _, b := range s.Backends {
			m, sound := b.Options["metrics"].(map[string]any)
			refused = refused || b.Driver == "replay" && !sound
			for name := range m {
				if name == metric {
					return ""
				}
				if !slices.Contains(have, name) {
					have = append(have, name)
				}
			}
		}
		slices.Sort(have)
		switch {
		case len(have) == 0 && refused:
			return ""
		case len(have) == 0:
			return no("its backends replay nothing, since their metrics are empty.")
		}
		return no("its backends replay %s.", strings.Join(have, ", "))
	case t.Pattern == "pubsub":
		if metric == "time_per_call" || (root == "cpu" || root == "memory") && (last == "client" || last == "server") {
			return no("a pubsub test has a publisher and a subscriber, and messages instead of calls.")
		}
	default:
		if root == "loss" || metric == "samples.duplicated" || metric == "samples.reordered" || metric == "samples.lost" {
			return no("messages are lost in pubsub tests; here calls fail, see errors.")
		}
		if (root == "cpu" || root == "memory") && (last == "publisher" || last == "subscriber") {
			return no("it has a client and a server.")
		}
	}
	if t.Args["rate"] == nil && (metric == "rate.offered" || metric == "rate.late") {
		return no("a closed loop offers no rate; give the test a rate.")
	}
	return ""
}

func (l *loader) comparison(n *node, s *Scenario) *Comparison {
	tests := l.testsOf(n, s)
	c := &Comparison{Name: n.name(), Title: l.str(n, "title"), Format: l.str(n, "format"), Unit: l.str(n, "unit"),
		Confidence: l.num(n, "confidence"), Tests: testNames(n, tests), Range: n.rng}
	if c.Title == "" {
		c.Title = c.Name
	}
	for _, x := range l.list(n, "across") {
		text := fmt.Sprint(x)
		if names := l.mayDiffer(s); !slices.Contains(names, text) {
			rng := n.attr("across").expr.Range()
			l.fail(&rng, "Invalid value of across", "Nothing is called %q that two sides can differ in%s", text, suggest(text, names))
		}
		c.Across = append(c.Across, text)
	}
	if a := n.attr("baseline"); a != nil {
		c.Baseline = l.selector(a, tests, s)
	}
	if a := n.attr("candidate"); a != nil {
		c.Candidate = l.selector(a, tests, s)
	}
	if a := n.attr("value"); a != nil {
		w := l.resultScope(tests, s, nil)
		w.metrics, w.compare, w.sides = false, false, true
		before := len(l.diags)
		c.Value = l.expr(a, w)
		l.checkSides(c, len(l.diags) == before)
	}
	return c
}

// mayDiffer are the names for differences between two sides: ways to measure,
// arguments and axes of tests, and options of the scenario's backends.
func (l *loader) mayDiffer(s *Scenario) []string {
	names := []string{"methodology", "load", "host"}
	for _, a := range workload {
		if a.Name != "latency_kind" { // unlike kinds are never compared
			names = append(names, a.Name)
		}
	}
	for _, t := range s.Tests {
		names = append(names, t.axes()...)
	}
	for _, b := range s.Backends {
		block := backendBlock(l.cfg.Drivers)
		kind := block.Kind(b.Driver)
		if kind == nil {
			continue
		}
		for _, a := range kind.Attrs {
			names = append(names, a.Name)
		}
		for _, inner := range kind.Blocks {
			names = append(names, inner.Type)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// checkSides warns of a comparison that doesn't look at both sides.
func (l *loader) checkSides(c *Comparison, sound bool) {
	sides := map[string]bool{}
	for _, m := range c.Value.Metrics {
		sides[m.Side] = true
	}
	if sound && (!sides["baseline"] || !sides["candidate"]) {
		rng := c.Value.Range()
		l.fail(&rng, "One-sided comparison", "A comparison needs baseline.METRIC and candidate.METRIC.")
	}
}

// selector reads { backend = backend.x, payload = [512, 1024] } in order.
func (l *loader) selector(a *attr, tests []*Test, s *Scenario) Selector {
	rng := a.expr.Range()
	pairs, diags := hcl.ExprMap(a.expr)
	if diags.HasErrors() || len(pairs) == 0 {
		l.fail(&rng, "Invalid value of "+a.name, "Write axis values: { backend = backend.NAME }.")
		return nil
	}
	w := l.resultScope(tests, &Scenario{}, nil)
	var sel Selector
	for _, p := range pairs {
		axis := hcl.ExprAsKeyword(p.Key)
		if axis == "" {
			if v, diags := p.Key.Value(nil); !diags.HasErrors() && v.Type() == cty.String {
				axis = v.AsString()
			}
		}
		keyRange := p.Key.Range()
		if !slices.Contains(w.axes, axis) && !slices.Contains(builtinEach, axis) {
			l.fail(&keyRange, "Unknown axis", "No sweep has an axis %q%s", axis, suggest(axis, append(append([]string{}, w.axes...), builtinEach...)))
			continue
		}
		v := l.eval(p.Value, a, where{time: schema.Load})
		if !v.IsWhollyKnown() || v.IsNull() {
			continue
		}
		values := []cty.Value{v}
		if t := v.Type(); t.IsTupleType() || t.IsListType() || t.IsSetType() {
			values = v.AsValueSlice()
		}
		if len(values) == 0 {
			keyRange := p.Key.Range()
			l.fail(&keyRange, "No such cell", "The list of values is empty.")
			continue
		}
		valueRange := p.Value.Range()
		some := false
		for _, x := range values {
			some = some || anyHas(tests, axis, x)
			switch {
			case anyHas(s.Tests, axis, x):
			case x.Type() == cty.String && l.scope.decls[axis][x.AsString()] != nil:
				l.fail(&valueRange, "No such cell", "Write %s.%s, without quotes: in quotes it is only a text.", axis, x.AsString())
			default:
				l.fail(&valueRange, "No such cell", "No cell has %s = %s.", axis, Label(x))
			}
		}
		if !some && anyHas(s.Tests, axis, values[0]) {
			l.fail(&valueRange, "No such cell", "No cell of the tests compared has %s = %s.", axis, Label(values[0]))
		}
		sel = append(sel, SelectorAxis{Axis: axis, Values: values})
	}
	return sel
}

// anyHas reports whether an axis of some test has the value.
func anyHas(tests []*Test, axis string, v cty.Value) bool {
	for _, t := range tests {
		found := false
		for _, s := range t.Sweeps {
			for _, a := range s.Axes {
				if a.Name != axis {
					continue
				}
				found = true
				if len(a.Values) == 0 {
					return true // refused already
				}
				for _, have := range a.Values {
					if SameValue(have, v) {
						return true
					}
				}
			}
		}
		if !found {
			return true // from the test's argument, or built in: known cell by cell
		}
	}
	return false
}

// SameValue reports whether two axis values are the same: references to the
// same thing, or equal values of one type.
func SameValue(a, b cty.Value) bool {
	for _, root := range []string{"backend", "host", "test"} {
		x, ok1 := refersTo(root, a)
		y, ok2 := refersTo(root, b)
		if ok1 || ok2 {
			return ok1 && ok2 && x == y
		}
	}
	if x, ok := number(a); ok {
		y, ok := number(b)
		return ok && x == y
	}
	return a.RawEquals(b)
}

func (l *loader) table(n *node, s *Scenario, comparisons []string) *Table {
	tests := l.testsOf(n, s)
	w := l.resultScope(tests, s, comparisons)
	t := &Table{Name: n.name(), Title: l.str(n, "title"), Tests: testNames(n, tests), Range: n.rng}
	if t.Title == "" {
		t.Title = t.Name
	}
	t.Rows = l.exprList(n.attr("rows"), w)
	t.Columns = l.exprList(n.attr("columns"), w)
	if a := n.attr("cell"); a != nil {
		t.Cell = l.expr(a, w)
	}
	if a := n.attr("where"); a != nil {
		t.Where = l.expr(a, w)
	}
	for _, b := range n.blocks {
		f := Field{Title: b.labels[0], Digits: -1, Range: b.rng}
		if b.attr("digits") != nil {
			f.Digits = int(l.num(b, "digits"))
		}
		if a := b.attr("value"); a != nil {
			f.Value = l.expr(a, w)
			t.Fields = append(t.Fields, f)
		}
	}
	switch rng := n.rng; {
	case (t.Cell == nil) != (len(t.Columns) == 0):
		l.fail(&rng, "Incomplete table", "columns and cell belong together: columns names what is spread over the columns, cell what stands in them.")
	case t.Cell != nil && len(t.Fields) > 0:
		l.fail(&rng, "Two kinds of table", "A table has either column blocks, or columns and cell.")
	case n.attr("cell") == nil && n.block("column") == nil:
		l.fail(&rng, "Empty table", "A table needs column blocks, or columns and cell.")
	}
	return t
}

// exprList reads [each.a, each.b] as one expression each.
func (l *loader) exprList(a *attr, w where) []*Expr {
	if a == nil {
		return nil
	}
	items, diags := hcl.ExprList(a.expr)
	if diags.HasErrors() || len(items) == 0 {
		rng := a.expr.Range()
		l.fail(&rng, "Invalid value of "+a.name, "Write a list of expressions: [each.backend, each.payload].")
		return nil
	}
	var list []*Expr
	for _, x := range items {
		list = append(list, l.exprOf(x, &attr{spec: &schema.Attr{Name: a.name, Type: schema.Formula}, name: a.name, src: a.src}, w))
	}
	return list
}

func (l *loader) expectation(n *node, s *Scenario, comparisons []string) *Expectation {
	tests := l.testsOf(n, s)
	w := l.resultScope(tests, s, comparisons)
	e := &Expectation{Text: n.labels[0], Tests: testNames(n, tests), Severity: l.str(n, "severity"), Range: n.rng}
	if a := n.attr("condition"); a != nil {
		e.Condition = l.expr(a, w)
	}
	if a := n.attr("where"); a != nil {
		e.Where = l.expr(a, w)
	}
	if a := n.attr("error_message"); a != nil {
		e.ErrorMessage = l.expr(a, w)
	}
	return e
}

func (l *loader) expectedFinding(n *node, s *Scenario) *ExpectedFinding {
	tests := l.testsOf(n, s)
	f := &ExpectedFinding{Text: n.labels[0], Check: l.str(n, "finding"), Tests: testNames(n, tests), Severity: l.str(n, "severity"), Range: n.rng}
	for _, a := range []*attr{n.attr("where"), n.attr("test"), n.attr("error_message")} {
		if a != nil && (f.Check == "none" || a.name == "error_message") {
			rng := a.rng
			l.fail(&rng, "Argument without meaning", "An expectation of finding = %q has no argument %q.", f.Check, a.name)
		}
	}
	if a := n.attr("where"); a != nil {
		f.Where = l.expr(a, l.resultScope(tests, s, nil))
	}
	return f
}
