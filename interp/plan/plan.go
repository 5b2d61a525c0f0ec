// Package plan turns a scenario into the cells to measure and the order of
// their runs. It evaluates the arguments of each cell, filters, removes cells
// that two sweeps share, and estimates how long everything takes. It runs
// nothing.
//
// A plan is lazy: cells are numbered, and Cell computes the one that is asked
// for. Counting does not list. An expression is evaluated once for each
// combination of the axes that it really uses, and its decoded value is
// remembered.
//
// The road through the package: build.go makes a grid of each sweep (grid.go),
// wiring.go finds where the arguments of its cells come from and which axes
// they depend on, matrix.go numbers the combinations that its filter keeps
// (filter.go, exists.go), shared.go finds the cells that an earlier sweep has, check.go evaluates every
// distinct value before anything runs, twin.go finds the baselines that are
// measured twice, args.go puts values into a workload, placement.go looks at
// the hosts of its roles, and order.go orders the runs. shard.go splits the plan for
// several machines. fingerprint.go writes the methodology down.
package plan

import (
	"fmt"
	"slices"
	"sort"
	"sync"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"versus/drivers"
	"versus/dsl"
)

// maxRuns is the largest number of runs that needs no confirmation.
const maxRuns = 1_000_000

// Cell is one combination of axis values of one test, with its arguments. Its
// maps and slices may be shared with other cells: they are not to be changed.
type Cell struct {
	Index int    // position in the plan, from 0
	Key   string // identity across runs of versus: test, axes and values
	Test  *dsl.Test
	// Each has backend, host and test, and every axis of the test by its name;
	// an axis that this cell does not have is null.
	Each map[string]cty.Value
	// Axes are the names of the axes of the test, in order of writing; all are in Each.
	Axes     []string
	Backend  *dsl.Backend
	Place    map[string]*dsl.Host // by role; the role "" is for all others
	Links    []*dsl.Link          // between these hosts
	Workload drivers.Workload
	// Capacity is the number of calls or messages per second that the system is
	// known to carry, over all callers or topics; 0 is not known.
	Capacity float64

	declaredKind LatencyKind // by a replay test; empty: not
}

// Offered is the number of calls or messages per second due in a cell, over all
// callers or topics; 0 in a closed loop.
func (c *Cell) Offered() float64 {
	return c.Workload.Rate * float64(max(c.Workload.Concurrency, c.Workload.Topics))
}

// RunID names one run: the cell and the number of the run in it, from 0.
type RunID struct {
	Cell int `json:"cell"`
	Run  int `json:"run"`
}

// Options change what New accepts.
type Options struct {
	// Many allows plans above a million runs.
	Many bool
}

// Plan is what to measure. Its methods may be used by several goroutines at once.
type Plan struct {
	scenario *dsl.Scenario
	registry drivers.Registry
	local    *dsl.Host // where everything runs that no one places elsewhere
	tests    []*testPlan
	cells    int
	runs     int
	filters  []Filter
	repeated int

	problems problems
	emptied  []*hcl.Diagnostic // filters that keep nothing

	mu    sync.Mutex // guards what is remembered: whole, and the tables of sources
	whole map[*dsl.Host]map[string]*dsl.Host
}

// Filter says what the where of a sweep does: how many combinations there were
// Before, and how many it kept (After).
type Filter struct {
	Test   string `json:"test"`
	Sweep  string `json:"sweep,omitempty"`
	Where  string `json:"where"`
	Before int    `json:"before"`
	After  int    `json:"after"`
}

// New plans a scenario and checks everything that can be checked before
// anything runs: that every distinct value of every argument evaluates and is
// suitable, and that the drivers can carry every cell. If there are very many
// distinct combinations, the rest of them is checked by Cell. On errors the
// plan is nil, and the diagnostics hold every mistake; there can be warnings
// beside a plan.
func New(s *dsl.Scenario, reg drivers.Registry, opts Options) (*Plan, hcl.Diagnostics) {
	p := &Plan{scenario: s, registry: reg, local: localHost(s), whole: map[*dsl.Host]map[string]*dsl.Host{}}
	if len(s.Tests) == 0 {
		p.problems.fail(nil, "Nothing to measure", "The scenario has no test.")
	}
	for _, test := range s.Tests {
		if !p.methodology(test) {
			continue
		}
		t := p.build(test)
		t.first = p.cells
		first := t.first
		for _, g := range t.grids {
			g.first = first
			first += g.size()
		}
		p.tests = append(p.tests, t)
		p.cells += t.cells
		p.runs += t.cells * t.runs
	}
	p.empty()
	p.check()
	if !p.problems.errors() {
		p.addTwins()
		p.tooMany(opts)
	}
	diags := p.problems.diagnostics()
	if diags.HasErrors() {
		return nil, diags
	}
	return p, diags
}

// localHost is the first local host of a scenario, or this machine.
func localHost(s *dsl.Scenario) *dsl.Host {
	for _, h := range s.Hosts {
		if h.Kind == "local" {
			return h
		}
	}
	return &dsl.Host{Kind: "local", Name: "local", Title: "local"}
}

