package lint

import (
	"maps"
	"slices"
)

var f06 = &Rule{
	ID: "F06", Slug: "delivery-guarantee", Severity: Error,
	What: "The two sides of a comparison promise different things about delivery: another MQTT quality of service, reliable against best effort, other acknowledgements or durability, or calls that wait for an answer against calls that don't. " +
		"If the price of the promise is what is compared, `across` lists the option or argument.",
	Why:     "They do different work. QoS 0 is one packet a message, QoS 1 two, QoS 2 four, and a call that waits for nobody ends when it is queued.",
	Source:  "MQTT 3.1.1, section 4.3, for the packets of each level. ZeroC's comparison of Ice 2.1 with TAO 1.4 (2005) sets SYNC_WITH_TRANSPORT for TAO, so that its oneway calls mean what those of Ice do.",
	Example: "backend \"mqtt\" \"light\" {\n  qos = 0\n}\n\nbackend \"mqtt\" \"sure\" {\n  qos = 2\n}\n\ncomparison \"sure_or_light\" {\n  baseline = { backend = backend.light }\n  value    = candidate.latency.mean / baseline.latency.mean\n}\n",
	Cure:    "comparison \"price_of_qos_2\" {\n  baseline = { backend = backend.light }\n  value    = candidate.latency.mean / baseline.latency.mean\n  across   = [\"qos\"]\n}\n",
	Check:   deliveryGuarantee,
}

// guarantees are the options, of whatever driver, that say what is promised
// about delivery.
var guarantees = []string{"qos", "reliability", "durability", "durable", "history", "acks", "ack", "delivery", "persistence", "retain"}

func deliveryGuarantee(p *Pass) {
	p.Measured(func(ps *Pairs, pair Pair) {
		b, c := pair.Baseline, pair.Candidate
		for _, name := range slices.Sorted(maps.Keys(b.Backend.Options)) {
			x := b.Backend.Options[name]
			y, both := c.Backend.Options[name]
			if !both || !slices.Contains(guarantees, name) || sameText(x, y) || ps.Meant(name) {
				continue
			}
			p.Report(ps.Comparison.Range, "Backend %s has %s = %s, and %s has %s = %s: one of them does more work for every message. Give both the same, or, if that is what you compare, write across = [%q].",
				b.Backend.Title, name, text(x), c.Backend.Title, name, text(y), name)
		}
		if x, y := b.Workload.Call, c.Workload.Call; x != y && !ps.Meant("call") && !followsFromAxis(ps, "call", c) {
			p.Report(ps.Comparison.Range, "Backend %s makes %s calls, and %s makes %s calls. Give both the same, or, if that is what you compare, write across = [\"call\"].",
				b.Backend.Title, x, c.Backend.Title, y)
		}
	})
}
