package run

import (
	"versus/interp/journal"
	"versus/interp/plan"
)

// stopper applies the stop rules of cells: `until`. A cell is asked before each
// of its runs, in the order of their numbers, so that a resumed plan decides as
// one that was never stopped.
type stopper struct {
	value  func(*plan.Cell, *journal.Run) (float64, bool)
	before map[runName]*journal.Run
	series map[seriesName]*series
}

// runName is the identity of a run.
type runName struct {
	cell string
	run  int
}

// seriesName is the identity of the runs of a cell, or of its twin.
type seriesName struct {
	cell string
	twin bool
}

// series is what is known of the runs of one cell.
type series struct {
	values  []float64 // of its valid runs
	stopped bool
}

func newStopper(opts Options) *stopper {
	s := &stopper{value: opts.Value, before: map[runName]*journal.Run{}, series: map[seriesName]*series{}}
	if s.value == nil {
		s.value = func(*plan.Cell, *journal.Run) (float64, bool) { return 0, false }
	}
	for i := range opts.Before {
		r := &opts.Before[i]
		s.before[runName{r.Cell, r.Run}] = r
	}
	return s
}

func (s *stopper) of(c *plan.Cell, run int) *series {
	name := seriesName{c.Key, run >= c.Test.Methodology.Until.Max}
	if s.series[name] == nil {
		s.series[name] = &series{}
	}
	return s.series[name]
}

// enough says whether the cell needs no run of this number. All of lower numbers
// have been asked for before.
func (s *stopper) enough(c *plan.Cell, run int) bool {
	if c.Test.Methodology == nil || c.Test.Methodology.Until == nil {
		return false
	}
	runs := s.of(c, run)
	runs.stopped = runs.stopped || plan.Enough(c.Test.Methodology.Until, runs.values)
	return runs.stopped
}

// keep takes a run that the journal has, from before or from now, into account.
func (s *stopper) keep(c *plan.Cell, r *journal.Run) {
	if c.Test.Methodology == nil || c.Test.Methodology.Until == nil || r == nil || r.Status != journal.OK {
		return
	}
	if v, ok := s.value(c, r); ok {
		runs := s.of(c, r.Run)
		runs.values = append(runs.values, v)
	}
}
