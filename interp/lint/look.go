package lint

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"versus/dsl"
	"versus/interp/plan"
	"versus/stdlib/metric"
)

// maxCells bounds the cells of a test that a rule looks at.
const maxCells = 2000

// known is what rules have asked for and others will ask for again.
type known struct {
	uses   []Use
	looked bool
	loops  map[*dsl.Test]Loop
	cells  map[*dsl.Test]someCells
	read   map[usePlace]readCells
	pairs  map[*dsl.Comparison]*Pairs
	shown  *shown
}

// Use is a place where a metric is read for a report.
type Use struct {
	Metric   metric.Metric
	Side     string          // "", "baseline" or "candidate"
	Range    hcl.Range       // the reference
	By       string          // `table "capacity"`, `comparison "vs"`, `expect "..."`
	Expr     *dsl.Expr       // the expression that it stands in
	Tests    []string        // names of the tests for which it is read; empty: all
	Inside   hcl.Range       // header of the block that reads it
	Compared *dsl.Comparison // if it is read by a comparison
}

// Of reports whether the metric is read for a test.
func (u Use) Of(t *dsl.Test) bool { return len(u.Tests) == 0 || slices.Contains(u.Tests, t.Name) }

// Uses are all places where tables, comparisons and expectations read metrics.
// A scenario without a table prints tables of its own choice, which are not
// among them.
func (p *Pass) Uses() []Use {
	if p.known.looked {
		return p.known.uses
	}
	p.known.looked = true
	add := func(by string, header hcl.Range, tests []string, c *dsl.Comparison, exprs ...*dsl.Expr) {
		for _, e := range exprs {
			if e == nil {
				continue
			}
			for _, ref := range e.Metrics {
				if m, ok := metric.Lookup(ref.Metric); ok {
					p.known.uses = append(p.known.uses, Use{Metric: m, Side: ref.Side, Range: ref.Range, By: by, Expr: e, Tests: tests, Inside: header, Compared: c})
				}
			}
		}
	}
	for _, t := range p.Scenario.Tables {
		exprs := append([]*dsl.Expr{t.Cell, t.Where}, t.Rows...)
		exprs = append(exprs, t.Columns...)
		for _, f := range t.Fields {
			exprs = append(exprs, f.Value)
		}
		add(quoted("table", t.Name), t.Range, t.Tests, nil, exprs...)
	}
	for _, c := range p.Scenario.Comparisons {
		add(quoted("comparison", c.Name), c.Range, c.Tests, c, c.Value)
	}
	for _, e := range p.Scenario.Expectations {
		add(quoted("expect", e.Text), e.Range, e.Tests, nil, e.Condition, e.Where, e.ErrorMessage)
	}
	return p.known.uses
}

// UsesOf are the uses for one test.
func (p *Pass) UsesOf(t *dsl.Test) []Use {
	if p.usesOf == nil {
		p.usesOf = map[string][]Use{}
		for _, u := range p.Uses() {
			for _, t := range p.tests(u.Tests) {
				p.usesOf[t.Name] = append(p.usesOf[t.Name], u)
			}
		}
	}
	return p.usesOf[t.Name]
}

func quoted(kind, name string) string { return kind + ` "` + name + `"` }

// Live are the tests that measure something; replays only read it.
func (p *Pass) Live() []*dsl.Test {
	return slices.DeleteFunc(slices.Clone(p.Scenario.Tests), func(t *dsl.Test) bool { return t.Pattern == "replay" })
}

// Compared are the comparisons whose baseline can be a cell of the test.
func (p *Pass) Compared(t *dsl.Test) []*dsl.Comparison {
	var found []*dsl.Comparison
	for _, c := range p.Scenario.Comparisons {
		if len(c.Tests) > 0 && !slices.Contains(c.Tests, t.Name) {
			continue
		}
		if !slices.ContainsFunc(c.Baseline, func(s dsl.SelectorAxis) bool { return !hasAxis(t, s.Axis) }) {
			found = append(found, c)
		}
	}
	return found
}

func hasAxis(t *dsl.Test, name string) bool {
	return name == "test" || slices.ContainsFunc(t.Sweeps, func(s *dsl.Sweep) bool {
		return slices.ContainsFunc(s.Axes, func(a dsl.Axis) bool { return a.Name == name })
	}) || t.Args[name] != nil
}

// Cells calls visit for the cells of a test until it returns false. all is
// false if there are too many to look at: then the first 2000 were visited.
func (p *Pass) Cells(t *dsl.Test, visit func(*plan.Cell) bool) (all bool) {
	some, ok := p.known.cells[t]
	if !ok {
		some = p.firstCells(t)
		if p.known.cells == nil {
			p.known.cells = map[*dsl.Test]someCells{}
		}
		p.known.cells[t] = some
	}
	for _, c := range some.list {
		if !visit(c) {
			return true
		}
	}
	return some.all
}

// someCells are the first cells of a test.
type someCells struct {
	list []*plan.Cell
	all  bool // there are no more
}

func (p *Pass) firstCells(t *dsl.Test) someCells {
	s := p.planned(t)
	some := someCells{all: s.Cells <= maxCells}
	for i := range min(s.Cells, maxCells) {
		c, err := p.Plan.Cell(s.First + i)
		if err != nil {
			some.all = false
			break
		}
		some.list = append(some.list, c)
	}
	return some
}

// Loop says how the cells of a test offer load: some may be closed loops and
// others open ones. Known is false if there are too many to look at.
type Loop struct{ Open, Closed, Known bool }

// Loop looks at the rate of the cells of a test.
func (p *Pass) Loop(t *dsl.Test) Loop {
	if l, ok := p.known.loops[t]; ok {
		return l
	}
	l := Loop{Known: true}
	if t.Args["rate"] == nil && !hasAxis(t, "rate") {
		l.Closed = true
	} else {
		l.Known = p.Cells(t, func(c *plan.Cell) bool {
			if c.Workload.Rate > 0 {
				l.Open = true
			} else {
				l.Closed = true
			}
			return !(l.Open && l.Closed)
		})
	}
	if p.known.loops == nil {
		p.known.loops = map[*dsl.Test]Loop{}
	}
	p.known.loops[t] = l
	return l
}

// Arguments calls visit for every argument as written, with its block; the
// blocks of the standard library are not among them.
func (p *Pass) Arguments(visit func(b *dsl.Block, a *dsl.Argument)) {
	var walk func(blocks []*dsl.Block)
	walk = func(blocks []*dsl.Block) {
		for _, b := range blocks {
			if _, read := p.Scenario.Sources[b.Range.Filename]; !read {
				continue
			}
			for i := range b.Attrs {
				visit(b, &b.Attrs[i])
			}
			walk(b.Blocks)
		}
	}
	walk(p.Scenario.Written)
}

// Walk calls visit for every part of an expression. An expression in JSON has
// no parts to see.
func Walk(e hcl.Expression, visit func(hclsyntax.Node)) {
	if x, ok := e.(*dsl.Expr); ok {
		e = x.Expression
	}
	node, ok := e.(hclsyntax.Expression)
	if !ok {
		return
	}
	_ = hclsyntax.VisitAll(node, func(n hclsyntax.Node) hcl.Diagnostics {
		visit(n)
		return nil
	})
}

// Calls are the calls of a function in an expression, outermost first.
func Calls(e hcl.Expression, name string) []*hclsyntax.FunctionCallExpr {
	var found []*hclsyntax.FunctionCallExpr
	Walk(e, func(n hclsyntax.Node) {
		if c, ok := n.(*hclsyntax.FunctionCallExpr); ok && c.Name == name {
			found = append(found, c)
		}
	})
	return found
}
