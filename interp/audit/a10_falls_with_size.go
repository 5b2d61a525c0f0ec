package audit

var a10 = &Check{
	ID: "A10", Title: "Latency falls with size",
	What:      "A larger payload has a lower latency. More bytes don't take less time: the rows differ in something else, or in noise.",
	Formula:   "R of neighbouring payloads, all else equal. With several runs, only where every run of one is below every run of the other.",
	Tolerance: "A fall by more than 5% is a warning.",
	Source:    "AimRT's tables: mqtt between two hosts with 30.0 ms at 1024 bytes and 21.7 ms at 2048.",
	Needs:     "it needs two rows that differ in the declared payload, with mean latency",
	run:       func(p *pass) { p.falls(bySize, func(*row) Severity { return Warning }) },
}

// falls reports steps of series at which latency falls.
func (p *pass) falls(dimensions []dimension, severity func(*row) Severity) {
	for _, d := range dimensions {
		for _, s := range p.series(d.argument, d.of) {
			p.saw(s...)
			for i, b := range s[1:] {
				a := s[i]
				x, _ := a.latency()
				y, _ := b.latency()
				if y < 0.95*x && apart(b, a) {
					p.report(severity(b), []*row{a, b}, "%s at a %s of %s, but %s at %s: %.1f%% less.",
						span(x), d.noun, num(d.of(a)), span(y), num(d.of(b)), 100*(1-y/x))
				}
			}
		}
	}
}
