package report

import (
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"versus/interp/analyze"
	"versus/interp/journal"
	"versus/interp/report/chart"
	"versus/stdlib/stats"
)

// madeRuns are the runs of madeHead, made once; nobody changes them.
var (
	madeOnce sync.Once
	madeRuns []journal.Run
)

// madeCharts builds charts of the runs that made makes up.
func madeCharts(t *testing.T, blocks string) map[string]*chart.Chart {
	t.Helper()
	s, p := planned(t, madeHead+blocks)
	madeOnce.Do(func() { madeRuns = made(t, p) })
	out := map[string]*chart.Chart{}
	for _, c := range built(t, s, p, madeRuns).Charts {
		out[c.Name] = c
	}
	return out
}

func series(t *testing.T, c *chart.Chart, name string) chart.Series {
	t.Helper()
	i := slices.IndexFunc(c.Series, func(s chart.Series) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("%s has no series %q but %s", c.Name, name, seriesNames(c))
	}
	return c.Series[i]
}

func noted(c *chart.Chart, text string) bool {
	return slices.ContainsFunc(c.Notes, func(n string) bool { return strings.Contains(n, text) })
}

func TestLoadChart(t *testing.T) {
	c := madeCharts(t, `chart "c" {
  kind = "load"
  series = each.backend
}`)["c"]
	if got := seriesNames(c); got != "grpc p50 grpc p99 grpc p99.9 http p50 http p99 http p99.9" {
		t.Errorf("series %s", got)
	}
	if c.X.Scale != chart.Linear || c.Y.Scale != chart.Log10 || c.Below == nil {
		t.Fatalf("%+v", c)
	}
	// http gets 6100 of 8000 calls through; grpc reaches no capacity.
	if len(c.X.Marks) != 1 || c.X.Marks[0].Text != "capacity http: 6,100/s" || math.Abs(c.X.Marks[0].At-6100) > 1e-6 {
		t.Errorf("marks %+v", c.X.Marks)
	}
	for _, name := range []string{"http p50", "http p99"} {
		for _, p := range series(t, c, name).Points {
			if hollow := p.X == 8000; p.Doubtful != hollow || hollow && p.Why != "the offered rate was missed by more than 1%" {
				t.Errorf("%s: %+v", name, p)
			}
		}
	}
	below := series(t, c.Below, "http").Points
	if below[3].X != 8000 || math.Abs(below[3].Y-6100) > 1e-6 || !below[3].Doubtful || below[2].Y != 4000 {
		t.Errorf("achieved %+v", below)
	}
	if l := c.Below.Lines; len(l) != 1 || l[0].At[1] != [2]float64{8000, 8000} {
		t.Errorf("the diagonal %+v", l)
	}
	if one, another := series(t, c, "http p50"), series(t, c, "http p99"); one.Of != "http" || another.Of != "http" || one.Dash == another.Dash {
		t.Error("the percentiles of a backend have its colour, and dashes of their own")
	}
}

// A closed loop has no offered rate, and no place on the axis.
func TestLoadChartOfClosedLoop(t *testing.T) {
	c := charts(t, `chart "c" {
  kind = "load"
  series = each.backend
}`)["c"]
	if c.Drawn() != 0 || c.Below != nil || !strings.Contains(c.Missing()[0], "closed loop") {
		t.Errorf("%d points, missing %q", c.Drawn(), c.Missing())
	}
}

const curvesOf2000 = `chart "c" {
  kind = "KIND"
  series = each.backend
  where = each.rate == 2000
}`

// The band holds the curve, is there from the median to about where it ends, and
// is wider in the tail; each run is a thin curve.
func TestPercentileBands(t *testing.T) {
	c := madeCharts(t, strings.Replace(curvesOf2000, "KIND", "percentiles", 1))["c"]
	for name, runs := range map[string]int{"grpc": 12, "http": 11} { // a gate refused one
		s := series(t, c, name)
		if len(s.Runs) != runs {
			t.Errorf("%s: %d runs alone", name, len(s.Runs))
		}
		for _, run := range s.Runs {
			for _, p := range run {
				if few := 2000/p.X < 10-1e-6; few != p.Doubtful || p.X > 2000 {
					t.Fatalf("%s: a run of 2000 messages: %+v", name, p)
				}
			}
		}
		banded := 0
		for _, p := range s.Points {
			if p.Low == nil {
				continue
			}
			banded++
			if *p.Low > p.Y || *p.High < p.Y {
				t.Errorf("%s: the band misses the curve: %+v", name, p)
			}
		}
		if banded < len(s.Points)/3 {
			t.Errorf("%s: %d of %d points have an interval", name, banded, len(s.Points))
		}
	}
	if !noted(c, "Thin: each run alone.") || !noted(c, "Shaded: the interval between order statistics (95%)") {
		t.Errorf("notes %q", c.Notes)
	}
}

