package report

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"versus/interp/journal"
	"versus/interp/report/chart"
)

const measuredCharts = `
chart "over_size" {
  x      = each.payload
  y      = time_per_call * 1e6
  series = each.backend
  x_axis { scale = "log2" }
}
chart "over_backend" {
  x      = each.backend
  y      = latency.max * 1e6
  series = each.payload
}
chart "percentiles" {
  kind   = "percentiles"
  series = each.backend
  where  = each.payload == "512B"
}
chart "ecdf" {
  kind   = "ecdf"
  y      = service_time
  series = each.backend
}
chart "runs" {
  kind   = "runs"
  y      = time_per_call * 1e6
  series = each.backend
}
chart "speedup" {
  kind   = "speedup"
  x      = each.payload
  y      = comparison.vs_grpc
  series = each.backend
}
chart "map" {
  kind  = "heatmap"
  x     = each.payload
  y     = each.backend
  value = comparison.vs_grpc
}
`

// charts builds the charts of made-up runs, the first of which failed.
func charts(t *testing.T, blocks string) map[string]*chart.Chart {
	t.Helper()
	s, p := planned(t, measuredHead+blocks)
	runs := measured(t, p)
	runs[0].Status, runs[0].Error, runs[0].Roles = journal.Failed, "exit status 2", nil
	out := map[string]*chart.Chart{}
	for _, c := range built(t, s, p, runs).Charts {
		out[c.Name] = c
	}
	return out
}

func seriesNames(c *chart.Chart) string {
	var names []string
	for _, s := range c.Series {
		names = append(names, s.Name)
	}
	return strings.Join(names, " ")
}

func TestValueChart(t *testing.T) {
	c := charts(t, measuredCharts)["over_size"]
	if got := seriesNames(c); got != "grpc http mqtt" {
		t.Errorf("series %s are not in the order of the plan", got)
	}
	if c.X.Scale != chart.Log2 || len(c.X.Ticks) != 2 || c.X.Ticks[1] != (chart.Tick{At: 8192, Text: "8KiB"}) {
		t.Errorf("sizes are numbers: %+v", c.X)
	}
	grpc, http := c.Series[0].Points[0], c.Series[1].Points[0]
	if grpc.Low != nil { // five runs are too few
		t.Errorf("an interval of five runs: %+v", grpc)
	}
	if http.Low == nil || *http.Low >= http.Y || *http.High <= http.Y || !strings.HasPrefix(http.Text, "http, 512B: ") {
		t.Errorf("%+v", http)
	}
	if want := []string{"Medians of all valid runs, with exact intervals of at least 95%.", "5 to 6 valid runs a cell, 500 messages each; closed loop, 1 caller; on local; runs interleaved."}; !slices.Equal(c.Notes, want) {
		t.Errorf("notes %q", c.Notes)
	}
}

// What is no number has no scale and no line; a maximum has no interval, since
// tables show the longest of all runs, and no median.
func TestCategoryChart(t *testing.T) {
	c := charts(t, measuredCharts)["over_backend"]
	if c.X.Scale != chart.Categories || !slices.Equal(c.X.Names, []string{"grpc", "http", "mqtt"}) || c.Series[0].Points[2].X != 2 {
		t.Errorf("%+v", c)
	}
	if c.Series[0].Points[0].Low != nil || c.Notes[0] != "Values as in the tables, without intervals." {
		t.Errorf("%+v", c)
	}
}

func TestPercentileChart(t *testing.T) {
	c := charts(t, measuredCharts)["percentiles"]
	for _, s := range c.Series {
		n := 3000.0
		if s.Name == "grpc" {
			n = 2500
		}
		last := s.Points[len(s.Points)-1]
		if math.Abs(last.X-n) > 1e-6*n {
			t.Errorf("%s ends at 1/(1-p) = %v with %v messages", s.Name, last.X, n)
		}
		before := chart.Point{Y: -1}
		for _, p := range s.Points {
			if p.X <= before.X || p.Y < before.Y {
				t.Errorf("%s: %+v after %+v", s.Name, p, before)
			}
			if few := n/p.X < 10-1e-6; few != p.Doubtful {
				t.Errorf("%s: at %v, %v messages are beyond; marked: %v", s.Name, p.X, n/p.X, p.Doubtful)
			}
			before = p
		}
	}
}

