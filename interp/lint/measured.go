package lint

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"versus/dsl"
	"versus/interp/plan"
	"versus/stdlib/metric"
)

// Written finds the block of a kind (warmup, measure, repeat, keep) that holds
// for a test: its own, that of its methodology, or that of defaults. nil means
// that none is written.
func (p *Pass) Written(t *dsl.Test, kind string) *dsl.Block {
	for _, b := range p.homes(t) {
		if inner := b.Block(kind); inner != nil {
			return inner
		}
	}
	return nil
}

// homes are the blocks that say how a test is measured, the strongest first,
// as package dsl merges them.
func (p *Pass) homes(t *dsl.Test) []*dsl.Block {
	own, named := p.Scenario.Find(t.Range), p.MethodologyBlock(t)
	var chain []*dsl.Block
	if own != nil {
		chain = append(chain, own)
	}
	if named != nil && own != nil && own.Attr("methodology") != nil {
		chain = append(chain, named)
	}
	if d := p.topLevel()["defaults"]; d != nil {
		chain = append(chain, d)
	}
	if named != nil && !slices.Contains(chain, named) {
		chain = append(chain, named)
	}
	return chain
}

// MethodologyBlock is the methodology that a test names, itself or by
// defaults; nil if it names none.
func (p *Pass) MethodologyBlock(t *dsl.Test) *dsl.Block {
	if t.Methodology == nil || t.Methodology.Name == "" {
		return nil
	}
	return p.topLevel()["methodology "+t.Methodology.Name]
}

// topLevel indexes defaults and the methodologies by type and label.
func (p *Pass) topLevel() map[string]*dsl.Block {
	if p.blocks == nil {
		p.blocks = map[string]*dsl.Block{}
		for _, b := range p.Scenario.Written {
			switch {
			case b.Type == "defaults" && p.blocks[b.Type] == nil:
				p.blocks[b.Type] = b
			case b.Type == "methodology" && len(b.Labels) == 1:
				p.blocks[b.Type+" "+b.Labels[0]] = b
			}
		}
	}
	return p.blocks
}

// planned is what the plan says of a test.
func (p *Pass) planned(t *dsl.Test) plan.TestSummary {
	if p.summaries == nil {
		p.summaries = map[string]plan.TestSummary{}
		for _, s := range p.Plan.Summary().Tests {
			p.summaries[s.Name] = s
		}
	}
	return p.summaries[t.Name]
}

// Home is the block in which a cure may say how a test is measured: its
// methodology, if that is in a file that may be changed, else the test.
func (p *Pass) Home(t *dsl.Test) *dsl.Block {
	if b := p.MethodologyBlock(t); b != nil && Editable(p.Scenario, b.Range.Filename) {
		return b
	}
	return p.Scenario.Find(t.Range)
}

// shared is a block that says how some tests are measured.
type shared struct {
	block *dsl.Block // nil: nothing is written
	tests []*dsl.Test
	at    hcl.Range // where to report
}

// measured groups the live tests by the block that find names for them, so
// that what several tests share is reported once.
func (p *Pass) measured(find func(*dsl.Test) *dsl.Block) []*shared {
	var list []*shared
	by := map[*dsl.Block]*shared{}
	for _, t := range p.Live() {
		b := find(t)
		s := by[b]
		if s == nil || b == nil {
			s = &shared{block: b, at: p.place(b, t)}
			by[b] = s
			list = append(list, s)
		}
		s.tests = append(s.tests, t)
	}
	return list
}

// place is the header of a block, or, if that is in a file that no one can
// mend, what brings it into the test.
func (p *Pass) place(b *dsl.Block, t *dsl.Test) hcl.Range {
	if b != nil {
		if _, read := p.Scenario.Sources[b.Range.Filename]; read {
			return b.Range
		}
	}
	for _, home := range p.homes(t) {
		if a := home.Attr("methodology"); a != nil {
			return hcl.RangeBetween(a.Range, a.Expr.Range())
		}
	}
	return t.Range
}

// any reports whether something holds for one of the tests.
func (s *shared) any(is func(*dsl.Test) bool) bool { return slices.ContainsFunc(s.tests, is) }

// argument is where an argument of the block stands, or the block.
func (s *shared) argument(name string) hcl.Range {
	if s.block != nil && s.at == s.block.Range {
		if a := s.block.Attr(name); a != nil {
			return hcl.RangeBetween(a.Range, a.Expr.Range())
		}
	}
	return s.at
}

// written reports whether an argument is a plain value that an edit may
// replace; one that is computed has its home elsewhere.
func written(a *dsl.Argument) bool {
	return a != nil && len(a.Expr.Variables()) == 0 && len(hclCalls(a.Expr)) == 0
}

func hclCalls(e hcl.Expression) (calls []string) {
	Walk(e, func(n hclsyntax.Node) {
		if c, ok := n.(*hclsyntax.FunctionCallExpr); ok {
			calls = append(calls, c.Name)
		}
	})
	return calls
}

// namesOf lists tests for a message: `test capacity`, `tests a, b`.
func namesOf(tests []*dsl.Test) string {
	var list []string
	for _, t := range tests {
		list = append(list, t.Name)
	}
	if len(list) == 1 {
		return "test " + list[0]
	}
	return "tests " + strings.Join(list, ", ")
}

// withN evaluates an expression over n.
type withN struct {
	hcl.Expression
	n int
}

func (w withN) Value(ctx *hcl.EvalContext) (cty.Value, hcl.Diagnostics) {
	inner := ctx.NewChild()
	inner.Variables = map[string]cty.Value{"n": cty.NumberIntVal(int64(w.n))}
	return w.Expression.Value(inner)
}

// asked is how many of n runs a keep rule asks for, or for a trimmed mean how
// many at each end, before it is rounded down.
func (p *Pass) asked(k dsl.Keep, n int) (float64, error) {
	if k.Best == nil {
		return k.Trimmed * float64(n), nil
	}
	e := *k.Best
	e.Expression = withN{k.Best.Expression, n}
	v, diags := p.Scenario.EvalCell(&e, nil)
	if diags.HasErrors() {
		return 0, diags
	}
	v, _ = v.Unmark()
	if v.IsNull() || !v.IsKnown() || v.Type() != cty.Number {
		return 0, fmt.Errorf("keep.best with n = %d is no number", n)
	}
	x, _ := v.AsBigFloat().Float64()
	return x, nil
}

// whole reports whether a number of runs needs no rounding.
func whole(x float64) bool { return math.Abs(x-math.Round(x)) < 1e-9 }

// seconds shows a duration: "200 ms", "2 s".
func seconds(s float64) string {
	if s != 0 && math.Abs(s) < 1 {
		return fmt.Sprintf("%.4g ms", s*1e3)
	}
	return fmt.Sprintf("%.4g s", s)
}

// isTail reports whether a metric is about the extremes of a distribution:
// percentiles above the median, and maxima.
func isTail(m metric.Metric) bool {
	return m.Quantile > 0.5 || m.Combine == metric.MaxOfAll && m.Unit == "s"
}
