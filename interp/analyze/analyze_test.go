package analyze

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"versus/drivers/protocol"
	"versus/dsl"
	"versus/interp/journal"
	"versus/stdlib/metric"
	"versus/stdlib/stats"
)

const twoBackends = `
test "rpc" "calls" {
  methodology = methodology.half
  payload     = bytes(100)
  sweep { backend = [backend.a, backend.b] }
}
comparison "speedup" {
  baseline = { backend = backend.a }
  value    = (baseline.time_per_call - candidate.time_per_call) / candidate.time_per_call
  format   = "percent"
}
`

func near(t *testing.T, what string, got Value, want float64) {
	t.Helper()
	if got.Missing != "" {
		t.Errorf("%s is missing (%s), want %v", what, got.Missing, want)
	} else if math.Abs(got.Number-want) > 1e-12*math.Abs(want) {
		t.Errorf("%s = %v, want %v", what, got.Number, want)
	}
}

func missing(t *testing.T, what string, got Value, why string) {
	t.Helper()
	if !strings.Contains(got.Missing, why) {
		t.Errorf("%s = %+v, want it missing because %q", what, got, why)
	}
}

// The same runs are kept for every metric; what is not a mean ignores the rule.
func TestBestHalfOfACell(t *testing.T) {
	s, p := scenario(t, twoBackends)
	c := cellAt(t, p, 0)
	var runs []journal.Run
	for i, us := range []int64{50, 10, 40, 20, 60, 30} { // time per call; the best three are 10, 20, 30
		r := callRun(t, c, i, us*1000-1000, us*1000, us*1000+1000)
		r.Roles["client"].Result.CPUUser = float64(us) / 100
		runs = append(runs, r)
	}
	got := analyzed(t, s, p, runs).Cells[0]
	if got.Kept != 3 || len(got.Valid) != 6 || got.KeptBy != "time_per_call" || !got.Selected() {
		t.Fatalf("kept %d of %d by %s", got.Kept, len(got.Valid), got.KeptBy)
	}
	near(t, "time_per_call", got.Metric("time_per_call"), 20e-6)
	near(t, "latency.mean", got.Metric("latency.mean"), 20e-6)
	near(t, "service_time.mean", got.Metric("service_time.mean"), 20e-6)
	near(t, "throughput.rate", got.Metric("throughput.rate"), (1/10e-6+1/20e-6+1/30e-6)/3)
	near(t, "throughput.bytes", got.Metric("throughput.bytes"), 100*(1/10e-6+1/20e-6+1/30e-6)/3)
	near(t, "cpu.server", got.Metric("cpu.server"), 0.2)
	near(t, "cpu.user", got.Metric("cpu.user"), 0.2+0.3)
	near(t, "setup", got.Metric("setup"), 0.05)
	near(t, "latency.max", got.Metric("latency.max"), 61e-6)
	near(t, "latency.min", got.Metric("latency.min"), 9e-6)
	near(t, "samples.sent", got.Metric("samples.sent"), 18)
	near(t, "loss.rate", got.Metric("loss.rate"), 0)
	near(t, "errors.count", got.Metric("errors.count"), 0)
	near(t, "memory.peak", got.Metric("memory.peak"), 2000)
	near(t, "memory.server", got.Metric("memory.server"), 1000)
	missing(t, "rate.offered", got.Metric("rate.offered"), "closed loop")
	missing(t, "wire.bytes", got.Metric("wire.bytes"), "can't tell")
	missing(t, "cpu.broker", got.Metric("cpu.broker"), "no role broker")
	missing(t, "latency.p99", got.Metric("latency.p99"), "needs at least 100 samples")
	if v := got.Metric("latency.p50"); v.Missing != "" || v.Warning == "" || math.Abs(v.Number-31e-6) > 0.05e-6 { // the 9th of 18
		t.Errorf("p50 = %+v", v)
	}
}

// 10 ms of CPU time are too few to be split, and a run that is left out of
// means does not matter for them.
func TestSplitOfCPUTimeNeedsHalfASecond(t *testing.T) {
	s, p := scenario(t, twoBackends)
	c := cellAt(t, p, 0)
	runs := []journal.Run{constantRun(t, c, 0, 10_000, 10), constantRun(t, c, 1, 20_000, 10)}
	for i := range runs {
		runs[i].Roles["client"].Result.CPUUser = 1 - 0.8*float64(i)
		runs[i].Roles["client"].Result.CPUSystem = 0
		runs[i].Roles["server"].Result.CPUUser = 0
	}
	got := analyzed(t, s, p, runs)
	near(t, "cpu.user", got.Cells[0].Metric("cpu.user"), 1)
	runs[0].Roles["client"].Result.CPUUser, runs[1].Roles["client"].Result.CPUUser = 0.2, 1
	got = analyzed(t, s, p, runs)
	missing(t, "cpu.user", got.Cells[0].Metric("cpu.user"), "run 1: under 0.5 s")
}

