package functions

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"

	"versus/stdlib/units"
)

const aText = "A text."

var texts = map[string]entry{
	"format": {"format(format, value, ...)", `format("%s: %.1f us", "ice", 12.345)`, `"ice: 12.3 us"`,
		define(cty.String, "Values put into a text in place of verbs like %s, %d, %5.1f and %v. Widths and decimals go up to 256.",
			params{param("format", cty.String, "A text with verbs.")}, rest("values", cty.DynamicPseudoType, "A value for each verb."), formatText)},
	"join": {"join(separator, list)", `join(", ", ["a", "b"])`, `"a, b"`,
		define(cty.String, "The elements of a list as one text, with a separator between them.",
			params{param("separator", cty.String, "What goes between two elements."), param("list", cty.DynamicPseudoType, "Texts, numbers or bools.")}, nil, join)},
	"split": {"split(separator, text)", `split(",", "a,b")`, `["a", "b"]`,
		adopt(stdlib.SplitFunc, "A text cut at each separator.", "Where to cut.", aText)},
	"lower": {"lower(text)", `lower("Ice")`, `"ice"`, adopt(stdlib.LowerFunc, "A text in lower case.", aText)},
	"upper": {"upper(text)", `upper("Ice")`, `"ICE"`, adopt(stdlib.UpperFunc, "A text in upper case.", aText)},
	"title": {"title(text)", `title("batched oneway")`, `"Batched Oneway"`,
		adopt(stdlib.TitleFunc, "A text with the first letter of each word in upper case.", aText)},
	"trim": {"trim(text, characters)", `trim("--a--", "-")`, `"a"`,
		adopt(stdlib.TrimFunc, "A text without some characters at its start and end.", aText, "The characters.")},
	"trimspace": {"trimspace(text)", `trimspace("  a ")`, `"a"`,
		adopt(stdlib.TrimSpaceFunc, "A text without white space at its start and end.", aText)},
	"trimprefix": {"trimprefix(text, prefix)", `trimprefix("run-7", "run-")`, `"7"`,
		adopt(stdlib.TrimPrefixFunc, "A text without a certain start, if it has it.", aText, "The start.")},
	"trimsuffix": {"trimsuffix(text, suffix)", `trimsuffix("a.hcl", ".hcl")`, `"a"`,
		adopt(stdlib.TrimSuffixFunc, "A text without a certain end, if it has it.", aText, "The end.")},
	"substr": {"substr(text, offset, length)", `substr("latency", 0, 3)`, `"lat"`,
		adopt(stdlib.SubstrFunc, "Part of a text; a negative offset counts from its end, the length -1 means all the rest.", aText, "The first character, from 0.", "How many characters.")},
	"replace": {"replace(text, what, with)", `replace("a.b", ".", "_")`, `"a_b"`,
		define(cty.String, "A text with each occurrence of something replaced. Between slashes, /b+/, it is a regular expression, and $1 in the replacement is its first group.",
			params{param("text", cty.String, aText), param("what", cty.String, "A text, or a regular expression between slashes."), param("with", cty.String, "The replacement.")}, nil, replace)},
	"regex": {"regex(pattern, text)", `regex("[0-9]+", "v12")`, `"12"`,
		adopt(stdlib.RegexFunc, "The first match of a regular expression (RE2): a text, or its groups as a list or, if named, an object.", "A regular expression.", aText)},
	"regexall": {"regexall(pattern, text)", `regexall("[0-9]+", "1.2")`, `["1", "2"]`,
		adopt(stdlib.RegexAllFunc, "All matches of a regular expression, as a list of what regex gives.", "A regular expression.", aText)},
	"startswith": {"startswith(text, prefix)", `startswith("grpc", "g")`, "true",
		textTest("Whether a text begins with another.", "prefix", strings.HasPrefix)},
	"endswith": {"endswith(text, suffix)", `endswith("grpc", "c")`, "true",
		textTest("Whether a text ends with another.", "suffix", strings.HasSuffix)},
	"strcontains": {"strcontains(text, part)", `strcontains("grpc", "rp")`, "true",
		textTest("Whether a text has another in it.", "part", strings.Contains)},
	"jsonencode": {"jsonencode(value)", "jsonencode({ a = [1, true] })", `"{\"a\":[1,true]}"`,
		define(cty.String, "A value as JSON.", params{param("value", cty.DynamicPseudoType, "Any value.")}, nil,
			func(args []cty.Value) (cty.Value, error) { return stdlib.JSONEncode(plainNumbers(args[0])) })},
	"jsondecode": {"jsondecode(text)", `jsondecode("[1, true]")`, "[1, true]",
		adopt(stdlib.JSONDecodeFunc, "The value that a JSON text describes.", "JSON.")},
	"fixed": {"fixed(x, digits)", "fixed(12.345, 1)", `"12.3"`,
		define(cty.String, "A number as text with a fixed number of decimals, 0 to 15.",
			params{param("x", cty.Number, "A number."), param("digits", cty.Number, "Decimals, 0 to 15.")}, nil,
			func(args []cty.Value) (cty.Value, error) {
				x, _ := float(args[0])
				digits, err := whole(args, 1, 0, 15)
				if err != nil {
					return cty.NilVal, err
				}
				return cty.StringVal(units.FormatFixed(x, digits)), nil
			})},
	"percent": {"percent(x[, digits])", "percent(0.256)", `"26%"`,
		define(cty.String, "A ratio as text in percent, without decimals or with up to 15.",
			params{param("x", cty.Number, "A ratio; 1 is 100%.")}, rest("digits", cty.Number, "Decimals, 0 to 15."), percentText)},
}

