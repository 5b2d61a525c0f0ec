package audit

import "math"

var a12 = &Check{
	ID: "A12", Title: "Local outlier",
	What:      "A point between two others is a peak or a valley far off the line between them: a disturbed or mistaken measurement, or a threshold such as a buffer size that deserves a word. A neighbour that is itself wrong makes an innocent point look like one.",
	Formula:   "R against the interpolation of its neighbours by payload, topics or callers, on logarithms of both.",
	Tolerance: "A peak or valley off by a factor above 1.75 is a warning.",
	Source:    "AimRT's logger: 735 ns at 64 bytes, between 235 ns at 32 and 393 ns at 128.",
	Needs:     "it needs three rows that differ in the declared payload, topics or concurrency, with mean latency",
	run: func(p *pass) {
		for _, d := range byAny {
			for _, s := range p.series(d.argument, d.of) {
				if len(s) < 3 {
					continue
				}
				p.saw(s...)
				for i := 1; i+1 < len(s); i++ {
					p.outlier(d, s[i-1], s[i], s[i+1])
				}
			}
		}
	},
}

func (p *pass) outlier(d dimension, a, b, c *row) {
	x, _ := a.latency()
	y, _ := b.latency()
	z, _ := c.latency()
	t := math.Log(d.of(b)/d.of(a)) / math.Log(d.of(c)/d.of(a))
	line := math.Exp(math.Log(x) + t*math.Log(z/x))
	off := max(y/line, line/y)
	what := "peak"
	switch {
	case off <= 1.75:
		return
	case y > max(x, z) && apart(a, b) && apart(c, b):
	case y < min(x, z) && apart(b, a) && apart(b, c):
		what = "valley"
	default:
		return
	}
	p.report(Warning, []*row{b}, "%s at a %s of %s is a %s between %s at %s and %s at %s: the line between them has %s here, off by %.2fx.",
		span(y), d.noun, num(d.of(b)), what, span(x), num(d.of(a)), span(z), num(d.of(c)), span(line), off)
}
