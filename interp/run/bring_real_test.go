package run

import (
	"fmt"
	"strings"
	"testing"

	"versus/drivers/all"
	"versus/drivers/dds"
	"versus/drivers/ice"
	"versus/drivers/iceoryx"
	"versus/drivers/native"
	"versus/drivers/workertest"
	"versus/drivers/zenoh"
	"versus/interp/journal"
)

const nativeScenario = `
scenario "native" {}
host "local" "here" { listen = "127.0.0.1" }
host "ssh" "lab" {
  address = "lab"
  options = ["-F", "CONFIG"]
  listen  = "127.0.0.1"
}
backend "ice" "ice" {}
backend "zenoh" "zenoh" {}
backend "dds" "cyclone" {}
backend "iceoryx" "iceoryx" {}
backend "mqtt" "mosquitto" {
  broker "mosquitto" {}
}
methodology "short" {
  warmup { calls = 20 }
  measure { calls = 50 }
  repeat { runs = 1 }
}
defaults {
  methodology = methodology.short
  payload     = bytes("64B")
}
test "rpc" "apart" {
  host  = host.lab
  place = { client = host.here }
  sweep { backend = [backend.ice, backend.cyclone] }
}
test "rpc" "there" {
  host = host.lab
  sweep { backend = [backend.ice, backend.zenoh] }
}
test "pubsub" "events" {
  backend       = backend.ice
  host          = host.here
  place         = { broker = host.lab, subscriber = host.lab }
  event_service = true
  rate          = "1kHz"
}
test "pubsub" "memory" {
  host = host.lab
  rate = "1kHz"
  sweep { backend = [backend.iceoryx, backend.mosquitto] }
}
`

// Workers in C++ and Rust, and the daemons that they start, on a host where
// nothing but the libraries is installed.
func TestNativeWorkersOverSSH(t *testing.T) {
	for _, w := range append([]native.Worker{ice.Worker, iceoryx.Worker, zenoh.Worker}, dds.Workers...) {
		workertest.Need(t, w.Lacks())
		if _, err := w.Build(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	s := startServer(t)
	runs := records(t, planOf(t, strings.Replace(nativeScenario, "CONFIG", s.config, 1)), Options{Drivers: all.Registry()})
	for _, r := range runs {
		if r.Status != journal.OK {
			t.Errorf("%s: %s %s", r.Cell, r.Status, r.Error)
		}
		for name, role := range r.Roles {
			if role.Host != "lab" && !strings.HasPrefix(r.Cell, "apart") && !strings.HasPrefix(r.Cell, "events") {
				t.Errorf("%s: %s is on %s", r.Cell, name, role.Host)
			}
		}
	}
	if len(runs) != 7 || s.count() != 1 {
		t.Errorf("%d runs with %d logins", len(runs), s.count())
	}
	if copies := s.copies(t); len(copies) != 5 { // versus, and a worker for each driver
		t.Errorf("copies: %s", fmt.Sprint(copies))
	}
}
