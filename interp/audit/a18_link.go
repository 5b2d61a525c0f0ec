package audit

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

var a18 = &Check{
	ID: "A18", Title: "Load of the link",
	What:      "The payload offered is near or above what the link can carry; or more of it came over the link than that carries, though nothing compresses it; or two shapes of load with the same bits per second both break, which points at a link, not at the backend.",
	Formula:   "rate x topics x payload x 8, times the crossings of a message where a broker is at the other end, against the declared rate of the link between the hosts; the same with the measured throughput in the place of rate x topics. Without a link: cells of a backend with the same load (within 1%) and different payloads, both with more than 3 times the latency of every cell with less load.",
	Tolerance: "Above 0.7 of the link, a throughput above 1.05 of it, or two cells that break together: a warning. Above 1 an error.",
	Source:    "RFC 2544. AimRT's tables between two hosts break at 65.5 Mbit/s with 1 x 8192 and with 8 x 1024 bytes.",
	Needs:     "it needs the declared payload and a link, or the declared rate, payload and topics or concurrency, and the mean latency",
	run: func(p *pass) {
		for _, r := range p.rows {
			if len(r.cell.Plan.Links) > 0 {
				p.saw(r)
				p.linkLoad(r)
			}
		}
		for _, g := range groups(p.rows, func(r *row) string {
			if _, ok := r.has("latency.mean"); !ok || r.load() <= 0 || r.size <= 0 {
				return ""
			}
			return r.test + "\x00" + r.backend
		}) {
			p.saw(g...)
			p.breakTogether(g)
		}
	},
}

func bitrate(r *row) float64 { return r.load() * r.size * 8 }

// linkLoad compares a row with the links between its hosts.
func (p *pass) linkLoad(r *row) {
	if len(r.cell.Valid) == 0 || r.size <= 0 {
		return
	}
	roles := slices.Collect(maps.Keys(r.cell.Valid[0].Roles))
	for _, l := range r.cell.Plan.Links {
		times := r.cell.Plan.Crossings(l, roles)
		crossings := max(times[0], times[1])
		if l.Rate <= 0 || crossings == 0 {
			continue
		}
		often := ""
		if crossings > 1 {
			often = fmt.Sprintf(", which each message passes %d times one way", crossings)
		}
		used := bitrate(r) * float64(crossings) / l.Rate
		s := Warning
		if used > 1 {
			s = Error
		}
		if used > 0.7 {
			p.report(s, []*row{r}, "%s = %s on the link %s of %s%s: %.0f%% of it, without headers.", bitsOf(r), bits(bitrate(r)), l.Name, bits(l.Rate), often, 100*used)
		}
		if v, ok := r.has("throughput.rate"); ok && !compresses(r) {
			if carried := v[0] * r.size * 8; carried*float64(crossings) > 1.05*l.Rate {
				p.report(Warning, []*row{r}, "throughput.rate x payload = %s/s x %s B x 8 = %s came over the link %s of %s%s: what was sent is smaller than the payload, or did not take the link.",
					num(v[0]), num(r.size), bits(carried), l.Name, bits(l.Rate), often)
			}
		}
	}
}

// compresses reports whether an option of the backend says that it does.
func compresses(r *row) bool {
	for name, v := range r.cell.Plan.Backend.Options {
		if strings.Contains(name, "compress") && v != nil && v != false && v != "" && v != "none" && v != "off" {
			return true
		}
	}
	return false
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