// The band of an ECDF is as high everywhere as DKW says, within 0 and 1; those of
// runs alone have none.
func TestECDFBand(t *testing.T) {
	all := madeCharts(t, strings.Replace(curvesOf2000, "KIND", "ecdf", 1))
	for _, s := range all["c"].Series {
		half := 0.0
		for _, p := range s.Points {
			if p.Y > 0.4 && p.Y < 0.6 {
				half = (*p.High - *p.Low) / 2
			}
		}
		most, err := stats.DKW(2000*12, 0.95) // as if all messages were independent
		if err != nil || half < most || half > 0.2 {
			t.Errorf("%s: half a band of %v, at least %v", s.Name, half, most)
		}
		for _, p := range s.Points {
			low, high := max(0, p.Y-half), min(1, p.Y+half)
			if math.Abs(*p.Low-low) > 1e-9 || math.Abs(*p.High-high) > 1e-9 {
				t.Errorf("%s: %+v, want %v to %v", s.Name, p, low, high)
			}
		}
		for _, run := range s.Runs {
			if run[len(run)-1].Y != 1 || run[0].Low != nil {
				t.Errorf("%s: a run ends at %+v", s.Name, run[len(run)-1])
			}
		}
	}
}

// The CCDF is what is left of the ECDF, down to the last message.
func TestCCDF(t *testing.T) {
	c := madeCharts(t, strings.Replace(curvesOf2000, "KIND", "ccdf", 1))["c"]
	s := series(t, c, "grpc")
	n := 24000.0
	if c.Y.Scale != chart.Log10 || c.X.Scale != chart.Log10 || s.Points[0].Y != 1 {
		t.Errorf("%v over %v, from %v", c.Y.Scale, c.X.Scale, s.Points[0])
	}
	before := chart.Point{Y: 1}
	for _, p := range s.Points {
		if p.Y > before.Y || p.X < before.X || p.Y < 1/n-1e-12 {
			t.Fatalf("%+v after %+v", p, before)
		}
		if few := p.Y*n < 10-1e-6; few != p.Doubtful {
			t.Errorf("%v messages beyond, marked: %v", p.Y*n, p.Doubtful)
		}
		before = p
	}
	if math.Abs(before.Y*n-1) > 1e-6 {
		t.Errorf("ends with %v messages", before.Y*n)
	}
}

// Steps that can't be told apart are left out, but none that matters.
func TestThinned(t *testing.T) {
	var points []chart.Point
	for i := range 10000 {
		points = append(points, chart.Point{X: 1 + float64(i)/10000, Y: float64(i+1) / 10000})
	}
	last := points[len(points)-1]
	got := thinned(slices.Clone(points), 0.01, func(y float64) float64 { return y })
	if len(got) > 300 || got[len(got)-1] != last {
		t.Errorf("%d points, the last %+v", len(got), got[len(got)-1])
	}
	for i := 1; i < len(got); i++ {
		if got[i].Y-got[i-1].Y > 0.011 {
			t.Errorf("a gap from %+v to %+v", got[i-1], got[i])
		}
	}
}

// Runs are in the order of time, with the boundaries of rounds; one that a gate
// refused is hollow, and only the cell that drifts has a line.
func TestRunsWithTrend(t *testing.T) {
	c := madeCharts(t, `chart "c" {
  kind = "runs"
  y = latency.mean * 1e6
  series = each.backend
}`)["c"]
	hollow := 0
	for _, s := range c.Series {
		for _, p := range s.Points {
			if p.Doubtful {
				hollow++
				if p.Why != "does not count, refused by a gate" || !strings.Contains(p.Text, "http rate 2000, run 3: ") || !strings.Contains(p.Text, "(gate negative)") || p.Y < 100 {
					t.Errorf("%+v", p)
				}
			}
		}
	}
	if hollow != 1 || c.Drawn() != 96 {
		t.Errorf("%d of %d hollow", hollow, c.Drawn())
	}
	if len(c.X.Marks) != 11 || c.X.Marks[0].At != 8.5 || c.X.Marks[10].At != 88.5 {
		t.Errorf("rounds end at %+v", c.X.Marks)
	}
	if len(c.Lines) != 1 || c.Lines[0].Series != "http" || len(c.Lines[0].At) != 12 || !strings.HasPrefix(c.Lines[0].Text, "open http rate 1000 drifts: +") || !noted(c, "Theil-Sen") {
		t.Fatalf("lines %+v", c.Lines)
	}
	// 1 % a run of about 158 us.
	at := c.Lines[0].At
	if slope := (at[11][1] - at[0][1]) / 11; slope < 1 || slope > 3 {
		t.Errorf("a slope of %v us a run", slope)
	}
}

