package plan

import (
	"versus/drivers"
	"versus/dsl"
	"versus/stdlib/metric"
)

// LatencyKind is what the latency of a cell spans. Latencies of unlike kinds are
// never compared: a factor of two and more lies between them.
type LatencyKind string

// The kinds of latency. All but the first can be declared by a replay test.
const (
	NotStated     LatencyKind = "not_stated"      // recorded elsewhere, and the scenario does not say
	RoundTrip     LatencyKind = "round_trip"      // from a call to its answer
	HalfRoundTrip LatencyKind = "half_round_trip" // a round trip divided by two
	OneWay        LatencyKind = "one_way"         // from a publisher to a subscriber
	HandingOver   LatencyKind = "handing_over"    // of a call without an answer: until the caller goes on
	LogCall       LatencyKind = "log_call"        // of a logger, until the caller goes on
)

// Words names the kind as in "its latency is a round trip".
func (k LatencyKind) Words() string {
	switch k {
	case RoundTrip:
		return "a round trip"
	case HalfRoundTrip:
		return "half a round trip"
	case OneWay:
		return "one way"
	case HandingOver:
		return "a sender's part"
	case LogCall:
		return "a call of a logger"
	}
	return "of a kind that is not stated"
}

// LatencyKind is what the latency of the cell spans.
func (c *Cell) LatencyKind() LatencyKind {
	switch c.Workload.Pattern {
	case drivers.PubSub:
		return OneWay
	case drivers.Log:
		return LogCall
	case drivers.RPC:
		if c.Workload.Call == "oneway" || c.Workload.Call == "batch_oneway" {
			return HandingOver
		}
		return RoundTrip
	}
	if c.declaredKind != "" {
		return c.declaredKind
	}
	return NotStated
}

// unlike says why the latencies of two cells can't be compared, or "". A
// comparison of something else still compares no messages with calls.
func unlike(value *dsl.Expr, b, c *Cell) string {
	x, y := b.LatencyKind(), c.LatencyKind()
	messages := b.Test.Pattern == string(drivers.PubSub) != (c.Test.Pattern == string(drivers.PubSub))
	if x == y || !messages && !ReadsLatency(value) {
		return ""
	}
	return "the latency of one side is " + x.Words() + ", of the other " + y.Words()
}

// ReadsLatency reports whether an expression reads a latency of messages or calls.
func ReadsLatency(e *dsl.Expr) bool {
	if e == nil {
		return false
	}
	for _, ref := range e.Metrics {
		if m, ok := metric.Lookup(ref.Metric); ok && m.Distribution() != "" {
			return true
		}
	}
	return false
}
