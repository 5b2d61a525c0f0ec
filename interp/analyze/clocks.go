package analyze

import (
	"fmt"

	"versus/interp/plan"
)

// ClockBound is by how much one-way latencies of the cell may be wrong at most
// because its hosts have clocks of their own, in seconds, in the worst run; 0 is one
// clock.
func (c *Cell) ClockBound() float64 {
	var worst float64
	for _, d := range c.runs {
		worst = max(worst, float64(d.run.ClockBound())*1e-9)
	}
	return worst
}

// LatencySpan says in words what the latency of the cell spans, and how many clocks
// it was read from.
func (c *Cell) LatencySpan() string {
	kind := c.Plan.LatencyKind()
	if kind != plan.OneWay || len(c.runs) == 0 || c.Plan.Test.Pattern == "replay" {
		return kind.Words()
	}
	if worst := c.ClockBound(); worst > 0 {
		return fmt.Sprintf("%s, by clocks that agree within %s", kind.Words(), seconds(worst))
	}
	return kind.Words() + ", by one clock"
}

// clockRemarks say how well the clocks of the hosts of a one-way latency were
// known. It is a warning from a tenth of the mean latency on: what is measured
// is then the clocks as well.
func (c *Cell) clockRemarks() []Remark {
	const tolerable = 0.1
	worst := c.ClockBound()
	if worst == 0 {
		return nil
	}
	mean := c.Metric("latency.mean")
	warn := mean.Missing == "" && worst > tolerable*mean.Number
	return []Remark{{warn, "one-way latencies are between hosts with clocks of their own, known to a bound that the measurement gives",
		fmt.Sprintf("+-%s in the worst run", seconds(worst))}}
}
