package functions

import (
	"fmt"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

// exists over a dataset of 1,000 rows, as a `where` calls it for each cell.
func BenchmarkExists(b *testing.B) {
	var rows []cty.Value
	for i := range 1000 {
		rows = append(rows, cty.ObjectVal(map[string]cty.Value{
			"backend": cty.StringVal(fmt.Sprint("b", i%10)), "bytes": cty.NumberIntVal(int64(i / 10)), "mean": cty.NumberFloatVal(float64(i)),
		}))
	}
	d := cty.ObjectVal(map[string]cty.Value{
		"format": cty.StringVal("csv"), "name": cty.StringVal("d"), "rows": cty.ListVal(rows),
		"columns": cty.ListVal([]cty.Value{cty.StringVal("backend"), cty.StringVal("bytes"), cty.StringVal("mean")}),
	})
	each := cty.ObjectVal(map[string]cty.Value{"backend": cty.StringVal("b9"), "bytes": cty.NumberIntVal(99)})
	f := All()["exists"]
	b.ReportAllocs()
	for b.Loop() {
		if v, err := f.Call([]cty.Value{d, each}); err != nil || v.False() {
			b.Fatal(v, err)
		}
	}
}
