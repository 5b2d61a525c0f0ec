package functions

import (
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
)

// param describes a required parameter.
func param(name string, ty cty.Type, doc string) function.Parameter {
	return function.Parameter{Name: name, Type: ty, Description: doc, AllowDynamicType: true}
}

// rest describes the parameters after the required ones.
func rest(name string, ty cty.Type, doc string) *function.Parameter {
	p := param(name, ty, doc)
	return &p
}

// params is a list of parameters.
type params []function.Parameter

// impl computes a function. It is called only with arguments that are wholly
// known, not marked, not null at the top, and within the limits.
type impl func(args []cty.Value) (cty.Value, error)

// define makes a function with a fixed type of result.
func define(result cty.Type, doc string, ps params, more *function.Parameter, f impl) function.Function {
	in := intake{ps, more}
	ps, more = in.loosened()
	return function.New(&function.Spec{
		Description: doc, Params: ps, VarParam: more,
		Type: func(args []cty.Value) (cty.Type, error) {
			_, err := in.convert(args)
			return result, err
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return in.call(args, cty.UnknownVal(result), f) },
	})
}

// defineAny makes a function whose type of result depends on the values of
// its arguments: it is computed to be typed, and once more to be used.
func defineAny(doc string, ps params, more *function.Parameter, f impl) function.Function {
	in := intake{ps, more}
	ps, more = in.loosened()
	return function.New(&function.Spec{
		Description: doc, Params: ps, VarParam: more,
		Type: func(args []cty.Value) (cty.Type, error) {
			v, err := in.call(args, cty.DynamicVal, f)
			if err != nil {
				return cty.NilType, err
			}
			return v.Type(), nil
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) { return in.call(args, cty.DynamicVal, f) },
	})
}

// adopt takes a function of another package, with our description and limits.
// docs describe its parameters, the rest parameter last.
func adopt(f function.Function, doc string, docs ...string) function.Function {
	return adoptChecked(f, func([]cty.Value) error { return nil }, doc, docs...)
}

// adoptChecked is adopt with a check of the arguments before each call. The
// check may meet unknown values.
func adoptChecked(f function.Function, check func([]cty.Value) error, doc string, docs ...string) function.Function {
	described := f.WithNewDescriptions(doc, docs)
	in := intake{described.Params(), described.VarParam()}
	ps, more := in.loosened()
	take := func(args []cty.Value) ([]cty.Value, error) {
		args, err := in.take(args)
		if err == nil {
			err = check(args)
		}
		return args, err
	}
	return function.New(&function.Spec{
		Description: doc, Params: ps, VarParam: more,
		Type: func(args []cty.Value) (cty.Type, error) {
			args, err := take(args)
			if err != nil {
				return cty.NilType, err
			}
			return f.ReturnTypeForValues(args)
		},
		Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
			args, err := take(args)
			if err != nil {
				return cty.NilVal, err
			}
			v, err := f.Call(args)
			if err != nil {
				return cty.NilVal, err
			}
			return v, boundedResult(v)
		},
	})
}

// intake checks and converts the arguments of a call. HCL would convert them
// by itself, to the types of the parameters, but without limits: a number with
// an enormous exponent takes minutes to become text. So the parameters that
// HCL sees are of any type (loosened), and conversion comes after the limits.
type intake struct {
	params params
	rest   *function.Parameter
}

func (in intake) loosened() (params, *function.Parameter) {
	ps := slices.Clone(in.params)
	for i := range ps {
		ps[i] = loose(ps[i])
	}
	if in.rest == nil {
		return ps, nil
	}
	more := loose(*in.rest)
	return ps, &more
}

// loose accepts any type, and values that are marked as sensitive: cty looks
// for marks all through an argument, several times a call, and for a dataset
// that is most of the work.
func loose(p function.Parameter) function.Parameter {
	p.Type, p.AllowDynamicType, p.AllowMarked = cty.DynamicPseudoType, true, true
	return p
}

// take returns the arguments within the limits and of the parameters' types.
func (in intake) take(args []cty.Value) ([]cty.Value, error) {
	if _, err := bounded(args); err != nil {
		return nil, err
	}
	return in.convert(args)
}

// convert returns the arguments with the parameters' types. What has another
// type is checked against the limits before.
func (in intake) convert(args []cty.Value) ([]cty.Value, error) {
	out := make([]cty.Value, len(args))
	for i, a := range args {
		p := in.rest
		if i < len(in.params) {
			p = &in.params[i]
		}
		out[i] = a
		if p.Type == cty.DynamicPseudoType || a.Type().Equals(p.Type) {
			continue
		}
		if _, err := bounded(args[i : i+1]); err != nil {
			return nil, err
		}
		v, err := convert.Convert(a, p.Type)
		if err != nil {
			return nil, function.NewArgError(i, err)
		}
		out[i] = v
	}
	return out, nil
}

// call calls f if everything is known, and otherwise returns unknown. Marks of
// the arguments go over to the result.
func (in intake) call(args []cty.Value, unknown cty.Value, f impl) (cty.Value, error) {
	seen, err := bounded(args)
	if err != nil {
		return cty.NilVal, err
	}
	marks := cty.NewValueMarks()
	if seen.marked {
		plain := make([]cty.Value, len(args))
		for i, a := range args {
			var more cty.ValueMarks
			plain[i], more = a.UnmarkDeep()
			marks = cty.NewValueMarks(marks, more)
		}
		args = plain
	}
	if seen.unknown {
		return unknown.WithMarks(marks), nil
	}
	if args, err = in.convert(args); err != nil {
		return cty.NilVal, err
	}
	v, err := f(args)
	if err != nil {
		return cty.NilVal, err
	}
	if err := boundedResult(v); err != nil {
		return cty.NilVal, err
	}
	return v.WithMarks(marks), nil
}

// argErrorf is an error at an argument, counted from 0: HCL underlines it.
func argErrorf(i int, format string, values ...any) error {
	return function.NewArgErrorf(i, "%s", fmt.Sprintf(format, values...))
}
