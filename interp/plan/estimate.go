package plan

import (
	"math"
	"time"

	"versus/drivers"
)

// runOverhead is what a run takes beyond warm-up and measurement, in seconds:
// the start of its processes and the connections between them.
const runOverhead = 0.080

// maxEstimated bounds the cells that are computed to estimate how long calls
// at a fixed rate take.
const maxEstimated = 100_000

// Estimate returns how long the plan takes, as far as the scenario says it:
// warm-up and measurement, the pauses between runs, and the overhead of each
// run. A number of calls has a known duration only at a fixed rate, or with the
// capacity of a closed loop. unknown is the number of runs with a part that
// lasts as long as it takes; known has their other parts.
func (p *Plan) Estimate() (known time.Duration, unknown int) {
	seconds := 0.0
	for _, t := range p.tests {
		if t.Pattern == string(drivers.Replay) {
			continue
		}
		m := t.Methodology
		each := m.Warmup.Seconds + m.Measure.Seconds + m.Pause + runOverhead
		seconds += each * float64(t.cells+len(t.twins)) * float64(t.runs)
		calls := m.Warmup.Calls + m.Measure.Calls
		if calls == 0 {
			continue
		}
		for i := range t.cells {
			if i == maxEstimated { // too many cells for twins
				unknown += (t.cells - i) * t.runs
				break
			}
			runs := t.runs
			if p.Twin(t.first + i) {
				runs *= 2
			}
			rate := p.speed(t.first + i)
			if rate == 0 {
				unknown += runs
				continue
			}
			seconds += float64(calls) / rate * float64(runs)
		}
	}
	return duration(seconds), unknown
}

// speed is the number of calls per second of a cell, over all callers or
// topics: those due, or in a closed loop the capacity; 0 if not known.
func (p *Plan) speed(cell int) float64 {
	c, err := p.Cell(cell)
	if err != nil {
		return 0
	}
	if offered := c.Offered(); offered > 0 {
		return offered
	}
	return c.Capacity
}

// duration converts seconds; what is longer than a Duration holds is the longest.
func duration(seconds float64) time.Duration {
	ns := math.Round(seconds * 1e9)
	if ns >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(ns)
}
