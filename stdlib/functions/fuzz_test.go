package functions

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// Any function, of any values that JSON can write: an error or a bounded
// result, never a panic.
func FuzzCall(f *testing.F) {
	for _, d := range Docs() {
		f.Add(d.Name, `[1, "a"]`)
	}
	f.Add("format", `["%[9]s %*d %.3f", 1]`)
	f.Add("regex", `["(", "a"]`)
	f.Add("replace", `["aaa", "/a*/", "$1$0"]`)
	f.Add("range", `[-1e308, 1e308, 1e-308]`)
	f.Add("bytes", `["9e999MiB"]`)
	all := All()
	f.Fuzz(func(t *testing.T, name, text string) {
		fn, ok := all[name]
		if !ok || name == "try" || name == "can" || len(text) > 1000 {
			return
		}
		list, err := stdlib.JSONDecode(cty.StringVal(text))
		if err != nil || list.IsNull() || !list.Type().IsTupleType() {
			return
		}
		v, err := fn.Call(list.AsValueSlice())
		if err != nil {
			if strings.Contains(err.Error(), "panic in function") {
				t.Errorf("%s(%s): %.200v", name, text, err)
			}
			return
		}
		if err := boundedResult(v); err != nil {
			t.Errorf("%s(%s): %v", name, text, err)
		}
	})
}
