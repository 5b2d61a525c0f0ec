package dataset

import (
	"errors"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// absent marks a value that a row must not have.
type absent struct{}

// sample is a file of testdata and what some of its rows must hold.
type sample struct {
	file, format string
	opts         Options
	rows         int
	want         map[int]map[string]any
}

var samples = []sample{
	{"perf_test_2.3.csv", "perf_test", Options{}, 4, map[int]map[string]any{
		0: {"scope": "total", "communicator": "rclcpp-single-threaded-executor", "reliability": "RELIABLE", "history_depth": 16.0,
			"message": "Array1k", "rate": 1000.0, "zero_copy": "0", "latency_kind": "one-way",
			"duration": 2.000196, "received_rate": 666.0, "lost_rate": 3.0, "loss_rate": 3.0 / 999, "latency_min": 0.03e-3, "latency_max": 20.5e-3,
			// 999 messages of 0.05 ms and 333 of 9.25 ms
			"latency_mean": 2.35e-3, "latency_stddev": absent{}, "cpu_user": 0.15, "memory_peak": 24580 * 1024.0, "cpu_usage": 0.04},
		1: {"scope": "startup", "duration": 431077.4375, "loss_rate": absent{}},
		2: {"scope": "window", "t": 1.000103, "loss_rate": 0.0, "latency_mean": 0.05e-3, "latency_stddev": math.Sqrt(1e-9)},
		// 333 latencies of 9.25 ms sum to 3.08 s: the variance may have overflowed
		3: {"scope": "window", "received_rate": 333.0, "loss_rate": 6.0 / 999, "latency_mean": 9.25e-3, "latency_stddev": absent{}},
	}},
	{"perf_test_0.x.csv", "perf_test", Options{}, 3, map[int]map[string]any{
		0: {"scope": "total", "communicator": "FastRTPS", "version": absent{}, "subscribers": 1.0, "history_kind": "KEEP_ALL", "latency_kind": absent{},
			"received_rate": 50.0, "latency_mean": 0.4e-3, "loss_rate": absent{}},
		1: {"scope": "window", "latency_min": absent{}, "latency_mean": absent{}},
		2: {"scope": "window", "latency_max": 0.9e-3, "latency_stddev": 1e-3, "lost_rate": 1.0, "loss_rate": absent{}},
	}},
	{"perf_test_2.3.json", "perf_test", Options{}, 5, map[int]map[string]any{
		// 1 ms, 3 ms and 5 ms: mean 3 ms, standard deviation 2 ms
		0: {"scope": "total", "communicator": "iceoryx", "zero_copy": "true", "latency_kind": "round-trip", "duration": 3.0, "latency_count": 3.0,
			"latency_min": 0.001, "latency_mean": 0.003, "latency_max": 0.005, "latency_stddev": 0.002, "loss_rate": 0.25,
			"cpu_user": 2.5, "memory_peak": 4096 * 1024.0, "cpu_usage": 0.5 / 3, "cpu_cores": 8.0},
		1: {"scope": "startup"},
		3: {"scope": "window", "latency_count": 1.0, "latency_stddev": 0.0, "loss_rate": 0.5},
		4: {"scope": "window", "latency_count": absent{}, "latency_mean": absent{}},
	}},
	{"aimrt_0.10_rpc.csv", "aimrt", Options{}, 5, map[int]map[string]any{
		0: {"backend": "grpc", "role": "cli", "mode": "fixed-freq", "rate": 1000.0, "throughput": absent{}, "payload": 1024.0, "duration": 10.0,
			"error_rate": 0.0, "latency_min": 173.066e-6, "latency_p99_9": 370.214e-6, "cpu_max": 0.2, "cpu_mean": 0.18},
		3: {"backend": "ros2-besteffort", "error_rate": 0.0001},
		4: {"error_rate": 0.00015, "calls": 20000.0, "succeeded": 19997.0},
	}},
	{"aimrt_1.0_channel.csv", "aimrt", Options{}, 4, map[int]map[string]any{
		0: {"backend": "channel-tcp", "topics": 1.0, "sent": 10000.0, "loss_rate": 0.0, "latency_mean": 45.132e-6, "memory_max": 14.56640625 * (1 << 20)},
		2: {"backend": "channel-http", "loss_rate": 0.1425, "latency_max": 4.293378305},
	}},
	{"aimrt_1.0_channel.csv", "aimrt", Options{Loss: LossPercent}, 4, map[int]map[string]any{2: {"loss_rate": 0.001425}}},
	{"aimrt_1.0_channel.csv", "aimrt", Options{Loss: LossCounts}, 4, map[int]map[string]any{2: {"loss_rate": 0.1425}}},
	{"aimrt.log", "aimrt", Options{}, 2, map[int]map[string]any{
		0: {"plan": 0.0, "mode": "multi-topic", "topics": 4.0, "payload": 512.0, "loss_rate": 0.0005, "latency_mean": 35.5e-6, "error_rate": absent{}},
		1: {"plan": 1.0, "mode": "bench", "throughput": 16000.0, "error_rate": 0.0, "duration": 2.5, "topics": absent{}, "latency_p99_9": 500e-6},
	}},
	{"openmessaging.json", "openmessaging", Options{}, 3, map[int]map[string]any{
		0: {"scope": "total", "driver": "Kafka", "payload": 1024.0, "publish_rate": 50000.0, "publish_latency_mean": 3e-3, "publish_latency_p99_9": 20e-3,
			"publish_latency_p99_999": absent{}, "publish_delay_mean": 125e-6, "publish_delay_max": 7e-3, "end_to_end_latency_mean": 5.5e-3, "window": absent{}},
		1: {"scope": "window", "window": 1.0, "publish_rate": 50000.5, "publish_latency_p50": 2e-3, "publish_delay_p50": 90e-6,
			"end_to_end_latency_mean": absent{}, "backlog": 0.0},
		2: {"window": 2.0, "end_to_end_latency_max": 80e-3, "backlog": 10000.0},
	}},
	{"hyperfine.json", "hyperfine", Options{}, 5, map[int]map[string]any{
		0: {"scope": "run", "command": "sort -n big.txt", "run": 1.0, "time": 0.2, "exit_code": 0.0, "memory": 1048576.0, "parameter_threads": 1.0, "parameter_mode": "fast", "mean": absent{}},
		2: {"scope": "summary", "mean": 0.25, "stddev": 0.05, "user": 0.2, "parameter_threads": 1.0, "time": absent{}},
		3: {"scope": "run", "exit_code": absent{}, "memory": absent{}, "parameter_threads": absent{}},
		4: {"scope": "summary", "mean": 1.5, "stddev": absent{}},
	}},
	{"gobench.txt", "gobench", Options{}, 4, map[int]map[string]any{
		0: {"name": "Encode/codec=gzip/size=1024", "procs": 8.0, "codec": "gzip", "size": 1024.0, "goos": "linux", "pkg": "example.org/codec",
			"iterations": 10000.0, "s/op": 123456e-9, "B/s": 8.29e6, "B/op": 512.0, "allocs/op": 3.0},
		2: {"name": "Plain", "procs": absent{}, "p99-s": 1500e-9, "hits": 0.5, "codec": absent{}},
		3: {"name": "Plain", "procs": 4.0, "pkg": "example.org/other", "s/op": 0.3e-9},
	}},
	// The counts are those of HdrHistogram's own tests of these files; the log
	// itself says 2.802 ms of its first interval.
	{"jHiccup-2.0.6.logV1.hlog", "hdr", Options{Unit: "ns"}, 89, map[int]map[string]any{
		0: {"scope": "total", "tag": absent{}, "count": 65964.0, "start": absent{}},
		1: {"scope": "interval", "start": 0.133, "duration": 1.005, "count": 724.0, "latency_max": 0.002801663},
	}},
	{"tagged-Log.logV2.hlog", "hdr", Options{Unit: "us"}, 44, map[int]map[string]any{
		0: {"scope": "total", "tag": absent{}, "count": 16145.0},
		1: {"scope": "total", "tag": "A", "count": 16145.0},
		2: {"scope": "interval", "start": 0.127, "latency_max": 2.768895},
	}},
}

func read(t testing.TB, file string) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

func TestSamples(t *testing.T) {
	for _, s := range samples {
		// Line ends of Windows and a byte order mark change nothing.
		for _, src := range []string{read(t, s.file), "\xef\xbb\xbf" + strings.ReplaceAll(read(t, s.file), "\n", "\r\n")} {
			table, err := Read(s.format, []byte(src), s.opts)
			if err != nil {
				t.Errorf("%s: %v", s.file, err)
				continue
			}
			if len(table.Rows) != s.rows {
				t.Errorf("%s: %d rows, want %d", s.file, len(table.Rows), s.rows)
				continue
			}
			for i, want := range s.want {
				compare(t, s.file, i, table.Rows[i], want)
			}
		}
	}
}

func compare(t *testing.T, file string, i int, row, want map[string]any) {
	t.Helper()
	for column, value := range want {
		got, ok := row[column]
		switch value := value.(type) {
		case absent:
			if ok {
				t.Errorf("%s: row %d: %s = %v, want none", file, i, column, got)
			}
		case float64:
			x, isNumber := got.(float64)
			if !isNumber || math.Abs(x-value) > 1e-9*math.Abs(value) {
				t.Errorf("%s: row %d: %s = %v, want %v", file, i, column, got, value)
			}
		default:
			if got != value {
				t.Errorf("%s: row %d: %s = %v, want %v", file, i, column, got, value)
			}
		}
	}
}

// TestPlantedFaults changes one thing of a good file; the error must name it
// and its place.
func TestPlantedFaults(t *testing.T) {
	for _, c := range []struct{ file, format, old, new, want string }{
		{"perf_test_2.3.csv", "perf_test", "\t\t0.05,\t\t1e", "\t\t-0.05,\t\t1e", "line 19, column 69: latency_mean (ms) is negative: -0.05"},
		{"perf_test_2.3.csv", "perf_test", "\t\t0.04,", "\t\tinf,", `line 19, column 56: latency_min (ms): "inf" is not a finite number`},
		{"perf_test_2.3.csv", "perf_test", "\t\t1e-06,", "\t\t-nan,", `latency_variance (ms): "-nan" is not a finite number`},
		{"perf_test_2.3.csv", "perf_test", "\t\t1e-06,", "\t\t-1e-06,", "the variance of the latency is negative"},
		{"perf_test_2.3.csv", "perf_test", "\t\t0.2,\t\t0.05,", "\t\t0.2,\t\t0.5,", "are not in order"},
		{"perf_test_2.3.csv", "perf_test", "\t\t3010,\t\t5,\t\t4.5\n", "\t\t30", "line 20, column 1: this row has 26 values, and the header names 28 columns; the file is cut or mixed"},
		{"perf_test_2.3.csv", "perf_test", "2.000201,\t\t1.000098", "0.5,\t\t0.4", "one file holds one experiment"},
		{"perf_test_2.3.csv", "perf_test", "2.000201,\t\t1.000098", "2.000201,\t\t7.5", "line 20, column 1: the window is 7.5 s long, 2.000201 s after the start"},
		{"perf_test_2.3.csv", "perf_test", "Maximum runtime reached. Exiting.", "T_experiment,\tT_loop", "line 21, column 1: a second experiment begins here"},
		{"perf_test_2.3.csv", "perf_test", "\tlost,", "\tmissing,", `there is no column "lost"`},
		{"perf_test_2.3.csv", "perf_test", "T_experiment", "T_other", "no line begins with T_experiment"},
		{"perf_test_2.3.csv", "perf_test", "rate: 1000", "rate: fast", `line 5, column 1: Publishing rate: "fast" is not a number`},
		{"perf_test_2.3.json", "perf_test", `"latency_mean": 0.002`, `"latency_mean": NaN`, "line 9, column 112: a value that is not a finite number"},
		{"perf_test_2.3.json", "perf_test", `"latency_mean": 0.002`, `"latency_mean": -0.002`, "line 9, column 112: latency_mean is negative"},
		{"perf_test_2.3.json", "perf_test", `"latency_mean": 0.002`, `"latency_mean": 1e999`, "beyond the range of numbers"},
		{"perf_test_2.3.json", "perf_test", `"latency_mean": 0.002`, `"latency_mean": "2ms"`, "latency_mean must be a number"},
		{"perf_test_2.3.json", "perf_test", `"latency_mean": 0.002,`, ``, "a result has no latency_mean"},
		{"perf_test_2.3.json", "perf_test", `"rate": 100,`, `"rate": 100, "rate": 200,`, "the key \"rate\" is there twice"},
		{"perf_test_2.3.json", "perf_test", `analysis_results`, `results`, `no array "analysis_results"`},
		{"perf_test_2.3.json", "perf_test", " ]}\n", "", "line 17, column 1: the file ends in the middle"},
		{"perf_test_2.3.json", "perf_test", " ]}\n", " ]}{}", "there is more after the end"},
		{"aimrt_1.0_channel.csv", "aimrt", ",0.1425,", ",14.25,", "line 4, column 60: loss_rate: \"14.25\" is a percentage by sent and received, but \"0.10074285714285715\" in line 5 is a fraction; say what the column is"},
		{"aimrt_1.0_channel.csv", "aimrt", ",0.1425,", ",0.3,", `line 4, column 60: loss_rate: "0.3" is neither the percentage nor the fraction`},
		{"aimrt_1.0_channel.csv", "aimrt", ",0.1425,", ",NaN,", `"NaN" is not a finite number`},
		{"aimrt_1.0_channel.csv", "aimrt", ",85750,0.1425,", ",910540,-8.1054,", "loss_rate: -8.1054 is not from 0 to 1"},
		{"aimrt_1.0_channel.csv", "aimrt", "45.132", "-45.132", "line 2, column 74: latency_mean is negative"},
		{"aimrt_1.0_channel.csv", "aimrt", "45.132", "inf", `latency_mean: "inf" is not a finite number`},
		{"aimrt_1.0_channel.csv", "aimrt", "avg_latency(us)", "avg_latency", "doesn't say whether it is in us, ms or s"},
		{"aimrt_1.0_channel.csv", "aimrt", "avg_latency(us)", "average(us)", "there is no column of the average latency"},
		{"aimrt_1.0_channel.csv", "aimrt", "label,", "plugin,", ""},
		{"aimrt_1.0_channel.csv", "aimrt", "label,mode", "plugin,label", "are both the backend"},
		{"aimrt.log", "aimrt", "p99 latency: 63.9 us\n", "", ""},
		{"aimrt.log", "aimrt", "p999 latency: 410.25 us\n", "", "line 2, column 118: the report that begins here ends before its p999 latency"},
		{"aimrt.log", "aimrt", "recv count: 19990\n", "[warn] message lost\n", "ends before its p999 latency"},
		{"aimrt.log", "aimrt", "loss rate: 0.05 %", "loss rate: 7 %", `"7" is neither the percentage nor the fraction`},
		{"aimrt.log", "aimrt", "avg latency: 240 us", "avg latency: 0.24 ms", `"avg latency" is in "ms" here and was in "us" before`},
		{"aimrt.log", "aimrt", "avg latency: 35.5 us", "avg latency: nan us", `latency_mean: "nan" is not a finite number`},
		{"openmessaging.json", "openmessaging", "[ 50000.0, 49000.0 ]", "[ 50000.0 ]", "line 4, column 92: consumeRate has 1 value, and publishRate has 2; the file is damaged"},
		{"openmessaging.json", "openmessaging", "[ 2.5, 3.5 ]", "[ 2.5, -3.5 ]", "publishLatencyAvg is negative: -3.5"},
		{"openmessaging.json", "openmessaging", `"publishRate"`, `"rate"`, `there is no "publishRate"`},
		{"hyperfine.json", "hyperfine", "[0.2, 0.3]", "[0.2, -0.3]", "line 4, column 22: a time is negative: -0.3"},
		{"hyperfine.json", "hyperfine", "[0.2, 0.3]", "[0.2]", "there are 1 time and 2 exit_codes"},
		{"hyperfine.json", "hyperfine", `"results"`, `"other"`, `there is no "results"`},
		{"gobench.txt", "gobench", "123456 ns/op", "NaN ns/op", `line 4, column 62: "NaN" is not a finite number`},
		{"gobench.txt", "gobench", "0.3 ns/op", "0.3", "line 13, column 32: the result line ends in the middle"},
		{"gobench.txt", "gobench", "0.3 ns/op", "-0.3 ns/op", "a time or rate is negative"},
		{"gobench.txt", "gobench", "0.3 ns/op", "0.3 ns/op 4 ns/op", `already a value of "s/op"`},
		{"gobench.txt", "gobench", "10001", "1e999", `"1e999" is not a number of iterations`},
		{"gobench.txt", "gobench", "size=1024", "pkg=1024", `"pkg" in the name of the benchmark is already the name of another column`},
		{"tagged-Log.logV2.hlog", "hdr", "0.127,1.007,", "0.127,-1.007,", "line 5, column 7: the length is negative"},
		{"tagged-Log.logV2.hlog", "hdr", "0.127,1.007,2.769,", "0.127,1.007,", "this is not an interval of an HdrHistogram log"},
		{"tagged-Log.logV2.hlog", "hdr", "version 1.2", "version 1.01", "the log has the format 1.01"},
		{"tagged-Log.logV2.hlog", "hdr", "HISTFAAAAEV42pNp", "HISTFAAAAEV42pNq", "line 5, column 19: the histogram is damaged"},
		{"tagged-Log.logV2.hlog", "hdr", "HISTFAAAAEV42pNp", "HISTiQAAAEV42pNp", "the histogram has the encoding V0"},
		{"tagged-Log.logV2.hlog", "hdr", "HISTFAAAAEV42pNp", "DHISTAAAAEV42pNp", "the histogram is of floating-point numbers"},
		{"tagged-Log.logV2.hlog", "hdr", "HISTFAAAAEV42pNp", "42pNp", "the histogram is cut or not in base64"},
		{"tagged-Log.logV2.hlog", "hdr", "\"StartTimestamp\"", "#[StartTime: 1 (x)]\n\"StartTimestamp\"", "line 4, column 1: a second log begins here"},
	} {
		src := read(t, c.file)
		if !strings.Contains(src, c.old) {
			t.Fatalf("%s has no %q", c.file, c.old)
		}
		_, err := Read(c.format, []byte(strings.Replace(src, c.old, c.new, 1)), Options{Unit: "ns"})
		var e *Error
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, &e)) {
			t.Errorf("%s: %q for %q: error %v, want %q in it", c.file, c.new, c.old, err, c.want)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	deep := strings.Repeat("[", 100) + strings.Repeat("]", 100)
	for _, c := range []struct{ format, src, want string }{
		{"xml", "", `there is no format "xml"; there are aimrt, csv, gobench, hdr, hyperfine, openmessaging, perf_test`},
		{"hdr", "x", `write unit = "ns", "us", "ms" or "s"`},
		{"hyperfine", "", "the file is empty"},
		{"hyperfine", "{", "line 1, column 2: the file ends in the middle"},
		{"hyperfine", "{\n \"results\": x}", "line 2, column 13: this is not JSON"},
		{"hyperfine", `{"results": ` + deep + `}`, "nest more than 32 deep"},
		{"hyperfine", `[1]`, `there is no "results"`},
		{"hyperfine", `{"results": 3}`, "results must be an array"},
		{"openmessaging", "{}", `there is no "publishRate"`},
		{"perf_test", "", "no line begins with T_experiment"},
		{"perf_test", `{"analysis_results": []}`, "no measurements"},
		{"aimrt", "", "the file is empty"},
		{"aimrt", "a,b\n1,2\n", "there is no column of the average latency"},
		{"gobench", "PASS\n", "there is no result line"},
		{"gobench", "BenchmarkX 1 2 \xff", "line 1, column 16: byte 0xff is not UTF-8"},
		{"gobench", "BenchmarkX 1 2 \x00", "a zero byte"},
	} {
		_, err := Read(c.format, []byte(c.src), Options{})
		var e *Error
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, &e) {
			t.Errorf("%s %.30q: error %v, want %q in it", c.format, c.src, err, c.want)
		}
	}
	for format := range readers {
		if _, err := Read(format, make([]byte, MaxBytes+1), Options{Unit: "ns"}); err == nil || !strings.Contains(err.Error(), "64 MiB") {
			t.Errorf("%s: a file beyond the limit: %v", format, err)
		}
	}
}

