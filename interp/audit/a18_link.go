package audit

import "fmt"

var a18 = &Check{
	ID: "A18", Title: "Load of the link",
	What:      "The payload offered is near or above what the link can carry; or two shapes of load with the same bits per second both break, which points at a link, not at the backend.",
	Formula:   "rate x topics x payload x 8 against the declared rate of the link between the hosts. Without one: cells of a backend with the same load (within 1%) and different payloads, both with more than 3 times the latency of every cell with less load.",
	Tolerance: "Above 0.7 of the link, or two cells that break together: a warning. Above 1 an error.",
	Source:    "RFC 2544. AimRT's tables between two hosts break at 65.5 Mbit/s with 1 x 8192 and with 8 x 1024 bytes.",
	Needs:     "it needs the declared rate, payload and topics or concurrency, and the mean latency",
	run: func(p *pass) {
		for _, g := range groups(p.rows, func(r *row) string {
			if _, ok := r.has("latency.mean"); !ok || r.load() <= 0 || r.size <= 0 {
				return ""
			}
			return r.test + "\x00" + r.backend
		}) {
			p.saw(g...)
			for _, r := range g {
				p.linkLoad(r)
			}
			p.breakTogether(g)
		}
	},
}

func bitrate(r *row) float64 { return r.load() * r.size * 8 }

// linkLoad compares a row with the narrowest link between its hosts.
func (p *pass) linkLoad(r *row) {
	hosts := map[string]bool{}
	for _, h := range r.cell.Plan.Place {
		if h != nil {
			hosts[h.Name] = true
		}
	}
	for _, l := range p.res.Scenario.Links {
		if l.Rate <= 0 || len(l.Between) != 2 || !hosts[l.Between[0]] || !hosts[l.Between[1]] {
			continue
		}
		used := bitrate(r) / l.Rate
		s := Warning
		if used > 1 {
			s = Error
		}
		if used > 0.7 {
			p.report(s, []*row{r}, "%s = %s on the link %s of %s: %.0f%% of it, without headers.", bitsOf(r), bits(bitrate(r)), l.Name, bits(l.Rate), 100*used)
		}
	}
}

func (p *pass) breakTogether(g []*row) {
	lat := func(r *row) float64 { return mustHave(r, "latency.mean")[0] }
	for i, a := range g {
		least := 0.0 // the slowest cell with less load
		for _, o := range g {
			if bitrate(o) < 0.99*bitrate(a) {
				least = max(least, lat(o))
			}
		}
		for _, b := range g[i+1 : min(len(g), i+maxCompared)] {
			same := bitrate(b) > 0.99*bitrate(a) && bitrate(b) < 1.01*bitrate(a)
			if same && a.size != b.size && least > 0 && lat(a) > 3*least && lat(b) > 3*least {
				p.report(Warning, []*row{a, b}, "%s and %s are both %s, with mean latencies of %s and %s; with less load it is at most %s: a link or a processor is full.",
					bitsOf(a), bitsOf(b), bits(bitrate(a)), span(lat(a)), span(lat(b)), span(least))
			}
		}
	}
}

func bitsOf(r *row) string {
	return fmt.Sprintf("%s/s x %s x %s B x 8", num(r.rate), num(max(r.topics, r.callers)), num(r.size))
}
