package lint

import (
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"versus/drivers"
	"versus/dsl"
	"versus/interp/plan"
	"versus/stdlib/metric"
)

// Uses by their readers, and the load that a cell has.

// reader is what prints or judges a metric: for some tests, and of them for the
// cells that its filter keeps.
type reader struct {
	tests  []string // empty: all
	filter *dsl.Expr
}

// readers are the tables and expectations that read a metric, themselves or by
// a comparison. A comparison that none of them names is read for all its tests.
func (p *Pass) readers(u Use) []reader {
	var list []reader
	reads := func(e *dsl.Expr) bool {
		return e != nil && slices.Contains(e.Comparisons, u.Compared.Name)
	}
	for _, t := range p.Scenario.Tables {
		if u.Compared == nil && t.Range == u.Inside ||
			u.Compared != nil && slices.ContainsFunc(p.columns(t), func(c column) bool { return reads(c.expr) }) {
			list = append(list, reader{t.Tests, t.Where})
		}
	}
	for _, e := range p.Scenario.Expectations {
		if u.Compared == nil && e.Range == u.Inside || u.Compared != nil && reads(e.Condition) {
			list = append(list, reader{e.Tests, e.Where})
		}
	}
	if len(list) == 0 {
		list = append(list, reader{u.Tests, nil})
	}
	return list
}

// usePlace tells uses apart: two tables may share an expression.
type usePlace struct{ inside, at hcl.Range }

// readCells are the cells of live tests for which a metric may be read.
type readCells struct {
	cells []*plan.Cell
	// doubt says why it may not be read for all of them, or "": a filter over
	// results keeps what no one knows yet.
	doubt string
	cut   string // why there may be other cells, or ""
}

// CellsOf calls visit for the cells of live tests for which a metric may be
// read, until it returns false. doubt says why it may not be read for all of
// them, and cut why there may be others; both are "" if there is nothing to say.
func (p *Pass) CellsOf(u Use, visit func(*plan.Cell) bool) (doubt, cut string) {
	key := usePlace{u.Inside, u.Range}
	r, ok := p.known.read[key]
	if !ok {
		r = p.readCells(u)
		if p.known.read == nil {
			p.known.read = map[usePlace]readCells{}
		}
		p.known.read[key] = r
	}
	for _, c := range r.cells {
		if !visit(c) {
			break
		}
	}
	return r.doubt, r.cut
}

func (p *Pass) readCells(u Use) (r readCells) {
	readers := p.readers(u)
	for i, x := range readers {
		if x.filter != nil && len(x.filter.Metrics)+len(x.filter.Comparisons) > 0 {
			readers[i].filter = nil
			r.doubt = "a filter depends on results"
		}
	}
	for _, t := range p.Live() {
		if !u.Of(t) {
			continue
		}
		all := p.Cells(t, func(c *plan.Cell) bool {
			if u.looksAt(c) && slices.ContainsFunc(readers, func(x reader) bool {
				return (len(x.tests) == 0 || slices.Contains(x.tests, t.Name)) && (x.filter == nil || p.isTrue(x.filter, c))
			}) {
				r.cells = append(r.cells, c)
			}
			return true
		})
		if !all {
			r.cut = "test " + t.Name + " has too many cells to look at"
		}
	}
	return r
}

// looksAt reports whether the reader looks at the cell: a comparison does on
// one of its sides only.
func (u Use) looksAt(c *plan.Cell) bool {
	if u.Compared == nil {
		return true
	}
	side := plan.IsCandidate
	if u.Side == "baseline" {
		side = plan.IsBaseline
	}
	return plan.SideOf(u.Compared, c) == side
}

// proseOf is what a reader is told about the value of a use: the heading of its
// column, what names its comparison, or the text of the expectation.
func (p *Pass) proseOf(u Use) []prose {
	if u.Compared != nil {
		return p.texts(u.Compared.Name)
	}
	for _, t := range p.Scenario.Tables {
		for _, col := range p.columns(t) {
			if col.expr == u.Expr {
				return []prose{col.text}
			}
		}
	}
	for _, e := range p.Scenario.Expectations {
		if b := p.block(e.Range); e.Range == u.Inside && b != nil {
			return []prose{p.labelOf(b)}
		}
	}
	return nil
}

// expects reports whether the use stands in an expectation.
func (p *Pass) expects(u Use) bool {
	return slices.ContainsFunc(p.Scenario.Expectations, func(e *dsl.Expectation) bool { return e.Range == u.Inside })
}

// distribution is "latency" or "service_time" for a metric of one of them.
func distribution(m metric.Metric) string {
	return m.Distribution()
}

// placeOfArgument is where a test says an argument: its expression or its axis.
func placeOfArgument(t *dsl.Test, name string) hcl.Range {
	for _, s := range t.Sweeps {
		for _, a := range s.Axes {
			if a.Name == name {
				return a.Range
			}
		}
	}
	if e := t.Args[name]; e != nil {
		return e.Range()
	}
	return t.Range
}

// lanes are the callers or topics of a cell, each of which has the cell's rate.
func lanes(c *plan.Cell) int { return max(c.Workload.Concurrency, c.Workload.Topics, 1) }

// lane is what a test calls one of them.
func lane(t *dsl.Test) string {
	if t.Pattern == string(drivers.PubSub) {
		return "topic"
	}
	return "caller"
}

// message is what a test sends.
func message(t *dsl.Test) string {
	if t.Pattern == string(drivers.PubSub) {
		return "messages"
	}
	return "calls"
}

// speed is the number of calls or messages per second that a cell will make: of
// an open loop those due, of a closed one its capacity; 0 is not known.
func speed(c *plan.Cell) float64 {
	if x := c.Offered(); x > 0 {
		return x
	}
	return c.Capacity
}

// threads is how many threads of a role can run at once: GOMAXPROCS, and no
// more than the CPUs to which it is bound.
func threads(r drivers.Role, h *dsl.Host) int {
	n := 1
	for _, e := range r.Env {
		if v, ok := strings.CutPrefix(e, "GOMAXPROCS="); ok {
			if x, err := strconv.Atoi(v); err == nil {
				n = x
			}
		}
	}
	if h != nil && len(h.CPUs) > 0 {
		n = min(n, len(h.CPUs))
	}
	return n
}

// testsIn lists the tests of cells, each once, in order.
func testsIn(cells []*plan.Cell) []*dsl.Test {
	var list []*dsl.Test
	for _, c := range cells {
		if !slices.Contains(list, c.Test) {
			list = append(list, c.Test)
		}
	}
	return list
}
