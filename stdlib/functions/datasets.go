package functions

import (
	"fmt"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"versus/stdlib/units"
)

// A dataset is an object with the attributes format, name, columns (a list of
// texts) and rows (a list or tuple of objects, with an attribute for each
// column that has a value in that row; null counts as no value).

// ColumnType is the type of column(): unit is empty for base units.
var ColumnType = cty.Object(map[string]cty.Type{"column": cty.String, "unit": cty.String})

var datasets = map[string]entry{
	"column": {"column(name[, unit])", `column("avg_latency_us", "us").unit`, `"us"`,
		define(ColumnType, "A column of a dataset, for `metrics` of a replay backend; with the unit of its numbers if that is not the base unit.",
			params{param("name", cty.String, "The name of the column.")},
			rest("unit", cty.String, `The unit of its numbers, such as "us" or "percent".`), column)},
	"exists": {"exists(dataset, each)", `exists(dataset.times, { backend = "ice", bytes = 512, host = "a" })`, "true",
		define(cty.Bool, "Whether some row of a dataset has the values of each. Names in each that are no column don't count; a backend, host or test stands for its name or title.",
			params{param("dataset", cty.DynamicPseudoType, "A dataset."), param("each", cty.DynamicPseudoType, "An object, usually `each`.")}, nil, exists)},
}

func isDataset(ty cty.Type) bool {
	return ty.IsObjectType() && ty.HasAttribute("columns") && ty.HasAttribute("rows")
}

// rowsOf reads argument 0, a dataset: its column names and its rows.
func rowsOf(args []cty.Value) (columns []string, rows []cty.Value, err error) {
	if !isDataset(args[0].Type()) {
		return nil, nil, argErrorf(0, "must be a dataset, not %s", args[0].Type().FriendlyName())
	}
	cs, rs := args[0].GetAttr("columns"), args[0].GetAttr("rows")
	if cs.IsNull() || rs.IsNull() || !isSequence(cs.Type()) || !isSequence(rs.Type()) {
		return nil, nil, argErrorf(0, "is not a dataset")
	}
	for _, c := range cs.AsValueSlice() {
		if c.IsNull() || c.Type() != cty.String {
			return nil, nil, argErrorf(0, "is not a dataset")
		}
		columns = append(columns, c.AsString())
	}
	return columns, rs.AsValueSlice(), nil
}

// cellOf returns the value of a column in a row, null if there is none.
func cellOf(row cty.Value, column string) cty.Value {
	null := cty.NullVal(cty.DynamicPseudoType)
	switch ty := row.Type(); {
	case row.IsNull():
		return null
	case ty.IsObjectType() && ty.HasAttribute(column):
		return row.GetAttr(column)
	case ty.IsMapType() && row.HasIndex(cty.StringVal(column)).True():
		return row.Index(cty.StringVal(column))
	}
	return null
}

// columnValues returns the values of a column, args being (dataset, column).
func columnValues(args []cty.Value) ([]cty.Value, error) {
	columns, rows, err := rowsOf(args)
	if err != nil {
		return nil, err
	}
	name := args[1].AsString()
	found := false
	for _, c := range columns {
		found = found || c == name
	}
	if !found {
		return nil, argErrorf(1, "the dataset has no column %q; it has %s", name, strings.Join(columns, ", "))
	}
	var out []cty.Value
	for _, row := range rows {
		if v := cellOf(row, name); !v.IsNull() {
			out = append(out, v)
		}
	}
	return out, nil
}

func exists(args []cty.Value) (cty.Value, error) {
	columns, rows, err := rowsOf(args)
	if err != nil {
		return cty.NilVal, err
	}
	each := args[1]
	if !each.Type().IsObjectType() && !each.Type().IsMapType() {
		return cty.NilVal, argErrorf(1, "must be an object, usually each, not %s", each.Type().FriendlyName())
	}
	want := each.AsValueMap()
	for _, row := range rows {
		if matches(row, columns, want) {
			return cty.True, nil
		}
	}
	return cty.False, nil
}

func matches(row cty.Value, columns []string, want map[string]cty.Value) bool {
	for _, c := range columns {
		if w, ok := want[c]; ok && !sameCell(cellOf(row, c), w) {
			return false
		}
	}
	return true
}

// sameCell compares a cell with the value of an axis. References to blocks
// are objects: they match by name or title.
func sameCell(cell, axis cty.Value) bool {
	if cell.IsNull() || axis.IsNull() {
		return cell.IsNull() && axis.IsNull()
	}
	if ty := axis.Type(); ty.IsObjectType() {
		for _, attr := range []string{"name", "title"} {
			if ty.HasAttribute(attr) && ty.AttributeType(attr) == cty.String && sameCell(cell, axis.GetAttr(attr)) {
				return true
			}
		}
		return false
	}
	return cell.Type().Equals(axis.Type()) && cell.Equals(axis).True()
}

func column(args []cty.Value) (cty.Value, error) {
	if len(args) > 2 {
		return cty.NilVal, fmt.Errorf("column takes a name and at most a unit")
	}
	unit := cty.StringVal("")
	if len(args) == 2 {
		unit = args[1]
		if err := units.Check(unit.AsString()); err != nil {
			return cty.NilVal, argErrorf(1, "%v", err)
		}
	}
	return cty.ObjectVal(map[string]cty.Value{"column": args[0], "unit": unit}), nil
}