// Percentiles are nearest ranks of the merged histogram, not means of
// percentiles.
func TestMergedPercentile(t *testing.T) {
	s, p := scenario(t, twoBackends)
	c := cellAt(t, p, 0)
	slow := make([]int64, 900)
	for i := range slow {
		slow[i] = 1000
	}
	for i := range 100 {
		slow = append(slow, 2_000_000+int64(i)*1000)
	}
	got := analyzed(t, s, p, []journal.Run{constantRun(t, c, 0, 1000, 1000), callRun(t, c, 1, slow...)}).Cells[0]
	if v := got.Metric("latency.p95"); v.Number != 1000e-9 || v.Warning != "" { // 1900 of 2000 are 1 us
		t.Errorf("p95 = %+v", v)
	}
	if v := got.Metric("latency.p99"); math.Abs(v.Number-2_079_000e-9) > 2e-6 { // the 1980th
		t.Errorf("p99 = %+v", v)
	}
	if v := got.Metric("latency.p99_9"); v.Warning == "" {
		t.Errorf("p99.9 of 2000 samples has no warning: %+v", v)
	}
	near(t, "latency.p100", got.Metric("latency.p100"), 2_099_000e-9)
}

// A latency beyond the histogram's range counts with the exact maximum.
func TestOverRange(t *testing.T) {
	h, err := newHistogram([]*protocol.Distribution{distributionOf(t, 1000, 2*protocol.MaxTrackable)})
	if err != nil {
		t.Fatal(err)
	}
	if got := h.quantile(1); got != 7200 {
		t.Errorf("maximum %v s, want 7200", got)
	}
}

// The quantile of merged runs is that of their values together, whatever the
// counts of a resample.
func TestMergedQuantileEqualsSorting(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		var hs []*histogram
		var times []int
		var pool []int64
		for range 1 + rng.IntN(4) {
			values := make([]int64, 1+rng.IntN(30))
			for i := range values {
				values[i] = 1 + rng.Int64N(2000) // below 2048, buckets are exact
			}
			h, err := newHistogram([]*protocol.Distribution{distributionOf(t, values...)})
			if err != nil {
				t.Fatal(err)
			}
			n := rng.IntN(3)
			hs, times = append(hs, h), append(times, n)
			for range n {
				pool = append(pool, values...)
			}
		}
		m := merge(hs)
		if int64(len(pool)) != m.count(times) || len(pool) == 0 {
			continue
		}
		for _, p := range []float64{0.01, 0.5, 0.9, 1} {
			if got, want := m.quantile(p, times), nearestRank(pool, p); math.Abs(got-want) > 1e-15 {
				t.Fatalf("quantile %v = %v, want %v", p, got, want)
			}
		}
	}
}

func TestRunsThatDoNotCount(t *testing.T) {
	s, p := scenario(t, twoBackends)
	c := cellAt(t, p, 0)
	runs := []journal.Run{
		constantRun(t, c, 0, 1000, 10),
		{Cell: c.Key, Run: 1, Status: journal.Failed, Error: "the server died"},
		{Cell: c.Key, Run: 2, Status: journal.Skipped, Error: "not installed"},
		{Cell: "elsewhere", Status: journal.OK},
		{Cell: c.Key, Run: 0, Status: journal.Failed, Error: "first try"},
	}
	res := analyzed(t, s, p, runs)
	got := res.Cells[0]
	if len(got.Valid) != 1 || len(got.Failed) != 1 || len(got.Skipped) != 1 || got.Absent != 3 {
		t.Errorf("%d valid, %d failed, %d skipped, %d absent", len(got.Valid), len(got.Failed), len(got.Skipped), got.Absent)
	}
	if len(res.Problems) != 2 {
		t.Errorf("problems: %q", res.Problems)
	}
	missing(t, "a cell without runs", res.Cells[1].Metric("latency.mean"), "not measured yet")
	var what []string
	for _, r := range got.Remarks() {
		what = append(what, r.What)
	}
	if text := strings.Join(what, "\n"); !strings.Contains(text, "the server died") || !strings.Contains(text, "not installed") {
		t.Errorf("remarks: %s", text)
	}
}

