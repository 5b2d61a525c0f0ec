package plan

import (
	"slices"
	"testing"

	"versus/drivers"
)

// A replay test declares its load by arguments; its axes are columns and
// declare nothing, whatever their names and values.
func TestReplayDeclares(t *testing.T) {
	s := load(t, head+`
test "replay" "declared" {
  backend     = backend.old
  payload     = bytes(each.payload)
  concurrency = 4
  rate        = "1kHz"
  in_flight   = 1
  latency_kind = "half_round_trip"
  sweep {
    payload     = [512]
    concurrency = ["few"]
  }
}
test "replay" "silent" {
  backend = backend.old
  sweep {
    payload = [512]
    topics  = ["all"]
    rate    = [0]
  }
}`)
	p, diags := New(s, registry, Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	declared, err := p.Cell(0)
	if err != nil {
		t.Fatal(err)
	}
	if w := declared.Workload; w.Payload.Bytes != 512 || w.Concurrency != 4 || w.Rate != 1000 || w.InFlight != 1 || w.Topics != 0 || w.Axes["concurrency"] != "few" {
		t.Errorf("declared: %+v", w)
	}
	if kind := declared.LatencyKind(); kind != HalfRoundTrip {
		t.Errorf("declared: %s", kind)
	}
	silent, err := p.Cell(1)
	if err != nil {
		t.Fatal(err)
	}
	if w := silent.Workload; w.Payload.Kind != "" || w.Concurrency != 0 || w.Rate != 0 || w.Topics != 0 {
		t.Errorf("not declared: %+v", w)
	}
	if kind := silent.LatencyKind(); kind != NotStated {
		t.Errorf("not declared: %s", kind)
	}
}

func TestLatencyKinds(t *testing.T) {
	for want, w := range map[LatencyKind]drivers.Workload{
		RoundTrip:   {Pattern: drivers.RPC, Call: "async"},
		HandingOver: {Pattern: drivers.RPC, Call: "batch_oneway"},
		OneWay:      {Pattern: drivers.PubSub},
		LogCall:     {Pattern: drivers.Log},
		NotStated:   {Pattern: drivers.Replay},
	} {
		if got := (&Cell{Workload: w}).LatencyKind(); got != want {
			t.Errorf("%+v: %s, want %s", w, got, want)
		}
	}
}

func TestGateIsMethodology(t *testing.T) {
	src := head + `
test "rpc" "t" {
  backend = backend.a
  gate {
    rate_error = 0.01
    fallback   = false
  }
}`
	lines := Methodology(load(t, src))
	for _, want := range []string{"test.t.methodology.gate.rate_error = 0.01", "test.t.methodology.gate.fallback = 0"} {
		if !slices.Contains(lines, want) {
			t.Errorf("no line %q in %q", want, lines)
		}
	}
}
