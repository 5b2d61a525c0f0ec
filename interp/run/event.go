package run

import (
	"time"

	"versus/interp/journal"
)

// Event tells how the work goes: Started, Finished or Warning.
type Event interface{ event() }

// Position says where in the plan a run is.
type Position struct {
	Cell   string // plan.Cell.Key
	Run    int    // number of the run in its cell, from 0
	Number int    // position of the run in the plan, from 1
	Total  int    // runs in the plan
	// Left is an estimate of how long the rest of the plan takes, from the runs
	// measured so far; 0 while it is unknown.
	Left time.Duration
}

// Started says that a run begins. Runs that need no process, because they are
// skipped or replayed, are only Finished.
type Started struct{ Position }

// Finished says that a run is over and in the journal.
type Finished struct {
	Position
	Status journal.Status
	Error  string  // why, when not OK
	Total  float64 // how long it took, seconds
}

// Warning is something that a person should know, though the work goes on.
type Warning struct{ Text string }

func (Started) event()  {}
func (Finished) event() {}
func (Warning) event()  {}

// estimate tells how long the rest takes.
type estimate struct {
	runs  int // measured
	spent time.Duration
}

// add takes a measured run into account, with the pause before it.
func (e *estimate) add(took time.Duration) {
	e.runs++
	e.spent += took
}

// left returns the estimate for so many runs to go, 0 if nothing is known.
func (e *estimate) left(runs int) time.Duration {
	if e.runs == 0 || runs <= 0 {
		return 0
	}
	return seconds(e.spent.Seconds() / float64(e.runs) * float64(runs))
}
