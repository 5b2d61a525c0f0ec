package dataset

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"versus/stdlib/units"
)

// cell is one value before it is known whether its column holds numbers.
type cell struct {
	text string
	at   place
	ok   bool // it has a value
}

// decimal is how numbers are written. strconv also reads hexadecimal, "inf"
// and "nan", none of which is a measurement.
var decimal = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

// notFinite is how programs print what is not a number.
var notFinite = regexp.MustCompile(`(?i)^[+-]?(nan|inf|infinity)$`)

// fill converts the cells column by column.
func (t *Table) fill(rows [][]cell, unitOf map[string]string) error {
	if err := checkUnits(t.Columns, unitOf); err != nil {
		return err
	}
	t.Rows = make([]map[string]any, len(rows))
	for i := range t.Rows {
		t.Rows[i] = map[string]any{}
	}
	for c, name := range t.Columns {
		unit, hasUnit := unitOf[name]
		numbers, err := isNumeric(rows, c, name, hasUnit)
		if err != nil {
			return err
		}
		for i, row := range rows {
			if !row[c].ok {
				continue
			}
			if !numbers {
				t.Rows[i][name] = row[c].text
				continue
			}
			v, err := parse(row[c], name, unit)
			if err != nil {
				return err
			}
			t.Rows[i][name] = v
		}
	}
	return nil
}

// isNumeric says whether a column holds numbers only. With a unit it must.
func isNumeric(rows [][]cell, c int, name string, hasUnit bool) (bool, error) {
	numbers, other := 0, 0
	var odd *cell // a NaN or infinity
	for i := range rows {
		switch v := &rows[i][c]; {
		case !v.ok:
		case decimal.MatchString(v.text):
			numbers++
		case hasUnit:
			return false, errorAt(v.at, "%.40q in column %q is not a number, but the column has a unit; if it means no value, add it to na", v.text, name)
		case notFinite.MatchString(v.text):
			odd = v
		default:
			other++
		}
	}
	if odd != nil && numbers > 0 && other == 0 {
		return false, errorAt(odd.at, "%q in column %q is not a number; if it means no value, add it to na", odd.text, name)
	}
	return numbers > 0 && other == 0 && odd == nil, nil
}

func parse(c cell, name, unit string) (float64, error) {
	v, err := strconv.ParseFloat(c.text, 64)
	if err != nil {
		return 0, errorAt(c.at, "%.40s in column %q is beyond the range of numbers", c.text, name)
	}
	if unit == "" {
		return v, nil
	}
	if v, err = units.Convert(v, unit); err != nil || math.IsInf(v, 0) {
		return 0, errorAt(c.at, "%.40s %s in column %q is beyond the range of numbers", c.text, unit, name)
	}
	return v, nil
}

// checkUnits refuses units of columns that there are not, and unknown units.
func checkUnits(columns []string, unitOf map[string]string) error {
	for _, name := range sortedKeys(unitOf) {
		if !slices.Contains(columns, name) {
			return &Error{Text: fmt.Sprintf("units names the column %q, and the file has %s", name, list(columns))}
		}
		if err := units.Check(unitOf[name]); err != nil {
			return &Error{Text: fmt.Sprintf("column %q: %v", name, err)}
		}
	}
	return nil
}

// rename applies Options.Names to the columns; index finds them by their name in the file.
func rename(columns []string, index map[string]int, opt Options) ([]string, error) {
	renamed := slices.Clone(columns)
	for _, name := range sortedKeys(opt.Names) {
		old := opt.Names[name]
		i, ok := index[old]
		if !ok {
			return nil, &Error{Text: fmt.Sprintf("names wants the column %q as %q, and the file has %s", old, name, list(columns))}
		}
		if renamed[i] != columns[i] {
			return nil, &Error{Text: fmt.Sprintf("names gives the column %q two names, %q and %q", old, renamed[i], name)}
		}
		if strings.TrimSpace(name) == "" {
			return nil, &Error{Text: fmt.Sprintf("names gives the column %q an empty name", old)}
		}
		renamed[i] = name
	}
	seen := map[string]bool{}
	for _, name := range renamed {
		if seen[name] {
			return nil, &Error{Text: fmt.Sprintf("after renaming, two columns are named %q", name)}
		}
		seen[name] = true
	}
	return renamed, nil
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// list names columns in an error, the first few of many.
func list(columns []string) string {
	const few = 20
	if len(columns) > few {
		return strings.Join(columns[:few], ", ") + fmt.Sprintf(" and %d more", len(columns)-few)
	}
	return strings.Join(columns, ", ")
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// numberOrText is for values that a person named, where a number should
// compare as one: payload=512.
func numberOrText(s string) any {
	if decimal.MatchString(s) {
		if v, err := strconv.ParseFloat(s, 64); err == nil {
			return v
		}
	}
	return s
}
