package dataset

import (
	"bytes"
	"encoding/csv"
	"regexp"
	"strings"
)

// aimrtColumns are the quantities of AimRT's benchmark reports by the name
// that they have in one version or another, without unit, in lower case and
// with underscores.
var aimrtColumns = map[string]struct {
	column string
	unit   string // the only unit that the quantity has; "time" is told by the header
}{
	"plugin": {"backend", ""}, "label": {"backend", ""}, "role": {"role", ""}, "mode": {"mode", ""},
	"frequency": {"rate", "/s"}, "freq": {"rate", "/s"}, "qps": {"throughput", "/s"},
	"topic_number": {"topics", ""}, "parallel_number": {"parallel", ""}, "parallel": {"parallel", ""},
	"msg_size": {"payload", "B"}, "msg_count_per_topic": {"messages_per_topic", ""}, "msg_count_per_co": {"calls_per_caller", ""},
	"send_count": {"sent", ""}, "recv_count": {"received", ""}, "loss_rate": {"loss_rate", "share"},
	"total_count": {"calls", ""}, "correct_count": {"succeeded", ""}, "error_rate": {"error_rate", "share"},
	"total_time":  {"duration", "ms"},
	"min_latency": {"latency_min", "time"}, "max_latency": {"latency_max", "time"}, "avg_latency": {"latency_mean", "time"},
	"p90_latency": {"latency_p90", "time"}, "p99_latency": {"latency_p99", "time"}, "p999_latency": {"latency_p99_9", "time"},
	"avg_cpu_usage": {"cpu_mean", "percent"}, "max_cpu_usage": {"cpu_max", "percent"},
	"avg_cpu_all_runs": {"cpu_mean", "percent"}, "max_cpu_all_runs": {"cpu_max", "percent"},
	"avg_memory_all_runs": {"memory_mean", "MiB"}, "max_memory_all_runs": {"memory_max", "MiB"},
}

// aimrtNumbers are the columns that must hold numbers that are not negative.
var aimrtNumbers = map[string]bool{"topics": true, "parallel": true, "messages_per_topic": true,
	"calls_per_caller": true, "sent": true, "received": true, "calls": true, "succeeded": true}

// aimrtData is a report before its rates are understood.
type aimrtData struct {
	columns []string
	rows    [][]cell
	units   map[string]string // by column
	shares  []string          // loss_rate and error_rate, as far as there
}

// readAimRT reads AimRT's benchmark results: the log of a run, with its lines
// "Benchmark plan N completed, report:", or the CSV tables of AimRT 0.10 and
// 1.x. A row is a plan.
//
// Columns, as far as there: plan (its number in a log), backend, role, mode,
// rate (1/s, of each topic or caller), topics, parallel, payload (B),
// messages_per_topic, calls_per_caller, sent, received, calls, succeeded,
// duration (s), throughput (1/s, failed calls counted), loss_rate and
// error_rate (0 to 1), latency_min, latency_max, latency_mean, latency_p90,
// latency_p99, latency_p99_9 (s), cpu_mean and cpu_max (a share of one core, of
// the process and its children), memory_mean and memory_max (B, resident).
// Columns that AimRT doesn't have stay as they are.
//
// What the file can't show: a one-way latency of two hosts holds the offset of
// their clocks (negative ones are written as 0), and latencies are counted in
// 32 bits of nanoseconds, so that 4.3 s and more start again at 0.
func readAimRT(src []byte, opts Options) (*Table, error) {
	src, err := text(src)
	if err != nil {
		return nil, err
	}
	var data *aimrtData
	if reportLine.Match(src) {
		data, err = aimrtLog(src)
	} else {
		data, err = aimrtCSV(src)
	}
	if err != nil {
		return nil, err
	}
	if err := data.check(); err != nil {
		return nil, err
	}
	for _, share := range data.shares {
		if err := data.settle(share, opts.Loss); err != nil {
			return nil, err
		}
	}
	t := &Table{Columns: data.columns}
	return t, t.fill(data.rows, data.units)
}

func aimrtCSV(src []byte) (*aimrtData, error) {
	r := csv.NewReader(bytes.NewReader(src))
	r.FieldsPerRecord = -1
	r.ReuseRecord = true
	header, err := readHeader(r, Options{})
	if err != nil {
		return nil, err
	}
	a := &aimrtData{units: map[string]string{}}
	measured := false
	for i, written := range header {
		column, err := a.column(written, "", place{line: 1})
		if err != nil {
			return nil, err
		}
		for j, other := range a.columns {
			if other == column {
				return nil, errorAt(place{line: 1}, "columns %d and %d, %q and %q, are both the %s", j+1, i+1, header[j], written, column)
			}
		}
		a.columns = append(a.columns, column)
		measured = measured || column == "latency_mean"
	}
	if !measured {
		return nil, &Error{Line: 1, Text: "there is no column of the average latency; this is not a table of AimRT's benchmarks, nor a log with a line \"Benchmark plan 0 completed, report:\""}
	}
	a.rows, err = readRows(r, a.columns, Options{})
	return a, err
}

// aimrtName splits a name as AimRT writes it into the quantity and its unit:
// "min latency (us)", "min_latency_us", "loss_rate_%", "frequency(Hz)".
var aimrtName = regexp.MustCompile(`^(.*?)(?:\(([^()]*)\)|_(us|ms|ns|%|mb|hz))?$`)

// column returns our name of a column and notes its unit.
func (a *aimrtData) column(written, unit string, at place) (string, error) {
	name := strings.ToLower(strings.TrimSpace(written))
	if parts := aimrtName.FindStringSubmatch(name); parts != nil {
		name = strings.ReplaceAll(strings.TrimSpace(parts[1]), " ", "_")
		unit = strings.ToLower(unit + parts[2] + parts[3])
	}
	known, ok := aimrtColumns[name]
	if !ok {
		return strings.TrimSpace(written), nil
	}
	switch known.unit {
	case "":
	case "share":
		a.shares = append(a.shares, known.column)
	case "time":
		if unit != "us" && unit != "ms" && unit != "ns" && unit != "s" {
			return "", errorAt(at, "%q doesn't say whether it is in us, ms or s; name the unit in the header, as in %q", written, written+"(us)")
		}
		a.units[known.column] = unit
	default:
		if expected := aimrtUnits[known.unit]; unit != "" && !strings.Contains(expected, " "+unit+" ") {
			return "", errorAt(at, "%q has the unit %q, which AimRT never wrote for it", written, unit)
		}
		a.units[known.column] = known.unit
	}
	return known.column, nil
}

// aimrtUnits are the ways in which AimRT writes a unit. Its MB are those of
// psutil / 1024 / 1024.
var aimrtUnits = map[string]string{"/s": " hz ", "B": " byte bytes ", "ms": " ms ", "percent": " % ", "MiB": " mb "}

// check refuses what can't have been measured.
func (a *aimrtData) check() error {
	for c, name := range a.columns {
		_, unit := a.units[name]
		if !unit && !aimrtNumbers[name] {
			continue
		}
		for i := range a.rows {
			v := a.rows[i][c]
			if !v.ok {
				continue
			}
			if !decimal.MatchString(v.text) {
				return errorAt(v.at, "%s: %.40q is not a finite number", name, v.text)
			}
			if strings.HasPrefix(v.text, "-") {
				return errorAt(v.at, "%s is negative: %.40s", name, v.text)
			}
		}
	}
	return nil
}
