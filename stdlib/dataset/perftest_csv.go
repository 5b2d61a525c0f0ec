package dataset

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"strings"

	"versus/stdlib/units"
)

// perfCSVSettings are the settings above the table, by their name in one
// version or another, in lower case.
var perfCSVSettings = map[string]string{
	"experiment id": "id", "performance test version": "version", "communicator": "communicator",
	"communication mean": "communicator", "topic name": "topic", "msg name": "message", "message type": "message",
	"publishing rate": "rate", "number of publishers": "publishers", "number of subscribers": "subscribers",
	"zero copy transfer": "zero_copy", "execution strategy": "execution", "maximum runtime (sec)": "max_runtime",
	"roundtrip mode": "roundtrip_mode", "reliability": "reliability", "durability": "durability",
	"history kind": "history_kind", "history depth": "history_depth",
}

// perfNumbers are the settings that are numbers.
var perfNumbers = map[string]bool{"rate": true, "publishers": true, "subscribers": true, "history_depth": true, "max_runtime": true}

// perfCSVColumns says what the columns of the table are; others (loop
// reserves, resources that Linux doesn't count) are not read.
var perfCSVColumns = map[string]struct{ column, unit string }{
	"T_experiment": {"t", "s"}, "T_loop": {"duration", "s"}, "received": {"received_rate", "/s"},
	"sent": {"sent_rate", "/s"}, "lost": {"lost_rate", "/s"}, "data_received": {"received_bytes_rate", ""},
	"latency_min (ms)": {"min", "ms"}, "latency_max (ms)": {"max", "ms"}, "latency_mean (ms)": {"mean", "ms"},
	"latency_variance (ms)": {"variance", "ms"}, // really s² * 1000
	"ru_utime":              {"cpu_user", "s"}, "ru_stime": {"cpu_system", "s"}, "ru_maxrss": {"memory_peak", "KiB"},
	"ru_minflt": {"faults_minor", ""}, "ru_majflt": {"faults_major", ""}, "ru_nvcsw": {"switches_voluntary", ""},
	"ru_nivcsw": {"switches_involuntary", ""}, "cpu_usage (%)": {"cpu_usage", "percent"},
}

// perfEnd is what the tool prints after the table, where its output was kept.
const perfEnd = "Maximum runtime reached. Exiting."

func perfCSV(src []byte) (map[string]any, []perfWindow, error) {
	settings := map[string]any{}
	var header []string
	var windows []perfWindow
	for i, line := range bytes.Split(src, []byte("\n")) {
		l := strings.TrimRight(string(line), " \t\r")
		n := i + 1
		switch {
		case strings.HasPrefix(l, "T_experiment"):
			if header != nil {
				return nil, nil, errorAt(place{n, 1}, "a second experiment begins here; one file holds one experiment")
			}
			var err error
			if header, err = perfHeader(l, n); err != nil {
				return nil, nil, err
			}
		case header == nil:
			if err := perfSetting(settings, l, n); err != nil {
				return nil, nil, err
			}
		case l == "" || l == perfEnd:
		default:
			if len(windows) == MaxRows-1 {
				return nil, nil, errorAt(place{n, 1}, "the file has more than %d rows", MaxRows)
			}
			w, err := perfRow(header, l, n)
			if err != nil {
				return nil, nil, err
			}
			windows = append(windows, w)
		}
	}
	if header == nil {
		return nil, nil, &Error{Text: "no line begins with T_experiment; this is not a log of perf_test, or it ends before the table"}
	}
	return settings, windows, nil
}

// perfCells splits a line of the table. Older versions end it with a comma.
func perfCells(line string, n int) []cell {
	var cells []cell
	at := 0
	for _, text := range strings.Split(line, ",") {
		start := at + len(text) - len(strings.TrimLeft(text, " \t"))
		cells = append(cells, cell{strings.TrimSpace(text), place{n, start + 1}, true})
		at += len(text) + 1
	}
	if cells[len(cells)-1].text == "" {
		cells = cells[:len(cells)-1]
	}
	return cells
}

func perfHeader(line string, n int) ([]string, error) {
	var header []string
	seen := map[string]bool{}
	for _, c := range perfCells(line, n) {
		if seen[c.text] {
			return nil, errorAt(c.at, "there are two columns %.40q", c.text)
		}
		seen[c.text] = true
		header = append(header, c.text)
	}
	if len(header) > MaxColumns {
		return nil, errorAt(place{n, 1}, "there are %d columns; the limit is %d", len(header), MaxColumns)
	}
	for _, need := range []string{"T_experiment", "T_loop", "received", "sent", "lost", "data_received",
		"latency_min (ms)", "latency_max (ms)", "latency_mean (ms)", "latency_variance (ms)"} {
		if !seen[need] {
			return nil, errorAt(place{n, 1}, "there is no column %q; the header is cut or not of perf_test", need)
		}
	}
	return header, nil
}

