package lint

import (
	"slices"

	"versus/drivers"
	"versus/dsl"
)

var x02 = &Rule{
	ID: "X02", Slug: "axis-unused", Severity: Warning, Auto: true,
	What:    "An axis of a sweep is read by nothing: no argument and no filter of the test, no table, comparison or expectation, and in a replay no column of a dataset.",
	Why:     "It multiplies the cells, and with them the time, by the number of its values, and measures the same every time.",
	Source:  "What a matrix of CI jobs teaches: each axis that nobody reads doubles the bill.",
	Example: "test \"rpc\" \"capacity\" {\n  payload = \"1KiB\"\n\n  sweep {\n    backend = [backend.grpc, backend.http]\n    tls     = [false, true]\n  }\n}\n",
	Cure:    "test \"rpc\" \"capacity\" {\n  payload = \"1KiB\"\n\n  sweep { backend = [backend.grpc, backend.http] }\n}\n",
	Check:   axisUnused,
}

func axisUnused(p *Pass) {
	for _, t := range p.Scenario.Tests {
		unused := p.unusedAxes(t)
		for _, s := range t.Sweeps {
			block := p.Scenario.Find(s.Range)
			left := len(s.Axes)
			for _, a := range s.Axes {
				if !slices.Contains(unused, a.Name) {
					continue
				}
				f := p.Report(a.Range, "Nothing reads each.%s: its %d values multiply the cells and change nothing. Remove the axis, or use it.", a.Name, len(a.Values))
				if left--; a.Zip == 0 && left > 0 && block != nil && block.Attr(a.Name) != nil {
					f.Remove(block.Attr(a.Name))
				}
			}
		}
	}
}

// unusedAxes are the axes of a test that nothing reads, in order of writing.
func (p *Pass) unusedAxes(t *dsl.Test) []string {
	used := map[string]bool{"backend": true, "host": true, "test": true}
	all := false
	read := func(exprs ...*dsl.Expr) {
		for _, e := range exprs {
			if e != nil {
				all = all || e.AllAxes
				for _, a := range e.Axes {
					used[a] = true
				}
			}
		}
	}
	p.readByTest(t, used, read)
	p.readByResults(t, used, read)
	if all {
		return nil
	}
	var unused []string
	for _, s := range t.Sweeps {
		for _, a := range s.Axes {
			if !used[a.Name] && !slices.Contains(unused, a.Name) {
				unused = append(unused, a.Name)
			}
		}
	}
	return unused
}

// readByTest finds the axes that the test itself reads: its arguments, those
// that are arguments by their names, filters, and columns of datasets.
func (p *Pass) readByTest(t *dsl.Test, used map[string]bool, read func(...*dsl.Expr)) {
	for _, e := range t.Args {
		read(e)
	}
	for _, s := range t.Sweeps {
		read(s.Where)
	}
	for _, b := range dsl.Language(nil).Blocks {
		if b.Type == "test" && t.Pattern != string(drivers.Replay) {
			for _, a := range b.Attrs {
				used[a.Name] = used[a.Name] || a.Name != "title" && a.Name != "group"
			}
		}
	}
	if t.Pattern == string(drivers.Replay) {
		for _, d := range p.Scenario.Datasets {
			for _, column := range d.Columns {
				used[column] = true
			}
		}
	}
}

// readByResults finds the axes that are read from the results of the test.
func (p *Pass) readByResults(t *dsl.Test, used map[string]bool, read func(...*dsl.Expr)) {
	of := func(tests []string) bool { return len(tests) == 0 || slices.Contains(tests, t.Name) }
	for _, table := range p.Scenario.Tables {
		if of(table.Tests) {
			read(slices.Concat(table.Rows, table.Columns, []*dsl.Expr{table.Cell, table.Where})...)
			for _, f := range table.Fields {
				read(f.Value)
			}
		}
	}
	for _, c := range p.Scenario.Comparisons {
		if of(c.Tests) {
			read(c.Value)
			for _, s := range slices.Concat(c.Baseline, c.Candidate) {
				used[s.Axis] = true
			}
		}
	}
	for _, e := range p.Scenario.Expectations {
		if of(e.Tests) {
			read(e.Where, e.Condition, e.ErrorMessage)
		}
	}
}
