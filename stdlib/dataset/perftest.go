package dataset

import (
	"bytes"
	"fmt"
	"math"
)

// perfWindow is one line of a perf_test log, in base units: about a second.
type perfWindow struct {
	at               place
	experiment, loop float64            // s: since the start, and of the window
	rates            map[string]float64 // 1/s and B/s: received_rate, ...
	latency          bool               // whether it has latencies
	min, max, mean   float64            // s
	stddev, m2       float64            // s; s², sum of squared deviations; NaN: not known
	n                float64            // messages behind the latencies, 0: not known
	usage            map[string]float64 // CPU, memory, faults
}

// perfRates are the columns of rates, in the order of the file.
var perfRates = []string{"received_rate", "sent_rate", "lost_rate", "received_bytes_rate"}

// perfUsage are the columns about the process.
var perfUsage = []string{"cpu_user", "cpu_system", "memory_peak", "faults_minor", "faults_major", "switches_voluntary", "switches_involuntary", "cpu_usage", "cpu_cores"}

// readPerfTest reads a log of Apex.AI's performance_test (perf_test -l), CSV
// of any version or JSON of 1.2 to 2.3.
//
// Each line of the log is a row of scope "window" (about a second); one of
// scope "total" over all windows comes first. The line whose interval began
// before the experiment (the tool starts its loop timer at the epoch, so that
// the first line counts next to nothing) has scope "startup" and is not in the
// total.
//
// Settings, the same in each row, as far as the file has them: id, version,
// communicator, topic, message, rate (1/s as asked for, 0: as fast as it
// goes), publishers, subscribers, reliability, durability, history_kind,
// history_depth, zero_copy, execution, max_runtime (s), roundtrip_mode, and
// latency_kind, which is "one-way", or "round-trip" where a relay answered
// (the full time, not halved).
//
// Results: t (s since the start), duration (s), received_rate, sent_rate,
// lost_rate (1/s), received_bytes_rate (B/s), loss_rate (lost to sent; absent
// in a process that sends nothing), latency_min, latency_max, latency_mean,
// latency_stddev (s), latency_count, cpu_user and cpu_system (s since the
// process began), memory_peak (B, of the process's whole life), faults_minor,
// faults_major, switches_voluntary, switches_involuntary, cpu_usage (a share
// of ALL cores, 0 to 1), cpu_cores.
//
// What the tool can't tell: rates are cut to whole numbers, so that one loss in
// a second may read 0; losses are gaps in the sequence, summed over subscribers
// while sends are not; there are no percentiles. The mean of the total weighs
// windows by their messages, which a CSV gives only to that precision. The
// variance that the CSV heads "(ms)" is s² times 1000, and the tool computes it
// in 64 bits of ns², which overflow where a window's latencies sum to more than
// 3.037 s: latency_stddev is then absent. Its clock is good on one host only.
func readPerfTest(src []byte, _ Options) (*Table, error) {
	src, err := text(src)
	if err != nil {
		return nil, err
	}
	var settings map[string]any
	var windows []perfWindow
	if start := bytes.TrimSpace(src); len(start) > 0 && start[0] == '{' {
		settings, windows, err = perfJSON(src)
	} else {
		settings, windows, err = perfCSV(src)
	}
	if err != nil {
		return nil, err
	}
	return perfTable(settings, windows)
}

// perfSettings are the columns of settings, in the order of the table.
var perfSettings = []string{"id", "version", "communicator", "topic", "message", "rate", "publishers", "subscribers", "reliability",
	"durability", "history_kind", "history_depth", "zero_copy", "execution", "max_runtime", "roundtrip_mode", "latency_kind"}

func perfTable(settings map[string]any, windows []perfWindow) (*Table, error) {
	switch settings["roundtrip_mode"] {
	case "None", "NONE":
		settings["latency_kind"] = "one-way"
	case "Main", "MAIN":
		settings["latency_kind"] = "round-trip"
	}
	s := newSheet("scope")
	for _, list := range [][]string{perfSettings, {"t", "duration"}, perfRates,
		{"loss_rate", "latency_count", "latency_min", "latency_max", "latency_mean", "latency_stddev"}, perfUsage} {
		for _, c := range list {
			s.column(c)
		}
	}
	add := func(scope string, w perfWindow) error {
		row, err := s.add(w.at)
		if err != nil {
			return err
		}
		s.set(row, "scope", scope)
		for _, c := range perfSettings {
			if v, ok := settings[c]; ok {
				s.set(row, c, v)
			}
		}
		w.write(s, row)
		return nil
	}
	measured, err := afterStartup(windows)
	if err != nil {
		return nil, err
	}
	if len(measured) > 0 {
		if err := add("total", perfTotal(measured)); err != nil {
			return nil, err
		}
	}
	for i, w := range windows {
		scope := "window"
		if i < len(windows)-len(measured) {
			scope = "startup"
		}
		if err := add(scope, w); err != nil {
			return nil, err
		}
	}
	return s.table()
}

