package audit

import (
	"fmt"
	"slices"

	"versus/interp/analyze"
)

var a01 = &Check{
	ID: "A01", Title: "Little's law",
	What:      "In a closed loop each caller has one call at a time, so that throughput times mean latency is the number of callers that wait. More callers than there are is impossible; far fewer means that throughput and latency were not measured together, or that the callers were doing something else.",
	Formula:   "U = X R / N, with the throughput X, the mean latency R and N callers. With several runs, each run alone.",
	Tolerance: "Above 1.01 or below 0.7 an error, below 0.9 a warning. Where calls failed, a low one is a warning: their time is in no latency.",
	Source:    "Little 1961. AimRT's table of RPC backends on one host, where U is 0.580, 0.557 and 0.057 in three rows and 0.97 to 1.00 in all others.",
	Needs:     "it needs the throughput and the mean latency of a closed loop of round trips, and its declared concurrency",
	run: func(p *pass) {
		for _, r := range p.rows {
			if !r.closed() {
				continue
			}
			x, r1 := r.cell.RunValues("throughput.rate")
			lat, r2 := r.cell.RunValues("latency.mean")
			if r1 != "" || r2 != "" || !positive(x) || !positive(lat) {
				continue
			}
			p.saw(r)
			low, high := 0, 0
			busy := func(i int) float64 { return x[i] * lat[i] / r.callers }
			for i := range x {
				if busy(i) < busy(low) {
					low = i
				}
				if busy(i) > busy(high) {
					high = i
				}
			}
			arithmetic := func(i int) string {
				return fmt.Sprintf("%sX R / N = %s/s x %s / %s = %.3f", whichRun(r.cell, i), num(x[i]), span(lat[i]), num(r.callers), busy(i))
			}
			switch {
			case busy(high) > 1.01:
				p.report(Error, []*row{r}, "%s, above 1: more calls at once than callers.", arithmetic(high))
			case busy(low) < 0.9 && failed(r):
				p.report(Warning, []*row{r}, "%s, below 0.9: the callers were idle for %.0f%% of the time, or waited for calls that failed, whose time is in no latency.", arithmetic(low), 100*(1-busy(low)))
			case busy(low) < 0.7:
				p.report(Error, []*row{r}, "%s, below 0.7: throughput and latency don't belong together, or the callers were idle for %.0f%% of the time.", arithmetic(low), 100*(1-busy(low)))
			case busy(low) < 0.9:
				p.report(Warning, []*row{r}, "%s, below 0.9: the callers were idle for %.0f%% of the time.", arithmetic(low), 100*(1-busy(low)))
			}
		}
	},
}

// positive says that all numbers are above 0 and can be measurements.
func positive(list []float64) bool {
	return !slices.ContainsFunc(list, func(x float64) bool { return x <= 0 || !possible(x) })
}

// failed says that some calls of the row are known to have failed.
func failed(r *row) bool {
	v, ok := r.has("errors.rate")
	return ok && v[0] > 0
}

// whichRun names the i-th valid run of a cell that has several.
func whichRun(c *analyze.Cell, i int) string {
	if len(c.Valid) < 2 {
		return ""
	}
	return fmt.Sprintf("run %d: ", c.Valid[i].Run+1)
}
