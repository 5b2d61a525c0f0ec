package run

import (
	"strings"
	"testing"

	"versus/drivers/all"
	"versus/drivers/workertest"
	"versus/drivers/zenoh"
	"versus/interp/journal"
)

const zenohScenario = `
scenario "zenoh" {}
host "netns" "near" {}
host "netns" "far" {}
host "local" "here" { listen = "127.0.0.1" }
host "exec" "ahead" { command = ["AHEAD"] }
backend "zenoh" "peer" {}
backend "zenoh" "router" { mode = "router" }
methodology "short" {
  warmup { calls = 5 }
  measure { calls = 30 }
  repeat { runs = 1 }
  drain = "60s"
}
defaults {
  methodology = methodology.short
  payload     = bytes("512B")
}
test "rpc" "calls" {
  host  = host.far
  place = { client = host.near }
  sweep { backend = [backend.peer, backend.router] }
}
test "pubsub" "topics" {
  rate  = "100Hz"
  host  = host.far
  place = { publisher = host.near }
  sweep { backend = [backend.peer, backend.router] }
}
test "pubsub" "published_ahead" {
  backend = backend.peer
  rate    = "100Hz"
  place   = { publisher = host.ahead }
}
test "pubsub" "received_ahead" {
  backend = backend.router
  rate    = "100Hz"
  place   = { subscriber = host.ahead }
}
`

// Zenoh between two hosts, and between clocks that are a day apart: one-way
// latencies are those of this machine all the same.
func TestZenohAcrossHosts(t *testing.T) {
	needsRoot(t)
	needsAhead(t)
	workertest.Built(t, zenoh.Worker)
	src := strings.Replace(zenohScenario, "AHEAD", strings.Join(ahead, `", "`), 1)
	runs := records(t, planOf(t, src), Options{Drivers: all.Registry()})
	if len(runs) != 6 {
		t.Errorf("%d runs", len(runs))
	}
	for _, r := range runs {
		if r.Status != journal.OK {
			t.Errorf("%s: %s", r.Cell, r.Error)
			continue
		}
		for name, role := range r.Roles {
			if between := strings.HasPrefix(r.Cell, "calls") || strings.HasPrefix(r.Cell, "topics"); role.Active && between && !strings.Contains(role.Effective["links"], "198.18.0.") {
				t.Errorf("%s: %s connects by %q", r.Cell, name, role.Effective["links"])
			}
			got := role.Result
			if role.Active && got.Sent != 30 {
				t.Errorf("%s: %s sent %d of 30", r.Cell, name, got.Sent)
			}
			if name == "subscriber" && (got.Received != 30 || got.Latency.Max > int64(r.Total*1e9)+r.ClockBound()) {
				t.Errorf("%s: received %d, of which %d below zero, latencies up to %d ns", r.Cell, got.Received, got.Negative, got.Latency.Max)
			}
		}
		if strings.Contains(r.Cell, "_ahead") != (r.ClockBound() > 0) {
			t.Errorf("%s: the clocks agree within %d ns", r.Cell, r.ClockBound())
		}
	}
}
