package audit

import "math"

var a13 = &Check{
	ID: "A13", Title: "Super-linear step",
	What:      "Latency grows faster than the payload or the load. Work grows at most linearly; what grows faster is a queue, so that the second point shows how long the run lasted rather than how fast the system is.",
	Formula:   "ln(R2/R1) / ln(x2/x1) of neighbouring payloads, topics or callers, all else equal.",
	Tolerance: "Above 1.2 a warning.",
	Source:    "AimRT's tables: mqtt between two hosts from 21.7 ms at 2048 bytes to 1.73 s at 8192, a slope of 3.16.",
	Needs:     "it needs two rows that differ in the declared payload, topics or concurrency, with mean latency",
	run: func(p *pass) {
		for _, d := range byAny {
			for _, s := range p.series(d.argument, d.of) {
				p.saw(s...)
				for i, b := range s[1:] {
					a := s[i]
					x, _ := a.latency()
					y, _ := b.latency()
					if slope := math.Log(y/x) / math.Log(d.of(b)/d.of(a)); slope > 1.2 && apart(a, b) {
						p.report(Warning, []*row{a, b}, "from %s at a %s of %s to %s at %s: ln(%.4g) / ln(%.4g) = %.2f.",
							span(x), d.noun, num(d.of(a)), span(y), num(d.of(b)), y/x, d.of(b)/d.of(a), slope)
					}
				}
			}
		}
	},
}