// afterStartup checks the times of the windows and returns them without the
// first one, if that began before the experiment.
func afterStartup(windows []perfWindow) ([]perfWindow, error) {
	if len(windows) == 0 {
		return nil, &Error{Text: "the file has settings but no measurements; the experiment didn't run, or was ignored to its end"}
	}
	for i, w := range windows {
		if i > 0 && w.experiment <= windows[i-1].experiment {
			return nil, errorAt(w.at, "the time since the start, %g s, is not after that of the line before, %g s; one file holds one experiment",
				w.experiment, windows[i-1].experiment)
		}
		if i > 0 && beforeStart(w) {
			return nil, errorAt(w.at, "the window is %g s long, %g s after the start of the experiment", w.loop, w.experiment)
		}
	}
	if beforeStart(windows[0]) {
		return windows[1:], nil
	}
	return windows, nil
}

// beforeStart says that a window is longer than the experiment; times are
// printed from 32-bit floats.
func beforeStart(w perfWindow) bool { return w.loop > w.experiment*(1+1e-5)+1e-3 }

func (w perfWindow) write(s *sheet, row map[string]any) {
	s.set(row, "t", w.experiment)
	s.set(row, "duration", w.loop)
	for _, c := range perfRates {
		if v, ok := w.rates[c]; ok {
			s.set(row, c, v)
		}
	}
	if sent := w.rates["sent_rate"]; sent > 0 {
		s.set(row, "loss_rate", w.rates["lost_rate"]/sent)
	}
	if w.latency {
		s.set(row, "latency_min", w.min)
		s.set(row, "latency_max", w.max)
		if !math.IsNaN(w.mean) {
			s.set(row, "latency_mean", w.mean)
		}
		if !math.IsNaN(w.stddev) {
			s.set(row, "latency_stddev", w.stddev)
		}
		if w.n > 0 {
			s.set(row, "latency_count", w.n)
		}
	}
	for _, c := range perfUsage {
		if v, ok := w.usage[c]; ok {
			s.set(row, c, v)
		}
	}
}

// perfTotal merges windows. Moments are pooled (Chan, Golub, LeVeque 1983); of
// counters since the process began, the last counts.
func perfTotal(windows []perfWindow) perfWindow {
	last := windows[len(windows)-1]
	total := perfWindow{at: windows[0].at, experiment: last.experiment, rates: map[string]float64{},
		usage: map[string]float64{}, min: math.Inf(1), max: math.Inf(-1)}
	weight, m2 := 0.0, 0.0
	for _, w := range windows {
		total.loop += w.loop
		for c, rate := range w.rates {
			total.rates[c] += rate * w.loop
		}
		if !w.latency {
			continue
		}
		total.latency = true
		total.min, total.max = min(total.min, w.min), max(total.max, w.max)
		n := w.n
		if n == 0 {
			n = w.rates["received_rate"] * w.loop
			m2 = math.NaN()
		}
		if n == 0 { // latencies, but too few messages for the rate to show
			weight = math.NaN()
		}
		delta := w.mean - total.mean
		weight += n
		total.mean += delta * n / weight
		m2 += w.m2 + delta*delta*n*(weight-n)/weight
		total.n += w.n
	}
	for c := range total.rates {
		if total.loop > 0 {
			total.rates[c] /= total.loop
		} else {
			delete(total.rates, c)
		}
	}
	total.stddev = math.Sqrt(m2 / (weight - 1))
	if !math.IsNaN(m2) && weight == 1 {
		total.stddev = 0
	}
	usage, busy := last.usage, 0.0
	for c, v := range usage {
		total.usage[c] = v
	}
	delete(total.usage, "cpu_usage")
	for _, w := range windows {
		busy += w.usage["cpu_usage"] * w.loop
	}
	if _, ok := usage["cpu_usage"]; ok && total.loop > 0 {
		total.usage["cpu_usage"] = busy / total.loop
	}
	return total
}

// maxLatencySum is the sum of a window's latencies (s) from which on the
// tool's variance may have overflowed: its square in ns² is 2^63.
const maxLatencySum = 3.037

// setLatency checks the latencies of a window: how many (0: not known), their
// minimum, maximum and mean, and in s² their variance and the sum of their
// squared deviations.
func (w *perfWindow) setLatency(n, least, most, mean, variance, m2 float64) error {
	w.latency = true
	w.min, w.max, w.mean, w.n = least, most, mean, n
	w.stddev, w.m2 = math.NaN(), math.NaN()
	if slack := 1e-3 * most; least > mean+slack || mean > most+slack {
		return fmt.Errorf("the minimum, mean and maximum of the latency, %g, %g and %g s, are not in order", least, mean, most)
	}
	messages := n
	if messages == 0 {
		messages = (w.rates["received_rate"] + 1) * w.loop
	}
	if messages*mean > maxLatencySum {
		return nil // overflow
	}
	if variance < 0 || m2 < 0 {
		return fmt.Errorf("the variance of the latency is negative: %g s²", min(variance, m2))
	}
	w.stddev, w.m2 = math.Sqrt(variance), m2
	return nil
}