func TestECDFChart(t *testing.T) {
	c := charts(t, measuredCharts)["ecdf"]
	if got := c.Missing(); len(got) != 3 || !strings.Contains(got[0], "they differ in payload") {
		t.Errorf("two distributions in one series: %v", got)
	}
	c = charts(t, strings.Replace(measuredCharts, "y      = service_time", "where = each.payload == \"512B\"", 1))["ecdf"]
	for _, s := range c.Series {
		if last := s.Points[len(s.Points)-1]; last.Y != 1 {
			t.Errorf("%s ends at %v", s.Name, last.Y)
		}
	}
}

func TestRunsChart(t *testing.T) {
	c := charts(t, measuredCharts)["runs"]
	if c.Drawn() != 35 {
		t.Errorf("%d runs", c.Drawn())
	}
	if got := c.Missing(); len(got) != 1 || !strings.HasSuffix(got[0], "run 1: failed: exit status 2") {
		t.Errorf("missing: %v", got)
	}
}

func TestSpeedupChart(t *testing.T) {
	c := charts(t, measuredCharts)["speedup"]
	if want := []string{"http, 512B", "http, 8KiB", "mqtt, 512B", "mqtt, 8KiB", "geometric mean, http", "geometric mean, mqtt"}; !slices.Equal(c.Y.Names, want) || c.Totals != 2 {
		t.Errorf("rows %q, of them %d totals", c.Y.Names, c.Totals)
	}
	for _, s := range c.Series[:2] {
		for _, p := range s.Points {
			if p.X >= 1 || p.Low == nil || *p.High >= 1 || p.Doubtful || p.Verdict != chart.Worse || !strings.HasSuffix(p.Text, "slower") {
				t.Errorf("%+v", p) // later cells are slower
			}
			var baseline, candidate float64
			if _, err := fmt.Sscanf(p.End, "%f → %f", &baseline, &candidate); err != nil || math.Abs(baseline/candidate/p.X-1) > 0.1 {
				t.Errorf("a ratio of %v with %q at its end: %v", p.X, p.End, err)
			}
		}
	}
	if c.Ends != "medians (us)" {
		t.Errorf("ends %q", c.Ends)
	}
	for i, s := range c.Series[2:] {
		of := c.Series[i].Points
		if p := s.Points[0]; math.Abs(p.X-math.Sqrt(of[0].X*of[1].X)) > 1e-12 || p.Verdict != chart.None || p.Low != nil {
			t.Errorf("the geometric mean of %v and %v: %+v", of[0].X, of[1].X, p)
		}
	}
}

func TestHeatmapChart(t *testing.T) {
	c := charts(t, measuredCharts)["map"]
	if got := c.Missing(); len(got) != 2 || got[0] != "grpc, 512B: it is the baseline" {
		t.Errorf("missing %v", got)
	}
	if p := c.Series[0].Points[2]; p.X != 0 || p.Y != 1 || !strings.HasSuffix(p.Label, "%") || c.Center == nil || *c.Center != 0 {
		t.Errorf("%+v", p)
	}
}

