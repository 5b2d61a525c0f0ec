package audit

import (
	"cmp"
	"slices"
)

var a03 = &Check{
	ID: "A03", Title: "Equal throughput, unequal latency",
	What:      "In a closed loop with the same callers, latency decides throughput. Two rows of one backend with the same throughput and different latencies contradict each other: one of the latencies is wrong, or something else than the calls limits the throughput, which then is no capacity.",
	Formula:   "X1 and X2 within 2%, R1 and R2 apart by more than 20%; over the rows of one backend in one test with one concurrency. Rows with failed calls are left out.",
	Tolerance: "An error.",
	Source:    "AimRT's table of RPC backends on one host: gRPC with 5668.9/s at 102.4 us and 5662.5/s at 172.0 us.",
	Needs:     "it needs two rows of one backend with the throughput and the mean latency of a closed loop, and its declared concurrency",
	run: func(p *pass) {
		for _, g := range groups(p.rows, closedKey) {
			if len(g) < 2 {
				continue
			}
			p.saw(g...)
			var points []point
			for _, r := range g {
				v := mustHave(r, "throughput.rate", "latency.mean")
				points = append(points, point{r, v[0], v[1]})
			}
			slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(a.x, b.x) })
			var worst [2]*row
			ratio := 1.2
			for i, a := range points {
				for _, b := range points[i+1 : min(len(points), i+maxCompared)] {
					if b.x > 1.02*a.x {
						break
					}
					if d := max(a.latency, b.latency) / min(a.latency, b.latency); d > ratio {
						ratio, worst = d, [2]*row{a.row, b.row}
					}
				}
			}
			if a, b := worst[0], worst[1]; a != nil {
				v, w := mustHave(a, "throughput.rate", "latency.mean"), mustHave(b, "throughput.rate", "latency.mean")
				p.report(Error, worst[:], "%s/s at %s and %s/s at %s: throughput within %.1f%%, latency apart by %.0f%%.",
					num(v[0]), span(v[1]), num(w[0]), span(w[1]), 100*(w[0]/v[0]-1), 100*(ratio-1))
			}
		}
	},
}

// point is a row with its throughput and its mean latency.
type point struct {
	row        *row
	x, latency float64
}

// maxCompared bounds how many rows each row of a large group is compared with.
const maxCompared = 1000
