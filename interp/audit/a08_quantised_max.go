package audit

import (
	"cmp"
	"slices"
)

var a08 = &Check{
	ID: "A08", Title: "Maxima that a timer makes",
	What:      "The maxima of a backend are the same in rows whose means differ: not the load makes them, but a timer, such as a poll interval, a retransmission or a time-out.",
	Formula:   "At least 3 rows, and at least half of the rows of a backend in tests of one group, whose maxima lie within 5% of each other while their means span a factor of 1.5.",
	Tolerance: "A warning.",
	Source:    "AimRT's MQTT rows on one host: five maxima from 98.6 ms to 100.6 ms.",
	Needs:     "it needs three rows of a backend with the mean and the maximum of latency",
	run: func(p *pass) {
		for _, g := range groups(p.rows, func(r *row) string {
			if v, ok := r.has("latency.mean", "latency.max"); !ok || v[0] <= 0 || v[1] <= 0 {
				return ""
			}
			return r.scope + "\x00" + r.backend
		}) {
			if len(g) < 3 {
				continue
			}
			p.saw(g...)
			if alike := alikeMaxima(g); alike != nil {
				lowMax, highMax := extremes(alike, "latency.max")
				low, high := extremes(alike, "latency.mean")
				p.report(Warning, alike, "%d of %d maxima of %s lie between %s and %s (within %.1f%%), while the means go from %s to %s: a timer, not the load.",
					len(alike), len(g), alike[0].backend, span(lowMax), span(highMax), 100*(highMax/lowMax-1), span(low), span(high))
			}
		}
	},
}

// alikeMaxima returns the most rows whose maxima lie within 5%, if they are
// enough and their means differ.
func alikeMaxima(g []*row) []*row {
	g = slices.Clone(g)
	of := func(r *row) float64 { return mustHave(r, "latency.max")[0] }
	slices.SortStableFunc(g, func(a, b *row) int { return cmp.Compare(of(a), of(b)) })
	var best []*row
	to := 0
	for i := range g {
		for to < len(g) && of(g[to]) <= 1.05*of(g[i]) {
			to++
		}
		if n := to - i; n <= len(best) || n < 3 || 2*n < len(g) {
			continue
		}
		if low, high := extremes(g[i:to], "latency.mean"); high > 1.5*low {
			best = g[i:to]
		}
	}
	return best
}

// extremes are the least and the largest value of a metric that all rows have.
func extremes(rows []*row, name string) (low, high float64) {
	for i, r := range rows {
		v := mustHave(r, name)[0]
		if i == 0 {
			low, high = v, v
		}
		low, high = min(low, v), max(high, v)
	}
	return low, high
}
