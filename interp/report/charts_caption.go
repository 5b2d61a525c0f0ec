package report

import (
	"fmt"
	"slices"
	"strings"

	"versus/interp/analyze"
)

// caption says what is behind the points of a chart: runs, messages, hosts, how
// they were loaded, and in what order the runs were made.
func caption(cells []*analyze.Cell) []string {
	var valid, messages []float64
	var hosts, orders, datasets []string
	for _, c := range cells {
		valid = append(valid, float64(len(c.Valid)))
		if recorded(c) {
			datasets = oneMore(datasets, c.Plan.Test.Name)
			continue
		}
		if n, why := c.RunValues("samples.received"); why == "" {
			messages = append(messages, n...)
		}
		hosts = oneMore(hosts, host(c))
		if m := c.Plan.Test.Methodology; m != nil && len(c.Valid) > 1 {
			order := "runs " + m.Order
			if m.Order == "random" {
				order = fmt.Sprintf("runs in random order, seed %d", m.Seed)
			}
			orders = oneMore(orders, order)
		}
	}
	if len(valid) == 0 || slices.Max(valid) == 0 {
		return nil
	}
	text := between(valid, "valid run") + " a cell"
	if slices.Min(valid) == 1 && slices.Max(valid) == 1 {
		text = "One run a cell"
	}
	if len(messages) > 0 && slices.Max(messages) > 0 {
		text += ", " + between(messages, "message") + " each"
	}
	parts := []string{text}
	for _, list := range [][]string{loads(cells), hosts, orders} {
		if len(list) > 0 {
			parts = append(parts, strings.Join(list, " or "))
		}
	}
	out := []string{strings.Join(parts, "; ") + "."}
	if len(datasets) > 0 {
		out = append(out, "Recorded, not measured here: "+strings.Join(datasets, ", ")+".")
	}
	return out
}

// recorded says that the runs of a cell were read from a dataset.
func recorded(c *analyze.Cell) bool {
	return len(c.Valid) > 0 && len(c.Valid[0].Roles) == 0
}

// oneMore adds a text that is not in a list, up to a few.
func oneMore(list []string, s string) []string {
	const most = 4
	switch {
	case s == "" || slices.Contains(list, s) || len(list) > most:
		return list
	case len(list) == most:
		return append(list, "and others")
	}
	return append(list, s)
}

// between says how many there are, from the least to the most.
func between(counts []float64, noun string) string {
	if slices.Max(counts) > 1 {
		noun += "s"
	}
	return extremes(counts) + " " + noun
}

// extremes prints the least and the largest number.
func extremes(numbers []float64) string {
	low, high := fixed(slices.Min(numbers), 0), fixed(slices.Max(numbers), 0)
	if low == high {
		return low
	}
	return low + " to " + high
}

// loads say how the cells were loaded: closed loops, then open ones.
func loads(cells []*analyze.Cell) []string {
	var out []string
	for _, closed := range []bool{true, false} {
		var sides, rates []float64
		who := "caller"
		for _, c := range cells {
			w := c.Plan.Workload
			if recorded(c) || (w.Rate == 0) != closed {
				continue
			}
			if c.Plan.Test.Pattern == "pubsub" {
				who = "topic"
			}
			sides, rates = append(sides, float64(max(w.Concurrency, w.Topics))), append(rates, w.Rate)
		}
		switch {
		case len(sides) == 0:
		case closed:
			out = append(out, "closed loop, "+between(sides, who))
		default:
			out = append(out, fmt.Sprintf("open loop, %s at %s each", between(sides, who), extremes(rates)+"/s"))
		}
	}
	return out
}

// host says where the roles of a cell ran, if the scenario places them.
func host(c *analyze.Cell) string {
	var names []string
	for _, h := range c.Plan.Place {
		if h != nil {
			names = append(names, orElse(h.Title, h.Name))
		}
	}
	slices.Sort(names)
	names = slices.DeleteFunc(slices.Compact(names), func(s string) bool { return s == "" })
	if len(names) == 0 {
		return ""
	}
	return "on " + strings.Join(names, " and ")
}

// MeasuredOn says in the captions of charts on what machine their runs were made.
func (r *Report) MeasuredOn(machine string) {
	for _, c := range r.live {
		c.Notes = append(c.Notes, "Measured on "+machine+".")
	}
}

// isLive says whether a chart shows runs that were made for this result.
func isLive(cells []*analyze.Cell) bool {
	return slices.ContainsFunc(cells, func(c *analyze.Cell) bool { return len(c.Valid) > 0 && !recorded(c) })
}
