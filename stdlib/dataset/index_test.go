package dataset

import (
	"fmt"
	"slices"
	"testing"
)

// Find has an answer of its own for each way in which values can be the same;
// looking at all rows is the reference.
func TestFindIsALookAtAllRows(t *testing.T) {
	recorded := []any{nil, "", "a", "A", "5", "5.0", "1e3", "true", "NaN", "2:a", 0.0, 5.0, 1000.0, -1.5}
	wanted := append(slices.Clone(recorded), true, false, "-0", "0", "+Inf")
	table := &Table{Columns: []string{"x", "y"}}
	for i, x := range recorded {
		for _, y := range []any{recorded[(i+3)%len(recorded)], "a"} {
			row := map[string]any{}
			if x != nil {
				row["x"] = x
			}
			if y != nil {
				row["y"] = y
			}
			table.Rows = append(table.Rows, row)
		}
	}
	index := NewIndex("t", table)
	found := 0
	for _, x := range wanted {
		for _, y := range wanted {
			for _, want := range []map[string]any{{"x": x}, {"y": y}, {"x": x, "y": y}} {
				var all []map[string]any
				for _, row := range table.Rows {
					fits := true
					for c, w := range want {
						fits = fits && Same(row[c], w)
					}
					if fits {
						all = append(all, row)
					}
				}
				found += len(all)
				if got := index.Find(want); fmt.Sprint(got) != fmt.Sprint(all) {
					t.Errorf("%v: found %v, want %v", want, got, all)
				}
			}
		}
	}
	if found == 0 || len(index.Find(nil)) != len(table.Rows) {
		t.Errorf("found %d rows, and %d without a wish", found, len(index.Find(nil)))
	}
}

// BenchmarkFind finds each row of tables of two sizes by two columns: ns/row must
// not grow with the size.
func BenchmarkFind(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			t := &Table{Columns: []string{"x", "y"}}
			for i := range n {
				t.Rows = append(t.Rows, map[string]any{"x": float64(i / 10), "y": fmt.Sprint("y", i%10)})
			}
			for b.Loop() {
				index := NewIndex("t", t)
				for _, row := range t.Rows {
					if found := index.Find(row); len(found) != 1 {
						b.Fatal(found)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/row")
		})
	}
}