// From ten runs on a strip has boxes; below, only points and the median.
func TestStrips(t *testing.T) {
	const block = `chart "c" {
  kind   = "strip"
  x      = each.AXIS
  y      = latency.mean * 1e6
  series = each.backend
}`
	c := madeCharts(t, strings.Replace(block, "AXIS", "rate", 1))["c"]
	if !slices.Equal(c.X.Names, []string{"1000", "2000", "4000", "8000"}) || c.X.Scale != chart.Categories {
		t.Errorf("places %q", c.X.Names)
	}
	for _, s := range c.Series {
		for _, b := range s.Boxes {
			if b.Quartiles == nil || b.Low == nil || !(b.Whiskers[0] <= b.Quartiles[0] && b.Quartiles[0] <= b.Median && b.Median <= b.Quartiles[1] && b.Quartiles[1] <= b.Whiskers[1]) {
				t.Errorf("%+v", b)
			}
		}
	}
	http := series(t, c, "http")
	if !strings.HasSuffix(http.Boxes[1].Text, " of 11 runs") || len(http.Points) != 48 {
		t.Errorf("%q, %d points", http.Boxes[1].Text, len(http.Points))
	}
	few := charts(t, strings.Replace(block, "AXIS", "payload", 1))["c"]
	for _, s := range few.Series {
		for _, b := range s.Boxes {
			if b.Quartiles != nil {
				t.Errorf("a box of 6 runs: %+v", b)
			}
		}
	}
}

// A run without a value is missing by itself: the others of its cell are drawn,
// without a median or a trend that would be of fewer runs than count.
func TestRunWithoutValue(t *testing.T) {
	s, p := planned(t, measuredHead+`
chart "strip" {
  kind = "strip"
  x    = each.payload
  y    = latency.p90
  series = each.backend
}
chart "runs" {
  kind = "runs"
  y    = latency.p90
}`)
	runs := measured(t, p)
	runs[2].Roles["client"].Result.Latency, runs[2].Roles["client"].Result.Service = nil, nil
	res, err := analyze.Analyze(s, p, runs)
	if err != nil {
		t.Fatal(err)
	}
	var csv strings.Builder
	if err := RunsCSV(&csv, res); err != nil || strings.Count(csv.String(), ",ok,,") != 1 {
		t.Errorf("%v\n%s", err, &csv)
	}
	for _, c := range Build(res).Charts {
		if got := c.Missing(); len(got) != 1 || !strings.HasPrefix(got[0], "capacity grpc 512B, run 3: latency") || c.Drawn() != len(runs)-1 {
			t.Errorf("%s: %d drawn, missing %q", c.Name, c.Drawn(), got)
		}
		if c.Name == "strip" && (len(c.Series[0].Boxes) != 1 || len(c.Series[1].Boxes) != 2) {
			t.Errorf("boxes %+v and %+v", c.Series[0].Boxes, c.Series[1].Boxes)
		}
	}
}

// How a run went along: a level half as high again up to a fifth of the second.
func TestWindows(t *testing.T) {
	c := madeCharts(t, strings.Replace(curvesOf2000, "KIND", "windows", 1))["c"]
	if len(c.Lines) != 23 || c.X.Label != "time since the measurement began (s)" || c.Y.Label != "mean latency (us)" {
		t.Fatalf("%d runs, %q over %q", len(c.Lines), c.Y.Label, c.X.Label)
	}
	good := 0
	for _, l := range c.Lines {
		first, last := l.At[0], l.At[len(l.At)-1]
		if first[0] != 0 || math.Abs(last[0]-1) > 1e-9 {
			t.Errorf("levels from %v to %v", first, last)
		}
		if math.Abs(l.At[1][0]-0.2) < 0.021 && math.Abs(first[1]/last[1]-1.5) < 0.1 {
			good++
		}
	}
	if good < 20 {
		t.Errorf("%d of 23 runs have the level that they were given", good)
	}
	if got := len(c.Series[0].Runs[0]); got != 50 {
		t.Errorf("%d windows", got)
	}
}

