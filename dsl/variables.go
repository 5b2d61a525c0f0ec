package dsl

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
)

// sensitive marks values that may not be written anywhere.
const sensitive = "sensitive"

// setting is one value given to a variable from outside, in the order of
// precedence: the last one counts.
type setting struct {
	name   string
	source string // "environment", "-var", or the file
	text   string
	hcl    bool           // text is an expression in any case
	expr   hcl.Expression // from a file, instead of text
	rng    *hcl.Range
	hidden bool
	strict bool // an undeclared variable is an error
	quiet  bool // an undeclared variable is no matter
}

// settings collects the values given from outside: environment, automatic
// file, command line.
func (l *loader) settings() []*setting {
	var all []*setting
	for _, entry := range l.cfg.Env {
		name, text, _ := strings.Cut(entry, "=")
		if name, ok := strings.CutPrefix(name, "VERSUS_VAR_"); ok {
			all = append(all, &setting{name: name, source: "environment", text: text, quiet: true})
		}
	}
	if src, err := l.store.fetch(autoVars, maxSource); err == nil {
		all = append(all, l.varFile(autoVars, src)...)
	}
	for _, s := range l.cfg.Set {
		if s.File != "" {
			all = append(all, l.varFile(s.File, s.Content)...)
			continue
		}
		all = append(all, &setting{name: s.Name, source: "-var", text: s.Value, hcl: s.HCL, hidden: s.Hidden, strict: true})
	}
	return all
}

// varFile reads a file of variable values. It stays out of the journal, which
// holds the values that are not sensitive one by one.
func (l *loader) varFile(name string, src []byte) []*setting {
	l.store.shown[name] = src
	f, diags := Parse(name, src)
	l.diags = append(l.diags, diags...)
	if f == nil || diags.HasErrors() {
		return nil
	}
	attrs, diags := f.Body.JustAttributes()
	l.diags = append(l.diags, diags...)
	var all []*setting
	for _, a := range attrs {
		rng := a.NameRange
		all = append(all, &setting{name: a.Name, source: name, expr: a.Expr, rng: &rng})
	}
	return all
}

// unusedSettings reports values for variables that don't exist.
func (l *loader) unusedSettings(all []*setting) {
	for _, s := range all {
		if l.scope.decls["var"][s.name] != nil || s.quiet {
			continue
		}
		d := problem(s.rng, "Undeclared variable", "%s sets %q, but there is no such variable%s", s.source, s.name, suggest(s.name, l.scope.names("var")))
		if trimmed := strings.TrimSpace(s.name); trimmed != s.name {
			d.Detail = fmt.Sprintf("The name %q has blanks; write -var %s=VALUE without any.", s.name, trimmed)
		}
		if !s.strict {
			d.Severity = hcl.DiagWarning
		}
		l.diags = append(l.diags, d)
	}
}

// variable finds the value of a variable, converts and records it.
func (l *loader) variable(n *node, s *Scenario, settings []*setting) cty.Value {
	v := &Variable{Name: n.name(), Sensitive: l.boolean(n, "sensitive"), Source: "default", Range: n.rng}
	want := cty.DynamicPseudoType
	var defaults *typeexpr.Defaults
	if a := n.attr("type"); a != nil {
		t, d, diags := typeexpr.TypeConstraintWithDefaults(a.expr)
		l.diags = append(l.diags, diags...)
		if diags.HasErrors() {
			return cty.DynamicVal
		}
		want, defaults = t, d
	}
	raw, rng := cty.NilVal, n.rng
	if a := n.attr("default"); a != nil {
		raw, rng = l.value(a), a.expr.Range()
	}
	for _, set := range settings {
		if set.name == v.Name {
			raw, rng = l.settingValue(set, want, n)
			v.Source = set.source
		}
	}
	if raw == cty.NilVal {
		l.fail(&n.rng, "Variable without a value", "Variable %q has no default; give it one with -var %s=VALUE, VERSUS_VAR_%s, or a file of values.", v.Name, v.Name, v.Name)
		return cty.DynamicVal
	}
	if defaults != nil && !raw.IsNull() {
		raw = defaults.Apply(raw)
	}
	value, err := convert.Convert(raw, want)
	if err != nil {
		l.fail(&rng, "Invalid value of variable "+v.Name, "From %s: %v.", v.Source, err)
		return cty.DynamicVal
	}
	if v.Sensitive {
		value = value.Mark(sensitive)
	}
	v.Value = value
	s.Variables = append(s.Variables, v)
	return value
}

// settingValue turns what was given from outside into a value.
func (l *loader) settingValue(set *setting, want cty.Type, n *node) (cty.Value, hcl.Range) {
	switch {
	case set.hidden:
		return cty.UnknownVal(want), n.rng
	case set.expr != nil:
		v, diags := set.expr.Value(&hcl.EvalContext{Functions: l.scope.funcs})
		l.diags = append(l.diags, diags...)
		return v, set.expr.Range()
	case !set.hcl && want.IsPrimitiveType():
		return cty.StringVal(set.text), n.rng
	}
	src := []byte(set.text)
	name := set.source + " " + set.name
	l.store.shown[name] = src
	if diags := checkSource(name, src); diags.HasErrors() {
		l.diags = append(l.diags, diags...)
		return cty.DynamicVal, n.rng
	}
	x, diags := hclsyntax.ParseExpression(src, name, hcl.InitialPos)
	if diags.HasErrors() {
		if want == cty.DynamicPseudoType && !set.hcl {
			return cty.StringVal(set.text), n.rng // no type given: a bare word is a text
		}
		l.diags = append(l.diags, diags...)
		return cty.DynamicVal, n.rng
	}
	v, diags := x.Value(&hcl.EvalContext{Functions: l.scope.funcs})
	if diags.HasErrors() && want == cty.DynamicPseudoType && !set.hcl {
		return cty.StringVal(set.text), n.rng
	}
	l.diags = append(l.diags, diags...)
	return v, x.Range()
}

// validate checks the conditions of a variable.
func (l *loader) validate(n *node) {
	for _, b := range n.blocks {
		cond, msg := b.attr("condition"), b.attr("error_message")
		if b.spec.Type != "validation" || cond == nil || msg == nil {
			continue
		}
		before := len(l.diags)
		ok := l.value(cond)
		message := l.value(msg)
		ok, _ = ok.Unmark()
		message, _ = message.Unmark()
		rng := cond.expr.Range()
		switch {
		case len(l.diags) > before || !ok.IsKnown():
		case ok.IsNull() || ok.Type() != cty.Bool:
			l.fail(&rng, "Invalid condition", "A condition is true or false, not %s.", kindOf(ok))
		case ok.False():
			text := "The condition is not met."
			if message.IsKnown() && !message.IsNull() && message.Type() == cty.String {
				text = message.AsString()
			}
			l.fail(&rng, "Invalid value of variable "+n.name(), "%s", text)
		case !refersToVariable(cond, n.name()):
			l.fail(&rng, "Invalid condition", "The condition must refer to var.%s.", n.name())
		}
	}
}

func refersToVariable(a *attr, name string) bool {
	for _, t := range a.expr.Variables() {
		if r := split(t); r.root == "var" && r.name == name {
			return true
		}
	}
	return false
}
