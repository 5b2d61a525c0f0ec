package audit

import "fmt"

var a05 = &Check{
	ID: "A05", Title: "Order of extremes, mean and percentiles",
	What:      "No time and no rate is below 0. A mean lies between the extremes, and percentiles rise with their rank. Where they don't, numbers of different runs stand in one row, or a counter wrapped.",
	Formula:   "0 <= min <= p50 <= p90 <= p99 <= max and min <= mean <= max.",
	Tolerance: "Exact, but for rounding errors of sums (1e-9): an error. A value that is no measurement in any unit (beyond 1e15, or other than 0 within 1e-15) is one too.",
	Source:    "By definition.",
	Needs:     "it needs two of the minimum, the mean, the percentiles and the maximum of latency",
	run: func(p *pass) {
		for _, r := range p.rows {
			names := []string{"latency.min"}
			for _, m := range r.quantiles() {
				names = append(names, m.Name)
			}
			p.possible(r, append(names, "latency.mean", "latency.max", "time_per_call", "throughput.rate"))
			p.rising(r, append(names, "latency.max"))
			p.rising(r, []string{"latency.min", "latency.mean", "latency.max"})
		}
	},
}

// possible reports numbers that are no measurement.
func (p *pass) possible(r *row, names []string) {
	for _, name := range names {
		v := r.cell.Metric(name)
		switch {
		case v.Missing != "":
		case !possible(v.Number):
			p.report(Error, []*row{r}, "%s = %s is no measurement in SI units.", name, num(v.Number))
		case v.Number < 0:
			p.report(Error, []*row{r}, "%s = %s is below 0.", name, num(v.Number))
		}
	}
}

// rising reports the first step down among the metrics that the row has.
func (p *pass) rising(r *row, names []string) {
	last, lastName := 0.0, ""
	for _, name := range names {
		v, ok := r.has(name)
		if !ok {
			continue
		}
		if lastName != "" {
			p.saw(r)
			if v[0] < last-1e-9*max(last, -last) {
				p.report(Error, []*row{r}, "%s", fmt.Sprintf("%s = %s is below %s = %s.", name, span(v[0]), lastName, span(last)))
				return
			}
		}
		last, lastName = v[0], name
	}
}
