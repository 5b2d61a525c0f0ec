package functions

import (
	"fmt"
	"math"
	"math/big"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"versus/stdlib/stats"
)

// Functions of numbers compute in float64, as everything after them does: so
// floor(0.1 * 30) is 3, which it is not in cty's 512-bit binary arithmetic.

var numbers = map[string]entry{
	"abs": {"abs(x)", "abs(-2.5)", "2.5",
		numeric("The value without its sign.", func(x float64) (float64, error) { return math.Abs(x), nil })},
	"ceil": {"ceil(x)", "ceil(2.1)", "3",
		numeric("The smallest whole number that is not below x.", func(x float64) (float64, error) { return math.Ceil(x), nil })},
	"floor": {"floor(x)", "floor(2.9)", "2",
		numeric("The largest whole number that is not above x.", func(x float64) (float64, error) { return math.Floor(x), nil })},
	"signum": {"signum(x)", "signum(-3)", "-1",
		numeric("-1, 0 or 1, as x is below, at or above 0.", func(x float64) (float64, error) {
			switch {
			case x < 0:
				return -1, nil
			case x > 0:
				return 1, nil
			}
			return 0, nil
		})},
	"sqrt": {"sqrt(x)", "sqrt(9)", "3",
		numeric("The square root of x, which must not be negative.", func(x float64) (float64, error) {
			if x < 0 {
				return 0, argErrorf(0, "no square root of a negative number (%g)", x)
			}
			return math.Sqrt(x), nil
		})},
	"log": {"log(x[, base])", "log(1000, 10)", "3",
		define(cty.Number, "The logarithm of x, natural or to a base. x must be above 0; a base too, and not 1.",
			params{param("x", cty.Number, "A number above 0.")},
			rest("base", cty.Number, "The base; without it, e."), logarithm)},
	"pow": {"pow(x, y)", "pow(2, 10)", "1024",
		define(cty.Number, "x to the power of y.",
			params{param("x", cty.Number, "The base."), param("y", cty.Number, "The exponent.")}, nil, power)},
	"min": {"min(x, ...) or min(list)", "min(3, 1, 2)", "1",
		extremum("The smallest of some numbers or of a list of numbers.", stats.Min)},
	"max": {"max(x, ...) or max(list)", "max([3, 1, 2])", "3",
		extremum("The largest of some numbers or of a list of numbers.", stats.Max)},
	"sum": {"sum(list)", "sum([1, 2, 3.5])", "6.5",
		define(cty.Number, "The sum of a list of numbers, which may be empty.",
			params{param("list", cty.List(cty.Number), "Numbers.")}, nil,
			func(args []cty.Value) (cty.Value, error) {
				xs, err := floats(args, 0)
				if err != nil {
					return cty.NilVal, err
				}
				total := 0.0
				for _, x := range xs {
					total += x
				}
				return number(total)
			})},
	"parseint": {"parseint(text, base)", `parseint("ff", 16)`, "255",
		define(cty.Number, "The whole number that a text spells in a base from 2 to 62.",
			params{param("text", cty.String, "Digits, with a sign or without."), param("base", cty.Number, "From 2 to 62.")}, nil,
			parseInt)},
}

// numeric makes a function of one number.
func numeric(doc string, f func(float64) (float64, error)) function.Function {
	return define(cty.Number, doc, params{param("x", cty.Number, "A number.")}, nil,
		func(args []cty.Value) (cty.Value, error) {
			x, err := float(args[0])
			if err != nil {
				return cty.NilVal, argErrorf(0, "%v", err)
			}
			y, err := f(x)
			if err != nil {
				return cty.NilVal, err
			}
			return number(y)
		})
}

func logarithm(args []cty.Value) (cty.Value, error) {
	x, _ := float(args[0])
	if x <= 0 {
		return cty.NilVal, argErrorf(0, "no logarithm of %g: it must be above 0", x)
	}
	switch len(args) {
	case 1:
		return number(math.Log(x))
	case 2:
		base, _ := float(args[1])
		switch {
		case base <= 0 || base == 1:
			return cty.NilVal, argErrorf(1, "%g can't be the base of a logarithm: it must be above 0, and not 1", base)
		case base == 2:
			return number(math.Log2(x)) // exact for powers of 2
		case base == 10:
			return number(math.Log10(x))
		}
		return number(math.Log(x) / math.Log(base))
	}
	return cty.NilVal, fmt.Errorf("log takes a number and at most one base")
}

func power(args []cty.Value) (cty.Value, error) {
	x, _ := float(args[0])
	y, _ := float(args[1])
	switch r := math.Pow(x, y); {
	case x == 0 && y < 0:
		return cty.NilVal, argErrorf(1, "0 to a negative power is a division by zero")
	case math.IsNaN(r):
		return cty.NilVal, argErrorf(1, "a negative number (%g) has no power that is not whole (%g)", x, y)
	case math.IsInf(r, 0):
		return cty.NilVal, fmt.Errorf("%g to the power of %g is beyond 1.8e308", x, y)
	default:
		return number(r)
	}
}

// extremum makes min or max: over its arguments, or over the one list that it gets.
func extremum(doc string, f func([]float64) float64) function.Function {
	p := rest("numbers", cty.DynamicPseudoType, "Numbers, or one list of numbers.")
	return define(cty.Number, doc, nil, p, func(args []cty.Value) (cty.Value, error) {
		if len(args) == 0 {
			return cty.NilVal, fmt.Errorf("give at least one number, or a list")
		}
		xs, err := numbersOf(args)
		if err != nil {
			return cty.NilVal, err
		}
		if len(xs) == 0 {
			return cty.NilVal, argErrorf(0, "an empty list has no smallest and no largest number")
		}
		return number(f(xs))
	})
}

// numbersOf reads arguments that are numbers, or one list of them.
func numbersOf(args []cty.Value) ([]float64, error) {
	if len(args) == 1 && isSequence(args[0].Type()) {
		list, err := convertTo(args[0], cty.List(cty.Number))
		if err != nil {
			return nil, argErrorf(0, "must be numbers: %v", err)
		}
		return floats([]cty.Value{list}, 0)
	}
	var xs []float64
	for i, a := range args {
		n, err := convertTo(a, cty.Number)
		if err != nil {
			return nil, argErrorf(i, "must be a number: %v", err)
		}
		f, err := float(n)
		if err != nil {
			return nil, argErrorf(i, "%v", err)
		}
		xs = append(xs, f)
	}
	return xs, nil
}

// maxDigits bounds what parseint reads: a float64 holds no whole number of
// more than 309 decimal digits, 1024 binary ones.
const maxDigits = 1025

func parseInt(args []cty.Value) (cty.Value, error) {
	base, err := whole(args, 1, 2, 62)
	if err != nil {
		return cty.NilVal, err
	}
	text := args[0].AsString()
	if len(text) > maxDigits {
		return cty.NilVal, argErrorf(0, "has %d digits, more than a number can", len(text))
	}
	n, ok := new(big.Int).SetString(text, base)
	if !ok {
		return cty.NilVal, argErrorf(0, "%q is not a whole number in base %d", text, base)
	}
	return cty.NumberVal(new(big.Float).SetInt(n)), nil
}
