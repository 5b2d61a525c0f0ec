package dsl

import (
	"errors"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Condition is a condition over named shares of 1, from the command line.
type Condition struct {
	Source string
	expr   hclsyntax.Expression
	names  []string
}

// NewCondition reads a condition such as "slower > 0.05" over the names. An
// empty text is no condition: nil. It warns of a bound that is hardly meant as a
// share: "slower > 5" would not fail before something is six times as slow.
func NewCondition(text string, names ...string) (*Condition, hcl.Diagnostics) {
	if text == "" {
		return nil, nil
	}
	const name = "condition"
	src := []byte(text)
	if diags := checkSource(name, src); diags.HasErrors() {
		return nil, diags
	}
	x, diags := hclsyntax.ParseExpression(src, name, hcl.InitialPos)
	if diags.HasErrors() {
		return nil, improve(diags, src)
	}
	c := &Condition{text, x, names}
	v, diags := x.Value(c.context(make([]cty.Value, len(names)), true))
	if diags.HasErrors() {
		return nil, diags
	}
	if v.Type() != cty.Bool && v.Type() != cty.DynamicPseudoType {
		rng := x.Range()
		return nil, hcl.Diagnostics{problem(&rng, "Invalid condition", "A condition is true or false: compare, as in %s > 0.05.", names[0])}
	}
	return c, percentages(x)
}

// percentages warns of comparisons with 1 or more.
func percentages(x hclsyntax.Expression) (diags hcl.Diagnostics) {
	_ = hclsyntax.VisitAll(x, func(n hclsyntax.Node) hcl.Diagnostics {
		b, ok := n.(*hclsyntax.BinaryOpExpr)
		if !ok || b.Op.Type != cty.Bool {
			return nil
		}
		for _, side := range []hclsyntax.Expression{b.LHS, b.RHS} {
			v, ok := side.(*hclsyntax.LiteralValueExpr)
			if !ok || v.Val.Type() != cty.Number || v.Val.LessThan(cty.NumberIntVal(1)).True() {
				continue
			}
			rng := v.Range()
			share, _ := v.Val.AsBigFloat().Float64()
			d := problem(&rng, "A large share", "%.6g is a share of 1: %.6g%%. If %.6g%% is meant, write %.6g.", share, 100*share, share, share/100)
			d.Severity = hcl.DiagWarning
			diags = append(diags, d)
		}
		return nil
	})
	return diags
}

func (c *Condition) context(values []cty.Value, unknown bool) *hcl.EvalContext {
	vars := map[string]cty.Value{}
	for i, n := range c.names {
		vars[n] = values[i]
		if unknown {
			vars[n] = cty.UnknownVal(cty.Number)
		}
	}
	return &hcl.EvalContext{Variables: vars}
}

// Holds evaluates the condition for finite numbers, in the order of the names.
func (c *Condition) Holds(numbers ...float64) (bool, error) {
	values := make([]cty.Value, len(numbers))
	for i, x := range numbers {
		values[i] = cty.NumberFloatVal(finiteOr0(x))
	}
	v, diags := c.expr.Value(c.context(values, false))
	if diags.HasErrors() {
		return false, errors.New(firstLine(diags[0].Detail))
	}
	if v.IsNull() || !v.IsKnown() || v.Type() != cty.Bool {
		return false, errors.New("the condition is neither true nor false")
	}
	return v.True(), nil
}
