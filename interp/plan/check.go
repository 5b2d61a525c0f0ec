package plan

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"versus/drivers"
)

// maxChecked bounds the evaluations that New makes to find mistakes early.
const maxChecked = 100_000

// check evaluates every distinct value of every argument that a cell can have,
// and asks the drivers about every distinct workload, as far as the budget goes.
func (p *Plan) check() {
	var grids []*grid
	for _, t := range p.tests {
		grids = append(grids, t.grids...)
	}
	// The small ones first, so that a large one does not use up their budget.
	slices.SortStableFunc(grids, func(a, b *grid) int { return cmp.Compare(a.cells.total, b.cells.total) })
	budget := maxChecked
	for _, g := range grids {
		good := true
		for _, s := range g.args {
			good = p.checkSource(g, s, &budget) && good
		}
		if good {
			p.checkWorkloads(g, &budget)
		}
	}
}

// checkSource reports the values that an argument can't have. It returns
// whether all are good, or can't be known for lack of budget.
func (p *Plan) checkSource(g *grid, s *source, budget *int) bool {
	good := true
	g.cells.project(s.deps, func(digits []int) bool {
		if *budget--; *budget < 0 {
			return false
		}
		for _, d := range g.value(s, digits).diags {
			p.problems.add(d, g.combination(s.deps, digits))
			good = good && d.Severity != hcl.DiagError
		}
		return true
	})
	return good
}

// checkWorkloads asks the driver about every distinct workload of a grid.
func (p *Plan) checkWorkloads(g *grid, budget *int) {
	var set uint64
	for _, s := range g.args {
		for _, d := range s.deps {
			set |= 1 << d
		}
	}
	deps := dependencies(set)
	if g.test.Pattern == string(drivers.Replay) { // what is recorded depends on every axis
		deps = g.all()
	}
	all := true
	g.cells.project(deps, func(digits []int) bool {
		if *budget--; *budget < 0 {
			all = false
			return false
		}
		c, diags := g.cell(digits)
		for _, d := range diags {
			p.problems.add(d, g.combination(deps, digits))
		}
		if c == nil {
			return true
		}
		if err := p.verify(c); err != nil {
			p.problems.add(g.refused(err), g.combination(deps, digits))
		}
		return true
	})
	g.verified = all
}

// verify asks the driver whether it can carry the workload of a cell, and can
// have its roles where the cell places them.
func (p *Plan) verify(c *Cell) error {
	d, ok := p.registry.Find(c.Backend.Driver)
	if !ok {
		return fmt.Errorf("there is no driver %q in this versus", c.Backend.Driver)
	}
	if err := d.Verify(c.Workload); err != nil || len(c.Place) < 2 || d.Roles == nil {
		return err
	}
	roles, err := d.Roles(c.Workload)
	if err != nil {
		return err
	}
	return c.placement(d, roles)
}

// refused reports a workload that the driver can't carry.
func (g *grid) refused(err error) *hcl.Diagnostic {
	return &hcl.Diagnostic{Severity: hcl.DiagError, Summary: "The driver can't do this", Detail: sentence(err.Error()), Subject: g.rng()}
}
