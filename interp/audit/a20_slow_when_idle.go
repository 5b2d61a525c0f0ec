package audit

import "fmt"

var a20 = &Check{
	ID: "A20", Title: "Slower at a low rate",
	What:      "At a fixed rate, a backend answers later than at full speed with as large a payload. Idle processors sleep and lower their clocks: the fixed-rate table measures the power management too, and the two tables don't compare.",
	Formula:   "R at a fixed rate above R of a closed loop with the same callers and an equal or larger payload, same backend, in tests of one group.",
	Tolerance: "Information, from 5% on.",
	Source:    "AimRT's tables on one host: grpc with 274 us at 1 kHz and 172 us at full speed with twice the payload.",
	Needs:     "it needs a closed loop and a fixed rate in tests of one group, with declared concurrency and payload, and mean latency",
	run: func(p *pass) {
		for _, g := range groups(p.rows, func(r *row) string {
			if v, ok := r.has("latency.mean"); !ok || v[0] <= 0 || r.callers == 0 || r.size <= 0 || !r.twoway {
				return ""
			}
			return fmt.Sprintf("%s\x00%s\x00%v", r.scope, r.backend, r.callers)
		}) {
			for _, slow := range g {
				if slow.rate > 0 {
					p.slowerThan(slow, g)
				}
			}
		}
	},
}

// slowerThan reports the slowest closed loop that is still faster.
func (p *pass) slowerThan(slow *row, g []*row) {
	x := mustHave(slow, "latency.mean")[0]
	var worst *row
	for _, r := range g {
		if r.rate > 0 || r.size < slow.size {
			continue
		}
		p.saw(slow, r)
		y := mustHave(r, "latency.mean")[0]
		if x > 1.05*y && apart(r, slow) && (worst == nil || y > mustHave(worst, "latency.mean")[0]) {
			worst = r
		}
	}
	if worst != nil {
		y := mustHave(worst, "latency.mean")[0]
		p.report(Info, []*row{slow, worst}, "%s at %s/s with %s B, but %s at full speed with %s B: %.0f%% more.",
			span(x), num(slow.rate), num(slow.size), span(y), num(worst.size), 100*(x/y-1))
	}
}
