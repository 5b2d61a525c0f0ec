package dataset

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Index is a table with a name, whose rows are found by what is in their columns
// without a look at each of them: a plan asks for those of every cell. Its
// methods may be used by several goroutines at once.
type Index struct {
	Name string
	*Table

	mu sync.Mutex
	by map[string]map[string][]int // by columns, then by their values: rows
}

// NewIndex is the index of a table, which must not change any more.
func NewIndex(name string, t *Table) *Index {
	return &Index{Name: name, Table: t, by: map[string]map[string][]int{}}
}

// Find returns the rows whose columns have the wanted values, in the order of
// the table: numbers as numbers, also where one of the two is written as text,
// and text exactly. What is not available is like no value.
func (x *Index) Find(want map[string]any) []map[string]any {
	if len(want) == 0 {
		return x.Rows
	}
	columns := slices.Sorted(maps.Keys(want))
	var found []map[string]any
	for _, i := range x.rows(columns)[keyOf(columns, want)] {
		row := x.Rows[i]
		if !slices.ContainsFunc(columns, func(c string) bool { return !Same(row[c], want[c]) }) {
			found = append(found, row)
		}
	}
	return found
}

// rows are the numbers of the rows by the values in some columns.
func (x *Index) rows(columns []string) map[string][]int {
	x.mu.Lock()
	defer x.mu.Unlock()
	name := strings.Join(columns, "\x00")
	if x.by[name] == nil {
		x.by[name] = map[string][]int{}
		for i, row := range x.Rows {
			key := keyOf(columns, row)
			x.by[name][key] = append(x.by[name][key], i)
		}
	}
	return x.by[name]
}

// keyOf writes values so that those which are the Same have the same key; some
// others have it too.
func keyOf(columns []string, values map[string]any) string {
	var key strings.Builder
	for _, c := range columns {
		text := fmt.Sprint(values[c])
		if f, ok := Number(values[c]); ok {
			text = strconv.FormatFloat(f+0, 'g', -1, 64) // -0 is 0
		}
		key.WriteString(strconv.Itoa(len(text)))
		key.WriteByte(':')
		key.WriteString(text)
	}
	return key.String()
}

// Same reports whether a recorded value is the wanted one, as Find compares them.
func Same(recorded, wanted any) bool {
	if recorded == nil || wanted == nil {
		return false
	}
	_, text := recorded.(string)
	_, alsoText := wanted.(string)
	a, aok := Number(recorded)
	b, bok := Number(wanted)
	if aok && bok && !(text && alsoText) {
		return a == b
	}
	return fmt.Sprint(recorded) == fmt.Sprint(wanted)
}

// Number returns the number that a value is, also one written as text; ok is
// false for anything else, and for NaN.
func Number(v any) (f float64, ok bool) {
	switch v := v.(type) {
	case float64:
		return v, !math.IsNaN(v)
	case string:
		f, err := strconv.ParseFloat(v, 64)
		return f, err == nil && !math.IsNaN(f)
	}
	return 0, false
}