func TestOpenLoopThatMissedItsRate(t *testing.T) {
	s, p := scenario(t, `
test "pubsub" "channel" {
  methodology = methodology.all
  rate        = "1kHz"
  sweep { backend = [backend.a] }
}`)
	c := cellAt(t, p, 0)
	pub := &protocol.Result{Elapsed: 1, Sent: 900, Received: 0, Offered: 1000, Late: 50, Flags: []string{"fallback: udp"}}
	sub := &protocol.Result{Elapsed: 1.5, Received: 890, Lost: 10, Negative: 1, Latency: distributionOf(t, 1000, 3000)}
	run := journal.Run{Cell: c.Key, Status: journal.OK, Roles: map[string]*journal.Role{
		"publisher": {Active: true, Result: pub}, "subscriber": {Result: sub}, "broker": {Result: &protocol.Result{Elapsed: 2}},
	}}
	got := analyzed(t, s, p, []journal.Run{run}).Cells[0]
	near(t, "rate.offered", got.Metric("rate.offered"), 1000)
	near(t, "rate.achieved", got.Metric("rate.achieved"), 900)
	near(t, "rate.late", got.Metric("rate.late"), 50)
	near(t, "loss.rate", got.Metric("loss.rate"), 10.0/900)
	near(t, "latency.mean", got.Metric("latency.mean"), 2e-6)
	near(t, "throughput.rate", got.Metric("throughput.rate"), 890/(1+3e-6)) // not the wait for what was lost
	missing(t, "service_time.mean", got.Metric("service_time.mean"), "not measured")
	text := ""
	for _, r := range got.Remarks() {
		text += r.What + " (" + r.Detail + ")\n"
	}
	for _, want := range []string{"rate was missed by more than 1% (900/s of 1000/s)", "one period late (50 of 900)", "fallback: udp", "below zero"} {
		if !strings.Contains(text, want) {
			t.Errorf("no remark %q in:\n%s", want, text)
		}
	}
}

// Every metric that has a name has a value or a reason, whatever the run holds.
func TestNothingIsInvented(t *testing.T) {
	s, p := scenario(t, twoBackends)
	c := cellAt(t, p, 0)
	hollow := journal.Run{Cell: c.Key, Status: journal.OK, Roles: map[string]*journal.Role{"client": {Active: true}, "server": nil}}
	broken := constantRun(t, c, 0, 1000, 10)
	broken.Roles["client"].Result.Latency.Histogram = "garbage"
	for _, r := range []journal.Run{hollow, broken, {Cell: c.Key, Status: journal.OK}, {Cell: c.Key, Status: journal.OK, Values: map[string]float64{"latency.mean": math.NaN()}}} {
		got := analyzed(t, s, p, []journal.Run{r}).Cells[0]
		for _, m := range metric.All {
			if v := got.Metric(m.Name); v.Missing == "" && (math.IsNaN(v.Number) || math.IsInf(v.Number, 0)) {
				t.Errorf("%s = %v", m.Name, v.Number)
			}
		}
		if v := got.Metric("latency.p50"); v.Missing == "" {
			t.Errorf("a percentile from nothing: %+v", v)
		}
	}
}

func noisy(t testing.TB, p planOf, base []int64, seed uint64) []journal.Run {
	rng := rand.New(rand.NewPCG(seed, 0))
	var runs []journal.Run
	for i := range p.Cells() {
		c, err := p.Cell(i)
		if err != nil {
			t.Fatal(err)
		}
		for n := range p.RunsOf(i) {
			runs = append(runs, constantRun(t, c, n, base[i%len(base)]+rng.Int64N(base[i%len(base)]/10), 20))
		}
	}
	return runs
}

