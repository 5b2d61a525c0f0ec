package report

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"versus/drivers/protocol"
	"versus/interp/journal"
	"versus/interp/plan"
)

// madeHead is a scenario of open loops over the rate, in rounds.
const madeHead = `
scenario "made" { title = "Made-up runs" }
backend "fake" "grpc" {}
backend "fake" "http" {}
methodology "rounds" {
  measure { duration = "1s" }
  repeat { runs = 12 }
  order = "interleaved"
  gate { negative = 0 }
}
test "rpc" "open" {
  methodology = methodology.rounds
  payload     = bytes("1KiB")
  rate        = each.rate
  sweep {
    backend = [backend.grpc, backend.http]
    rate    = [1000, 2000, 4000, 8000]
  }
}
comparison "vs_grpc" {
  baseline = { backend = backend.grpc }
  value    = candidate.latency.mean / baseline.latency.mean
  format   = "ratio"
}
`

// made makes runs up: messages of about 100 us that take longer as a queue
// builds up. http, at 1000/s, gets slower from run to run; at 8000/s it can't
// keep up; it loses calls from 4000/s on. The third run of http at 2000/s has
// impossible times. The runs are in rounds.
func made(t testing.TB, p *plan.Plan) []journal.Run {
	t.Helper()
	var runs []journal.Run
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for position, id := range p.Order() {
		c, err := p.Cell(id.Cell)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(uint64(id.Cell), uint64(id.Run)))
		slow := c.Backend.Name == "http"
		base := 100_000 / (1 - c.Workload.Rate/20_000) * (1 + 0.02*rng.Float64())
		if slow {
			base *= 1.5
		}
		if slow && c.Workload.Rate == 1000 {
			base *= 1 + 0.01*float64(id.Run)
		}
		r := madeResult(t, rng, base, c.Workload.Rate)
		if slow && c.Workload.Rate == 8000 {
			r.Sent = 6100
			r.Received = 6100
		}
		if slow && c.Workload.Rate >= 4000 {
			r.Errors = map[string]int64{"timeout": 3 + int64(id.Run)}
		}
		if slow && c.Workload.Rate == 2000 && id.Run == 2 {
			r.Negative = 1
		}
		at = at.Add(time.Second)
		runs = append(runs, journal.Run{Cell: c.Key, Run: id.Run, Order: position, Start: at, Status: journal.OK, Setup: 0.01,
			Roles: map[string]*journal.Role{"client": {Active: true, Result: r}, "server": {Result: &protocol.Result{Elapsed: 1}}}})
	}
	return runs
}

// madeResult is one second of messages around a time, with a long tail, and a
// level that is half as high again in the first fifth.
func madeResult(t testing.TB, rng *rand.Rand, base, rate float64) *protocol.Result {
	t.Helper()
	h := protocol.NewHistogram()
	d := &protocol.Distribution{Min: 1 << 60}
	r := &protocol.Result{Elapsed: 1, Sent: int64(rate), Received: int64(rate), Offered: rate, Latency: d, Windows: make([]protocol.Window, 50), CPUUser: 0.1}
	for i := range int(rate) {
		w := i * 50 / int(rate)
		v := base * (0.8 + 0.2*rng.ExpFloat64())
		if w < 10 {
			v *= 1.5
		}
		if rng.Float64() < 0.002 {
			v *= 10 * math.Exp(rng.NormFloat64()/2)
		}
		n := int64(v)
		_ = h.RecordValue(n)
		d.Sum += n
		d.Min, d.Max = min(d.Min, n), max(d.Max, n)
		d.SumSquares += v / 1e9 * v / 1e9
		r.Windows[w].Count++
		r.Windows[w].Sum += n
	}
	if err := d.SetHistogram(h); err != nil {
		t.Fatal(err)
	}
	return r
}
