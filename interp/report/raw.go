package report

import (
	"encoding/csv"
	"io"
	"slices"
	"strconv"

	"versus/dsl"
	"versus/interp/analyze"
)

// Printable makes text from outside safe to show: what is no visible character,
// or would turn the direction of text, becomes an escape.
func Printable(s string) string { return clean(s) }

// RunsCSV writes what each run says of the metrics that tables, charts and
// comparisons are computed from, in SI units: the numbers behind everything.
// Runs that don't count have their reason in place of numbers.
func RunsCSV(w io.Writer, res *analyze.Result) error {
	b := builder{res}
	metrics := b.metricsUsed()
	var axes []string
	for _, c := range res.Cells {
		for _, a := range c.Plan.Axes {
			if !slices.Contains(axes, a) {
				axes = append(axes, a)
			}
		}
	}
	out := csv.NewWriter(w)
	head := append([]string{"test"}, axes...)
	head = append(append(head, "latency_kind", "run", "status"), metrics...)
	for i := range head {
		head[i] = csvText(head[i])
	}
	if err := out.Write(head); err != nil {
		return err
	}
	for _, c := range res.Cells {
		if err := b.writeRuns(out, c, axes, metrics); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func (b builder) writeRuns(out *csv.Writer, c *analyze.Cell, axes, metrics []string) error {
	row := []string{csvText(c.Plan.Test.Name)}
	for _, a := range axes {
		text := ""
		if v, ok := c.Plan.Axis(a); ok {
			text = dsl.Label(v)
		}
		row = append(row, csvText(text))
	}
	row = append(row, string(c.Plan.LatencyKind()))
	row = row[:len(row):len(row)]
	for i, r := range c.Valid {
		line := append(row, strconv.Itoa(r.Run+1), "ok")
		for _, name := range metrics {
			text := "" // the run has no such value
			if v, why := c.RunValue(i, name); why == "" {
				text = number(&v)
			}
			line = append(line, text)
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}
	for _, x := range c.Invalid {
		if err := out.Write(append(append(row, strconv.Itoa(x.Run.Run+1), csvText("invalid: "+x.Why)), make([]string, len(metrics))...)); err != nil {
			return err
		}
	}
	for _, r := range slices.Concat(c.Failed, c.Skipped) {
		if err := out.Write(append(append(row, strconv.Itoa(r.Run+1), csvText(string(r.Status)+": "+r.Error)), make([]string, len(metrics))...)); err != nil {
			return err
		}
	}
	return nil
}

// metricsUsed are the metrics that the scenario's results are computed from, in
// the order of first use; without tables, the main ones.
func (b builder) metricsUsed() []string {
	var names []string
	add := func(es ...*dsl.Expr) {
		for _, e := range es {
			if e == nil {
				continue
			}
			for _, m := range e.Metrics {
				if !slices.Contains(names, m.Metric) {
					names = append(names, m.Metric)
				}
			}
		}
	}
	s := b.res.Scenario
	for _, t := range s.Tables {
		add(t.Cell)
		for _, f := range t.Fields {
			add(f.Value)
		}
	}
	for _, c := range s.Charts {
		add(c.X, c.Y, c.Value)
	}
	for _, c := range s.Comparisons {
		add(c.Value)
	}
	if len(s.Tables) == 0 {
		for _, m := range mainMetrics {
			if !slices.Contains(names, m.name) {
				names = append(names, m.name)
			}
		}
	}
	return names
}