func TestComparison(t *testing.T) {
	s, p := scenario(t, twoBackends)
	res := analyzed(t, s, p, noisy(t, p, []int64{200_000, 100_000}, 7))
	c := res.Comparison("speedup")
	if len(c.Pairs) != 1 || c.Side(res.Cells[0]) != IsBaseline || c.Side(res.Cells[1]) != IsCandidate || c.Candidates(res.Cells[0]) != 1 {
		t.Fatalf("pairs: %+v", c.Pairs)
	}
	pair := c.Pairs[0]
	b, k := res.Cells[0].Metric("time_per_call").Number, res.Cells[1].Metric("time_per_call").Number
	if want := (b - k) / k; math.Abs(pair.Value.Number-want) > 1e-12 {
		t.Errorf("value %v, want %v", pair.Value.Number, want)
	}
	if pair.NoInterval != "" || !(pair.Interval.Low < pair.Value.Number && pair.Value.Number < pair.Interval.High) || !pair.HasNull || pair.Null != 0 {
		t.Errorf("interval %+v (%s), null %v", pair.Interval, pair.NoInterval, pair.Null)
	}
	family := NewFamily(c.Pairs)
	if v := family.Verdict(pair); v != stats.Faster || pair.Words(v) != "faster" {
		t.Errorf("verdict %q (%s): %+v", v, pair.Words(v), pair.Test)
	}
	if r := pair.Ratio; !(r.Low < r.Estimate && r.Estimate < r.High) || r.Low < 1.5 {
		t.Errorf("ratio %+v", r)
	}
	view := View{Result: res, Cell: res.Cells[1], Family: family}
	if _, text, why := view.Comparison("speedup", "verdict"); text != "faster" || why != "" {
		t.Errorf("verdict %q, %q", text, why)
	}
	if _, _, why := (View{Result: res, Cell: res.Cells[0]}).Comparison("speedup", "value"); !strings.Contains(why, "baseline") {
		t.Errorf("the baseline has a comparison: %q", why)
	}
}

// A/A: no difference is shown, in either direction.
func TestEqualSides(t *testing.T) {
	s, p := scenario(t, twoBackends)
	res := analyzed(t, s, p, noisy(t, p, []int64{100_000}, 3))
	pair := res.Comparison("speedup").Pairs[0]
	if v := NewFamily([]*Pair{pair}).Verdict(pair); v != stats.NoDifference {
		t.Errorf("verdict %v: %+v", v, pair.Test)
	}
}

func TestFewRuns(t *testing.T) {
	s, p := scenario(t, twoBackends)
	for _, n := range []int{1, 3, 5} {
		var runs []journal.Run
		for i := range 2 {
			for k := range n {
				runs = append(runs, constantRun(t, cellAt(t, p, i), k, int64(200_000-i*100_000+k), 20))
			}
		}
		pair := analyzed(t, s, p, runs).Comparison("speedup").Pairs[0]
		if pair.NoInterval == "" {
			t.Errorf("%d runs a side have an interval", n)
		}
		want := stats.TooFewRuns
		if n == 5 {
			want = stats.Faster
		}
		if v := NewFamily([]*Pair{pair}).Verdict(pair); v != want || pair.Single() != (n == 1) {
			t.Errorf("%d runs a side: verdict %v", n, v)
		}
	}
}

func TestRefusedPairs(t *testing.T) {
	for name, test := range map[string]struct{ text, why string }{
		"methodology": {`
test "rpc" "one" {
  methodology = methodology.half
  sweep { backend = [backend.a] }
}
test "rpc" "two" {
  methodology = methodology.all
  sweep { backend = [backend.a] }
}
comparison "c" {
  baseline  = { test = test.one }
  candidate = { test = test.two }
  value     = baseline.time_per_call / candidate.time_per_call
}`, "keep rule"},
		"load": {`
test "rpc" "one" {
  methodology = methodology.half
  rate        = each.mode == "open" ? 10 : null
  sweep { mode = ["open", "closed"] }
  backend = backend.a
}
comparison "c" {
  baseline = { mode = "open" }
  value    = baseline.time_per_call / candidate.time_per_call
}`, "open loop"},
		"hosts": {`
host "local" "x" {}
host "local" "y" {}
test "rpc" "one" {
  methodology = methodology.half
  backend     = backend.a
  place       = { client = each.near ? host.x : host.y }
  sweep { near = [true, false] }
}
comparison "c" {
  baseline = { near = true }
  value    = baseline.time_per_call / candidate.time_per_call
}`, "different hosts"},
		"hosts that are meant": {`
host "local" "x" {}
host "local" "y" {}
test "rpc" "one" {
  methodology = methodology.half
  backend     = backend.a
  sweep { host = [host.x, host.y] }
}
comparison "c" {
  baseline = { host = host.x }
  value    = baseline.time_per_call / candidate.time_per_call
}`, ""},
		"a round trip and a sender's part": {`
test "rpc" "one" {
  methodology = methodology.half
  backend     = backend.a
  call        = each.how
  sweep { how = ["twoway", "oneway"] }
}
comparison "c" {
  baseline = { how = "twoway" }
  value    = baseline.latency.mean / candidate.latency.mean
}`, "the latency of one side is a round trip, of the other a sender's part"},
		"what both calls have": {`
test "rpc" "one" {
  methodology = methodology.half
  backend     = backend.a
  call        = each.how
  sweep { how = ["twoway", "oneway"] }
}
comparison "c" {
  baseline = { how = "twoway" }
  value    = baseline.time_per_call / candidate.time_per_call
}`, ""},
		"two baselines": {`
backend "fake" "c" {}
test "rpc" "one" {
  methodology = methodology.half
  sweep { backend = [backend.a, backend.b, backend.c] }
}
comparison "c" {
  baseline = { backend = [backend.a, backend.b] }
  value    = baseline.time_per_call / candidate.time_per_call
}`, "2 baselines"},
		"no baseline": {`
test "rpc" "one" {
  methodology = methodology.half
  payload     = bytes(each.size)
  sweep {
    backend = [backend.a, backend.b]
    size    = [1, 2]
    where   = each.backend == backend.b || each.size == 1
  }
}
comparison "c" {
  baseline = { backend = backend.a }
  value    = baseline.time_per_call / candidate.time_per_call
}`, "no baseline agrees"},
	} {
		t.Run(name, func(t *testing.T) {
			s, p := scenario(t, test.text)
			res := analyzed(t, s, p, noisy(t, p, []int64{100_000}, 1))
			pairs := res.Comparison("c").Pairs
			last := pairs[len(pairs)-1]
			if !strings.Contains(last.Refused, test.why) || test.why == "" && last.Refused != "" {
				t.Errorf("refused because %q, want %q", last.Refused, test.why)
			}
			if test.why == "" {
				return
			}
			if o := last.Outcome(); o.Kind != dsl.IsMissing || o.Why == "" {
				t.Errorf("outcome %+v", o)
			}
		})
	}
}

