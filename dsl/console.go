package dsl

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"versus/dsl/schema"
)

// Evaluate evaluates one expression of load time, for people who try things
// out: with the names of a scenario, or with functions alone if s is nil.
func Evaluate(s *Scenario, text string) (cty.Value, hcl.Diagnostics) {
	const name = "console"
	src := []byte(text)
	if diags := checkSource(name, src); diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	x, diags := hclsyntax.ParseExpression(src, name, hcl.InitialPos)
	if diags.HasErrors() {
		return cty.DynamicVal, improve(diags, src)
	}
	l := &loader{store: memoryStore(nil), scope: newScope(), cycles: map[string]bool{}, memo: map[*attr]cty.Value{}}
	l.scope.funcs = l.functions()
	if s != nil {
		l.scope = s.scope
	}
	v := l.eval(x, &attr{spec: &schema.Attr{Type: schema.Any}, expr: x, src: src}, where{time: schema.Load})
	return v, discreet(l.diags)
}
