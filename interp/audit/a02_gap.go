package audit

import (
	"fmt"
	"math"
)

var a02 = &Check{
	ID: "A02", Title: "Time between calls",
	What:      "What a caller does between two calls, the gap, is a property of the program that calls: it differs little between the rows of one backend. Where it differs, throughput or latency of one row is wrong.",
	Formula:   "gap = N/X - R, with N callers, the throughput X and the mean latency R; over the rows of one backend in one test with one concurrency. Rows with failed calls are left out.",
	Tolerance: "The largest above 3 times the smallest, by more than 10 us and by more than 5% of the time per call: an error.",
	Source:    "AimRT's table of RPC backends on one host: gRPC's gaps are 74.02 us and 4.59 us.",
	Needs:     "it needs two rows of one backend with the throughput and the mean latency of a closed loop, and its declared concurrency",
	run: func(p *pass) {
		for _, g := range groups(p.rows, closedKey) {
			if len(g) < 2 {
				continue
			}
			p.saw(g...)
			low, high := g[0], g[0]
			for _, r := range g {
				if gap(r) < gap(low) {
					low = r
				}
				if gap(r) > gap(high) {
					high = r
				}
			}
			d, v := gap(high)-gap(low), mustHave(high, "throughput.rate")
			if d > 10e-6 && gap(high) > 3*math.Max(gap(low), 0) && d > 0.05*high.callers/v[0] {
				p.report(Error, []*row{low, high}, "N/X - R is %s, but %s: the same program spends %s between calls here and %s there.",
					gapText(high), gapText(low), span(gap(high)), span(gap(low)))
			}
		}
	},
}

// closedKey groups the rows of one backend, test and concurrency that have a
// closed loop's throughput and latency. Where calls failed, their time is
// between the others.
func closedKey(r *row) string {
	v, ok := r.has("throughput.rate", "latency.mean")
	if !ok || !r.closed() || failed(r) || v[0] <= 0 || v[1] <= 0 {
		return ""
	}
	return fmt.Sprintf("%s\x00%s\x00%v", r.test, r.backend, r.callers)
}

// mustHave is for rows that are known to have the metrics.
func mustHave(r *row, names ...string) []float64 {
	v, _ := r.has(names...)
	return v
}

func gap(r *row) float64 {
	v := mustHave(r, "throughput.rate", "latency.mean")
	return r.callers/v[0] - v[1]
}

func gapText(r *row) string {
	v := mustHave(r, "throughput.rate", "latency.mean")
	return fmt.Sprintf("%s / %s/s - %s = %s at %s", num(r.callers), num(v[0]), span(v[1]), span(gap(r)), r.cell.Name())
}