func textTest(doc, second string, f func(a, b string) bool) function.Function {
	return define(cty.Bool, doc, params{param("text", cty.String, aText), param(second, cty.String, "What to look for.")}, nil,
		func(args []cty.Value) (cty.Value, error) {
			return cty.BoolVal(f(args[0].AsString(), args[1].AsString())), nil
		})
}

// wideVerb finds a width or precision of more than 3 digits, or above 256.
var wideVerb = regexp.MustCompile(`%[^a-zA-Z%]*(?:[0-9]{4,}|[3-9][0-9]{2}|2[6-9][0-9]|25[7-9])`)

func formatText(args []cty.Value) (cty.Value, error) {
	if at := wideVerb.FindString(args[0].AsString()); at != "" {
		return cty.NilVal, argErrorf(0, "the width or precision in %.20q is above 256", at)
	}
	plain := []cty.Value{args[0]}
	for _, a := range args[1:] {
		plain = append(plain, plainNumbers(a))
	}
	return stdlib.FormatFunc.Call(plain)
}

func join(args []cty.Value) (cty.Value, error) {
	vs, err := sequence(args, 1)
	if err != nil {
		return cty.NilVal, err
	}
	sep := args[0].AsString()
	if len(sep)*len(vs) > MaxText {
		return cty.NilVal, fmt.Errorf("the result would have more than %d bytes", MaxText)
	}
	parts := make([]string, len(vs))
	for i, v := range vs {
		text, err := convertTo(plainNumbers(v), cty.String)
		if err != nil {
			return cty.NilVal, argErrorf(1, "element %d: %v", i, err)
		}
		parts[i] = text.AsString()
	}
	return cty.StringVal(strings.Join(parts, sep)), nil
}

func replace(args []cty.Value) (cty.Value, error) {
	text, what, with := args[0].AsString(), args[1].AsString(), args[2].AsString()
	if len(what) > 1 && what[0] == '/' && what[len(what)-1] == '/' {
		re, err := regexp.Compile(what[1 : len(what)-1])
		if err != nil {
			return cty.NilVal, argErrorf(1, "not a regular expression: %v", err)
		}
		// Each match may grow to the replacement with the match for each $1 in it.
		if (len(text)+1)*(len(with)+1) > 4*MaxText {
			return cty.NilVal, fmt.Errorf("text and replacement are too long for a regular expression")
		}
		return cty.StringVal(re.ReplaceAllString(text, with)), nil
	}
	if grown := strings.Count(text, what) * (len(with) - len(what)); grown > MaxText {
		return cty.NilVal, fmt.Errorf("the result would have more than %d bytes", MaxText)
	}
	return cty.StringVal(strings.ReplaceAll(text, what, with)), nil
}

func percentText(args []cty.Value) (cty.Value, error) {
	x, _ := float(args[0])
	digits := 0
	if len(args) > 2 {
		return cty.NilVal, fmt.Errorf("percent takes a ratio and at most a number of decimals")
	}
	if len(args) == 2 {
		var err error
		if digits, err = whole(args, 1, 0, 15); err != nil {
			return cty.NilVal, err
		}
	}
	if x > 1e300 || x < -1e300 {
		return cty.NilVal, argErrorf(0, "is too large for a percentage")
	}
	return cty.StringVal(units.FormatPercent(x, digits)), nil
}
