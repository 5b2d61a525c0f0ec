package plan

import (
	"slices"
	"strconv"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"versus/dsl"
)

// exists is exists(dataset.NAME, each) as a condition; nil if the expression is
// something else. The function looks through the dataset for each combination,
// which takes minutes where both are ten thousand; here its rows are a set.
func (g *grid) exists(e *dsl.Expr) condition {
	d := g.plan.existsIn(e)
	if d == nil {
		return nil
	}
	var columns []string // those that are compared
	for _, c := range d.Columns {
		if g.vars[c] != nil {
			columns = append(columns, c)
		}
	}
	rows := map[string]bool{}
	for _, row := range d.Rows {
		key := ""
		for _, c := range columns {
			switch x := row[c].(type) {
			case string:
				key += cellKey(cty.StringVal(x))
			case float64:
				key += cellKey(cty.NumberFloatVal(x))
			default:
				key += cellKey(absent.value)
			}
		}
		rows[key] = true
	}
	return func(digits []int) (bool, bool) {
		keys := []string{""}
		for _, c := range columns {
			v := g.lookup(g.vars[c], digits).value
			if v.ContainsMarked() || !v.IsWhollyKnown() {
				return false, false
			}
			var longer []string
			for _, key := range keys {
				for _, name := range namesOf(v) {
					longer = append(longer, key+cellKey(name))
				}
			}
			keys = longer
		}
		return slices.ContainsFunc(keys, func(key string) bool { return rows[key] }), true
	}
}

// existsIn returns the dataset of exists(dataset.NAME, each), or nil.
func (p *Plan) existsIn(e *dsl.Expr) *dsl.Dataset {
	call, ok := e.Expression.(*hclsyntax.FunctionCallExpr)
	if !ok || call.Name != "exists" || len(call.Args) != 2 || call.ExpandFinal {
		return nil
	}
	data, ok := call.Args[0].(*hclsyntax.ScopeTraversalExpr)
	each, alsoOK := call.Args[1].(*hclsyntax.ScopeTraversalExpr)
	if !ok || !alsoOK || len(data.Traversal) != 2 || len(each.Traversal) != 1 ||
		data.Traversal.RootName() != "dataset" || each.Traversal.RootName() != "each" {
		return nil
	}
	name, _ := data.Traversal[1].(hcl.TraverseAttr)
	i := slices.IndexFunc(p.scenario.Datasets, func(d *dsl.Dataset) bool { return d.Name == name.Name })
	if i < 0 {
		return nil
	}
	return p.scenario.Datasets[i]
}

// namesOf are the values that a dataset can have for one of an axis: the name or
// the title of a block, and for anything else that value.
func namesOf(v cty.Value) []cty.Value {
	ty := v.Type()
	if v.IsNull() || !ty.IsObjectType() {
		return []cty.Value{v}
	}
	var names []cty.Value
	for _, attr := range []string{"name", "title"} {
		if ty.HasAttribute(attr) && ty.AttributeType(attr) == cty.String {
			names = append(names, v.GetAttr(attr))
		}
	}
	return names
}

// cellKey writes a value so that two have the same key if they are equal and can
// stand in a dataset.
func cellKey(v cty.Value) string {
	switch {
	case v.IsNull():
		return "-"
	case v.Type() == cty.String:
		return strconv.Quote(v.AsString())
	case v.Type() == cty.Number:
		f, _ := v.AsBigFloat().Float64()
		if v.Equals(cty.NumberFloatVal(f)).True() {
			return " " + strconv.FormatFloat(f+0, 'g', -1, 64) // -0 is 0
		}
	}
	return "?" // never in a dataset
}
