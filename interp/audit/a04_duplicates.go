package audit

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

var a04 = &Check{
	ID: "A04", Title: "Duplicate measurements",
	What:      "Two configurations of a test share several measured values to the last digit. Measurements don't repeat like that: a row was copied, or one file was read twice.",
	Formula:   "At least 2 metrics with equal values, each other than 0 and with 3 significant digits or more. CPU and memory don't count, nor a metric that another one implies.",
	Tolerance: "Exact equality (12 significant digits): an error.",
	Source:    "AimRT's table of channel backends on one host: ros2 has 78.294 us and 601.76 us with 512 and with 2048 bytes.",
	Needs:     "it needs two rows with two metrics each, beyond CPU, memory and counts",
	run: func(p *pass) {
		for _, g := range groups(p.rows, func(r *row) string { return r.test }) {
			p.duplicates(g)
		}
	},
}

func (p *pass) duplicates(rows []*row) {
	type entry struct {
		row    *row
		values []string // "latency.max = 601.76 us"
	}
	type pair struct{ a, b int }
	var entries []entry
	index := map[string][]int{}
	shared := map[pair][]string{}
	var order []pair
	for _, r := range rows {
		e := entry{r, comparable(r)}
		at := len(entries)
		entries = append(entries, e)
		if len(e.values) > 1 && at > 0 {
			p.saw(r)
		}
		for _, v := range e.values {
			for _, other := range index[v] {
				k := pair{other, at}
				if len(shared[k]) == 0 {
					order = append(order, k)
				}
				shared[k] = append(shared[k], v)
			}
			if len(index[v]) < maxCompared {
				index[v] = append(index[v], at)
			}
		}
	}
	for _, k := range order {
		if same := shared[k]; len(same) > 1 {
			a, b := entries[k.a].row, entries[k.b].row
			p.report(Error, []*row{a, b}, "both have %s: one of the rows was not measured.", strings.Join(shown(a, same), ", "))
		}
	}
}

// measuredOnce are the metrics of a run of ours whose equality is no accident:
// they have nanoseconds or more digits.
var measuredOnce = []string{"latency.mean", "latency.max", "latency.stddev"}

// comparable lists the values of a row that must be its own, as NAME=VALUE.
func comparable(r *row) []string {
	names := measuredOnce
	if r.recorded {
		names = r.recordedMetrics()
	}
	var out []string
	for _, name := range names {
		switch root, _, _ := strings.Cut(name, "."); {
		case slices.Contains([]string{"cpu", "memory", "samples", "loss", "errors", "rate", "wire"}, root), name == "throughput.bytes",
			name == "time_per_call" && slices.Contains(names, "throughput.rate"):
			continue
		}
		if v, ok := r.has(name); ok && v[0] != 0 && significant(v[0]) >= 3 {
			out = append(out, name+"="+strconv.FormatFloat(v[0], 'g', 12, 64))
		}
	}
	return out
}

// shown writes shared values for people.
func shown(r *row, values []string) []string {
	var out []string
	for _, v := range values {
		name, _, _ := strings.Cut(v, "=")
		x := mustHave(r, name)[0]
		text := num(x)
		if strings.HasPrefix(name, "latency.") || name == "time_per_call" || strings.HasPrefix(name, "service_time.") {
			text = span(x)
		}
		out = append(out, fmt.Sprintf("%s = %s", name, text))
	}
	return out
}
