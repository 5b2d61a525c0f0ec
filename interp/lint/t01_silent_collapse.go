package lint

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"versus/dsl"
)

var t01 = &Rule{
	ID: "T01", Slug: "silent-collapse", Severity: Error, Auto: true,
	What:   "Several cells fall in one place of a table, because they differ on an axis that is in no row, column or filter. The language averages over cells only where geomean says so; the place would print \"several\".",
	Why:    "A table that leaves out an axis either says nothing or, in tools that average, hides what the axis does: what is better at every size can be worse on average over them (Simpson's paradox).",
	Source: "Simpson 1951.",
	Example: `sweep {
  backend = [backend.grpc, backend.http]
  payload = [512, 8192]
}
table "t" {
  rows = [each.backend]
  column "p99 (us)" { value = latency.p99 * 1e6 }
}`,
	Cure: `table "t" {
  rows = [each.backend, each.payload]
  column "p99 (us)" { value = latency.p99 * 1e6 }
}`,
	Check: func(p *Pass) {
		for _, t := range p.Scenario.Tables {
			p.checkCollapse(t)
		}
	},
}

func (p *Pass) checkCollapse(t *dsl.Table) {
	if !slices.ContainsFunc(p.columns(t), func(c column) bool { return c.expr.Over == nil }) || !p.mayCollapse(t) {
		return
	}
	at := p.places(t)
	if at.unknown != "" {
		p.NotChecked(t.Range, "It is not known whether several cells fall in one place of this table: %s.", at.unknown)
		return
	}
	var axes []string
	worst, where := 0, t.Range
	for _, col := range p.columns(t) {
		if col.expr.Over != nil {
			continue
		}
		for _, key := range at.order {
			cells := p.counted(col, at.cells[key])
			if len(cells) < 2 {
				continue
			}
			worst = max(worst, len(cells))
			for _, a := range differing(cells) {
				if !slices.Contains(axes, a) {
					axes = append(axes, a)
				}
			}
		}
	}
	for _, test := range p.tests(t.Tests) { // an axis that nothing reads is to be removed, not shown: X02
		unused := p.unusedAxes(test)
		axes = slices.DeleteFunc(axes, func(a string) bool { return slices.Contains(unused, a) })
	}
	if len(axes) == 0 {
		return
	}
	b := p.block(t.Range)
	rows := rowsOf(b)
	if rows != nil {
		where = rows.Range()
	}
	f := p.Report(where, "Up to %d cells fall in one place of this table, which differ in %s: it prints \"several\" instead of a value. Add %s to its rows, or keep to one of them with `where`.",
		worst, strings.Join(axes, ", "), "each."+strings.Join(axes, ", each."))
	if rows != nil && len(rows.Exprs) > 0 {
		end := rows.Exprs[len(rows.Exprs)-1].Range()
		f.Edit(hcl.Range{Filename: end.Filename, Start: end.End, End: end.End}, ", each."+strings.Join(axes, ", each."))
	}
}

// mayCollapse reports whether an axis with several values is in no row and no
// column as it is.
func (p *Pass) mayCollapse(t *dsl.Table) bool {
	tests := p.tests(t.Tests)
	if len(tests) > 1 && !fixes(t, "test") {
		return true
	}
	for _, test := range tests {
		for _, s := range test.Sweeps {
			for _, a := range s.Axes {
				if (len(a.Values) > 1 || len(test.Sweeps) > 1) && !fixes(t, a.Name) {
					return true
				}
			}
		}
	}
	return false
}

// rowsOf is the list of rows as written, nil if it is no list in HCL.
func rowsOf(b *dsl.Block) *hclsyntax.TupleConsExpr {
	if b == nil || b.Attr("rows") == nil {
		return nil
	}
	list, _ := b.Attr("rows").Expr.(*hclsyntax.TupleConsExpr)
	return list
}
