package page

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"versus/drivers"
	"versus/drivers/protocol"
	"versus/dsl"
	"versus/interp/analyze"
	"versus/interp/journal"
	"versus/interp/plan"
	"versus/interp/report"
)

// fake is a driver that runs nothing; its runs are made up.
var fake = drivers.Registry{{
	Name: "fake", Patterns: []drivers.Pattern{drivers.RPC},
	Probe: func(context.Context) drivers.Availability { return drivers.Availability{OK: true} },
	Roles: func(drivers.Workload) ([]drivers.Role, error) {
		return []drivers.Role{{Name: "server"}, {Name: "client", Active: true}}, nil
	},
}}

// everything is a scenario whose report has every kind of table and chart.
const everything = `
scenario "everything" {
  title       = "Two transports under load"
  description = "Calls of 1 KiB at four rates, over two transports."
}
backend "fake" "grpc" {}
backend "fake" "http" {}
methodology "rounds" {
  measure { duration = "1s" }
  repeat { runs = 12 }
  keep { best = n / 2 }
  order = "interleaved"
  gate { negative = 0 }
}
test "rpc" "open" {
  title       = "Calls at a rate"
  methodology = methodology.rounds
  payload     = bytes("1KiB")
  rate        = each.rate
  sweep {
    backend = [backend.grpc, backend.http]
    rate    = [1000, 2000, 4000, 8000]
  }
}
comparison "vs_grpc" {
  title    = "against gRPC, by the mean latency"
  baseline = { backend = backend.grpc }
  value    = candidate.latency.mean / baseline.latency.mean
  format   = "ratio"
}
table "rows" {
  title = "A row a rate"
  rows  = [each.backend, each.rate]
  column "mean (us)" { value = latency.mean * 1e6 }
  column "p99 (us)" { value = latency.p99 * 1e6 }
  column "p99.9 (us)" { value = latency.p99_9 * 1e6 }
  column "achieved (1/s)" { value = throughput.rate }
  column "errors (%)" { value = errors.rate * 100 }
  column "on the wire" { value = wire.bytes }
  column "none" { value = latency.mean / 0 }
  column "against gRPC" { value = comparison.vs_grpc }
}
table "columns" {
  title   = "A column a rate"
  rows    = [each.backend]
  columns = [each.rate]
  cell    = comparison.vs_grpc
}
table "whole" {
  title = "Over all rates"
  rows  = [each.backend]
  column "mean (us)" { value = geomean(latency.mean * 1e6) }
}
chart "value" {
  title  = "Mean latency over the rate"
  x      = each.rate
  y      = latency.mean * 1e6
  series = each.backend
  x_axis { label = "calls a second" }
  y_axis { label = "mean latency (us)" }
}
chart "bars" {
  title  = "Mean latency at each rate"
  x      = each.backend
  y      = latency.mean * 1e6
  series = each.rate
}
chart "load" {
  kind   = "load"
  series = each.backend
}
chart "percentiles" {
  kind   = "percentiles"
  series = each.backend
  where  = each.rate == 2000
}
chart "ecdf" {
  kind   = "ecdf"
  series = each.backend
  where  = each.rate == 2000
}
chart "ccdf" {
  kind   = "ccdf"
  series = each.backend
  where  = each.rate == 2000
}
chart "strip" {
  kind   = "strip"
  x      = each.rate
  y      = latency.mean * 1e6
  series = each.backend
}
chart "runs" {
  kind   = "runs"
  y      = latency.mean * 1e6
  series = each.backend
}
chart "windows" {
  kind   = "windows"
  series = each.backend
  where  = each.rate == 2000
}
chart "speedup" {
  kind   = "speedup"
  x      = each.rate
  y      = comparison.vs_grpc
  series = each.backend
}
chart "pairs" {
  kind   = "pairs"
  x      = each.rate
  y      = comparison.vs_grpc
  series = each.backend
}
chart "heatmap" {
  kind  = "heatmap"
  x     = each.rate
  y     = each.backend
  value = comparison.vs_grpc
}
expect "http is not slower" {
  condition     = comparison.vs_grpc.low < 1
  error_message = "Slower by ${fixed(comparison.vs_grpc * 100 - 100, 0)}%."
}
expect "calls take less than a second" { condition = latency.max < 1 }
`

