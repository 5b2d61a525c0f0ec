package audit

import "fmt"

var a14 = &Check{
	ID: "A14", Title: "One way longer than the round trip",
	What:      "A message one way takes longer than a call and its answer, through the same backend with the same payload. The round trip holds the way there: the two were measured differently, or clocks disagree.",
	Formula:   "mean latency of one topic against mean latency of one caller, same backend, payload and hosts, in tests of one group.",
	Tolerance: "One way above the round trip is a warning.",
	Source:    "openmessaging/benchmark issue 216. AimRT's tables between two hosts: mqtt with 30.0 ms one way and 3.98 ms for a call, at 1024 bytes.",
	Needs:     "it needs a test with declared topics and one with declared concurrency, in one group, with the same backend and payload",
	run: func(p *pass) {
		for _, g := range groups(p.rows, func(r *row) string {
			if v, ok := r.has("latency.mean"); !ok || v[0] <= 0 || r.size <= 0 || r.topics > 1 || r.callers > 1 || !r.twoway {
				return ""
			}
			return fmt.Sprintf("%s\x00%s\x00%v", r.scope, r.backend, r.size)
		}) {
			var there, around *row // the fastest of each kind
			for _, r := range g {
				best := &around
				if r.oneway() {
					best = &there
				} else if r.callers == 0 {
					continue
				}
				if *best == nil || mustHave(r, "latency.mean")[0] < mustHave(*best, "latency.mean")[0] {
					*best = r
				}
			}
			if there == nil || around == nil {
				continue
			}
			p.saw(there, around)
			x, y := mustHave(there, "latency.mean")[0], mustHave(around, "latency.mean")[0]
			if x > y && apart(around, there) {
				p.report(Warning, []*row{there, around}, "one way %s, there and back %s: %.2f times as long.", span(x), span(y), x/y)
			}
		}
	},
}
