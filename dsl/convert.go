package dsl

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"versus/dsl/schema"
	"versus/dsl/spell"
	"versus/stdlib/units"
)

// Convert turns the value of an argument into what its description promises:
// a string, a float64 (quantities in base units), a bool, []any, or
// map[string]any. nil is a null. The error says what is wrong, and what would
// be right.
func Convert(spec *schema.Attr, v cty.Value) (any, error) {
	if v.IsMarked() || v.ContainsMarked() {
		return nil, errors.New("a sensitive value may stand only in the environment of a host: everything else is written to the journal")
	}
	if v.IsNull() {
		return nil, nil
	}
	if !v.IsWhollyKnown() {
		return nil, errors.New("the value is not known")
	}
	switch spec.Type {
	case schema.String:
		s, err := text(v)
		if err != nil {
			return nil, err
		}
		return s, oneOf(spec, s)
	case schema.Bool:
		if v.Type() != cty.Bool {
			return nil, fmt.Errorf("true or false is wanted here, not %s", kindOf(v))
		}
		return v.True(), nil
	case schema.Number, schema.Integer, schema.Duration, schema.Size, schema.Rate, schema.Bandwidth:
		return measure(spec, v)
	case schema.List:
		if !v.CanIterateElements() || v.Type().IsMapType() || v.Type().IsObjectType() {
			return nil, fmt.Errorf("a list in [ ] is wanted here, not %s", kindOf(v))
		}
	case schema.Map:
		if !v.Type().IsMapType() && !v.Type().IsObjectType() {
			return nil, fmt.Errorf("a map in { } is wanted here, not %s", kindOf(v))
		}
	case schema.PayloadRef:
		return payload(v)
	case schema.BackendRef, schema.HostRef, schema.MethodRef, schema.TestRef:
		name, ok := refersTo(string(spec.Type), v)
		if !ok {
			return nil, fmt.Errorf("a reference %s.NAME is wanted here, not %s", spec.Type, kindOf(v))
		}
		return name, nil
	}
	return plain(v)
}

func text(v cty.Value) (string, error) {
	if v.Type() != cty.String {
		return "", fmt.Errorf("a text in quotes is wanted here, not %s", kindOf(v))
	}
	return v.AsString(), nil
}

func oneOf(spec *schema.Attr, s string) error {
	if len(spec.OneOf) == 0 || slices.Contains(spec.OneOf, s) {
		return nil
	}
	err := fmt.Sprintf("%q is none of the values allowed: %s", s, strings.Join(spec.OneOf, ", "))
	if near := spell.Nearest(s, spec.OneOf); near != "" {
		err += fmt.Sprintf(". Did you mean %q?", near)
	}
	return errors.New(err)
}

// parsers read a quantity written with a unit.
var parsers = map[schema.Type]func(string) (float64, error){
	schema.Duration: units.Duration, schema.Size: units.Size, schema.Rate: units.Rate, schema.Bandwidth: units.Bandwidth,
}

// samples show how a quantity is written.
var samples = map[schema.Type]string{
	schema.Duration: `"200ms"`, schema.Size: `"4MiB"`, schema.Rate: `"1kHz"`, schema.Bandwidth: `"56kbit/s"`,
}

func measure(spec *schema.Attr, v cty.Value) (any, error) {
	var x float64
	parse := parsers[spec.Type]
	switch {
	case v.Type() == cty.Number:
		var ok bool
		if x, ok = number(v); !ok {
			return nil, errors.New("the number is not finite")
		}
	case v.Type() == cty.String && parse != nil:
		var err error
		if x, err = parse(v.AsString()); err != nil {
			return nil, err
		}
	case parse != nil:
		return nil, fmt.Errorf("a %s such as %s, or a number in base units, is wanted here, not %s", spec.Type, samples[spec.Type], kindOf(v))
	default:
		return nil, fmt.Errorf("a number is wanted here, not %s", kindOf(v))
	}
	whole := spec.Type == schema.Integer || spec.Type == schema.Size
	switch {
	case whole && x != math.Trunc(x):
		return nil, fmt.Errorf("%v is not a whole number", x)
	case parse != nil && x < 0:
		return nil, fmt.Errorf("a %s can't be negative", spec.Type)
	case spec.Min != spec.Max && (x < spec.Min || x > spec.Max):
		return nil, fmt.Errorf("%s is outside of the range from %s to %s", digits(x), digits(spec.Min), digits(spec.Max))
	}
	return x, nil
}

