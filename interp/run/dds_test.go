package run

import (
	"strings"
	"testing"

	"versus/drivers/all"
	"versus/drivers/dds"
	"versus/drivers/workertest"
	"versus/interp/journal"
)

const ddsScenario = `
scenario "dds" {}
host "netns" "near" {}
host "netns" "far" {}
host "netns" "beyond" {}
link "wan" {
  between = [host.near, host.far]
  rate    = "20Mbit/s"
  delay   = "2ms"
}
backend "dds" "cyclone" {
  qos { depth = 500 }
}
backend "dds" "fast" {
  vendor = "fastdds"
  qos { depth = 500 }
}
backend "dds" "memory" {
  vendor    = "fastdds"
  transport = "shm"
}
methodology "short" {
  warmup { calls = 5 }
  measure { calls = 30 }
  repeat { runs = 1 }
  drain = "60s"
}
defaults {
  methodology = methodology.short
  payload     = bytes("512B")
  host        = host.far
}
test "rpc" "calls_linked" {
  place = { client = host.near }
  sweep { backend = [backend.cyclone, backend.fast] }
}
test "pubsub" "topics_linked" {
  rate  = "100Hz"
  place = { publisher = host.near }
  sweep { backend = [backend.cyclone, backend.fast] }
}
test "pubsub" "topics_by_cable" {
  payload = bytes("200KB")
  rate    = "20Hz"
  place   = { publisher = host.beyond }
  sweep { backend = [backend.cyclone, backend.fast] }
}
test "rpc" "together" {
  sweep { backend = [backend.cyclone, backend.fast, backend.memory] }
}
`

// TestDDSAcrossHosts has roles of both vendors on two hosts, that no multicast
// reaches, over a link that delays and without; and on one. Nothing may be lost: all
// messages are kept for a reader that is behind on a busy machine, and what is sent
// again after seconds is waited for.
func TestDDSAcrossHosts(t *testing.T) {
	needsTUN(t)
	for _, w := range dds.Workers {
		workertest.Built(t, w)
	}
	runs := records(t, planOf(t, ddsScenario), Options{Drivers: all.Registry()})
	if len(runs) != 9 {
		t.Errorf("%d runs", len(runs))
	}
	for _, r := range runs {
		if r.Status != journal.OK {
			t.Errorf("%s: %s", r.Cell, r.Error)
			continue
		}
		apart := map[string]bool{}
		for name, role := range r.Roles {
			apart[role.Host] = true
			if role.Active {
				checkDDS(t, r.Cell+": "+name, role)
			}
		}
		for _, role := range r.Roles {
			if role.Result.Lost > 0 || len(apart) == 2 && !role.Active && !strings.Contains(role.Effective["address"], "198.18.0.") {
				t.Errorf("%s: lost %d, settings %v", r.Cell, role.Result.Lost, role.Effective)
			}
		}
		if _, ok := r.Links["wan"]; ok != strings.Contains(r.Cell, "_linked") {
			t.Errorf("%s: links %v", r.Cell, r.Links)
		}
	}
}

// checkDDS checks an active role, which says where it and its peer are.
func checkDDS(t *testing.T, where string, role *journal.Role) {
	t.Helper()
	if role.Result.Sent != 30 || len(role.Result.Errors) > 0 {
		t.Errorf("%s: sent %d, errors %v", where, role.Result.Sent, role.Result.Errors)
	}
	if e := role.Effective; e["transport"] != "shared memory only" && (e["address"] != role.Listen || !strings.HasPrefix(e["discovery"], "unicast, of the peer at 198.18.0.")) {
		t.Errorf("%s, at %s: settings %v", where, role.Listen, e)
	}
}
