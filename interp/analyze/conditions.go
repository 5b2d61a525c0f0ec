package analyze

import (
	"fmt"
)

// Shares of CPU time from which what others did is remarked on, and how much it
// must be at least, seconds: Linux counts it in hundredths of a second.
const (
	busyOthers = 0.10
	busyStolen = 0.01
	leastTime  = 0.1
)

// conditionRemarks say what disturbed valid runs on the machine of versus.
func (c *Cell) conditionRemarks() []Remark {
	var worst, stolen, throttled float64
	var busy, robbed, stopped int
	changes := map[string]int{}
	var order []string
	for _, r := range c.Valid {
		k := r.Conditions
		if k == nil {
			continue
		}
		if k.Others >= busyOthers && k.Others*r.Total >= leastTime {
			busy, worst = busy+1, max(worst, k.Others)
		}
		if k.Stolen >= busyStolen && k.Stolen*r.Total >= leastTime {
			robbed, stolen = robbed+1, max(stolen, k.Stolen)
		}
		if k.Throttled > 0 {
			stopped, throttled = stopped+1, max(throttled, k.Throttled)
		}
		for _, what := range k.Changed {
			if changes[what]++; changes[what] == 1 {
				order = append(order, what)
			}
		}
	}
	runs := func(n int) string { return fmt.Sprintf("%d of %d runs", n, len(c.Valid)) }
	var rs []Remark
	for _, what := range order {
		rs = append(rs, Remark{true, "the machine was changed while it was measured: " + what, runs(changes[what])})
	}
	if stopped > 0 {
		rs = append(rs, Remark{true, "a control group stopped the processes of runs, for they had used up their CPU time", fmt.Sprintf("%s, for up to %s", runs(stopped), seconds(throttled))})
	}
	if robbed > 0 {
		rs = append(rs, Remark{true, "the host of the virtual machine took CPU time from runs", fmt.Sprintf("%s, up to %.0f%% of it", runs(robbed), stolen*100)})
	}
	if busy > 0 {
		rs = append(rs, Remark{true, "the machine was busy with other work too", fmt.Sprintf("%s, up to %.0f%% of its CPU time", runs(busy), worst*100)})
	}
	return rs
}
