package dsl

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"versus/dsl/schema"
	"versus/stdlib/functions"
	"versus/stdlib/metric"
)

// value evaluates an argument of load time, once. After an error, which it
// reports, the value is cty.DynamicVal.
func (l *loader) value(a *attr) cty.Value {
	if v, ok := l.memo[a]; ok {
		return v
	}
	v := l.eval(a.expr, a, where{time: schema.Load})
	l.memo[a] = v
	return v
}

// eval evaluates an expression of load time that is, or is part of, the value
// of an argument.
func (l *loader) eval(x hcl.Expression, a *attr, w where) cty.Value {
	before := len(l.diags)
	refs := l.check(&Expr{Expression: x, Time: w.time, Attr: a.spec}, w)
	if len(l.diags) > before {
		return cty.DynamicVal
	}
	v, diags := x.Value(&hcl.EvalContext{Variables: l.values(refs), Functions: l.scope.funcs})
	l.diags = append(l.diags, diags...)
	if diags.HasErrors() {
		return cty.DynamicVal
	}
	return v
}

// get evaluates and converts an argument of load time, or its default; nil if
// there is neither, or after an error.
func (l *loader) get(n *node, name string) any {
	spec := n.spec.Attr(n.kind, name)
	a := n.attr(name)
	if a == nil {
		return defaultOf(spec)
	}
	v := l.value(a)
	if !v.IsWhollyKnown() && !v.ContainsMarked() {
		return nil
	}
	x, err := Convert(spec, v)
	if err != nil {
		rng := a.expr.Range()
		l.fail(&rng, "Invalid value of "+name, "%s", sentence(err))
		return nil
	}
	if x == nil {
		return defaultOf(spec) // null is as good as nothing
	}
	return x
}

// defaultOf returns the default of an argument, nil if it has none. A default
// that doesn't fit its own description is a mistake of ours, found by a test.
func defaultOf(spec *schema.Attr) any {
	if spec == nil || spec.Default == "" {
		return nil
	}
	x, diags := hclsyntax.ParseExpression([]byte(spec.Default), "default", hcl.InitialPos)
	if diags.HasErrors() {
		panic("default of " + spec.Name + ": " + diags.Error())
	}
	v, diags := x.Value(nil)
	if diags.HasErrors() {
		panic("default of " + spec.Name + ": " + diags.Error())
	}
	c, err := Convert(spec, v)
	if err != nil {
		panic("default of " + spec.Name + ": " + err.Error())
	}
	return c
}

func (l *loader) str(n *node, name string) string {
	s, _ := l.get(n, name).(string)
	return s
}

func (l *loader) num(n *node, name string) float64 {
	x, _ := l.get(n, name).(float64)
	return x
}

func (l *loader) boolean(n *node, name string) bool {
	b, _ := l.get(n, name).(bool)
	return b
}

// functions are those of the standard library, and the two that read the
// scenario's files, and quantile over a distribution.
func (l *loader) functions() map[string]function.Function {
	all := map[string]function.Function{}
	for name, f := range functions.All() {
		all[name] = f
	}
	path := function.Parameter{Name: "path", Type: cty.String, Description: "A path inside the scenario's folder."}
	all["file"] = function.New(&function.Spec{
		Description: "The content of a text file in the scenario's folder.",
		Params:      []function.Parameter{path}, Type: function.StaticReturnType(cty.String),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			b, err := l.store.get(args[0].AsString(), maxData)
			if err != nil {
				return cty.NilVal, function.NewArgErrorf(0, "%s: %v", args[0].AsString(), err)
			}
			if !utf8.Valid(b) {
				return cty.NilVal, function.NewArgErrorf(0, "%s: not a text in UTF-8", args[0].AsString())
			}
			return cty.StringVal(string(b)), nil
		},
	})
	all["quantile"] = quantileFunction(all["quantile"])
	return all
}

// quantileFunction is quantile(latency, 0.999), where latency is an object of
// the percentiles that the expression asks for, and quantile(list, 0.9).
func quantileFunction(ofList function.Function) function.Function {
	return function.New(&function.Spec{
		Description: "A percentile of a distribution, or a quantile of a list of numbers.",
		Params: []function.Parameter{
			{Name: "values", Type: cty.DynamicPseudoType, Description: "latency, service_time, or a list of numbers.", AllowUnknown: true},
			{Name: "p", Type: cty.Number, Description: "Above 0, up to 1."},
		},
		Type: function.StaticReturnType(cty.Number),
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			p, ok := number(args[1])
			if !ok || p <= 0 || p > 1 {
				return cty.NilVal, function.NewArgErrorf(1, "must be above 0 and at most 1")
			}
			if t := args[0].Type(); t.IsObjectType() {
				name := metric.QuantileOf("latency", math.Round(p*1e12)/1e12).Name[len("latency."):]
				if !t.HasAttribute(name) {
					return cty.NilVal, function.NewArgErrorf(0, "latency or service_time is wanted here, or a list of numbers")
				}
				return args[0].GetAttr(name), nil
			}
			return ofList.Call(args)
		},
	})
}

// FunctionDocs describes every function that a scenario can call, sorted by name.
func FunctionDocs() []functions.Doc {
	docs := functions.Docs()
	docs = append(docs, functions.Doc{Name: "file", Signature: "file(path)", Description: "The content of a text file in the scenario's folder."})
	for i := range docs {
		switch docs[i].Name {
		case "quantile":
			docs[i].Description += " Over results, quantile(latency, 0.999) is the percentile latency.p99_9."
		case "geomean":
			docs[i].Description += " In a table, geomean(EXPRESSION) over metrics or comparisons is taken over the cells that fall in one row."
		}
	}
	slices.SortFunc(docs, func(a, b functions.Doc) int { return strings.Compare(a.Name, b.Name) })
	return docs
}