// methodology checks that a test says how long to measure, and keeps no more
// runs than there are.
func (p *Plan) methodology(t *dsl.Test) bool {
	m := t.Methodology
	if t.Pattern == string(drivers.Replay) && m != nil && m.Until != nil {
		p.problems.fail(t.Range.Ptr(), "Nothing to repeat", "Test %s replays recorded results, of which there are no more. Write repeat instead of until, or leave it out.", t.Name)
		return false
	}
	if t.Pattern == string(drivers.Replay) {
		return true
	}
	if m != nil && m.Keep.Best != nil {
		if _, err := p.scenario.EvalKeep(m.Keep, m.Runs); err != nil {
			p.problems.fail(m.Keep.Best.Range().Ptr(), "Invalid value of best", "Of %d runs of a cell this can't be kept: %v.", m.Runs, err)
			return false
		}
	}
	if m != nil && m.Measure != (dsl.Extent{}) {
		return true
	}
	p.problems.fail(t.Range.Ptr(), "No measurement", "Nothing says how long test %s is measured: measure { duration = \"5s\" }, in it or in its methodology.", t.Name)
	return false
}

// empty reports filters that keep nothing: an error if the whole plan is empty.
func (p *Plan) empty() {
	for _, d := range p.emptied {
		if p.cells == 0 {
			d.Severity = hcl.DiagError
			d.Summary = "Empty plan: filter keeps nothing"
		}
		p.problems.add(d, "")
	}
	if p.cells == 0 && !p.problems.errors() {
		p.problems.fail(nil, "Empty plan", "The scenario has no cell to measure.")
	}
}

func (p *Plan) tooMany(opts Options) {
	if p.runs > maxRuns && !opts.Many {
		p.problems.fail(nil, "Very many runs", "The plan has %d cells and %d runs. Above a million runs, confirm with --yes-really-many.", p.cells, p.runs)
	}
	if p.runs > maxShuffled && slices.ContainsFunc(p.tests, func(t *testPlan) bool { return t.order().Order == random }) {
		p.problems.fail(nil, "Too many runs to shuffle", "The plan has %d runs; random order is possible up to %d. Use order = \"interleaved\".", p.runs, maxShuffled)
	}
}

// Cells is the number of cells.
func (p *Plan) Cells() int { return p.cells }

// Runs is the number of runs of all cells and their twins; with stop rules, at
// most.
func (p *Plan) Runs() int { return p.runs }

// RunsOf is the number of runs of a cell, without those of its Twin.
func (p *Plan) RunsOf(cell int) int { return p.test(cell).runs }

// Filtered says what the filters of sweeps did, in order of writing.
func (p *Plan) Filtered() []Filter { return p.filters }

// Repeated is how often a sweep names a cell that an earlier sweep of its
// test has; such a cell is measured once.
func (p *Plan) Repeated() int { return p.repeated }

// test returns the test of a cell.
func (p *Plan) test(cell int) *testPlan {
	i := sort.Search(len(p.tests), func(i int) bool { return p.tests[i].first+p.tests[i].cells > cell })
	return p.tests[i]
}

// Cell computes the i-th cell, 0 <= i < Cells(). Tests are in order of
// writing, in a test the sweeps, in a sweep the last axis moves fastest. The
// error is an hcl.Diagnostics: an argument without a suitable value, or a
// workload that the driver refuses. It can occur only in plans with so many
// distinct combinations that New did not check them all.
func (p *Plan) Cell(i int) (*Cell, error) {
	if i < 0 || i >= p.cells {
		return nil, fmt.Errorf("there is no cell %d in a plan of %d", i, p.cells)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.test(i)
	at := sort.Search(len(t.grids), func(k int) bool { return t.grids[k].first+t.grids[k].size() > i })
	g := t.grids[at]
	var buf [maxAxes]int
	digits := buf[:len(g.dims)]
	g.digitsOf(i-g.first, digits)
	c, diags := g.cell(digits)
	if diags.HasErrors() {
		return nil, diags
	}
	c.Index = i
	if !g.verified {
		if err := p.verify(c); err != nil {
			return nil, hcl.Diagnostics{g.refused(err)}
		}
	}
	return c, nil
}

// cell makes the cell at the digits.
func (g *grid) cell(digits []int) (*Cell, hcl.Diagnostics) {
	c := &Cell{Test: g.test.Test, Axes: g.test.axes, Key: g.key(digits)}
	c.Each = make(map[string]cty.Value, len(g.vars))
	for name, v := range g.vars {
		c.Each[name] = g.lookup(v, digits).value
	}
	d := draft{Cell: c}
	for _, s := range g.args {
		k := g.value(s, digits)
		if k.diags.HasErrors() {
			return nil, k.diags
		}
		k.set(&d)
	}
	if c.Backend == nil {
		return nil, hcl.Diagnostics{{Severity: hcl.DiagError, Summary: "No backend", Detail: "The backend of this cell is null.", Subject: g.rng()}}
	}
	d.finish(g.plan)
	return c, nil
}