// qosPart finds the parts of "QOS: Reliability: RELIABLE Durability: VOLATILE
// History kind: KEEP_LAST History depth: 16 Sync. pub/sub: ASYNC".
var qosPart = regexp.MustCompile(`(Reliability|Durability|History kind|History depth): *(\S+)`)

// perfSetting reads a line above the table; what it doesn't know it leaves.
func perfSetting(settings map[string]any, line string, n int) error {
	for _, m := range qosPart.FindAllStringSubmatch(line, -1) {
		if err := setPerf(settings, m[1], m[2], n); err != nil {
			return err
		}
	}
	name, value, ok := strings.Cut(line, ":")
	if !ok || strings.HasPrefix(line, "QOS") {
		return nil
	}
	return setPerf(settings, name, value, n)
}

func setPerf(settings map[string]any, name, value string, n int) error {
	column := perfCSVSettings[strings.ToLower(strings.TrimSpace(name))]
	value = strings.TrimSpace(value)
	if column == "" || value == "" {
		return nil
	}
	if !perfNumbers[column] {
		settings[column] = strings.Trim(value, `"`)
		return nil
	}
	v, err := strconv.ParseFloat(value, 64)
	if !decimal.MatchString(value) || err != nil || v < 0 {
		return errorAt(place{n, 1}, "%s: %.40q is not a number from 0 on", name, value)
	}
	settings[column] = v
	return nil
}

func perfRow(header []string, line string, n int) (perfWindow, error) {
	w := perfWindow{at: place{n, 1}, rates: map[string]float64{}, usage: map[string]float64{}}
	cells := perfCells(line, n)
	if len(cells) != len(header) {
		return w, errorAt(w.at, "this row has %s, and the header names %s; the file is cut or mixed",
			count(len(cells), "value"), count(len(header), "column"))
	}
	latency := map[string]cell{}
	for i, c := range cells {
		known, ok := perfCSVColumns[header[i]]
		if !ok {
			continue
		}
		switch known.column {
		case "min", "max", "mean", "variance":
			latency[known.column] = c
			continue
		}
		x, err := perfAmount(c, header[i], known.unit)
		if err != nil {
			return w, err
		}
		switch known.column {
		case "t":
			w.experiment = x
		case "duration":
			w.loop = x
		case "received_rate", "sent_rate", "lost_rate", "received_bytes_rate":
			w.rates[known.column] = x
		default:
			w.usage[known.column] = x
		}
	}
	if w.rates["received_rate"] == 0 && w.rates["received_bytes_rate"] == 0 {
		return w, nil // nothing came: whatever stands there is no latency
	}
	return w, w.csvLatency(latency)
}

func (w *perfWindow) csvLatency(cells map[string]cell) error {
	var values [3]float64
	for i, name := range []string{"min", "max", "mean"} {
		var err error
		if values[i], err = perfAmount(cells[name], "latency_"+name+" (ms)", "ms"); err != nil {
			return err
		}
	}
	c := cells["variance"]
	variance := math.NaN()
	if decimal.MatchString(c.text) {
		if v, err := strconv.ParseFloat(c.text, 64); err == nil {
			variance = v / 1000
		}
	}
	if math.IsNaN(variance) && !(notFinite.MatchString(c.text) && w.rates["received_rate"] <= 1) { // one message has none
		return errorAt(c.at, "latency_variance (ms): %.40q is not a finite number", c.text)
	}
	if err := w.setLatency(0, values[0], values[1], values[2], variance, math.NaN()); err != nil {
		return errorAt(cells["mean"].at, "%v", err)
	}
	return nil
}

func perfAmount(c cell, name, unit string) (float64, error) {
	if !decimal.MatchString(c.text) {
		return 0, errorAt(c.at, "%s: %.40q is not a finite number", name, c.text)
	}
	x, err := strconv.ParseFloat(c.text, 64)
	if err == nil && unit != "" {
		x, err = units.Convert(x, unit)
	}
	if err != nil || math.IsInf(x, 0) {
		return 0, errorAt(c.at, "%s: %.40s is beyond the range of numbers", name, c.text)
	}
	if x < 0 {
		return 0, errorAt(c.at, "%s is negative: %.40s", name, c.text)
	}
	return x, nil
}
