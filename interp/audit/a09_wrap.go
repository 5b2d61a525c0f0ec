package audit

import "versus/drivers/protocol"

var a09 = &Check{
	ID: "A09", Title: "Maximum at the limit of a counter",
	What:      "A maximum lies just below the largest value that the recorder can hold: larger ones wrapped around to small ones or were cut off, so that the mean is wrong too. Results of our own count in 64 bits, and have only the limit of their histograms.",
	Formula:   "max against 2^31 and 2^32 ns, 2^31 and 2^32 us; for our own results, against 3600 s.",
	Tolerance: "Less than 1% below a limit an error, less than 10% below a warning.",
	Source:    "AimRT stores nanoseconds in 32 bits, which hold 4.295 s: its tables have maxima of 4.289 s and 4.061 s beside a mean of 2.28 s.",
	Needs:     "it needs the maximum of latency",
	run: func(p *pass) {
		for _, r := range p.rows {
			v, ok := r.has("latency.max")
			if !ok {
				continue
			}
			p.saw(r)
			for _, l := range limitsOf(r) {
				below := 1 - v[0]/l.at
				if below < 0 || below >= 0.1 {
					continue
				}
				s := Warning
				if below < 0.01 {
					s = Error
				}
				p.report(s, []*row{r}, "max = %s is %.2f%% below %s = %s: larger values wrapped around or were cut off.", span(v[0]), 100*below, l.name, span(l.at))
			}
		}
	},
}

type limit struct {
	name string
	at   float64 // seconds
}

func limitsOf(r *row) []limit {
	if !r.recorded {
		return []limit{{"the limit of histograms", float64(protocol.MaxTrackable) / 1e9}}
	}
	return []limit{
		{"2^31 ns", 0x1p31 * 1e-9}, {"2^32 ns", 0x1p32 * 1e-9},
		{"2^31 us", 0x1p31 * 1e-6}, {"2^32 us", 0x1p32 * 1e-6},
	}
}
