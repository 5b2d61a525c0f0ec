package run

import (
	"time"

	"versus/interp/journal"
	"versus/interp/plan"
)

// Event tells how the work goes: Measuring, Started, Finished or Warning.
type Event interface{ event() }

// Position says where in the plan a run is.
type Position struct {
	Cell   string // plan.Cell.Key
	Run    int    // number of the run in its cell, from 0
	Number int    // position of the run in the plan, or the shard, from 1
	Total  int    // runs in that
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
	Status  journal.Status
	Error   string  // why, when not OK
	Backend string  // as the scenario calls it
	Took    float64 // seconds
	// Latency is the mean of the run, seconds; 0 if it has none.
	Latency float64
}

// titleOf is how the scenario calls the backend of a cell.
func titleOf(c *plan.Cell) string {
	if c.Backend == nil {
		return c.Workload.Driver
	}
	return c.Backend.Title
}

// latencyOf is the mean latency of a run, whichever role measured it.
func latencyOf(r *journal.Run) float64 {
	for _, role := range r.Roles {
		if role.Result != nil && role.Result.Latency != nil && role.Result.Latency.Count > 0 {
			return float64(role.Result.Latency.Sum) / float64(role.Result.Latency.Count) / 1e9
		}
	}
	return r.Values["latency.mean"]
}

// Warning is something that a person should know, though the work goes on.
type Warning struct{ Text string }

// Measuring says that a link is measured before the run that comes next, which a
// slow one makes wait for some seconds.
type Measuring struct{ Link string }

func (Measuring) event() {}
func (Started) event()   {}
func (Finished) event()  {}
func (Warning) event()   {}

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
