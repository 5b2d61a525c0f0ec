// Package replay is the driver for results that were measured elsewhere: it
// takes the values of each run from the rows of a dataset. It starts no
// process and computes nothing.
package replay

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"versus/drivers"
	"versus/dsl/schema"
	"versus/stdlib/dataset"
	"versus/stdlib/metric"
)

// Driver describes recorded results to the interpreter.
var Driver = drivers.Driver{
	Name: "replay",
	Doc:  "Results that were measured elsewhere, from a dataset.",
	Attrs: []schema.Attr{
		{
			Name: "dataset", Type: schema.DatasetRef, Required: true,
			Doc:     "The recorded results. A cell takes the rows whose columns named like an axis have the axis's value: numbers as numbers, text exactly. Each run takes the next of them; a cell without a row is N/A.",
			Example: "dataset.published",
		},
		{
			Name: "metrics", Type: schema.Map, Required: true,
			Doc:     "Which column has which metric, in the metric's SI unit.",
			Example: `{ time_per_call = column("ice_s"), "latency.mean" = column("mean_s") }`,
		},
		{
			Name: "where", Type: schema.Map,
			Doc:     "Values that columns must have, beyond the axes. A column named here is not compared with an axis.",
			Example: `{ backend = "iceoryx" }`,
		},
	},
	Patterns: []drivers.Pattern{drivers.Replay},
	Probe:    func(context.Context) drivers.Availability { return drivers.Availability{OK: true} },
	Check:    check,
	Recorded: recorded,
}

// source is a `backend "replay"` block.
type source struct {
	data    *dataset.Index
	metrics map[string]string // column by metric
	where   map[string]any
}

// read decodes the options. All its errors are about what the block says, not
// about one cell.
func read(options map[string]any) (source, error) {
	s := source{metrics: map[string]string{}}
	s.data, _ = options["dataset"].(*dataset.Index)
	if s.data == nil {
		return s, errors.New("dataset is not a dataset: write dataset = dataset.NAME")
	}
	s.where, _ = options["where"].(map[string]any)
	sources, _ := options["metrics"].(map[string]any)
	if len(sources) == 0 {
		return s, errors.New(`metrics names no metric: write metrics = { time_per_call = column("NAME") }`)
	}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		if _, ok := metric.Lookup(name); !ok {
			return s, fmt.Errorf("there is no metric %q; there are %s, and percentiles such as latency.p99", name, metricNames())
		}
		from, ok := sources[name].(map[string]any)
		column, isText := from["column"].(string)
		if !ok || !isText {
			return s, fmt.Errorf(`metric %q needs a column: write %s = column("NAME")`, name, name)
		}
		if err := s.knows(column); err != nil {
			return s, fmt.Errorf("metric %q: %w", name, err)
		}
		s.metrics[name] = column
	}
	for _, column := range slices.Sorted(maps.Keys(s.where)) {
		if err := s.knows(column); err != nil {
			return s, fmt.Errorf("where: %w", err)
		}
	}
	return s, nil
}

func (s source) knows(column string) error {
	if slices.Contains(s.data.Columns, column) {
		return nil
	}
	return fmt.Errorf("the dataset has no column %q; it has %s", column, strings.Join(s.data.Columns, ", "))
}

func metricNames() string {
	var names []string
	for _, m := range metric.All {
		names = append(names, m.Name)
	}
	return strings.Join(names, ", ")
}

// match returns the rows of a cell, in the order of the dataset.
func (s source) match(axes map[string]any) []map[string]any { return s.data.Find(s.wanted(axes)) }

// wanted returns the values that the columns of a row must have.
func (s source) wanted(axes map[string]any) map[string]any {
	want := map[string]any{}
	for axis, value := range axes {
		if slices.Contains(s.data.Columns, axis) {
			want[axis] = value
		}
	}
	for column, value := range s.where {
		if named, ok := value.(map[string]any); ok {
			value = named["name"] // a backend or host
		}
		want[column] = value
	}
	return want
}

func check(w drivers.Workload) error {
	s, err := read(w.Options)
	if err != nil {
		return err
	}
	rows := s.match(w.Axes)
	if w.Runs > 0 && len(rows) > w.Runs {
		return s.ambiguous(w, rows)
	}
	for run := range rows {
		if _, err := s.values(rows[run]); err != nil {
			return err
		}
	}
	return nil
}

// ambiguous says that a cell has more rows than runs, and what would tell the
// rows apart.
func (s source) ambiguous(w drivers.Workload, rows []map[string]any) error {
	want := s.wanted(w.Axes)
	var cell, differ []string
	for _, column := range s.data.Columns {
		if value, ok := want[column]; ok {
			cell = append(cell, fmt.Sprintf("%s = %v", column, value))
			continue
		}
		isMetric := slices.Contains(slices.Collect(maps.Values(s.metrics)), column)
		if !isMetric && slices.ContainsFunc(rows, func(r map[string]any) bool { return r[column] != rows[0][column] }) {
			differ = append(differ, column)
		}
	}
	which := "the cell"
	if len(cell) > 0 {
		which = strings.Join(cell, ", ")
	}
	text := fmt.Sprintf("%d rows of the dataset match %s, more than the %d of repeat { runs = %d }", len(rows), which, w.Runs, w.Runs)
	if len(differ) > 0 {
		return fmt.Errorf("%s; they differ in %s: make it an axis of the sweep or fix it with where, "+
			"or write repeat { runs = %d } if each row is a run", text, strings.Join(differ, ", "), len(rows))
	}
	return fmt.Errorf("%s: write repeat { runs = %d } if each row is a run", text, len(rows))
}

func recorded(w drivers.Workload, run int) (map[string]float64, error) {
	s, err := read(w.Options)
	if err != nil {
		return nil, err
	}
	rows := s.match(w.Axes)
	if run < 0 || run >= len(rows) {
		return map[string]float64{}, nil
	}
	return s.values(rows[run])
}

// values returns the metrics of one row; one that is not available is absent.
func (s source) values(row map[string]any) (map[string]float64, error) {
	values := map[string]float64{}
	for _, name := range slices.Sorted(maps.Keys(s.metrics)) {
		column := s.metrics[name]
		v := row[column]
		if v == nil || v == "" {
			continue
		}
		f, ok := dataset.Number(v)
		if !ok || math.IsInf(f, 0) || math.IsNaN(f) {
			return nil, fmt.Errorf("metric %q: column %q has %v, which is not a finite number", name, column, v)
		}
		values[name] = f
	}
	return values, nil
}