// The result does not depend on the order of the journal, and comes out the
// same each time.
func TestOrderOfTheJournalDoesNotMatter(t *testing.T) {
	s, p := scenario(t, twoBackends)
	runs := noisy(t, p, []int64{110_000, 100_000}, 5)
	want := analyzed(t, s, p, runs)
	rng := rand.New(rand.NewPCG(2, 2))
	for range 5 {
		rng.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
		got := analyzed(t, s, p, runs)
		for i := range got.Cells {
			for _, m := range metric.All {
				if a, b := got.Cells[i].Metric(m.Name), want.Cells[i].Metric(m.Name); a != b {
					t.Errorf("%s: %+v, then %+v", m.Name, b, a)
				}
			}
		}
		a, b := got.Comparison("speedup").Pairs[0], want.Comparison("speedup").Pairs[0]
		if a.Value != b.Value || a.Interval != b.Interval || a.P != b.P || a.Ratio != b.Ratio {
			t.Errorf("comparison differs: %+v, %+v", a, b)
		}
	}
}

// Swapping the sides turns the ratio and its interval over, and keeps p.
func TestSwapSymmetry(t *testing.T) {
	x, y := []float64{10, 11, 12, 13, 14, 15}, []float64{20, 21.5, 22, 23, 24, 29}
	a, b := ratioTest("t", x, y, 0.95), ratioTest("t", y, x, 0.95)
	if a.P != b.P || math.Abs(a.Ratio.Estimate*b.Ratio.Estimate-1) > 1e-12 || math.Abs(a.Ratio.Low*b.Ratio.High-1) > 1e-12 {
		t.Errorf("%+v and %+v", a, b)
	}
}

// A formula that can't be compiled gives the same kind of interval, more slowly.
func TestFormulaThatIsNotArithmetic(t *testing.T) {
	s, p := scenario(t, strings.Replace(twoBackends, "value    = (base", "value = length(\"x\") * (base", 1))
	pair := analyzed(t, s, p, noisy(t, p, []int64{200_000, 100_000}, 7)).Comparison("speedup").Pairs[0]
	if pair.NoInterval != "" || !(pair.Interval.Low < pair.Value.Number && pair.Value.Number < pair.Interval.High) {
		t.Errorf("%+v %s", pair.Interval, pair.NoInterval)
	}
}

