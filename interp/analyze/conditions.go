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

// othersShare is the share of CPU time that work other than the run took.
func othersShare(_ *Cell, d *runData) (float64, string, bool) {
	k := d.run.Conditions
	if k == nil || k.Others*d.run.Total < leastTime {
		return 0, "", false
	}
	return k.Others, fmt.Sprintf("left %.0f%% of the machine's CPU time to other work", k.Others*100), true
}

// stolenShare is the share of CPU time that the host of a virtual machine took.
func stolenShare(_ *Cell, d *runData) (float64, string, bool) {
	k := d.run.Conditions
	if k == nil || k.Stolen*d.run.Total < leastTime {
		return 0, "", false
	}
	return k.Stolen, fmt.Sprintf("lost %.0f%% of its CPU time to the host of the virtual machine", k.Stolen*100), true
}

// conditionRemarks say what disturbed valid runs on the machine of versus.
func (c *Cell) conditionRemarks() []Remark {
	var worst, stolen, throttled float64
	var busy, robbed, stopped int
	changes := map[string]int{}
	var order []string
	for _, d := range c.runs {
		k := d.run.Conditions
		if k == nil {
			continue
		}
		if share, _, ok := othersShare(c, d); ok && share >= busyOthers {
			busy, worst = busy+1, max(worst, share)
		}
		if share, _, ok := stolenShare(c, d); ok && share >= busyStolen {
			robbed, stolen = robbed+1, max(stolen, share)
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