// A message of 512 bytes is 512B on every chart, however the scenario writes it.
// A number that only some cells share with their size is no size.
func TestSizesOnCharts(t *testing.T) {
	head := strings.Replace(measuredHead, `["512B", "8KiB"]`, `[512, 8192]`, 1)
	s, p := planned(t, head+`
chart "map" {
  kind  = "heatmap"
  x     = each.payload
  y     = each.backend
  value = latency.mean
}
chart "odd" {
  kind  = "heatmap"
  x     = each.payload == 512 ? 512 : 3
  y     = each.backend
  value = latency.mean
}
chart "strip" {
  kind   = "strip"
  x      = each.payload
  y      = latency.mean
  series = each.backend
}
chart "ratios" {
  kind   = "speedup"
  x      = each.payload
  y      = comparison.vs_grpc
  series = each.backend
}
chart "values" {
  x      = each.backend
  y      = latency.mean
  series = each.payload
}`)
	for _, c := range built(t, s, p, measured(t, p)).Charts {
		got, want := c.X.Names, []string{"512B", "8KiB"}
		switch c.Name {
		case "odd":
			want = []string{"512", "3"}
		case "ratios":
			got, want = c.Y.Names[:2], []string{"http, 512B", "http, 8KiB"}
		case "values":
			got = []string{c.Series[0].Name, c.Series[1].Name}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", c.Name, got, want)
		}
	}
}

// AimRT's charts, from the published tables: every number is drawn where the
// table has it.
func TestPublishedCharts(t *testing.T) {
	r := replayed(t, "aimrt_channel_published")
	c := r.Charts[0]
	for i, want := range [][]float64{{33.78, 33.108, 33.755, 35.327}, {78.294, 83.337, 78.294, 91.106}, {86.67, 88.695, 89.812, 90.438}} {
		for j, p := range c.Series[i].Points {
			if math.Abs(p.Y-want[j]) > 1e-9 || p.X != []float64{512, 1024, 2048, 8192}[j] {
				t.Errorf("%s: %+v, want %v", c.Series[i].Name, p, want[j])
			}
		}
	}
	folder := t.TempDir()
	files, err := DrawCharts(folder, r)
	if err != nil || len(files) != 3*len(r.Charts) {
		t.Fatal(files, err)
	}
	if text, err := os.ReadFile(filepath.Join(folder, "single_host_latency_over_size.svg")); err != nil || !strings.Contains(string(text), "zenoh, 8KiB: 90.4") {
		t.Error(err)
	}
	for _, name := range []string{"aimrt_rpc_published", "aimrt_logger_published"} {
		for _, c := range replayed(t, name).Charts {
			if len(c.Missing()) > 0 || c.Drawn() == 0 {
				t.Errorf("%s of %s: %v", c.Name, name, c.Missing())
			}
		}
	}
}

// What can't be drawn is said once, and keeps nothing else from being drawn.
func TestUndrawableChart(t *testing.T) {
	wide := &chart.Chart{Kind: chart.Value, Name: "wide", X: chart.Axis{Scale: chart.Categories, Names: make([]string, 1000)}}
	files, err := DrawCharts(t.TempDir(), &Report{Charts: []*chart.Chart{wide, {Kind: chart.Value, Name: "empty"}}})
	if err == nil || strings.Count(err.Error(), "an axis may have") != 1 || len(files) != 3 {
		t.Errorf("%q, %v", files, err)
	}
}

// A zero on a logarithmic axis is not drawn, and not kept quiet about.
func TestZeroOnLogarithmicAxis(t *testing.T) {
	c := charts(t, `chart "c" {
  x = each.payload
  y = latency.max - latency.max
  series = each.backend
  y_axis { scale = "log10" }
}`)["c"]
	if got := c.Missing(); len(got) != 6 || !strings.Contains(got[0], "no place on a logarithmic axis") {
		t.Errorf("%v", got)
	}
}

// Charts are data too.
func TestChartsInJSON(t *testing.T) {
	s, p := planned(t, measuredHead+measuredCharts)
	var b strings.Builder
	if err := JSON(&b, built(t, s, p, measured(t, p))); err != nil {
		t.Fatal(err)
	}
	var back jsonReport
	if err := json.Unmarshal([]byte(b.String()), &back); err != nil {
		t.Fatal(err)
	}
	if len(back.Charts) != 7 || fmt.Sprint(*back.Charts[6].Series[0].Points[2].Z) == "" || back.Charts[6].Series[0].Points[0].Missing == "" {
		t.Errorf("%+v", back.Charts)
	}
}
