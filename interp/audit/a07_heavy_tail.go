package audit

var a07 = &Check{
	ID: "A07", Title: "Heavy tail behind a mean",
	What:      "The maximum is far above the mean, and no percentile was recorded: nothing says whether one message in a million or one in a hundred was slow.",
	Formula:   "max / mean of latency, where there is no percentile above the median.",
	Tolerance: "Above 100 a warning.",
	Source:    "Tene 2012 (how not to measure latency); Hoefler and Belli 2015, rule 8. AimRT's MQTT rows, with 99.9 ms over a mean of 0.23 ms.",
	Needs:     "it needs the mean and the maximum of latency",
	run: func(p *pass) {
		for _, r := range p.rows {
			v, ok := r.has("latency.mean", "latency.max")
			if !ok || v[0] <= 0 {
				continue
			}
			p.saw(r)
			tail := false
			for _, m := range r.quantiles() {
				tail = tail || m.Quantile > 0.5
			}
			if ratio := v[1] / v[0]; ratio > 100 && !tail {
				p.report(Warning, []*row{r}, "max / mean = %s / %s = %.0f, and no percentile says how many messages were slow.", span(v[1]), span(v[0]), ratio)
			}
		}
	},
}
