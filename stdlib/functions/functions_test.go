package functions

import (
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// times is dataset.times, as Docs describes it.
var times = cty.ObjectVal(map[string]cty.Value{
	"format": cty.StringVal("csv"), "name": cty.StringVal("times"),
	"columns": cty.ListVal([]cty.Value{cty.StringVal("backend"), cty.StringVal("bytes"), cty.StringVal("mean")}),
	"rows": cty.TupleVal([]cty.Value{
		cty.ObjectVal(map[string]cty.Value{"backend": cty.StringVal("ice"), "bytes": cty.NumberIntVal(512), "mean": cty.NumberFloatVal(0.1)}),
		cty.ObjectVal(map[string]cty.Value{"backend": cty.StringVal("ice"), "bytes": cty.NumberIntVal(1024), "mean": cty.NumberFloatVal(0.2)}),
		cty.ObjectVal(map[string]cty.Value{"backend": cty.StringVal("tao"), "bytes": cty.NumberIntVal(512)}),
	}),
})

func eval(t testing.TB, text string) (cty.Value, hcl.Diagnostics) {
	t.Helper()
	expr, diags := hclsyntax.ParseExpression([]byte(text), "test", hcl.InitialPos)
	if diags.HasErrors() {
		return cty.DynamicVal, diags
	}
	huge := new(big.Float).SetMantExp(big.NewFloat(1), 1<<20)
	tiny := new(big.Float).SetMantExp(big.NewFloat(1), -1<<20)
	return expr.Value(&hcl.EvalContext{
		Functions: All(),
		Variables: map[string]cty.Value{
			"dataset": cty.ObjectVal(map[string]cty.Value{"times": times}),
			"unknown": cty.UnknownVal(cty.Number), "anything": cty.DynamicVal, "secret": cty.StringVal("abc").Mark("sensitive"),
			"huge": cty.NumberVal(huge), "tiny": cty.NumberVal(tiny),
			"ice": cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("ice"), "title": cty.StringVal("Ice")}),
		},
	})
}

// Every example in the manual gives the result that the manual states.
func TestExamples(t *testing.T) {
	for _, d := range Docs() {
		got, diags := eval(t, d.Example)
		if diags.HasErrors() {
			t.Errorf("%s: %v", d.Example, diags)
			continue
		}
		want, diags := eval(t, d.Result)
		if diags.HasErrors() {
			t.Errorf("%s: result %s: %v", d.Name, d.Result, diags)
			continue
		}
		if g, w := text(t, got), text(t, want); g != w {
			t.Errorf("%s = %s, want %s", d.Example, g, w)
		}
		if !strings.Contains(d.Example, d.Name+"(") {
			t.Errorf("%s: the example does not call it: %s", d.Name, d.Example)
		}
	}
}

func text(t testing.TB, v cty.Value) string {
	t.Helper()
	s, err := stdlib.JSONEncode(v)
	if err != nil {
		t.Fatal(err)
	}
	return s.AsString()
}

func TestDocs(t *testing.T) {
	docs, all := Docs(), All()
	if len(docs) != len(all) {
		t.Errorf("%d descriptions of %d functions: a name is in two tables", len(docs), len(all))
	}
	sentence := regexp.MustCompile(`(?s)^("|[A-Z0-9x-]|n ).*\.$`)
	for i, d := range docs {
		if i > 0 && docs[i-1].Name >= d.Name {
			t.Errorf("%s is not sorted", d.Name)
		}
		if !strings.HasPrefix(d.Signature, d.Name+"(") {
			t.Errorf("%s: signature %q", d.Name, d.Signature)
		}
		if !sentence.MatchString(d.Description) {
			t.Errorf("%s: description %q", d.Name, d.Description)
		}
		ps := all[d.Name].Params()
		if p := all[d.Name].VarParam(); p != nil {
			ps = append(ps, *p)
		}
		for _, p := range ps {
			if p.Name == "" || p.Description == "" {
				t.Errorf("%s: parameter %q has no description", d.Name, p.Name)
			}
		}
	}
}

