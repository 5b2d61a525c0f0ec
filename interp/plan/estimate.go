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
		each, calls := t.length()
		if calls == 0 {
			seconds += each * float64(t.cells+len(t.twins)) * float64(t.runs)
			continue
		}
		for i := range t.cells {
			if i == maxEstimated { // too many cells for twins
				seconds += each * float64(t.cells-i) * float64(t.runs)
				unknown += (t.cells - i) * t.runs
				break
			}
			s, _, u := p.cost(t.first + i)
			seconds += s
			unknown += u
		}
	}
	return duration(seconds), unknown
}

// length is how long a run of the test lasts, in seconds, without its calls, and
// how many these are.
func (t *testPlan) length() (seconds float64, calls int64) {
	if t.Pattern == string(drivers.Replay) {
		return 0, 0
	}
	m := t.Methodology
	return m.Warmup.Seconds + m.Measure.Seconds + m.Pause + runOverhead, m.Warmup.Calls + m.Measure.Calls
}

// cost is how long the runs of a cell and its twin take, how many these are, and
// how many of them last longer than seconds has of them.
func (p *Plan) cost(cell int) (seconds float64, runs, unknown int) {
	t := p.test(cell)
	runs = t.runs
	if p.Twin(cell) {
		runs *= 2
	}
	each, calls := t.length()
	if calls > 0 {
		rate := p.speed(cell)
		if rate == 0 {
			return each * float64(runs), runs, runs
		}
		each += float64(calls) / rate
	}
	return each * float64(runs), runs, 0
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
