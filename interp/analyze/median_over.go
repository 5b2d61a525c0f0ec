package analyze

import (
	"cmp"
	"slices"

	"versus/dsl"
	"versus/stdlib/stats"
)

// A getter returns what stands for a metric of a cell, or why nothing does.
type getter = func(c *Cell, name string) (float64, string)

// MedianOver is what a value over several cells, or over a comparison, comes
// to when the median of all valid runs stands for each metric: a geometric
// mean of medians, or the formula of a comparison over medians. eval computes
// the value with the metrics that a getter gives it; it may be called from
// several goroutines at once.
//
// The interval is a percentile bootstrap over the runs of every cell that eval
// asks for (Efron 1979), and approximate.
func (r *Result) MedianOver(eval func(get getter) dsl.Outcome) Median {
	asked := &medians{at: map[medianOf]*runsOf{}}
	m := Median{Outcome: eval(asked.all)}
	if m.Outcome.Kind != dsl.IsNumber {
		m.NoInterval = "only a number has an interval"
		return m
	}
	fewest := 0
	if sizes := asked.sizes(); len(sizes) > 0 {
		fewest = slices.Min(sizes)
	}
	if fewest < minRuns {
		m.NoInterval = "too few runs for an interval"
		return m
	}
	values, err := stats.Bootstrap{Runs: asked.sizes(), Resamples: slowResamples, Seed: Seed}.Values(func() stats.Statistic {
		return func(times [][]int) float64 {
			o := eval(func(c *Cell, name string) (float64, string) { return asked.resampled(c, name, times) })
			if o.Kind != dsl.IsNumber {
				return nan
			}
			return o.Number
		}
	})
	var in stats.Interval
	if err == nil {
		in, err = stats.PercentileInterval(values, MedianConfidence)
	}
	if err != nil {
		m.NoInterval = err.Error()
	}
	m.Interval = Interval{in.Low, in.High}
	return m
}

// OverKept reports whether a value depends on a mean over kept runs that left
// some out: whether MedianOver would say something new.
func OverKept(eval func(get getter) dsl.Outcome) bool {
	selected := false
	eval(func(c *Cell, name string) (float64, string) {
		selected = selected || IsMean(name) && c.Selected()
		v := c.Metric(name)
		return v.Number, v.Missing
	})
	return selected
}

// medians remembers the run-level values that an evaluation asks for.
type medians struct {
	cells []*Cell // each once; their order is that of the sides of a resample
	at    map[medianOf]*runsOf
}

type medianOf struct {
	cell *Cell
	name string
}

// runsOf are the values of a metric in the runs of a cell.
type runsOf struct {
	side   int
	values []float64
	order  []int // runs, from the smallest value
	why    string
}

// all is the median of all runs.
func (m *medians) all(c *Cell, name string) (float64, string) {
	key := medianOf{c, name}
	r, ok := m.at[key]
	if !ok {
		r = &runsOf{side: slices.Index(m.cells, c)}
		if r.side < 0 {
			r.side = len(m.cells)
			m.cells = append(m.cells, c)
		}
		r.values, r.why = c.RunValues(name)
		for i := range r.values {
			r.order = append(r.order, i)
		}
		slices.SortStableFunc(r.order, func(a, b int) int { return cmp.Compare(r.values[a], r.values[b]) })
		m.at[key] = r
	}
	if r.why != "" {
		return 0, r.why
	}
	return r.median(once(len(r.values))), ""
}

func (m *medians) resampled(c *Cell, name string, times [][]int) (float64, string) {
	r := m.at[medianOf{c, name}]
	if r == nil || r.why != "" {
		return 0, name + " was not asked for before"
	}
	return r.median(times[r.side]), ""
}

func (m *medians) sizes() []int {
	var n []int
	for _, c := range m.cells {
		n = append(n, len(c.Valid))
	}
	return n
}

// median is the median of the runs, each counted times[run] times; there are
// as many in a resample as there are runs.
func (r *runsOf) median(times []int) float64 {
	n, seen := len(r.values), 0
	low := 0.0
	for _, run := range r.order {
		before := seen
		seen += times[run]
		if before <= (n-1)/2 && (n-1)/2 < seen {
			low = r.values[run]
		}
		if n/2 < seen {
			return (low + r.values[run]) / 2
		}
	}
	return nan
}
