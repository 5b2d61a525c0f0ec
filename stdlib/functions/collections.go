package functions

import (
	"fmt"
	"slices"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

const (
	aList    = "A list, set or tuple."
	anObject = "A map or object."
)

var collections = map[string]entry{
	"length": {"length(value)", `length(["a", "b"])`, "2",
		define(cty.Number, "The number of elements of a list, map or object, or of characters of a text.",
			params{param("value", cty.DynamicPseudoType, "A list, set, tuple, map, object or text.")}, nil, length)},
	"concat": {"concat(list, ...)", "concat([1, 2], [3])", "[1, 2, 3]",
		adopt(stdlib.ConcatFunc, "Several lists as one.", "Lists or tuples.")},
	"contains": {"contains(list, value)", `contains(["a", "b"], "b")`, "true",
		adopt(stdlib.ContainsFunc, "Whether a list has a value.", aList, "The value to look for.")},
	"flatten": {"flatten(list)", "flatten([[1, 2], [3]])", "[1, 2, 3]",
		adopt(stdlib.FlattenFunc, "A list of lists as one list, however deep.", aList)},
	"keys": {"keys(map)", "keys({ b = 1, a = 2 })", `["a", "b"]`,
		adopt(stdlib.KeysFunc, "The keys of a map or object, sorted.", anObject)},
	"values": {"values(map)", "values({ b = 1, a = 2 })", "[2, 1]",
		adopt(stdlib.ValuesFunc, "The values of a map or object, sorted by their keys.", anObject)},
	"lookup": {"lookup(map, key, default)", `lookup({ a = 1 }, "b", 0)`, "0",
		adopt(stdlib.LookupFunc, "The value under a key, or a default if there is none.", anObject, "The key.", "The value if there is none.")},
	"merge": {"merge(map, ...)", "merge({ a = 1 }, { a = 2, b = 3 })", "{ a = 2, b = 3 }",
		adopt(stdlib.MergeFunc, "Several maps or objects as one. Of values under the same key, the last counts.", "Maps or objects.")},
	"zipmap": {"zipmap(keys, values)", `zipmap(["a", "b"], [1, 2])`, "{ a = 1, b = 2 }",
		adopt(stdlib.ZipmapFunc, "A map from a list of keys and a list of as many values.", "Texts.", "Any values.")},
	"element": {"element(list, index)", `element(["a", "b"], 3)`, `"b"`,
		adopt(stdlib.ElementFunc, "The element at an index from 0, starting over at the end of the list.", aList, "A whole number.")},
	"slice": {"slice(list, start, end)", "slice([1, 2, 3], 1, 3)", "[2, 3]",
		adopt(stdlib.SliceFunc, "The elements from start up to, but not including, end.", aList, "The first index, from 0.", "The index after the last.")},
	"reverse": {"reverse(list)", "reverse([1, 2, 3])", "[3, 2, 1]",
		adopt(stdlib.ReverseListFunc, "A list in the opposite order.", aList)},
	"coalesce": {"coalesce(value, ...)", `coalesce(null, "a")`, `"a"`,
		adopt(stdlib.CoalesceFunc, "The first value that is not null.", "Values of one type.")},
	"setproduct": {"setproduct(list, ...)", `setproduct(["a"], [1, 2])`, `[["a", 1], ["a", 2]]`,
		adoptChecked(stdlib.SetProductFunc, productSize, "All combinations of the elements of some lists, at most 10000. A sweep does this by itself.", "Lists or sets.")},
	"distinct": {"distinct(list) or distinct(dataset, column)", `distinct(dataset.times, "backend")`, `["ice", "tao"]`,
		defineAny("The different values of a list, or of a column of a dataset, in their order. Cells without a value don't count.",
			params{param("list", cty.DynamicPseudoType, "A list, or a dataset.")},
			rest("column", cty.String, "The column of the dataset."), distinct)},
	"sort": {"sort(list)", "sort([10, 9, 1])", "[1, 9, 10]",
		defineAny("A list in ascending order: numbers by value, texts letter by letter.",
			params{param("list", cty.DynamicPseudoType, "A list of numbers or of texts.")}, nil, sortList)},
	"compact": {"compact(list)", `compact(["a", "", null])`, `["a"]`,
		define(cty.List(cty.String), "A list of texts without those that are empty or null.",
			params{param("list", cty.List(cty.String), "Texts.")}, nil, compact)},
	"index": {"index(list, value)", `index(["a", "b"], "b")`, "1",
		define(cty.Number, "The first index, from 0, at which a list has a value.",
			params{param("list", cty.DynamicPseudoType, aList), param("value", cty.DynamicPseudoType, "The value to look for.")}, nil, indexOf)},
	"one": {"one(list)", `one(["a"])`, `"a"`,
		defineAny("The only element of a list with one element; null for an empty list.",
			params{param("list", cty.DynamicPseudoType, aList)}, nil, one)},
	"alltrue": {"alltrue(list)", "alltrue([true, false])", "false",
		bools("Whether every element is true; an empty list counts as true.", true)},
	"anytrue": {"anytrue(list)", "anytrue([true, false])", "true",
		bools("Whether some element is true; in an empty list none is.", false)},
}

func length(args []cty.Value) (cty.Value, error) {
	switch ty := args[0].Type(); {
	case ty == cty.String:
		return stdlib.Strlen(args[0])
	case isSequence(ty) || ty.IsMapType() || ty.IsObjectType():
		return cty.NumberIntVal(int64(args[0].LengthInt())), nil
	default:
		return cty.NilVal, argErrorf(0, "%s has no length", ty.FriendlyName())
	}
}

// productSize refuses a product of more than MaxSweep combinations.
func productSize(args []cty.Value) error {
	n := 1
	for _, a := range args {
		a, _ = a.UnmarkDeep()
		if !a.IsKnown() || a.IsNull() || !isSequence(a.Type()) {
			return nil // the function itself knows what to say
		}
		if n *= a.LengthInt(); n > MaxSweep {
			return fmt.Errorf("there are more than %d combinations; write them as axes of a sweep, which is not expanded in memory", MaxSweep)
		}
	}
	return nil
}

// sequence returns the elements of argument i.
func sequence(args []cty.Value, i int) ([]cty.Value, error) {
	if !isSequence(args[i].Type()) {
		return nil, argErrorf(i, "must be a list, not %s", args[i].Type().FriendlyName())
	}
	return args[i].AsValueSlice(), nil
}

// list makes a list if all values have one type, and a tuple otherwise.
func list(vs []cty.Value) cty.Value {
	if len(vs) == 0 {
		return cty.EmptyTupleVal
	}
	for _, v := range vs {
		if !v.Type().Equals(vs[0].Type()) {
			return cty.TupleVal(vs)
		}
	}
	return cty.ListVal(vs)
}

func distinct(args []cty.Value) (cty.Value, error) {
	var vs []cty.Value
	var err error
	switch {
	case len(args) > 2:
		return cty.NilVal, argErrorf(2, "distinct takes a list, or a dataset and a column")
	case len(args) == 2:
		vs, err = columnValues(args)
	case isDataset(args[0].Type()):
		return cty.NilVal, argErrorf(0, "name the column of the dataset: distinct(dataset, \"column\")")
	default:
		vs, err = sequence(args, 0)
	}
	if err != nil {
		return cty.NilVal, err
	}
	seen := map[int][]cty.Value{}
	var out []cty.Value
	for _, v := range vs {
		h := v.Hash()
		if !slices.ContainsFunc(seen[h], v.RawEquals) {
			seen[h] = append(seen[h], v)
			out = append(out, v)
		}
	}
	return list(out), nil
}

func sortList(args []cty.Value) (cty.Value, error) {
	vs, err := sequence(args, 0)
	if err != nil || len(vs) == 0 {
		return cty.EmptyTupleVal, err
	}
	vs = slices.Clone(vs)
	ty := vs[0].Type()
	for i, v := range vs {
		if v.IsNull() || !v.Type().Equals(ty) || (ty != cty.Number && ty != cty.String) {
			return cty.NilVal, argErrorf(0, "must be all numbers or all texts, and element %d is not", i)
		}
	}
	slices.SortStableFunc(vs, func(a, b cty.Value) int {
		if ty == cty.Number {
			return a.AsBigFloat().Cmp(b.AsBigFloat())
		}
		return cmpText(a.AsString(), b.AsString())
	})
	return cty.ListVal(vs), nil
}

func cmpText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func compact(args []cty.Value) (cty.Value, error) {
	var out []cty.Value
	for _, v := range args[0].AsValueSlice() {
		if !v.IsNull() && v.AsString() != "" {
			out = append(out, v)
		}
	}
	if len(out) == 0 {
		return cty.ListValEmpty(cty.String), nil
	}
	return cty.ListVal(out), nil
}

func indexOf(args []cty.Value) (cty.Value, error) {
	vs, err := sequence(args, 0)
	if err != nil {
		return cty.NilVal, err
	}
	for i, v := range vs {
		if eq := v.Equals(args[1]); !eq.IsNull() && eq.True() {
			return cty.NumberIntVal(int64(i)), nil
		}
	}
	return cty.NilVal, argErrorf(1, "the list doesn't have this value")
}

func one(args []cty.Value) (cty.Value, error) {
	vs, err := sequence(args, 0)
	switch {
	case err != nil:
		return cty.NilVal, err
	case len(vs) == 0:
		return cty.NullVal(cty.DynamicPseudoType), nil
	case len(vs) == 1:
		return vs[0], nil
	}
	return cty.NilVal, argErrorf(0, "must have one element or none, not %d", len(vs))
}

// bools makes alltrue (all) or anytrue.
func bools(doc string, all bool) function.Function {
	return define(cty.Bool, doc, params{param("list", cty.List(cty.Bool), "Bools.")}, nil,
		func(args []cty.Value) (cty.Value, error) {
			for i, v := range args[0].AsValueSlice() {
				if v.IsNull() {
					return cty.NilVal, argErrorf(0, "element %d is null", i)
				}
				if v.True() != all {
					return cty.BoolVal(!all), nil
				}
			}
			return cty.BoolVal(all), nil
		})
}
