package audit

var a17 = &Check{
	ID: "A17", Title: "Coordinated omission",
	What:      "At a fixed rate, a caller that waits for each answer sends nothing while it waits for a slow one. The calls that were due meanwhile are missing from the latencies, so that mean and percentiles are too good. Our own results count from when a call was due, and are not concerned.",
	Formula:   "max > 1 / rate, with one call of a caller at a time (in_flight = 1).",
	Tolerance: "A warning.",
	Source:    "Tene 2012; wrk2. AimRT's fixed-rate tables.",
	Needs:     "it needs the declared rate and in_flight of recorded calls, and the maximum of latency",
	run: func(p *pass) {
		for _, r := range p.rows {
			v, ok := r.has("latency.max")
			if !r.recorded && r.rate > 0 {
				p.saw(r)
				continue
			}
			if !ok || r.callers == 0 || r.rate <= 0 || r.inFlight != 1 {
				continue
			}
			p.saw(r)
			if missing := v[0] * r.rate; missing > 1 {
				p.report(Warning, []*row{r}, "max x rate = %s x %s/s = %s calls were due while the slowest one was waited for.", span(v[0]), num(r.rate), num(missing))
			}
		}
	},
}