// digits writes a number as people do: 1000000, not 1e+06.
func digits(x float64) string {
	if math.Abs(x) < 1e15 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

func payload(v cty.Value) (any, error) {
	p, err := plain(v)
	if err != nil {
		return nil, err
	}
	m, ok := p.(map[string]any)
	if _, isBytes := m["bytes"].(float64); !ok || !isBytes {
		return nil, fmt.Errorf("a payload such as bytes(\"512B\"), lines(...), structs(...) or payload.NAME is wanted here, not %s", kindOf(v))
	}
	return m, nil
}

// number is the one place where a number leaves cty: ok is false for what has
// no finite float64.
func number(v cty.Value) (x float64, ok bool) {
	v, _ = v.Unmark()
	if v.IsNull() || !v.IsKnown() || v.Type() != cty.Number {
		return 0, false
	}
	x, _ = v.AsBigFloat().Float64()
	return x, !math.IsInf(x, 0) && !math.IsNaN(x)
}

// plain turns a value into strings, float64s, bools, lists and maps.
func plain(v cty.Value) (any, error) {
	switch {
	case v.IsNull():
		return nil, nil
	case v.Type() == cty.String:
		return v.AsString(), nil
	case v.Type() == cty.Bool:
		return v.True(), nil
	case v.Type() == cty.Number:
		x, ok := number(v)
		if !ok {
			return nil, errors.New("a number in it is not finite")
		}
		return x, nil
	case v.Type().IsMapType(), v.Type().IsObjectType():
		m := map[string]any{}
		for it := v.ElementIterator(); it.Next(); {
			k, e := it.Element()
			p, err := plain(e)
			if err != nil {
				return nil, err
			}
			m[k.AsString()] = p
		}
		return m, nil
	case v.CanIterateElements():
		list := []any{}
		for it := v.ElementIterator(); it.Next(); {
			_, e := it.Element()
			p, err := plain(e)
			if err != nil {
				return nil, err
			}
			list = append(list, p)
		}
		return list, nil
	}
	return nil, fmt.Errorf("%s can't be used here", kindOf(v))
}

// kindOf says in words what a value is, for messages.
func kindOf(v cty.Value) string {
	t := v.Type()
	switch {
	case v.IsNull():
		return "null"
	case !v.IsKnown():
		return "a value that is not known yet"
	case t == cty.String:
		s, _ := v.Unmark()
		if r := []rune(s.AsString()); len(r) > 40 {
			return fmt.Sprintf("the text %q...", string(r[:40]))
		}
		return fmt.Sprintf("the text %q", s.AsString())
	case t == cty.Number:
		s, _ := v.Unmark()
		if x, ok := number(s); ok {
			return fmt.Sprintf("the number %v", x)
		}
		return "a number"
	case t == cty.Bool:
		return "true or false"
	case t.IsObjectType() || t.IsMapType():
		return "an object"
	case t.IsTupleType() || t.IsListType() || t.IsSetType():
		return "a list"
	}
	return "a " + t.FriendlyName()
}

// Label returns the text under which a value of an axis is printed: the title
// or name of a backend, host or test, a number, or the text itself.
func Label(v cty.Value) string {
	v, marks := v.UnmarkDeep()
	t := v.Type()
	switch {
	case len(marks) > 0:
		return "(sensitive)"
	case v.IsNull():
		return "-"
	case !v.IsWhollyKnown():
		return "?"
	case t == cty.String:
		return v.AsString()
	case t == cty.Bool:
		return fmt.Sprint(v.True())
	case t == cty.Number:
		if x, ok := number(v); ok {
			return strconv.FormatFloat(x, 'g', -1, 64)
		}
		return "?"
	case t.IsObjectType() && t.HasAttribute("title") && t.AttributeType("title") == cty.String && !v.GetAttr("title").IsNull():
		return v.GetAttr("title").AsString()
	case t.IsObjectType() || t.IsMapType():
		var parts []string
		for it := v.ElementIterator(); it.Next(); {
			k, e := it.Element()
			parts = append(parts, k.AsString()+"="+Label(e))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case v.CanIterateElements():
		var parts []string
		for it := v.ElementIterator(); it.Next(); {
			_, e := it.Element()
			parts = append(parts, Label(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return "?"
}
