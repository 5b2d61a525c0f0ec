package lint

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"versus/dsl"
	"versus/interp/plan"
)

var k12 = &Rule{
	ID: "K12", Slug: "multiple-comparisons", Severity: Warning, Auto: true,
	What: "Several verdicts are given at the level of one: a comparison is judged by several expectations, or by several filtered tables, each of which adjusts only for itself; or a column makes its own verdict of .low or .high, which are not adjusted at all.",
	Why: "Of 18 pairs without any difference, judged at 5% each, one is called different with a chance of 60%. The verdicts and p values of one table, or of one expectation over many cells, are adjusted together (Holm). " +
		"Judged one by one they need a smaller level each: 1 - 0.05/m for m of them (Bonferroni).",
	Source: "Holm 1979.",
	Example: `expect "faster at 512 B" {
  where     = each.payload == 512
  condition = comparison.vs_grpc.verdict == "faster"
}
expect "faster at 8 KiB" {
  where     = each.payload == 8192
  condition = comparison.vs_grpc.verdict == "faster"
}`,
	Cure: `comparison "vs_grpc" {
  baseline   = { backend = backend.grpc }
  value      = baseline.time_per_call / candidate.time_per_call
  confidence = 0.975
}`,
	Check: func(p *Pass) {
		for _, c := range p.Scenario.Comparisons {
			if p.measures(c.Tests) {
				p.checkFamilies(c)
			}
		}
		for _, t := range p.Scenario.Tables {
			for _, col := range p.columns(t) {
				p.checkOwnVerdict(col)
			}
		}
	},
}

// level is the chance of a false verdict that a report may have.
const level = 0.05

// checkFamilies reports a comparison that is judged in several places apart.
func (p *Pass) checkFamilies(c *dsl.Comparison) {
	var judges []judge
	for _, t := range p.tests(c.Tests) {
		if some := p.judges(c, t); len(some) > len(judges) {
			judges = some
		}
	}
	m := len(judges)
	if m < 2 || c.Confidence >= 1-level/float64(m)-1e-9 {
		return
	}
	need, text := bonferroni(m)
	f := p.Report(judges[1].at, "Comparison %q is judged in %d places, each for itself at %s: one of the verdicts is false with a chance of up to %.0f%%. Judge it in one table or one expectation, or with confidence = %s.",
		c.Name, m, percent(c.Confidence), 100*(1-math.Pow(c.Confidence, float64(m))), text)
	if need <= 0.9999 && !slices.ContainsFunc(judges, func(j judge) bool { return j.byP }) {
		f.Set(p.block(c.Range), "confidence", text)
	}
}

// bonferroni is the confidence that each of m verdicts needs, rounded up to
// four decimals. The language takes no more than 0.9999.
func bonferroni(m int) (confidence float64, text string) {
	confidence = math.Ceil(1e4*(1-level/float64(m))-1e-6) / 1e4
	return confidence, strconv.FormatFloat(confidence, 'f', -1, 64)
}

// judge is a place where a comparison is judged apart from others: an
// expectation, or a table that shows a part of its pairs. byP says that it
// names a level of its own, which no confidence changes.
type judge struct {
	at  hcl.Range
	byP bool
}

// judges are the places where a comparison of the cells of a test is judged.
func (p *Pass) judges(c *dsl.Comparison, test *dsl.Test) []judge {
	var list []judge
	of := func(tests []string) bool { return len(tests) == 0 || slices.Contains(tests, test.Name) }
	for _, t := range p.Scenario.Tables {
		if t.Where != nil && of(t.Tests) && slices.ContainsFunc(p.columns(t), func(col column) bool {
			name, ok := col.expr.IsComparison()
			return ok && name == c.Name
		}) {
			list = append(list, judge{at: t.Range})
		}
	}
	for _, e := range p.Scenario.Expectations {
		j := judge{at: e.Range}
		judged := false
		for _, f := range fieldsOf(e.Condition) {
			if f.name == c.Name && f.field != "" {
				judged = true
				j.byP = j.byP || f.field == "p"
			}
		}
		if judged && of(e.Tests) {
			list = append(list, j)
		}
	}
	return list
}

// checkOwnVerdict reports a column that decides by the bounds of an interval.
func (p *Pass) checkOwnVerdict(col column) {
	Walk(col.expr, func(n hclsyntax.Node) {
		x, ok := n.(*hclsyntax.BinaryOpExpr)
		if !ok || !slices.Contains(orders, x.Op) {
			return
		}
		for _, t := range x.Variables() {
			if t.RootName() != "comparison" || len(t) < 3 || attrName(t[2]) != "low" && attrName(t[2]) != "high" {
				continue
			}
			name := attrName(t[1])
			c := p.comparisonOf(name)
			if c == nil || !p.measures(c.Tests) {
				return
			}
			if m := p.candidates(c); m > 1 && c.Confidence < 1-level/float64(m)-1e-9 {
				f := p.Report(x.Range(), "This judges %d pairs by an interval of %s each: one of the verdicts is false with a chance of up to %.0f%%. comparison.%s.verdict is adjusted for their number.",
					m, percent(c.Confidence), 100*(1-math.Pow(c.Confidence, float64(m))), name)
				if need, text := bonferroni(m); need <= 0.9999 {
					f.Set(p.block(c.Range), "confidence", text)
				}
			}
			return
		}
	})
}

// orders are the operators that decide which of two numbers is larger.
var orders = []*hclsyntax.Operation{hclsyntax.OpGreaterThan, hclsyntax.OpGreaterThanOrEqual, hclsyntax.OpLessThan, hclsyntax.OpLessThanOrEqual}

// candidates is the number of cells that a comparison compares, at most those
// that a rule looks at.
func (p *Pass) candidates(c *dsl.Comparison) int {
	n := 0
	for _, t := range p.tests(c.Tests) {
		p.Cells(t, func(cell *plan.Cell) bool {
			if plan.SideOf(c, cell) == plan.IsCandidate {
				n++
			}
			return true
		})
	}
	return n
}

func percent(share float64) string {
	return fmt.Sprintf("%s%%", strconv.FormatFloat(math.Round(share*1e4)/1e2, 'f', -1, 64))
}
