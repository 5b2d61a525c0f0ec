package lint

import (
	"slices"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"versus/dsl"
)

var k11 = &Rule{
	ID: "K11", Slug: "no-uncertainty", Severity: Warning, Auto: true,
	What: "The value of a measured comparison is used without its interval. A column that is comparison.NAME and nothing else prints interval and verdict beside the value; arithmetic on it, or a geomean over cells, prints a bare number. " +
		"An expectation that looks at the value alone is an error if its text claims a verdict (faster, better, ...). Recorded results of one run a cell have no interval, and are not looked at.",
	Why: "A difference of 3% means nothing if the next measurement of the same system differs by 5%. " +
		"The interval says how far the value can be off; the verdict, whether there is a difference at all. An expectation over the value alone passes or fails by chance where the difference is small.",
	Source: "Hoefler and Belli 2015, rules 5 and 7; Georges et al. 2007.",
	Example: `expect "HTTP is faster" {
  condition = comparison.vs_grpc > 0
}`,
	Cure: `expect "HTTP is faster" {
  condition = comparison.vs_grpc.low > 0
}`,
	Check: func(p *Pass) {
		bare := p.printed()
		for _, t := range p.Scenario.Tables {
			if !p.measures(t.Tests) {
				continue
			}
			for _, col := range p.columns(t) {
				p.checkColumn(col, bare)
			}
		}
		for _, e := range p.Scenario.Expectations {
			if p.measures(e.Tests) {
				p.checkExpectation(e)
			}
		}
	},
}

// printed are the comparisons that some table prints with their intervals.
func (p *Pass) printed() []string {
	var names []string
	for _, t := range p.Scenario.Tables {
		for _, col := range p.columns(t) {
			if name, ok := col.expr.IsComparison(); ok {
				names = append(names, name)
			}
			for _, f := range fieldsOf(col.expr) {
				if f.field != "" {
					names = append(names, f.name)
				}
			}
		}
	}
	return names
}

func (p *Pass) checkColumn(col column, bare []string) {
	if _, ok := col.expr.IsComparison(); ok {
		return
	}
	for _, name := range col.expr.Comparisons {
		c := p.comparisonOf(name)
		if c == nil || slices.Contains(bare, name) || !p.measures(c.Tests) {
			continue
		}
		f := p.Report(col.expr.Range(), "This is computed from comparison.%s and printed without interval and verdict, which no table shows. Print comparison.%s as it is beside it.", name, name)
		if !col.pivot && col.expr.Over == nil {
			f.Insert(p.block(col.table.Range), "column \""+name+"\" { value = comparison."+name+" }")
		}
		return
	}
}

func (p *Pass) checkExpectation(e *dsl.Expectation) {
	fields := fieldsOf(e.Condition)
	if slices.ContainsFunc(fields, func(f comparisonField) bool { return f.field != "" }) {
		return
	}
	for _, f := range fields {
		c := p.comparisonOf(f.name)
		if c == nil || !p.measures(c.Tests) {
			continue
		}
		found := p.Report(e.Condition.Range(), "This condition holds or not by the value of comparison.%s alone, however wide its interval. Look at comparison.%s.low, .high or .verdict.", f.name, f.name)
		if label := (prose{words: e.Text}); label.has(saysFaster) || label.has(saysSaving) || label.has(saysGrowth) || label.has(saysBetter) {
			found.As(Error)
		}
		p.byBound(found, e.Condition, f)
		return
	}
}

// byBound adds edits that make a condition VALUE > LIMIT one of the lower
// bound, VALUE < LIMIT one of the upper.
func (p *Pass) byBound(found *Finding, condition *dsl.Expr, f comparisonField) {
	x, ok := condition.Expression.(*hclsyntax.BinaryOpExpr)
	if !ok {
		return
	}
	value, left := x.LHS, true
	if t, ok := x.RHS.(*hclsyntax.ScopeTraversalExpr); ok && t.Traversal.RootName() == "comparison" {
		value, left = x.RHS, false
	}
	t, ok := value.(*hclsyntax.ScopeTraversalExpr)
	if !ok || t.Traversal.RootName() != "comparison" || len(fieldsOf(condition)) != 1 {
		return
	}
	above := x.Op == hclsyntax.OpGreaterThan || x.Op == hclsyntax.OpGreaterThanOrEqual
	below := x.Op == hclsyntax.OpLessThan || x.Op == hclsyntax.OpLessThanOrEqual
	switch {
	case above && left || below && !left:
		found.Edit(value.Range(), "comparison."+f.name+".low")
	case below && left || above && !left:
		found.Edit(value.Range(), "comparison."+f.name+".high")
	}
}

// comparisonField is a use of a comparison: of low, high, p or verdict, or of its value ("").
type comparisonField struct{ name, field string }

func fieldsOf(e *dsl.Expr) []comparisonField {
	var list []comparisonField
	for _, t := range e.Variables() {
		if t.RootName() != "comparison" || len(t) < 2 {
			continue
		}
		f := comparisonField{name: attrName(t[1])}
		if len(t) > 2 && attrName(t[2]) != "value" {
			f.field = attrName(t[2])
		}
		list = append(list, f)
	}
	return list
}
