package analyze

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"versus/dsl"
	"versus/interp/journal"
	"versus/stdlib/metric"
)

// missedRate is the share of the offered rate below which a run did not
// measure what its cell says (methodology: more than 1 % missed).
const missedRate = 0.99

// Remark is something that a reader must know of a cell. Remarks with equal
// What are about the same thing.
type Remark struct {
	Warning bool   // something is wrong, not only worth knowing
	What    string // "runs failed: connection refused"
	Detail  string // of this cell: "2 of 6 runs"
}

// Name is what a cell is called in messages: its test and its axis values.
func (c *Cell) Name() string {
	parts := []string{c.Plan.Test.Name}
	for _, a := range c.Plan.Axes {
		if v, ok := c.Plan.Axis(a); ok {
			if v.Type() == cty.Number { // which a reader can't tell from another number
				parts = append(parts, a)
			}
			parts = append(parts, dsl.Label(v))
		}
	}
	return strings.Join(parts, " ")
}

// Remarks are the remarks on the cell, in a fixed order.
func (c *Cell) Remarks() []Remark {
	var rs []Remark
	all := len(c.Valid) + len(c.Invalid) + len(c.Failed) + len(c.Skipped) + c.Absent
	rs = append(rs, runRemarks("runs failed", c.Failed, all)...)
	rs = append(rs, runRemarks("runs were skipped", c.Skipped, all)...)
	rs = append(rs, c.invalidRemarks(all)...)
	if c.Absent > 0 {
		rs = append(rs, Remark{true, "runs of the plan are not in the journal", fmt.Sprintf("%d of %d", c.Absent, all)})
	}
	if c.keepProblem != "" {
		rs = append(rs, Remark{true, c.keepProblem, plural(len(c.Valid), "run")})
	}
	if c.Trimmed && !c.Selected() {
		rs = append(rs, Remark{false, "the keep rule trims less than one run, so that means are over all", plural(len(c.Valid), "run")})
	}
	return slices.Concat(rs, c.rateRemarks(), c.symptomRemarks(), c.steadyRemarks(), c.driftRemarks(), c.twinRemarks(), c.untilRemarks(), c.clockRemarks(), c.conditionRemarks(), c.linkRemarks(), c.strangers, c.doubts())
}

// runRemarks groups runs that did not count by their reason.
func runRemarks(what string, runs []*journal.Run, all int) []Remark {
	counts := map[string]int{}
	var order []string
	for _, r := range runs {
		why := r.Error
		if why == "" {
			why = "no reason was recorded"
		}
		if counts[why]++; counts[why] == 1 {
			order = append(order, why)
		}
	}
	var rs []Remark
	for _, why := range order {
		rs = append(rs, Remark{true, what + ": " + why, fmt.Sprintf("%d of %d", counts[why], all)})
	}
	return rs
}

// rateRemarks are about open loops that did not keep their schedule.
func (c *Cell) rateRemarks() []Remark {
	var rs []Remark
	worst, offered := math.Inf(1), 0.0
	var late, sent int64
	for _, d := range c.runs {
		out := d.window.sender
		if out.offered <= 0 || out.elapsed <= 0 {
			continue
		}
		late, sent = late+out.late, sent+out.sent
		if rate := float64(out.sent) / out.elapsed; rate/out.offered < worst {
			worst, offered = rate/out.offered, out.offered
		}
	}
	if worst < missedRate {
		rs = append(rs, Remark{true, "the offered rate was missed by more than 1%", fmt.Sprintf("%.4g/s of %.4g/s", worst*offered, offered)})
	}
	if late > 0 {
		rs = append(rs, Remark{false, "sends began more than one period late", fmt.Sprintf("%d of %d", late, sent)})
	}
	return rs
}

// doubts are what workers flagged, and numbers that can't be.
func (c *Cell) doubts() []Remark {
	counts := map[string]int{}
	var order []string
	note := func(what string) {
		if counts[what]++; counts[what] == 1 {
			order = append(order, what)
		}
	}
	for _, d := range c.runs {
		seen := map[string]bool{}
		for _, flag := range d.window.flags {
			if !seen[flag] {
				note("a worker remarked: " + flag)
			}
			seen[flag] = true
		}
		if d.window.receiver.negative > 0 {
			note("latencies below zero were counted and left out: clocks disagree")
		}
		for _, name := range metric.Distributions {
			for _, what := range impossible(d, name) {
				note(what)
			}
		}
	}
	var rs []Remark
	for _, what := range order {
		rs = append(rs, Remark{true, what, fmt.Sprintf("%d of %d runs", counts[what], len(c.Valid))})
	}
	return rs
}

// impossible names contradictions in the distribution of a run: a mean outside
// its extremes.
func impossible(d *runData, name string) []string {
	value := func(part string) (float64, bool) {
		m, _ := metric.Lookup(name + "." + part)
		p, why := d.value(m)
		return p.value, why == ""
	}
	mean, ok := value("mean")
	if !ok {
		return nil
	}
	const slack = 1e-9 // rounding of sums
	var out []string
	if v, ok := value("max"); ok && v < mean*(1-slack) {
		out = append(out, "impossible: "+name+".max is below "+name+".mean")
	}
	if v, ok := value("min"); ok && v > mean*(1+slack) {
		out = append(out, "impossible: "+name+".min is above "+name+".mean")
	}
	return out
}
