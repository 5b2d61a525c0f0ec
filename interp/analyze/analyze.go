// Package analyze turns the runs of a journal into numbers: the value of each
// metric in each cell by the keep rule, and the comparisons of pairs of cells
// with their intervals and verdicts.
//
// The road through the package: records are sorted into cells (cell.go), what
// one run says about a metric is read from its roles (run.go), the runs of a
// cell are combined by estimators (estimate.go), cells are paired (pair.go)
// and compared by resampling runs (compare.go), and formulas ask for all of
// it through Results (results.go).
//
// It prints nothing and measures nothing, and it does not decide what is shown
// where: package report does. The statistics themselves are stdlib/stats. The
// result depends only on what the runs say, not on their order in the journal.
package analyze

import (
	"fmt"

	"versus/dsl"
	"versus/interp/journal"
	"versus/interp/plan"
)

// Seed and Resamples are those of the bootstrap. They are fixed, so that a
// report can be printed again to the byte, and are written beside the results.
const (
	Seed      = 20050101
	Resamples = 10000
)

// MaxCells is the largest plan that is analyzed: each cell is held in memory.
const MaxCells = 1_000_000

// Result is everything that the runs of a plan say.
type Result struct {
	Scenario    *dsl.Scenario
	Cells       []*Cell       // by their index in the plan
	Comparisons []*Comparison // in the order of the scenario
	// Machines made the runs, where those of several were merged; nil otherwise.
	Machines []Machine
	// Problems are about the journal as a whole: records of no cell, runs
	// recorded twice.
	Problems []string
}

// Analyze reads the runs of a plan. The runs may come in any order and may be
// incomplete; a cell without runs has metrics without values. It returns an
// error only for a plan that is too large; everything that is wrong with a
// run is part of the result.
func Analyze(s *dsl.Scenario, p *plan.Plan, runs []journal.Run) (*Result, error) {
	n := p.Cells()
	if n > MaxCells {
		return nil, fmt.Errorf("the plan has %d cells; a report holds at most %d: report a part of it, with fewer axis values", n, MaxCells)
	}
	cells := make([]*plan.Cell, n)
	for i := range cells {
		c, err := p.Cell(i)
		if err != nil {
			return nil, err
		}
		cells[i] = c
	}
	return analyze(s, cells, p, runs), nil
}

// runsPlanned is what the analysis needs to know of the runs of a plan.
type runsPlanned interface {
	RunsOf(cell int) int
	Twin(cell int) bool
}

// analyze is Analyze for listed cells.
func analyze(s *dsl.Scenario, cells []*plan.Cell, planned runsPlanned, runs []journal.Run) *Result {
	res := &Result{Scenario: s}
	records, problems := sortRuns(cells, runs)
	res.Problems = problems
	keeps := keepCounts{scenario: s}
	for i, c := range cells {
		n := planned.RunsOf(i)
		own, twins := records[i], []*journal.Run(nil)
		if planned.Twin(i) {
			own, twins = splitTwin(records[i], n)
		}
		cell := newCell(c, slot{0, n}, own, keeps.of)
		if planned.Twin(i) {
			cell.Twin = newCell(c, slot{n, n}, twins, keeps.of)
		}
		res.Cells = append(res.Cells, cell)
	}
	findDrift(res.Cells)
	for _, c := range s.Comparisons {
		res.Comparisons = append(res.Comparisons, compare(s, c, res.Cells))
	}
	res.Machines = machinesOf(res.Cells)
	findStrangers(res)
	return res
}

// Comparison returns the comparison called name, or nil.
func (r *Result) Comparison(name string) *Comparison {
	for _, c := range r.Comparisons {
		if c.Comparison.Name == name {
			return c
		}
	}
	return nil
}
