package audit

var a11 = &Check{
	ID: "A11", Title: "Latency falls with load",
	What:      "More topics or callers have a lower latency. Where hardly anything is under way that is plausible: a processor that idles between messages sleeps and must wake up, and under more load it sleeps less. Otherwise the rows differ in something else.",
	Formula:   "R of neighbouring numbers of topics or callers, all else equal. With several runs, only where every run of one is below every run of the other.",
	Tolerance: "A fall by more than 5% is a warning; information, where the offered rate times R is below one message under way.",
	Source:    "AimRT's tables: iceoryx with 33.1 us at one topic and 19.9 us at eight (idle states), zenoh with 6.24 ms at four topics and 3.24 ms at eight.",
	Needs:     "it needs two rows that differ in the declared topics or concurrency, with mean latency",
	run: func(p *pass) {
		p.falls(byLoad, func(r *row) Severity {
			if lat, ok := r.latency(); ok && r.rate > 0 && r.load()*lat < 1 {
				return Info
			}
			return Warning
		})
	},
}
