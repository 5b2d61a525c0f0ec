package functions

import (
	"fmt"
	"math"

	"github.com/hashicorp/hcl/v2/ext/tryfunc"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"versus/stdlib/units"
)

var conversions = map[string]entry{
	"tostring": {"tostring(value)", "tostring(1.50)", `"1.5"`,
		define(cty.String, "A number, a bool or a text as text. Numbers have the fewest digits that tell them apart.",
			params{param("value", cty.DynamicPseudoType, "A number, bool or text.")}, nil,
			func(args []cty.Value) (cty.Value, error) {
				v, err := convertTo(plainNumbers(args[0]), cty.String)
				if err != nil {
					return cty.NilVal, argErrorf(0, "%v", err)
				}
				return v, nil
			})},
	"tonumber": {"tonumber(value)", `tonumber("1.5")`, "1.5",
		adopt(stdlib.MakeToFunc(cty.Number), "A text of digits as a number.", "A number, or a text that spells one.")},
	"tobool": {"tobool(value)", `tobool("true")`, "true",
		adopt(stdlib.MakeToFunc(cty.Bool), `"true" or "false" as a bool.`, `A bool, or "true" or "false".`)},
	"tolist": {"tolist(value)", "tolist([1, 2])", "[1, 2]",
		adopt(stdlib.MakeToFunc(cty.List(cty.DynamicPseudoType)), "A set or tuple as a list; its elements become of one type.", "A list, set or tuple.")},
	"toset": {"toset(value)", "toset([2, 1, 2])", "[1, 2]",
		adopt(stdlib.MakeToFunc(cty.Set(cty.DynamicPseudoType)), "A list as a set: without repeated values, sorted.", "A list, set or tuple.")},
	"tomap": {"tomap(value)", "tomap({ a = 1 })", "{ a = 1 }",
		adopt(stdlib.MakeToFunc(cty.Map(cty.DynamicPseudoType)), "An object as a map; its values become of one type.", "A map or object.")},
	"try": {"try(expression, ...)", `try(tonumber("many"), 0)`, "0",
		tryfunc.TryFunc.WithNewDescriptions("The value of the first expression that can be evaluated. It doesn't hide unknown names, which are found before.",
			[]string{"Expressions, the likeliest first."})},
	"can": {"can(expression)", `can(tonumber("many"))`, "false",
		tryfunc.CanFunc.WithNewDescriptions("Whether an expression can be evaluated. It doesn't hide unknown names, which are found before.",
			[]string{"Any expression."})},
	"duration": {"duration(text)", `duration("5ms")`, "0.005",
		quantity("A duration in seconds.", `A text such as "5ms" or "1m30s", or a number of seconds.`, units.Duration)},
	"bytesize": {"bytesize(text)", `bytesize("64KiB")`, "65536",
		quantity("A size in bytes.", `A text such as "64KiB" (1024 bytes each) or "64kB" (1000), or a number of bytes.`, units.Size)},
}

// quantity makes a function that reads a text with a unit.
func quantity(doc, arg string, parse func(string) (float64, error)) function.Function {
	return define(cty.Number, doc, params{param("text", cty.DynamicPseudoType, arg)}, nil,
		func(args []cty.Value) (cty.Value, error) {
			v, err := readQuantity(args, 0, parse)
			if err != nil {
				return cty.NilVal, err
			}
			return number(v)
		})
}

// readQuantity reads argument i, a text with a unit or a number in base units.
func readQuantity(args []cty.Value, i int, parse func(string) (float64, error)) (float64, error) {
	switch args[i].Type() {
	case cty.String:
		v, err := parse(args[i].AsString())
		if err != nil {
			return 0, argErrorf(i, "%v", err)
		}
		return v, nil
	case cty.Number:
		v, err := float(args[i])
		if err != nil {
			return 0, argErrorf(i, "%v", err)
		}
		if v < 0 {
			return 0, argErrorf(i, "can't be negative (%g)", v)
		}
		return v, nil
	}
	return 0, argErrorf(i, "must be a text with a unit, or a number, not %s", args[i].Type().FriendlyName())
}

// convertTo converts a value, refusing null.
func convertTo(v cty.Value, ty cty.Type) (cty.Value, error) {
	if v.IsNull() {
		return cty.NilVal, fmt.Errorf("is null")
	}
	return convert.Convert(v, ty)
}

// plainNumbers replaces every number that is not whole by the float64 nearest
// to it: 1/3 is 154 digits long in cty, and 0.3333333333333333 as a float64.
func plainNumbers(v cty.Value) cty.Value {
	out, err := cty.Transform(v, func(_ cty.Path, v cty.Value) (cty.Value, error) {
		if v.Type() != cty.Number || v.IsNull() || !v.IsKnown() || v.AsBigFloat().IsInt() {
			return v, nil
		}
		f, _ := v.AsBigFloat().Float64()
		if math.IsInf(f, 0) {
			return v, nil
		}
		return cty.NumberFloatVal(f), nil
	})
	if err != nil {
		return v // not reached: the function above never fails
	}
	return out
}

// isSequence says whether a type is a list, set or tuple.
func isSequence(ty cty.Type) bool { return ty.IsListType() || ty.IsSetType() || ty.IsTupleType() }
