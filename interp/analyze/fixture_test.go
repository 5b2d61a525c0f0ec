package analyze

import (
	"context"
	"math"
	"slices"
	"testing"

	"versus/drivers"
	"versus/drivers/protocol"
	"versus/dsl"
	"versus/interp/journal"
	"versus/interp/plan"
)

// registry has a driver that carries everything and runs nothing.
var registry = drivers.Registry{{
	Name: "fake", AcrossHosts: drivers.OverNetworks,
	Patterns: []drivers.Pattern{drivers.RPC, drivers.PubSub, drivers.Log},
	Probe:    func(context.Context) drivers.Availability { return drivers.Availability{OK: true} },
	Roles: func(w drivers.Workload) ([]drivers.Role, error) {
		if w.Pattern == drivers.PubSub {
			return []drivers.Role{{Name: "subscriber"}, {Name: "publisher", Active: true}}, nil
		}
		return []drivers.Role{{Name: "server"}, {Name: "client", Active: true}}, nil
	},
}}

// head declares two backends and a methodology of six runs, of which half are kept.
const head = `
scenario "test" {}
backend "fake" "a" {}
backend "fake" "b" {}
methodology "half" {
  measure { duration = "1s" }
  repeat { runs = 6 }
  keep { best = n / 2 }
}
methodology "all" {
  measure { duration = "1s" }
  repeat { runs = 6 }
}
`

// scenario loads HCL text after head, and plans it.
func scenario(t testing.TB, text string) (*dsl.Scenario, *plan.Plan) {
	t.Helper()
	cfg := dsl.Config{Drivers: registry.Kinds(), Patterns: map[string][]string{"fake": {"rpc", "pubsub", "log"}}}
	s, diags := dsl.LoadSources("main.hcl", map[string][]byte{"main.hcl": []byte(head + text)}, cfg)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	p, diags := plan.New(s, registry, plan.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return s, p
}

func cellAt(t testing.TB, p *plan.Plan, i int) *plan.Cell {
	t.Helper()
	c, err := p.Cell(i)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// distribution of latencies in nanoseconds.
func distributionOf(t testing.TB, values ...int64) *protocol.Distribution {
	t.Helper()
	h := protocol.NewHistogram()
	d := &protocol.Distribution{Min: values[0]}
	for _, v := range values {
		if err := h.RecordValue(min(v, protocol.MaxTrackable)); err != nil {
			t.Fatal(err)
		}
		if v > protocol.MaxTrackable {
			d.Over++
		}
		d.Sum += v
		d.Min, d.Max = min(d.Min, v), max(d.Max, v)
		d.SumSquares += float64(v) / 1e9 * float64(v) / 1e9
	}
	if err := d.SetHistogram(h); err != nil {
		t.Fatal(err)
	}
	return d
}

// callRun is a closed-loop run of a client whose calls took so long, in
// nanoseconds, one after the other.
func callRun(t testing.TB, c *plan.Cell, run int, latencies ...int64) journal.Run {
	t.Helper()
	d := distributionOf(t, latencies...)
	n := int64(len(latencies))
	client := &protocol.Result{Elapsed: float64(d.Sum) / 1e9, Sent: n, Received: n, Latency: d, CPUUser: 0.1, CPUSystem: 0.2, PeakMemory: 2000}
	server := &protocol.Result{Elapsed: 2, CPUUser: 0.3, CPUSystem: 0.1, PeakMemory: 1000}
	return journal.Run{Cell: c.Key, Run: run, Order: run, Status: journal.OK, Setup: 0.05, Roles: map[string]*journal.Role{
		"client": {Active: true, Result: client}, "server": {Result: server},
	}}
}

// constantRun has n calls of one length.
func constantRun(t testing.TB, c *plan.Cell, run int, latency int64, n int) journal.Run {
	t.Helper()
	values := make([]int64, n)
	for i := range values {
		values[i] = latency
	}
	return callRun(t, c, run, values...)
}

func analyzed(t testing.TB, s *dsl.Scenario, p *plan.Plan, runs []journal.Run) *Result {
	t.Helper()
	res, err := Analyze(s, p, runs)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// planOf is what noisy needs of a plan.
type planOf interface {
	Cells() int
	Cell(int) (*plan.Cell, error)
	RunsOf(int) int
}

// nearestRank by sorting, in seconds.
func nearestRank(ns []int64, p float64) float64 {
	s := slices.Sorted(slices.Values(ns))
	return float64(s[int(math.Ceil(p*float64(len(s))-1e-9))-1]) / 1e9
}