// Pairs are the runs of one round; where there are no rounds, the chart says so.
func TestPairs(t *testing.T) {
	const block = `chart "c" {
  kind   = "pairs"
  x      = each.rate
  y      = comparison.vs_grpc
  series = each.backend
}`
	c := madeCharts(t, block)["c"]
	if !slices.Equal(c.X.Names, []string{"http, 1000", "http, 2000", "http, 4000", "http, 8000"}) || len(c.Lines) != 47 || c.Y.Label != "latency.mean (us)" {
		t.Errorf("places %q, %d lines, %s", c.X.Names, len(c.Lines), c.Y.Label)
	}
	ratios := series(t, c.Below, "http")
	for i, p := range ratios.Points {
		at := c.Lines[i].At
		if math.Abs(at[0][1]/at[1][1]-p.Y) > 1e-12 || p.Y > 0.75 || p.Y < 0.5 { // http takes about half as long again
			t.Errorf("%+v beside %v", p, at)
		}
	}
	if len(ratios.Boxes) != 4 || ratios.Boxes[0].Low == nil || c.Below.Y.Scale != chart.Log2 {
		t.Errorf("%+v", ratios.Boxes)
	}
	s, p := planned(t, strings.Replace(madeHead, `"interleaved"`, `"grouped"`, 1)+block)
	grouped := built(t, s, p, made(t, p)).Charts[0]
	if len(grouped.Missing()) != 4 || !strings.Contains(grouped.Missing()[0], "not made in rounds") {
		t.Errorf("%q", grouped.Missing())
	}
}

// Shares have the interval of Wilson, and the bound 3/n where none was seen.
func TestShares(t *testing.T) {
	c := madeCharts(t, `chart "c" {
  x      = each.rate
  y      = errors.rate * 100
  series = each.backend
}`)["c"]
	none := series(t, c, "grpc").Points[0]
	if want := 100 * 3.0 / 12000; !none.Bound || math.Abs(none.Y-want) > 1e-12 || none.Low != nil || !strings.Contains(none.Text, "none was seen: at most 0.025") {
		t.Errorf("%+v, want a bound of %v", none, want)
	}
	some := series(t, c, "http").Points[2]
	in, err := stats.Wilson(12*3+11*12/2, 12*4000, 0.95)
	if err != nil || some.Bound || math.Abs(*some.Low-100*in.Low) > 1e-12 || math.Abs(*some.High-100*in.High) > 1e-12 {
		t.Errorf("%+v, want %+v", some, in)
	}
	if !noted(c, "Wilson (95%)") {
		t.Errorf("notes %q", c.Notes)
	}
}

// Hollow: what missed its rate, and what rests on too few messages.
func TestHollowValues(t *testing.T) {
	c := madeCharts(t, `chart "c" {
  x      = each.rate
  y      = latency.p99_99 * 1e6
  series = each.backend
  x_axis {
    mark "limit" { at = "4KiB" }
  }
  y_axis {
    scale = "log10"
    mark "none" { at = 0 }
  }
}`)["c"]
	for i, p := range series(t, c, "http").Points {
		want := "latency.p99_99 rests on fewer than 10 samples beyond it"
		if i == 3 {
			want = "the offered rate was missed by more than 1%"
		}
		if !p.Doubtful || p.Why != want || !strings.HasSuffix(p.Text, "("+want+")") {
			t.Errorf("%+v", p)
		}
	}
	if !slices.Equal(c.X.Marks, []chart.Tick{{At: 4096, Text: "limit"}}) || len(c.Y.Marks) != 0 || !noted(c, "The mark none is not drawn") {
		t.Errorf("marks %+v and %+v, notes %q", c.X.Marks, c.Y.Marks, c.Notes)
	}
}

