package audit

var a06 = &Check{
	ID: "A06", Title: "Maximum near the mean",
	What:      "A maximum hardly above the mean is rare among many independent messages. It is seen where few messages were measured, where all of them stood in one queue, or where the mean holds what the maximum does not.",
	Formula:   "max / mean of latency.",
	Tolerance: "Below 1.5 a warning.",
	Source:    "AimRT's tables: ros2 with 787.4 us over a mean of 710.8 us, in a row that Little's law contradicts.",
	Needs:     "it needs the mean and the maximum of latency",
	run: func(p *pass) {
		for _, r := range p.rows {
			v, ok := r.has("latency.mean", "latency.max")
			if !ok || v[0] <= 0 {
				continue
			}
			p.saw(r)
			if ratio := v[1] / v[0]; ratio >= 1 && ratio < 1.5 {
				p.report(Warning, []*row{r}, "max / mean = %s / %s = %.2f: few messages, or all of them in one queue.", span(v[1]), span(v[0]), ratio)
			}
		}
	},
}
