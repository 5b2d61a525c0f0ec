package audit

import (
	"cmp"
	"slices"
)

var a03 = &Check{
	ID: "A03", Title: "Equal throughput, unequal latency",
	What:      "In a closed loop with the same callers, latency decides throughput. Two rows of one backend with the same throughput and different latencies contradict each other: one of the latencies is wrong, or something else than the calls limits the throughput, which then is no capacity.",
	Formula:   "X1 and X2 within 2%, R1 and R2 apart by more than 20%; over the rows of one backend in one test with one concurrency.",
	Tolerance: "An error.",
	Source:    "AimRT's table of RPC backends on one host: gRPC with 5668.9/s at 102.4 us and 5662.5/s at 172.0 us.",
	Needs:     "it needs two rows of one backend with the throughput and the mean latency of a closed loop, and its declared concurrency",
	run: func(p *pass) {
		for _, g := range groups(p.rows, closedKey) {
			if len(g) < 2 {
				continue
			}
			p.saw(g...)
			of := func(r *row) (x, lat float64) {
				v := mustHave(r, "throughput.rate", "latency.mean")
				return v[0], v[1]
			}
			g = slices.Clone(g)
			slices.SortStableFunc(g, func(a, b *row) int {
				x, _ := of(a)
				y, _ := of(b)
				return cmp.Compare(x, y)
			})
			var worst [2]*row
			ratio := 1.2
			for i, a := range g {
				x, r1 := of(a)
				for _, b := range g[i+1 : min(len(g), i+maxCompared)] {
					y, r2 := of(b)
					if y > 1.02*x {
						break
					}
					if d := max(r1, r2) / min(r1, r2); d > ratio {
						ratio, worst = d, [2]*row{a, b}
					}
				}
			}
			if a, b := worst[0], worst[1]; a != nil {
				x, r1 := of(a)
				y, r2 := of(b)
				p.report(Error, worst[:], "%s/s at %s and %s/s at %s: throughput within %.1f%%, latency apart by %.0f%%.",
					num(x), span(r1), num(y), span(r2), 100*(y/x-1), 100*(ratio-1))
			}
		}
	},
}

// maxCompared bounds how many rows each row of a large group is compared with.
const maxCompared = 1000
