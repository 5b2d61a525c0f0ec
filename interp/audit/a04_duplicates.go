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

// duplicates looks for two values that rows share by writing down every two
// values of each row: that takes no longer where many rows are alike.
func (p *pass) duplicates(rows []*row) {
	values := make([][]string, len(rows))
	index := map[[2]string][]int{}
	var order [][2]string
	for i, r := range rows {
		values[i] = comparable(r)
		if len(values[i]) > 1 && i > 0 {
			p.saw(r)
		}
		for j, v := range values[i] {
			for _, w := range values[i][j+1:] {
				k := [2]string{v, w}
				if len(index[k]) == 1 {
					order = append(order, k)
				}
				index[k] = append(index[k], i)
			}
		}
	}
	reported := map[string]bool{}
	for _, k := range order {
		at := index[k]
		id := fmt.Sprint(at)
		if reported[id] {
			continue // said with another two values
		}
		reported[id] = true
		same := slices.Clone(values[at[0]])
		var alike []*row
		for _, i := range at {
			alike = append(alike, rows[i])
			same = slices.DeleteFunc(same, func(v string) bool { return !slices.Contains(values[i], v) })
		}
		who, what := "both", "one of the rows was not measured"
		if len(alike) > 2 {
			who, what = fmt.Sprintf("all %d", len(alike)), "only one of the rows can have been measured"
		}
		p.report(Error, alike, "%s have %s: %s.", who, strings.Join(shown(alike[0], same), ", "), what)
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
		out = append(out, fmt.Sprintf("%s = %s", name, quantityOf(name, x)))
	}
	return out
}

// quantityOf writes a value of a metric for people.
func quantityOf(name string, x float64) string {
	if strings.HasPrefix(name, "latency.") || name == "time_per_call" || strings.HasPrefix(name, "service_time.") {
		return span(x)
	}
	return num(x)
}
