// Package plan turns a scenario into the cells to measure and the order of
// their runs. It evaluates the arguments of each cell, filters, removes cells
// that two sweeps share, and estimates how long everything takes. It runs
// nothing.
//
// A plan is lazy: cells are numbered, and Cell computes the one that is asked
// for. Counting does not list.
package plan

import (
	"github.com/zclconf/go-cty/cty"

	"versus/drivers"
	"versus/dsl"
)

// Cell is one combination of axis values of one test, with its arguments.
type Cell struct {
	Index int    // position in the plan, from 0
	Key   string // identity across runs of versus: test, axes and values
	Test  *dsl.Test
	// Each has backend, host and test, and every axis by its name.
	Each map[string]cty.Value
	// Axes are the names of the axes that vary, in order of writing; all are in Each.
	Axes     []string
	Backend  *dsl.Backend
	Place    map[string]*dsl.Host // by role; the role "" is for all others
	Workload drivers.Workload
}

// RunID names one run: the cell and the number of the run in it, from 0.
type RunID struct {
	Cell int `json:"cell"`
	Run  int `json:"run"`
}
