package dsl

import (
	"errors"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

// Condition is a condition over named numbers, from the command line.
type Condition struct {
	Source string
	expr   hclsyntax.Expression
	names  []string
}

// NewCondition reads a condition such as "slower > 0.05" over the names. An
// empty text is no condition: nil.
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
	return c, nil
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
