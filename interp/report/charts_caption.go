package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"versus/interp/analyze"
)

// caption says what is behind the points of a chart: runs, messages, hosts, how
// they were loaded, and in what order the runs were made.
func caption(cells []*analyze.Cell) []string {
	var valid, messages []float64
	var loads, hosts, orders, datasets []string
	for _, c := range cells {
		valid = append(valid, float64(len(c.Valid)))
		if recorded(c) {
			datasets = oneMore(datasets, c.Plan.Test.Name)
			continue
		}
		if n, why := c.RunValues("samples.received"); why == "" {
			messages = append(messages, n...)
		}
		loads, hosts = oneMore(loads, load(c)), oneMore(hosts, host(c))
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
	for _, list := range [][]string{loads, hosts, orders} {
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
	low, high := slices.Min(counts), slices.Max(counts)
	switch {
	case low == high && low == 1:
		return "1 " + noun
	case low == high:
		return fixed(low, 0) + " " + noun + "s"
	}
	return fixed(low, 0) + " to " + fixed(high, 0) + " " + noun + "s"
}

// load says how a cell was loaded.
func load(c *analyze.Cell) string {
	w := c.Plan.Workload
	who := "caller"
	if c.Plan.Test.Pattern == "pubsub" {
		who = "topic"
	}
	n := fmt.Sprintf("%d %ss", max(w.Concurrency, w.Topics), who)
	if max(w.Concurrency, w.Topics) == 1 {
		n = "1 " + who
	}
	if w.Rate > 0 {
		return fmt.Sprintf("open loop, %s at %s/s each", n, fixed(math.Round(w.Rate), 0))
	}
	return "closed loop, " + n
}

// host says where the roles of a cell ran, if the scenario places them.
func host(c *analyze.Cell) string {
	var names []string
	for _, h := range c.Plan.Place {
		if h != nil {
			names = append(names, "on "+orElse(h.Title, h.Name))
		}
	}
	slices.Sort(names)
	return strings.Join(slices.DeleteFunc(slices.Compact(names), func(s string) bool { return s == "" }), " and ")
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
