package replay

import (
	"maps"
	"math"
	"strings"
	"testing"

	"versus/drivers"
	"versus/stdlib/dataset"
)

// options is the block
//
//	backend "replay" "ice" {
//	  dataset = dataset.published
//	  metrics = { time_per_call = column("ice_s") }
//	  where   = { ... }
//	}
//
// as the language hands it over.
func options(where map[string]any) map[string]any {
	row := func(platform, test string, size float64, values ...any) map[string]any {
		r := map[string]any{"platform": platform, "test": test, "size": size, "note": "n"}
		for i, column := range []string{"ice_s", "tao_s"} {
			if i < len(values) {
				r[column] = values[i]
			}
		}
		return r
	}
	return map[string]any{
		"dataset": dataset.NewIndex("published", &dataset.Table{
			Columns: []string{"platform", "test", "size", "ice_s", "tao_s", "note", "empty"},
			Rows: []map[string]any{
				row("Linux", "Twoway", 512, 119.2e-6, 291.5e-6),
				row("Linux", "Oneway", 512, 31.32e-6),
				row("Windows", "Twoway", 512, 1e-3, 2e-3),
				row("Windows", "Twoway", 1024, 3e-3, 4e-3),
				row("Linux", "Batch", 512),
			},
		}),
		"metrics": map[string]any{
			"time_per_call": map[string]any{"column": "ice_s"},
			"latency.p99":   map[string]any{"column": "tao_s"},
		},
		"where": where,
	}
}

func TestRecorded(t *testing.T) {
	for _, c := range []struct {
		name  string
		axes  map[string]any
		where map[string]any
		run   int
		want  map[string]float64
	}{
		{"by two axes", map[string]any{"platform": "Linux", "test": "Twoway"}, nil, 0,
			map[string]float64{"time_per_call": 119.2e-6, "latency.p99": 291.5e-6}},
		{"a missing value is absent", map[string]any{"platform": "Linux", "test": "Oneway"}, nil, 0,
			map[string]float64{"time_per_call": 31.32e-6}},
		{"no values at all", map[string]any{"test": "Batch"}, nil, 0, map[string]float64{}},
		{"no row", map[string]any{"platform": "Linux", "test": "Document"}, nil, 0, map[string]float64{}},
		{"text exactly", map[string]any{"platform": "linux"}, nil, 0, map[string]float64{}},
		{"an axis without a column", map[string]any{"backend": "ice", "size": 1024.0}, nil, 0,
			map[string]float64{"time_per_call": 3e-3, "latency.p99": 4e-3}},
		{"a number as text", map[string]any{"size": "1024"}, nil, 0,
			map[string]float64{"time_per_call": 3e-3, "latency.p99": 4e-3}},
		{"first run", map[string]any{"platform": "Windows"}, nil, 0,
			map[string]float64{"time_per_call": 1e-3, "latency.p99": 2e-3}},
		{"second run", map[string]any{"platform": "Windows"}, nil, 1,
			map[string]float64{"time_per_call": 3e-3, "latency.p99": 4e-3}},
		{"more runs than rows", map[string]any{"platform": "Windows"}, nil, 2, map[string]float64{}},
		{"where", map[string]any{"platform": "Windows"}, map[string]any{"size": 1024.0}, 0,
			map[string]float64{"time_per_call": 3e-3, "latency.p99": 4e-3}},
		{"where before the axis", map[string]any{"platform": "Linux", "test": "Twoway"}, map[string]any{"platform": "Windows"}, 0,
			map[string]float64{"time_per_call": 1e-3, "latency.p99": 2e-3}},
		{"a backend by its name", map[string]any{"test": "Oneway"}, map[string]any{"platform": map[string]any{"name": "Linux", "title": "L"}}, 0,
			map[string]float64{"time_per_call": 31.32e-6}},
	} {
		got, err := recorded(drivers.Workload{Options: options(c.where), Axes: c.axes}, c.run)
		if err != nil || !maps.Equal(got, c.want) || got == nil {
			t.Errorf("%s: %v, %v; want %v", c.name, got, err, c.want)
		}
	}
}

func TestCheck(t *testing.T) {
	with := func(change func(options map[string]any)) map[string]any {
		o := options(nil)
		change(o)
		return o
	}
	linux := map[string]any{"platform": "Linux", "test": "Twoway"}
	for _, c := range []struct {
		name    string
		options map[string]any
		axes    map[string]any
		runs    int
		want    []string // in the error; none is accepted
	}{
		{"plain", options(nil), linux, 1, nil},
		{"more runs than rows", options(nil), linux, 10, nil},
		{"no row", options(nil), map[string]any{"test": "x"}, 1, nil},
		{"runs not known", options(nil), nil, 0, nil},
		{"an axis is missing", options(nil), map[string]any{"platform": "Windows"}, 1,
			[]string{"2 rows", "platform = Windows", "differ in size:", "repeat { runs = 2 }"}},
		{"as many rows as runs", options(nil), map[string]any{"platform": "Windows"}, 2, nil},
		{"no axes", options(nil), nil, 1, []string{"5 rows of the dataset match the cell", "platform, test, size"}},
		{"repeats", with(func(o map[string]any) {
			d := o["dataset"].(*dataset.Index)
			d.Rows = append(d.Rows, map[string]any{"platform": "Linux", "test": "Twoway", "size": 512.0, "note": "n", "ice_s": 1.0})
		}), linux, 1, []string{"write repeat { runs = 2 } if each row is a run"}},
		{"unknown metric", with(func(o map[string]any) { o["metrics"] = map[string]any{"speed": map[string]any{"column": "ice_s"}} }),
			linux, 1, []string{`no metric "speed"`, "time_per_call"}},
		{"unknown column", with(func(o map[string]any) { o["metrics"] = map[string]any{"setup": map[string]any{"column": "ice"}} }),
			linux, 1, []string{`metric "setup"`, `no column "ice"`, "ice_s, tao_s"}},
		{"not a column", with(func(o map[string]any) { o["metrics"] = map[string]any{"setup": 3.0} }),
			linux, 1, []string{`write setup = column("NAME")`}},
		{"no metrics", with(func(o map[string]any) { delete(o, "metrics") }), linux, 1, []string{"names no metric"}},
		{"no dataset", with(func(o map[string]any) { delete(o, "dataset") }), linux, 1, []string{"dataset.NAME"}},
		{"unknown column in where", options(map[string]any{"os": "x"}), linux, 1, []string{"where", `no column "os"`}},
		{"text for a metric", with(func(o map[string]any) { o["metrics"] = map[string]any{"setup": map[string]any{"column": "note"}} }),
			linux, 1, []string{`column "note" has n`, "not a finite number"}},
		{"infinite", with(func(o map[string]any) {
			o["dataset"].(*dataset.Index).Rows = []map[string]any{{"ice_s": math.Inf(1)}}
		}), nil, 1, []string{"not a finite number"}},
	} {
		err := Driver.Verify(drivers.Workload{Pattern: drivers.Replay, Options: c.options, Axes: c.axes, Runs: c.runs})
		if (err == nil) != (len(c.want) == 0) {
			t.Errorf("%s: error %v", c.name, err)
			continue
		}
		for _, text := range c.want {
			if !strings.Contains(err.Error(), text) {
				t.Errorf("%s: error %q does not say %q", c.name, err, text)
			}
		}
	}
}