// made is the page of that scenario. Of its runs, http's get slower from run to
// run at 1000/s, one of them failed, and at 8000/s they miss the rate.
func made(t *testing.T) *Page {
	t.Helper()
	sources := map[string][]byte{"main.hcl": []byte(everything)}
	s, diags := dsl.LoadSources("main.hcl", sources, dsl.Config{Drivers: fake.Kinds(), Patterns: map[string][]string{"fake": {"rpc"}}})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	p, diags := plan.New(s, fake, plan.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	var runs []journal.Run
	begun := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for position, id := range p.Order() {
		c, err := p.Cell(id.Cell)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(uint64(id.Cell), uint64(id.Run)))
		mean, errors := 100_000*(1+0.05*rng.Float64()), map[string]int64(nil)
		if c.Backend.Name == "http" {
			mean *= 1.5 + c.Workload.Rate/8000
			if c.Workload.Rate == 1000 {
				mean *= 1 + 0.02*float64(id.Run)
			}
			errors = map[string]int64{"timeout": 3}
		}
		r := journal.Run{Cell: c.Key, Run: id.Run, Order: position, Start: begun.Add(time.Duration(position) * time.Second), Status: journal.OK, Setup: 0.01,
			Roles: map[string]*journal.Role{"client": {Active: true, Result: calls(t, rng, mean, c.Workload.Rate)}, "server": {Result: &protocol.Result{Elapsed: 1}}}}
		r.Roles["client"].Result.Errors = errors
		runs = append(runs, r)
	}
	runs[3].Status, runs[3].Error, runs[3].Roles = journal.Failed, "client: exit status 2", nil
	res, err := analyze.Analyze(s, p, runs)
	if err != nil {
		t.Fatal(err)
	}
	return &Page{
		Report: report.Build(res), Result: res,
		About:       []Fact{{"Begun", "2026-01-01 00:00:00 UTC"}, {"Written by", "versus, as a test"}},
		Environment: []Fact{{"CPU", "a made-up one with 8 cores"}, {"Kernel", "6.1.0-made-up-amd64 #1 SMP PREEMPT_DYNAMIC"}, {"grpc", "1.85.0"}},
		Fingerprint: strings.Repeat("0123456789abcdef", 4), Methodology: []string{"test.open.rate = each.rate", "methodology.rounds.repeat.runs = 12"},
		Sources: []Source{{"main.hcl", everything}},
	}
}

// calls is a second of calls, of which every 50th takes three times as long.
// They are a quarter of what the rate asks for, at 8000/s less.
func calls(t *testing.T, rng *rand.Rand, mean, rate float64) *protocol.Result {
	t.Helper()
	h := protocol.NewHistogram()
	d := &protocol.Distribution{Min: math.MaxInt64}
	r := &protocol.Result{Elapsed: 0.25, Sent: int64(rate / 4), Offered: rate, Latency: d, Windows: make([]protocol.Window, 50), CPUUser: 0.05}
	if rate == 8000 {
		r.Sent = 1500
	}
	r.Received = r.Sent
	for i := range r.Sent {
		v := int64(mean * (0.8 + 0.2*rng.ExpFloat64()))
		if i%50 == 0 {
			v *= 3
		}
		if err := h.RecordValue(v); err != nil {
			t.Fatal(err)
		}
		d.Sum += v
		d.Min, d.Max = min(d.Min, v), max(d.Max, v)
		d.SumSquares += float64(v) / 1e9 * float64(v) / 1e9
		w := &r.Windows[i*50/r.Sent]
		w.Count, w.Sum = w.Count+1, w.Sum+v
	}
	if err := d.SetHistogram(h); err != nil {
		t.Fatal(err)
	}
	return r
}

// Every kind of chart is in the page, drawn.
func TestMade(t *testing.T) {
	p := made(t)
	kinds := map[string]bool{}
	for _, c := range p.Report.Charts {
		if c.Drawn() == 0 {
			t.Errorf("the chart %s is empty: %v", c.Name, c.Missing())
		}
		kinds[string(c.Kind)] = true
	}
	if len(kinds) != 11 {
		t.Errorf("kinds of charts: %v", kinds)
	}
	if len(p.Report.Findings) == 0 || !p.Report.Failed() || len(p.Report.Notes) == 0 {
		t.Error(fmt.Sprint("no findings, failed expectations or notes: ", len(p.Report.Findings), p.Report.Failed(), len(p.Report.Notes)))
	}
}