func TestValues(t *testing.T) {
	for expr, want := range map[string]string{
		"floor(0.1 * 30)":      "3",
		"log(8, 2)":            "3",
		"pow(10, -3)":          "0.001",
		`min("3", 2)`:          "2",
		"max([1, 5, 3]...)":    "5",
		"min(unknown, 1) == 1": "null", // unknown
		"range(0, 1, 0.1)":     "[0,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9]",
		"range(3, 0, -1)":      "[3,2,1]",
		"range(3, 0)":          "[]",
		"range(0)":             "[]",
		"[for exponent in range(5, 8) : pow(2, exponent)]": "[32,64,128]",
		"pow2(3, 2)":                                   "[]",
		"logspace(512, 8192, 5)":                       "[512,1024,2048,4096,8192]",
		"linspace(0, 0.3, 4)":                          "[0,0.1,0.2,0.3]",
		`sort(["b", "a"])`:                             `["a","b"]`,
		"sort([])":                                     "[]",
		"distinct([1, 2, 1])":                          "[1,2]",
		`distinct([1, "a", 1])`:                        `[1,"a"]`,
		`distinct(dataset.times, "mean")`:              "[0.1,0.2]",
		`distinct(dataset.times, "bytes")`:             "[512,1024]",
		"bytes(512)":                                   `{"bytes":512,"count":0,"kind":"bytes","text":"","value":0}`,
		"bytes(0).bytes":                               "0",
		`lines("a\nb").count`:                          "2",
		`lines("a\nb").bytes`:                          "3",
		`structs(2, { text = "abc", value = 1 })`:      `{"bytes":22,"count":2,"kind":"structs","text":"abc","value":1}`,
		`structs(3, { text = "ab\nc\n", value = 1 })`:  `{"bytes":29,"count":3,"kind":"structs","text":"ab\nc\n","value":1}`,
		`column("x")`:                                  `{"column":"x","unit":""}`,
		"percent(0.12345, 1)":                          `"12.3%"`,
		"fixed(-0.01, 1)":                              `"0.0"`,
		"tostring(1/3)":                                `"0.3333333333333333"`,
		"jsonencode(1/3)":                              `"0.3333333333333333"`,
		`join(",", [1, 1/3])`:                          `"1,0.3333333333333333"`,
		`format("%v|%6.2f|%s", 1/3, 1.005, true)`:      `"0.3333333333333333|  1.00|true"`,
		`replace("a1b2", "/[0-9]/", "<$0>")`:           `"a\u003c1\u003eb\u003c2\u003e"`,
		`length("größe")`:                              "5",
		"mean([0.5, 1.5])":                             "1",
		"duration(0.5)":                                "0.5",
		`duration("0")`:                                "0",
		`exists(dataset.times, { backend = ice })`:     "true",
		`exists(dataset.times, { backend = "corba" })`: "false",
		`exists(dataset.times, { backend = "tao", bytes = 1024 })`: "false",
		`exists(dataset.times, { backend = "tao", mean = 0.1 })`:   "false",
		`exists(dataset.times, { host = "h" })`:                    "true",
		"one([])":                                                  "null",
		"speedup(anything, 1)":                                     "null",
	} {
		got, diags := eval(t, expr)
		if diags.HasErrors() {
			t.Errorf("%s: %v", expr, diags)
			continue
		}
		if !got.IsWhollyKnown() {
			if want != "null" {
				t.Errorf("%s is unknown, want %s", expr, want)
			}
			continue
		}
		if g := text(t, got); g != want {
			t.Errorf("%s = %s, want %s", expr, g, want)
		}
	}
}

