package audit

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"versus/interp/analyze"
	"versus/stdlib/metric"
)

// row is a cell with what its test declares of the load.
type row struct {
	cell     *analyze.Cell
	recorded bool   // measured elsewhere
	test     string // name
	backend  string // title: blocks with one title are one system to the reader
	scope    string // tests with one group, on the same hosts, are comparable
	// What is declared; 0 is not. A rate of 0 is a closed loop, and the rate is
	// that of one topic or caller.
	size, topics, callers, rate, inFlight float64
	twoway                                bool
}

func newRow(c *analyze.Cell) *row {
	w, t := c.Plan.Workload, c.Plan.Test
	r := &row{
		cell: c, recorded: t.Pattern == "replay", test: t.Name, backend: c.Plan.Backend.Title,
		size: float64(w.Payload.Bytes), topics: float64(w.Topics), callers: float64(w.Concurrency),
		rate: w.Rate, inFlight: float64(w.InFlight), twoway: w.Call == "" || w.Call == "twoway",
	}
	if t.Pattern == "pubsub" {
		r.callers = 0 // a publisher each topic
	}
	if r.recorded && w.Payload.Kind == "" {
		r.size = 0
	}
	r.scope = t.Group
	if r.scope == "" {
		r.scope = t.Name
	}
	for _, role := range slices.Sorted(maps.Keys(c.Plan.Place)) {
		if h := c.Plan.Place[role]; h != nil {
			r.scope += "\x00" + role + "=" + h.Name
		}
	}
	return r
}

// possible says that a number in SI units can be a measurement. Other numbers
// are reported by A05, and no other check computes with them.
func possible(x float64) bool { return x == 0 || math.Abs(x) >= 1e-15 && math.Abs(x) <= 1e15 }

// has returns the values of metrics in the row; ok is false unless it has all.
func (r *row) has(names ...string) (values []float64, ok bool) {
	for _, name := range names {
		v := r.cell.Metric(name)
		if v.Missing != "" || !possible(v.Number) {
			return nil, false
		}
		values = append(values, v.Number)
	}
	return values, true
}

// latency is the mean latency, or where only that is known the time per call
// of one caller.
func (r *row) latency() (float64, bool) {
	if v, ok := r.has("latency.mean"); ok {
		return v[0], v[0] > 0
	}
	if v, ok := r.has("time_per_call"); ok && r.callers <= 1 {
		return v[0], v[0] > 0
	}
	return 0, false
}

// closed says that the row is a closed loop of round trips with known callers.
func (r *row) closed() bool { return r.callers > 0 && r.topics == 0 && r.rate == 0 && r.twoway }

// oneway says that latency is that of messages of topics.
func (r *row) oneway() bool { return r.topics > 0 }

// load is all messages offered a second, 0 if not known.
func (r *row) load() float64 { return r.rate * max(r.topics, r.callers) }

// recordedMetrics are the names of what a recorded row has, sorted.
func (r *row) recordedMetrics() []string {
	names := map[string]bool{}
	for _, run := range r.cell.Valid {
		for name := range run.Values {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// groups sorts rows into groups of equal keys, in the order of first
// appearance. Rows whose key is empty are in none.
func groups(rows []*row, key func(*row) string) [][]*row {
	index := map[string]int{}
	var out [][]*row
	for _, r := range rows {
		k := key(r)
		if k == "" {
			continue
		}
		at, ok := index[k]
		if !ok {
			at = len(out)
			index[k] = at
			out = append(out, nil)
		}
		out[at] = append(out[at], r)
	}
	return out
}

// series are the rows of a test that differ in nothing but what an argument of
// the test (payload, topics or concurrency) is computed from, in the order of
// its value x. Rows without latency or x are left out.
func (p *pass) series(argument string, x func(*row) float64) [][]*row {
	found := groups(p.rows, func(r *row) string {
		if _, ok := r.latency(); !ok || x(r) <= 0 {
			return ""
		}
		from := []string{argument}
		if e := r.cell.Plan.Test.Args[argument]; e != nil {
			from = append(from, e.Axes...)
		}
		key := []string{r.test, r.backend}
		for _, axis := range r.cell.Plan.Axes {
			if v, ok := r.cell.Plan.Axis(axis); ok && (axis == "backend" || !slices.Contains(from, axis)) {
				key = append(key, fmt.Sprintf("%s=%x", axis, v.Hash()))
			}
		}
		return strings.Join(key, "\x00")
	})
	var out [][]*row
	for _, s := range found {
		slices.SortStableFunc(s, func(a, b *row) int { return cmp.Compare(x(a), x(b)) })
		s = slices.CompactFunc(s, func(a, b *row) bool { return x(a) == x(b) })
		if len(s) > 1 {
			out = append(out, s)
		}
	}
	return out
}

func size(r *row) float64    { return r.size }
func topics(r *row) float64  { return r.topics }
func callers(r *row) float64 { return r.callers }

// dimension is a series by one thing that grows.
type dimension struct {
	argument, noun string // "payload", "payload"
	of             func(*row) float64
}

var (
	bySize = []dimension{{"payload", "payload", size}}
	byLoad = []dimension{{"topics", "number of topics", topics}, {"concurrency", "number of callers", callers}}
	byAny  = slices.Concat(bySize, byLoad)
)

// apart says that every run of one row is above every run of the other: with
// several runs, less is noise. Single runs are apart if they differ.
func apart(low, high *row) bool {
	for _, name := range []string{"latency.mean", "time_per_call"} {
		a, why := low.cell.RunValues(name)
		b, whyNot := high.cell.RunValues(name)
		if why == "" && whyNot == "" {
			return slices.Max(a) < slices.Min(b)
		}
	}
	return true
}

// quantiles are the percentiles of latency that a row can have, by rank.
func (r *row) quantiles() []metric.Metric {
	names := []string{"latency.p50", "latency.p90", "latency.p95", "latency.p99", "latency.p99_9"}
	if r.recorded {
		names = r.recordedMetrics()
	}
	var out []metric.Metric
	for _, name := range names {
		if m, ok := metric.Lookup(name); ok && m.Quantile > 0 && strings.HasPrefix(name, "latency.") {
			out = append(out, m)
		}
	}
	slices.SortFunc(out, func(a, b metric.Metric) int { return cmp.Compare(a.Quantile, b.Quantile) })
	return out
}
