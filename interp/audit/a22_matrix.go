package audit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"versus/dsl"
	"versus/interp/analyze"
)

var a22 = &Check{
	ID: "A22", Title: "Matrix and labels",
	What:      "What a reader may take for granted of a table and what is not so: cells without a value; axes that were varied one at a time only, so that nothing is known of their combinations; a column whose heading is not what it holds; two numbers in one column.",
	Formula:   "Cells of the plan without a run or a value; the product of the axis values against the cells that exist; the names of columns against what the test declares; texts such as \"0.8 / 0.1\" in a dataset.",
	Tolerance: "Missing cells and wrong headings a warning, the others information.",
	Source:    "Fleming and Wallace 1986 on missing cells. AimRT's tables: star design, and callers under the heading \"Topic num\".",
	Needs:     "it needs a cell with a value",
	run: func(p *pass) {
		p.saw(p.rows...)
		p.missingCells()
		p.star()
		p.headings()
		p.composite()
	},
}

// missingCells counts the cells of each test that have no value at all.
func (p *pass) missingCells() {
	for _, t := range p.res.Scenario.Tests {
		var all, missing []*analyze.Cell
		for _, c := range p.res.Cells {
			if c.Plan.Test != t {
				continue
			}
			all = append(all, c)
			if empty(c) {
				missing = append(missing, c)
			}
		}
		if len(missing) == 0 {
			continue
		}
		f := &Finding{Check: p.check, Severity: Warning, Cells: missing,
			Message: fmt.Sprintf("%d of %d cells of %s have no value: means over what is left compare different things.", len(missing), len(all), t.Name)}
		p.findings = append(p.findings, f)
	}
}

// empty says that a cell has no run that counts, or recorded runs without values.
func empty(c *analyze.Cell) bool {
	for _, r := range c.Valid {
		if len(r.Roles) > 0 || len(r.Values) > 0 {
			return false
		}
	}
	return true
}

// star finds tests whose numeric axes were never varied together: each cell
// agrees with a center in all of them but one.
func (p *pass) star() {
	for _, g := range groups(p.rows, func(r *row) string { return r.test }) {
		var axes []string
		values := map[string]map[float64]bool{}
		at := func(r *row, axis string) (float64, bool) {
			v, ok := r.cell.Plan.Axis(axis)
			if !ok || v.Type() != cty.Number {
				return 0, false
			}
			x, _ := v.AsBigFloat().Float64()
			return x, true
		}
		for _, axis := range g[0].cell.Plan.Axes {
			set := map[float64]bool{}
			for _, r := range g {
				if x, ok := at(r, axis); ok {
					set[x] = true
				}
			}
			if len(set) > 1 {
				axes = append(axes, axis)
				values[axis] = set
			}
		}
		if len(axes) < 2 {
			continue
		}
		product, combinations := 1, map[string]bool{}
		for _, axis := range axes {
			product *= len(values[axis])
		}
		for _, r := range g {
			key := ""
			for _, axis := range axes {
				x, _ := at(r, axis)
				key += num(x) + " "
			}
			combinations[key] = true
		}
		sum := 1
		for _, axis := range axes {
			sum += len(values[axis]) - 1
		}
		if n := len(combinations); n == sum && n < product {
			p.report(Info, g, "%s were varied one at a time: %d of %d combinations; nothing is known of the others.", strings.Join(axes, " and "), n, product)
		}
	}
}

// headings finds columns that call callers topics, or topics callers: their own
// name, or the one that a dataset renames.
func (p *pass) headings() {
	for _, t := range p.res.Scenario.Tests {
		for _, mixed := range [][2]string{{"concurrency", "topic"}, {"topics", "parallel"}} {
			argument, wrong := mixed[0], mixed[1]
			e := t.Args[argument]
			if e == nil {
				continue
			}
			for _, axis := range e.Axes {
				original := p.original(axis)
				if i := slices.IndexFunc(original, func(s string) bool { return strings.Contains(strings.ToLower(s), wrong) }); i >= 0 {
					p.report(Warning, p.of(t.Name), "the column %q holds the %s of test %s.", original[i], argument, t.Name)
				}
			}
		}
	}
}

// original are the headings of dataset columns that are known as name.
func (p *pass) original(name string) []string {
	var out []string
	for _, b := range p.res.Scenario.Written {
		if b.Type != "dataset" || b.Attr("names") == nil {
			continue
		}
		v, diags := b.Attr("names").Expr.Value(nil)
		if diags.HasErrors() || !v.Type().IsObjectType() || !v.Type().HasAttribute(name) {
			continue
		}
		if text := dsl.Label(v.GetAttr(name)); text != "" && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return append(out, name)
}

// of are the rows of a test.
func (p *pass) of(test string) []*row {
	var out []*row
	for _, r := range p.rows {
		if r.test == test {
			out = append(out, r)
		}
	}
	return out
}

var twoNumbers = regexp.MustCompile(`^\s*[-+]?[0-9.]+\s*/\s*[-+]?[0-9.]+\s*$`)

// composite finds dataset columns with two numbers in one cell.
func (p *pass) composite() {
	for _, d := range p.res.Scenario.Datasets {
		for _, column := range d.Columns {
			for _, r := range d.Rows {
				if text, ok := r[column].(string); ok && twoNumbers.MatchString(text) {
					p.report(Info, nil, "column %q of dataset %s has two numbers in one cell, such as %q: give each its own column.", column, d.Name, text)
					break
				}
			}
		}
	}
}
