package analyze

import (
	"math"
	"strings"

	"versus/stdlib/metric"
	"versus/stdlib/stats"
)

// InvalidValue is what a run says that a gate refused, so that it can be shown
// as such, or why it says nothing. It is in no number of the cell.
func (c *Cell) InvalidValue(x Invalid, name string) (float64, string) {
	m, ok := metric.Lookup(name)
	if !ok {
		return 0, "there is no metric " + name
	}
	d := &runData{run: x.Run, histograms: map[string]*histogram{}, window: newWindow(c.Plan.Test.Pattern, c.Plan.Workload.Payload.Bytes, x.Run)}
	p, why := d.value(m)
	return p.value, why
}

// Saturated says why the latencies of the cell are not those of the load that it
// names: the offered rate was missed, or the generator measured itself. Empty if
// nothing of that was seen.
func (c *Cell) Saturated() string {
	for _, r := range append(c.rateRemarks(), c.symptomRemarks()...) {
		if r.Warning {
			return r.What
		}
	}
	return ""
}

// Counts are the events behind a share, "loss.rate" or "errors.rate", over all
// valid runs: how many of how many. ok is false for other metrics, and where the
// numbers were recorded without what they were computed from.
func (c *Cell) Counts(name string) (events, of int64, ok bool) {
	m, known := metric.Lookup(name)
	if !known || m.Combine != metric.Pooled || len(c.runs) == 0 || !(strings.HasPrefix(name, "loss.") || strings.HasPrefix(name, "errors.")) {
		return 0, 0, false
	}
	for _, d := range c.runs {
		p, why := d.value(m)
		if why != "" || p.den < 1 {
			return 0, 0, false
		}
		events, of = events+int64(p.num), of+int64(p.den)
	}
	return events, of, true
}

// Trend is a drift of values over the order in which they were measured.
type Trend struct {
	// Slope is per value, by Theil (1950) and Sen (1968), in the unit of the values.
	Slope float64
	P     float64 // of Mann and Kendall, adjusted over all series (Holm)
}

// Trends tests series that are shown together. One without a drift, or too short
// to show it, has nil.
func Trends(series [][]float64) []*Trend {
	out := make([]*Trend, len(series))
	for i, d := range drifts(series) {
		if d != nil {
			out[i] = &Trend{Slope: d.slope * stats.Median(series[i]), P: d.p}
		}
	}
	return out
}

// Spread says how the values of runs lie.
type Spread struct {
	N      int
	Median float64
	// Interval is that of the median, exact; NoInterval says why there is none.
	Interval   Interval
	NoInterval string
	// Quartiles are by type 7, and Whiskers the values furthest out within 1.5
	// interquartile ranges of them (Tukey 1977). From MinBox values on.
	Quartiles, Whiskers *Interval
}

// MinBox is the number of values from which quartiles say something.
const MinBox = 10

// SpreadOf describes values of at least one run.
func SpreadOf(values []float64) Spread {
	s := Spread{N: len(values), Median: stats.Median(values)}
	in, err := stats.MedianInterval(values, MedianConfidence)
	if s.Interval = (Interval{in.Low, in.High}); err != nil {
		s.NoInterval = err.Error()
	}
	fences, err := stats.TukeyFences(values)
	if err != nil || len(values) < MinBox {
		return s
	}
	w := Interval{math.Inf(1), math.Inf(-1)}
	for _, v := range values {
		if v >= fences.InnerLow && v <= fences.InnerHigh {
			w = Interval{math.Min(w.Low, v), math.Max(w.High, v)}
		}
	}
	s.Quartiles, s.Whiskers = &Interval{fences.Q1, fences.Q3}, &w
	return s
}

// Course is how one run went along: the mean latency of each of its windows.
type Course struct {
	Run   int       // its number
	Means []float64 // seconds; NaN of a window without messages
	// Levels are its parts between change points (Barrett et al. 2017), none of a
	// run with too few windows to tell.
	Levels []Level
	Class  Steadiness
}

// Level is a part of a run, from window From up to To, not included, with its
// geometric mean in seconds, without outlying windows.
type Level struct {
	From, To int
	Mean     float64
}

// Courses are those of the valid runs that have windows.
func (c *Cell) Courses() []Course {
	var out []Course
	for _, d := range c.runs {
		windows := c.windowsOf(d)
		if len(windows) == 0 {
			continue
		}
		x := Course{Run: d.run.Run, Class: courseOf(windows).class}
		for _, w := range windows {
			mean := math.NaN()
			if w.Count > 0 {
				mean = float64(w.Sum) / float64(w.Count) / 1e9
			}
			x.Means = append(x.Means, mean)
		}
		at, logs := regular(windows)
		starts := segments(logs)
		for i, start := range starts {
			end, to := len(logs), len(windows)
			if i+1 < len(starts) {
				end, to = starts[i+1], at[starts[i+1]]
			}
			x.Levels = append(x.Levels, Level{at[start], to, math.Exp(stats.Mean(logs[start:end])) / 1e9})
		}
		out = append(out, x)
	}
	return out
}
