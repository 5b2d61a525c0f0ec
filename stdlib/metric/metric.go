// Package metric is the one list of what a run can measure: name, unit, which
// direction is better, and how the number of a cell comes from its runs.
//
// It is a leaf and computes nothing: packages interp/analyze and drivers do.
package metric

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// Direction says which of two values is better.
type Direction int

// The directions.
const (
	Lower Direction = iota
	Higher
	Neither // a count or a setting, not a quality
)

// Combine says how the value of a cell comes from the values of its runs.
type Combine int

// The ways to combine runs.
const (
	// MeanOfKept is the arithmetic mean over the runs that the keep rule kept.
	MeanOfKept Combine = iota
	// Merged reads the histograms of all valid runs, merged (never averaged).
	Merged
	// MaxOfAll, MinOfAll and SumOfAll range over all valid runs.
	MaxOfAll
	MinOfAll
	SumOfAll
	// Pooled divides the sum of one count by the sum of another over all
	// valid runs: losses by messages sent.
	Pooled
)

// Metric describes one measured quantity.
type Metric struct {
	Name    string // as in a scenario: "latency.p99"
	Unit    string // SI: "s", "1/s", "B", "B/s", "" for counts and ratios
	Better  Direction
	Combine Combine
	Doc     string
	// Quantile is p for the percentile p of a distribution (0.99 for p99), else 0.
	Quantile float64
}

// Distributions are the metrics measured once a message, recorded as histograms.
var Distributions = []string{"latency", "service_time"}

// Distribution is the one that the metric is about, "" if none.
func (m Metric) Distribution() string {
	head, _, _ := strings.Cut(m.Name, ".")
	if slices.Contains(Distributions, head) {
		return head
	}
	return ""
}

// All lists every metric but the families that Lookup also knows: percentiles
// (DISTRIBUTION.pNN), cpu.ROLE, memory.ROLE and errors.KIND.
var All = build()

func build() []Metric {
	var ms []Metric
	add := func(name, unit string, b Direction, c Combine, doc string) {
		ms = append(ms, Metric{Name: name, Unit: unit, Better: b, Combine: c, Doc: doc})
	}
	for _, d := range []struct{ name, doc string }{
		{"latency", "Time from when a message was due (open loop) or sent (closed loop) until it was answered or received"},
		{"service_time", "Time from the actual send until the answer, whatever the schedule said"},
	} {
		add(d.name+".mean", "s", Lower, MeanOfKept, d.doc+": arithmetic mean, exact (not from buckets).")
		add(d.name+".min", "s", Lower, MinOfAll, d.doc+": minimum.")
		add(d.name+".max", "s", Lower, MaxOfAll, d.doc+": maximum.")
		add(d.name+".stddev", "s", Lower, Merged, d.doc+": standard deviation over messages.")
	}
	add("time_per_call", "s", Lower, MeanOfKept, "Duration of the measurement window divided by the calls completed in it.")
	add("throughput.rate", "1/s", Higher, MeanOfKept, "Calls or messages completed per second.")
	add("throughput.bytes", "B/s", Higher, MeanOfKept, "Payload bytes completed per second, one direction.")
	add("rate.offered", "1/s", Neither, MeanOfKept, "Calls or messages per second that the schedule asked for; only in an open loop.")
	add("rate.achieved", "1/s", Higher, MeanOfKept, "Calls or messages per second that were sent.")
	add("rate.late", "", Neither, SumOfAll, "Sends that began more than one period late.")
	add("samples.sent", "", Neither, SumOfAll, "Messages sent in the window.")
	add("samples.received", "", Neither, SumOfAll, "Messages answered or received.")
	add("samples.lost", "", Lower, SumOfAll, "Messages that never arrived, from gaps in the sequence.")
	add("samples.duplicated", "", Lower, SumOfAll, "Messages that arrived again.")
	add("samples.reordered", "", Lower, SumOfAll, "Messages that arrived after a later one.")
	add("loss.rate", "", Lower, Pooled, "Lost messages as a share of those sent.")
	add("errors.count", "", Lower, SumOfAll, "Calls that failed.")
	add("errors.rate", "", Lower, Pooled, "Failed calls as a share of those sent.")
	add("cpu.user", "s", Lower, MeanOfKept, "CPU seconds in user mode over the window, all roles together.")
	add("cpu.system", "s", Lower, MeanOfKept, "CPU seconds in the kernel over the window, all roles together.")
	add("memory.peak", "B", Lower, MaxOfAll, "Largest resident set of any role in the window.")
	add("wire.bytes", "B", Lower, MeanOfKept, "Bytes on the wire in the window, where the driver can tell.")
	add("setup", "s", Lower, MeanOfKept, "Time from starting the processes until every role was ready.")
	return ms
}

// Lookup returns the metric called name. Beside those in All it knows
// percentiles ("latency.p99", "latency.p99_9" for p99.9), "cpu.ROLE",
// "memory.ROLE" and "errors.KIND" for any role and kind.
func Lookup(name string) (Metric, bool) {
	for _, m := range All {
		if m.Name == name {
			return m, true
		}
	}
	head, tail, ok := strings.Cut(name, ".")
	if !ok || tail == "" || strings.Contains(tail, ".") {
		return Metric{}, false
	}
	switch head {
	case "latency", "service_time":
		if p, ok := Percentile(tail); ok {
			return QuantileOf(head, p), true
		}
	case "cpu":
		return Metric{Name: name, Better: Lower, Combine: MeanOfKept,
			Doc: "CPU time of the role over the window, as a share of one core."}, true
	case "memory":
		return Metric{Name: name, Unit: "B", Better: Lower, Combine: MaxOfAll,
			Doc: "Peak resident set of the role in the window."}, true
	case "errors":
		return Metric{Name: name, Better: Lower, Combine: SumOfAll,
			Doc: "Calls that failed in this way."}, true
	}
	return Metric{}, false
}

// QuantileOf returns the metric for quantile p, 0 < p <= 1, of a distribution.
func QuantileOf(distribution string, p float64) Metric {
	text := strings.Replace(strconv.FormatFloat(math.Round(p*1e12)/1e10, 'f', -1, 64), ".", "_", 1)
	return Metric{Name: distribution + ".p" + text, Unit: "s", Better: Lower, Combine: Merged, Quantile: p,
		Doc: "Percentile by nearest rank, from the merged histograms of all valid runs."}
}

// Percentile reads "p50", "p99" or "p99_9" and returns 0.5, 0.99 or 0.999.
func Percentile(name string) (p float64, ok bool) {
	digits, ok := strings.CutPrefix(name, "p")
	if !ok || digits == "" || digits[0] < '0' || digits[0] > '9' || len(digits) > 12 {
		return 0, false
	}
	v, err := strconv.ParseFloat(strings.Replace(digits, "_", ".", 1), 64)
	if err != nil || v <= 0 || v > 100 {
		return 0, false
	}
	return math.Round(v*1e10) / 1e12, true
}