// A resample is combined by the rule of the cell.
func TestEstimatorsOnResamples(t *testing.T) {
	values := []float64{1, 2, 4, 8}
	for _, c := range []struct {
		name  string
		e     estimator
		times []int
		want  float64
	}{
		{"sum", sumOf(values), []int{2, 0, 1, 1}, 14},
		{"min", minOf(values), []int{0, 2, 2, 0}, 2},
		{"spread", spreadOf([]parts{{dist: []*protocol.Distribution{distributionOf(t, 1e9, 3e9)}}, {dist: []*protocol.Distribution{distributionOf(t, 7e9)}}}), []int{1, 0}, math.Sqrt2},
	} {
		if got := c.e(c.times); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// What can't be is said, and left as it is.
func TestImpossibleIsReported(t *testing.T) {
	s, p := scenario(t, twoBackends)
	c := cellAt(t, p, 0)
	got := analyzed(t, s, p, []journal.Run{{Cell: c.Key, Status: journal.OK, Values: map[string]float64{
		"time_per_call": 1, "latency.mean": 2, "latency.max": 1, "latency.min": 3,
	}}}).Cells[0]
	near(t, "latency.max", got.Metric("latency.max"), 1)
	text := ""
	for _, r := range got.Remarks() {
		text += r.What + "\n"
	}
	if !strings.Contains(text, "latency.max is below latency.mean") || !strings.Contains(text, "latency.min is above latency.mean") {
		t.Error(text)
	}
}

// Percentiles of several recorded runs can't be merged; those of one are what
// was recorded.
func TestRecordedPercentiles(t *testing.T) {
	s, p := scenario(t, strings.Replace(twoBackends, "methodology.half", "methodology.all", 1))
	c := cellAt(t, p, 0)
	run := journal.Run{Cell: c.Key, Status: journal.OK, Values: map[string]float64{"latency.p99": 5, "latency.mean": 2}}
	got := analyzed(t, s, p, []journal.Run{run}).Cells[0]
	near(t, "latency.p99", got.Metric("latency.p99"), 5)
	missing(t, "latency.max", got.Metric("latency.max"), "not recorded")
	again := run
	again.Run = 1
	got = analyzed(t, s, p, []journal.Run{run, again}).Cells[0]
	missing(t, "latency.p99", got.Metric("latency.p99"), "can't be put together")
	near(t, "latency.mean", got.Metric("latency.mean"), 2)
}

// A verdict depends on the company: Holm's adjustment over what is shown
// together. Pairs that could not be significant do not count.
func TestFamily(t *testing.T) {
	c := &Comparison{Comparison: &dsl.Comparison{Confidence: 0.95}}
	pair := func(p float64, tooFew bool) *Pair {
		return &Pair{Comparison: c, Value: dsl.Outcome{Kind: dsl.IsNumber}, NoInterval: "none", Test: Test{
			P: p, tooFew: tooFew, Ratio: stats.Estimate{Estimate: 2, Interval: stats.Interval{Low: 1.5, High: 3, Level: 0.95}},
		}}
	}
	a, b, few := pair(0.03, false), pair(0.04, false), pair(0.5, true)
	if v := NewFamily([]*Pair{a}).Verdict(a); v != stats.Faster {
		t.Errorf("alone: %s", v)
	}
	both := NewFamily([]*Pair{a, b, a, few})
	if both.Size() != 2 || both.P(a) != 0.06 || both.Verdict(a) != stats.NoDifference || both.Verdict(few) != stats.TooFewRuns {
		t.Errorf("together: %d, p %v, %s, %s", both.Size(), both.P(a), both.Verdict(a), both.Verdict(few))
	}
	a.NoInterval, a.Interval, a.HasNull = "", Interval{-1, 2}, true // the formula's own interval shows nothing
	if v := NewFamily([]*Pair{a}).Verdict(a); v != stats.NoDifference {
		t.Errorf("against its own interval: %s", v)
	}
}

// A run that has no value leaves the cell without one, where all runs count.
func TestARunWithoutAValueIsNotPassedOver(t *testing.T) {
	s, p := scenario(t, twoBackends)
	c := cellAt(t, p, 0)
	silent := constantRun(t, c, 1, 1000, 5)
	silent.Roles["client"].Result = &protocol.Result{Elapsed: 1}
	got := analyzed(t, s, p, []journal.Run{constantRun(t, c, 0, 1000, 5), silent}).Cells[0]
	for _, name := range []string{"errors.rate", "latency.stddev", "latency.max", "latency.p50", "latency.mean"} {
		if v := got.Metric(name); v.Missing == "" {
			t.Errorf("%s = %v", name, v.Number)
		}
	}
	// Two runs of one sample each have a spread together.
	got = analyzed(t, s, p, []journal.Run{callRun(t, c, 0, 1e9), callRun(t, c, 1, 3e9)}).Cells[0]
	near(t, "latency.stddev", got.Metric("latency.stddev"), math.Sqrt2)
}
