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
			_, err := in.take(args)
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
			return v, boundedValue("the result", v)
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
		ps[i].Type, ps[i].AllowDynamicType = cty.DynamicPseudoType, true
	}
	if in.rest == nil {
		return ps, nil
	}
	more := *in.rest
	more.Type, more.AllowDynamicType = cty.DynamicPseudoType, true
	return ps, &more
}

// take returns the arguments within the limits and of the parameters' types.
func (in intake) take(args []cty.Value) ([]cty.Value, error) {
	if err := bounded(args); err != nil {
		return nil, err
	}
	out := make([]cty.Value, len(args))
	for i, a := range args {
		p := in.rest
		if i < len(in.params) {
			p = &in.params[i]
		}
		v, err := convert.Convert(a, p.Type)
		if err != nil {
			return nil, function.NewArgError(i, err)
		}
		out[i] = v
	}
	return out, nil
}

// call calls f if everything is known, and otherwise returns unknown.
func (in intake) call(args []cty.Value, unknown cty.Value, f impl) (cty.Value, error) {
	args, err := in.take(args)
	if err != nil {
		return cty.NilVal, err
	}
	if !known(args) {
		return unknown, nil
	}
	for i, a := range args {
		args[i], _ = a.UnmarkDeep()
	}
	v, err := f(args)
	if err != nil {
		return cty.NilVal, err
	}
	return v, boundedValue("the result", v)
}

func known(args []cty.Value) bool {
	for _, a := range args {
		if !a.IsWhollyKnown() {
			return false
		}
	}
	return true
}

// argErrorf is an error at an argument, counted from 0: HCL underlines it.
func argErrorf(i int, format string, values ...any) error {
	return function.NewArgErrorf(i, "%s", fmt.Sprintf(format, values...))
}
