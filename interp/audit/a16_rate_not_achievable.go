package audit

var a16 = &Check{
	ID: "A16", Title: "Rate not achievable",
	What:      "A caller that waits for each answer can't call more often than answers take. A table of a fixed rate above that was not measured at that rate.",
	Formula:   "k / R, with the mean latency R and at most k calls of a caller waiting (in_flight), against the declared rate of a caller. For our own results R is the service time, which does not count from when a call was due.",
	Tolerance: "A rate more than 1% above k / R is an error.",
	Source:    "Coordinated omission, Tene 2012. AimRT's table of RPC backends between two hosts at a fixed 1 kHz, with mean latencies from 3.8 ms.",
	Needs:     "it needs the declared rate, concurrency and in_flight, and the mean latency",
	run: func(p *pass) {
		for _, r := range p.rows {
			name := "service_time.mean"
			if r.recorded {
				name = "latency.mean"
			}
			v, ok := r.has(name)
			if !ok || r.callers == 0 || r.rate <= 0 || r.inFlight <= 0 || v[0] <= 0 {
				continue
			}
			p.saw(r)
			if most := r.inFlight / v[0]; r.rate > 1.01*most {
				p.report(Error, []*row{r}, "a caller that waits for answers makes at most k / R = %s / %s = %s calls/s, not %s/s.", num(r.inFlight), span(v[0]), num(most), num(r.rate))
			}
		}
	},
}
