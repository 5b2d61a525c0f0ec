package analyze

import "fmt"

// clockRemarks say how well the clocks of the hosts of a one-way latency were
// known. It is a warning from a tenth of the mean latency on: what is measured
// is then the clocks as well.
func (c *Cell) clockRemarks() []Remark {
	const tolerable = 0.1
	var worst float64
	for _, d := range c.runs {
		worst = max(worst, float64(d.run.ClockBound())*1e-9)
	}
	if worst == 0 {
		return nil
	}
	mean := c.Metric("latency.mean")
	warn := mean.Missing == "" && worst > tolerable*mean.Number
	return []Remark{{warn, "one-way latencies are between hosts with clocks of their own, known to a bound that the measurement gives",
		fmt.Sprintf("+-%s in the worst run", seconds(worst))}}
}