func TestHeatmapVerdicts(t *testing.T) {
	c := madeCharts(t, `chart "c" {
  kind  = "heatmap"
  x     = each.rate
  y     = each.backend
  value = comparison.vs_grpc
}`)["c"]
	if p := c.Series[0].Points[4]; p.Note != "slower" || c.Z.Scale != chart.Log2 || *c.Center != 1 {
		t.Errorf("%+v", p)
	}
	if p := c.Series[0].Points[0]; p.Missing == "" || p.Label != "baseline" {
		t.Errorf("%+v", p)
	}
}

// A caption says how many runs and messages, how loaded, where, in what order,
// and on what machine if they were made here.
func TestCaptions(t *testing.T) {
	s, p := planned(t, madeHead+strings.NewReplacer("KIND", "ecdf", "each.rate == 2000", "each.rate > 1000").Replace(curvesOf2000))
	r := built(t, s, p, made(t, p))
	r.MeasuredOn("a CPU")
	want := "11 to 12 valid runs a cell, 2,000 to 8,000 messages each; open loop, 1 caller at 2,000 to 8,000/s each; on local; runs interleaved."
	if !noted(r.Charts[0], "Latency: a round trip.") {
		t.Errorf("what the latency spans is not said: %q", r.Charts[0].Notes)
	}
	if notes := r.Charts[0].Notes; !slices.Contains(notes, want) || notes[len(notes)-1] != "Measured on a CPU." {
		t.Errorf("notes %q", notes)
	}
	published := replayed(t, "aimrt_channel_published")
	published.MeasuredOn("a CPU")
	if notes := published.Charts[0].Notes; !slices.Contains(notes, "Recorded, not measured here: single_host.") || noted(published.Charts[0], "a CPU") {
		t.Errorf("notes %q", notes)
	}
}

// A terminal shows runs as a sparkline and strips as boxes.
func TestSketches(t *testing.T) {
	three := []chart.Point{{Y: 1}, {Y: 8}, {Missing: "it failed"}, {Y: 5, Doubtful: true}, {Y: 4.5}}
	if line, text := sparkline(three); line != "▁█×○▅" || text != "1 to 8" {
		t.Errorf("%q %q", line, text)
	}
	if line, _ := sparkline(slices.Repeat(three[:2], 50)); !strings.HasSuffix(line, "… (40 more)") {
		t.Error(line)
	}
	if line, _ := sparkline(three[2:3]); line != "" {
		t.Error(line)
	}
	low, high := 3.0, 6.0
	got := boxLine(chart.Box{Median: 5, Low: &low, High: &high, Quartiles: &[2]float64{2, 8}, Whiskers: &[2]float64{0, 10}}, 0, 10)
	if want := "├───────[===(=======┃==)=======]───────┤"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The data beside a picture begins no formula in a spreadsheet.
func TestChartCSV(t *testing.T) {
	var b strings.Builder
	c := &chart.Chart{Kind: chart.Value, X: chart.Axis{Scale: chart.Categories, Names: []string{"=HYPERLINK(1)"}}, Series: []chart.Series{{Name: "+1", Points: []chart.Point{
		{Y: 2, Bound: true, Text: "=A1"}, {Missing: "@x", Text: "-y"}}}}}
	if err := chartCSV(&b, c); err != nil {
		t.Fatal(err)
	}
	want := "panel,series,what,x,y,z,low,high,verdict,remark,text\nchart,'+1,point,'=HYPERLINK(1),2,,,,,an upper bound: none was seen,'=A1\nchart,'+1,point,,,,,,,'@x,'-y\n"
	if b.String() != want {
		t.Errorf("%s", b.String())
	}
}

// All curves of a distribution say the same percentiles in words, and those of
// shares still go one way.
func TestCurvesSayPercentiles(t *testing.T) {
	values := map[string][]string{}
	for _, kind := range []string{"percentiles", "ecdf", "ccdf"} {
		c := madeCharts(t, strings.Replace(curvesOf2000, "KIND", kind, 1))["c"]
		values[kind] = c.Values()
		for _, s := range c.Series {
			for i := 1; i < len(s.Points); i++ {
				if one, next := s.Points[i-1], s.Points[i]; next.X < one.X || (next.Y < one.Y) != (kind == "ccdf") && next.Y != one.Y {
					t.Errorf("%s, %s: %+v after %+v", kind, s.Name, next, one)
				}
			}
		}
	}
	if len(values["ecdf"]) != 10 || !slices.Equal(values["ecdf"], values["percentiles"]) || !slices.Equal(values["ccdf"], values["ecdf"]) {
		t.Errorf("%q", values)
	}
}