func TestErrors(t *testing.T) {
	for expr, want := range map[string]string{
		"sqrt(-1)":                              "no square root of a negative number (-1)",
		"log(-1, 10)":                           "no logarithm of -1: it must be above 0",
		"log(0)":                                "no logarithm of 0",
		"log(2, 1)":                             "can't be the base",
		"log(2, 3, 4)":                          "at most one base",
		"pow(0, -1)":                            "division by zero",
		"pow(-8, 0.5)":                          "has no power",
		"pow(10, 400)":                          "beyond 1.8e308",
		"abs(1 / 0)":                            "infinite: was there a division by zero?",
		"min(1/0, 2)":                           "infinite",
		"min()":                                 "at least one number",
		"max([])":                               "empty list",
		`max("a")`:                              "must be a number",
		"mean([])":                              "needs at least 1",
		"stddev([1])":                           "needs at least 2",
		"mean([1, null])":                       "element 1 is null",
		"mean([1/0])":                           "infinite",
		"geomean([1, 0])":                       "has 0 in it",
		"quantile([1], 99)":                     "the 99th percentile is 0.99",
		"best([1, 2], 3)":                       "from 1 to 2",
		"speedup(1, 0)":                         "division by zero",
		"reldiff(1, 0)":                         "division by zero",
		"range(0, 1, 0)":                        "never reaches",
		"range(100000)":                         "more than 10000",
		"range(0, 1e300, 1e-300)":               "more than 10000",
		"linspace(0, 1, 100001)":                "from 2 to 10000",
		"logspace(0, 1, 3)":                     "must be above 0",
		"pow2(0, 2000)":                         "from -1022 to 1023",
		"setproduct(range(200), range(200))":    "more than 10000 combinations",
		`format("%1000000000s", "x")`:           "is above 256",
		`format("%.257f", 1)`:                   "is above 256",
		"tostring(huge)":                        "too large to compute with",
		"tostring(tiny)":                        "can't be told from 0",
		"jsonencode([huge])":                    "too large",
		`join(",", [huge])`:                     "too large",
		`format("%v", huge)`:                    "too large",
		`tonumber("1e400")`:                     "too large",
		`parseint("12", 2)`:                     "not a whole number in base 2",
		`bytes("4mb")`:                          `did you mean "4MB" (4,000,000 B) or "4MiB"`,
		"bytes(-1)":                             "can't be negative",
		"bytes(1.5)":                            "whole number of bytes",
		`bytes("2GiB")`:                         "above the limit of 1GiB",
		"bytes([1])":                            "must be a text with a unit, or a number",
		`lines("")`:                             "no line to send",
		`structs(0, { text = "a", value = 1 })`: "from 1 to",
		`structs(200000000, { text = "a", value = 1 })`: "above the limit",
		"structs(1, { text = \"a\" })":                  `"value" is required`,
		`duration("5 parsec")`:                          "unknown unit",
		`distinct(dataset.times, "size")`:               "it has backend, bytes, mean",
		`distinct("a", "b")`:                            "must be a dataset",
		"distinct(dataset.times)":                       "name the column",
		`column("a", "parsec")`:                         "unknown unit",
		`exists(dataset.times, "a")`:                    "must be an object",
		`sort([1, "a"])`:                                "must be all numbers or all texts",
		"one([1, 2])":                                   "must have one element or none",
		"index([1], 2)":                                 "doesn't have this value",
		`replace(format("%256s", "a"), " ", format("%256s", "a"))`: "", // fine
		`replace("a", "/(/", "b")`:                                 "not a regular expression",
		"fixed(1, 16)":                                             "from 0 to 15",
		"percent(1, 2, 3)":                                         "at most",
		"length(1)":                                                "has no length",
	} {
		_, diags := eval(t, expr)
		if want == "" {
			if diags.HasErrors() {
				t.Errorf("%s: %v", expr, diags)
			}
			continue
		}
		if !diags.HasErrors() || !strings.Contains(diags.Error(), want) {
			t.Errorf("%s: %v, want %q in it", expr, diags, want)
		}
		if strings.Contains(diags.Error(), "panic") {
			t.Errorf("%s: %v", expr, diags)
		}
	}
}

// What is made of a sensitive value is sensitive.
func TestMarks(t *testing.T) {
	for _, expr := range []string{"upper(secret)", "length(secret)", `format("%s", secret)`, `join("-", ["a", secret])`, `replace(secret, "a", "b")`,
		"distinct([secret, 1])", "bytes(length(secret))", `lookup({ a = secret }, "a", "")`, "sort([secret])", "jsonencode([secret])", `exists(dataset.times, { backend = secret })`} {
		v, diags := eval(t, expr)
		if diags.HasErrors() {
			t.Errorf("%s: %v", expr, diags)
		} else if !v.ContainsMarked() {
			t.Errorf("%s = %#v is not marked", expr, v)
		}
	}
}

// No function panics or lets an infinity out, whatever it is given.
func TestNothingPanics(t *testing.T) {
	args := []string{"1", "-1.5", "0", `""`, `"a"`, `"5ms"`, "true", "null", "[]", "[1, 2]", `["a", ""]`, "[null]", "[[1], [2]]",
		"{}", "{ a = 1 }", "huge", "tiny", "1/0", "-1/0", "unknown", "anything", "[unknown]", "dataset.times", "{ columns = 1, rows = 2 }",
		"{ columns = [1], rows = [null] }", "secret", "[secret]", "{ columns = [secret], rows = [{ a = secret }] }", `"("`, `"/(/"`, "toset([1, 2])", "1e300", `"%s%d"`}
	for name, f := range All() {
		most := len(f.Params())
		if f.VarParam() != nil {
			most++
		}
		for n := 0; n <= min(most, 3); n++ {
			each(args, n, max(1, 2*n-3), func(list []string) {
				expr := name + "(" + strings.Join(list, ", ") + ")"
				v, diags := eval(t, expr)
				if strings.Contains(diags.Error(), "panic in function") {
					t.Fatalf("%s: %.300s", expr, diags.Error())
				}
				if !diags.HasErrors() && name != "try" && name != "coalesce" {
					if err := boundedResult(v); err != nil {
						t.Errorf("%s: %v", expr, err)
					}
				}
			})
		}
	}
}

// each calls f with every list of n values, of which it takes every step-th.
func each(values []string, n, step int, f func([]string)) {
	if n == 0 {
		f(nil)
		return
	}
	for i := 0; i < len(values); i += step {
		each(values, n-1, step, func(list []string) { f(append(list, values[i])) })
	}
}