// TestTruncated cuts every sample in many places: a cut file is refused or
// read, and never panics.
func TestTruncated(t *testing.T) {
	for _, s := range samples {
		src := read(t, s.file)
		for i := 0; i < len(src); i += 1 + len(src)/60 {
			sane(t, s.format, []byte(src[:i]), s.opts)
		}
	}
}

// sane reads a file and checks what holds for every table.
func sane(t *testing.T, format string, src []byte, opts Options) {
	t.Helper()
	table, err := Read(format, src, opts)
	if err != nil {
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s: error %v of type %T", format, err, err)
		}
		return
	}
	known := map[string]bool{}
	for _, c := range table.Columns {
		known[c] = true
	}
	for _, row := range table.Rows {
		for column, v := range row {
			x, isNumber := v.(float64)
			if _, isText := v.(string); !known[column] || !isText && !isNumber || math.IsNaN(x) || math.IsInf(x, 0) {
				t.Errorf("%s: %s = %v (%T), among the columns %v", format, column, v, v, table.Columns)
			}
		}
	}
}

func FuzzRead(f *testing.F) {
	formats := slices.Sorted(maps.Keys(readers))
	for _, s := range samples {
		src := read(f, s.file)
		f.Add(byte(slices.Index(formats, s.format)), []byte(src[:min(len(src), 3000)]), s.opts.Loss)
	}
	f.Fuzz(func(t *testing.T, format byte, src []byte, loss string) {
		sane(t, formats[int(format)%len(formats)], src, Options{Loss: loss, Unit: "ns"})
	})
}

func BenchmarkReadHdr(b *testing.B) {
	src := []byte(read(b, "jHiccup-2.0.6.logV1.hlog"))
	for b.Loop() {
		if _, err := Read("hdr", src, Options{Unit: "ns"}); err != nil {
			b.Fatal(err)
		}
	}
}
