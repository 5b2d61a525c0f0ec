package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"versus/dsl"
	"versus/dsl/schema"
	quantity "versus/stdlib/units"
)

var x08 = &Rule{
	ID: "X08", Slug: "unit-ambiguous", Severity: Warning, Auto: true,
	What: "A quantity is written so that people read it differently: a size in `KB`, which is 1000 bytes here and 1024 to many, or a duration or rate as a plain number, without its unit. " +
		"`\"4m\"`, `\"1k\"` and other texts without a real unit are refused when the scenario is loaded; a plain number of bytes, calls or messages is what it says.",
	Why:     "A factor of 1.024, 1.049 or 1000 between what was meant and what was measured is found by nobody who reads the result.",
	Source:  "IEC 80000-13 (KiB and kB). AimRT 0.8 writes \"1 k bytes\"; Horizon's test of zero copy writes \"4m\" for 4,194,304 bytes.",
	Example: "test \"rpc\" \"capacity\" {\n  payload = bytes(\"64KB\")\n  rate    = 1000\n}\n",
	Cure:    "test \"rpc\" \"capacity\" {\n  payload = bytes(\"64kB\")\n  rate    = \"1000/s\"\n}\n",
	Check:   unitAmbiguous,
}

var kilobytes = regexp.MustCompile(`^\s*[0-9][0-9.]*\s*KB\s*$`)

func unitAmbiguous(p *Pass) {
	p.Arguments(func(b *dsl.Block, a *dsl.Argument) {
		if a.Spec != nil && a.Spec.Type == schema.String {
			return // a title may say what it likes
		}
		texts := append(Calls(a.Expr, "lines"), Calls(a.Expr, "structs")...) // what is sent, not how much
		Walk(a.Expr, func(n hclsyntax.Node) {
			inText := slices.ContainsFunc(texts, func(c *hclsyntax.FunctionCallExpr) bool { return c.Range().Overlaps(n.Range()) })
			if !inText {
				p.kilobytes(n)
			}
		})
		switch typeOf(b, a) {
		case schema.Duration:
			p.plainNumbers(a, "seconds", "s")
		case schema.Rate:
			p.plainNumbers(a, "per second", "/s")
		}
	})
}

// typeOf is the type of an argument, or of the argument that an axis of its
// name gives its value to.
func typeOf(b *dsl.Block, a *dsl.Argument) schema.Type {
	if b.Type != "sweep" {
		return a.Spec.Type
	}
	for _, block := range dsl.Language(nil).Blocks {
		if spec := block.Attr(nil, a.Name); block.Type == "test" && spec != nil {
			return spec.Type
		}
	}
	return schema.Any
}

func (p *Pass) kilobytes(n hclsyntax.Node) {
	text, ok := n.(*hclsyntax.TemplateExpr)
	if !ok || len(text.Parts) != 1 {
		return
	}
	literal, ok := text.Parts[0].(*hclsyntax.LiteralValueExpr)
	if !ok || literal.Val.Type() != cty.String || literal.Val.IsNull() || !kilobytes.MatchString(literal.Val.AsString()) {
		return
	}
	size, err := quantity.Size(literal.Val.AsString())
	if err != nil {
		return
	}
	at, number := literal.Range(), literal.Val.AsString()
	p.Report(text.Range(), "%q is %s bytes here, and %s to many who read it. Write kB for thousands, or KiB for multiples of 1024.",
		number, strconv.FormatFloat(size, 'f', -1, 64), strconv.FormatFloat(size*1.024, 'f', -1, 64)).
		Edit(at, regexp.MustCompile(`KB`).ReplaceAllString(number, "kB"))
}

// plainNumbers reports numbers written out as the value of an argument, or in
// the list of an axis. Zero needs no unit.
func (p *Pass) plainNumbers(a *dsl.Argument, unit, short string) {
	values := []hcl.Expression{a.Expr}
	if list, ok := a.Expr.(*hclsyntax.TupleConsExpr); ok {
		values = nil
		for _, e := range list.Exprs {
			values = append(values, e)
		}
	}
	for _, e := range values {
		literal, ok := e.(*hclsyntax.LiteralValueExpr)
		if !ok || literal.Val.Type() != cty.Number || literal.Val.IsNull() || literal.Val.RawEquals(cty.Zero) {
			continue
		}
		number := literal.Val.AsBigFloat().Text('g', -1)
		p.Report(literal.Range(), "%s = %s has no unit. It is %s; write %q.", upper(a.Name), number, unit, number+short).
			Edit(literal.Range(), fmt.Sprintf("%q", number+short))
	}
}
