package lint

import (
	"versus/drivers"
	"versus/dsl"
	"versus/interp/plan"
)

var c01 = &Rule{
	ID: "C01", Slug: "oneway-without-clock-sync", Severity: Warning,
	What: "A latency is read from a pubsub test whose publisher and subscriber run on different machines. versus compares their clocks before and after each run, over the pipe through which it reaches them, and knows them to half of its round trip: the report says the bound, which may be more than the latency. " +
		"Network namespaces of one machine share its clock, and an rpc test reads both ends of a call from one clock: neither is reported.",
	Why: "One-way latency is the difference of two clocks. Those of two machines are apart by more than a message takes, and monotonic clocks do not even count from the same time. " +
		"The error does not average out, and one that makes latencies negative is easily hidden.",
	Source:  "README of ApexAI performance_test (\"probably not perfectly synchronized\"; it has a round-trip mode for this). AimRT takes the wall clock and turns negative latencies into 0 before it averages them.",
	Example: "test \"pubsub\" \"latency\" {\n  place = { publisher = host.near, subscriber = host.far }\n}\n",
	Cure:    "test \"rpc\" \"latency\" {\n  place = { client = host.near, server = host.far }\n}\n",
	Check:   onewayWithoutClockSync,
}

func onewayWithoutClockSync(p *Pass) {
	for _, t := range p.Live() {
		if t.Pattern != string(drivers.PubSub) {
			continue
		}
		read := ""
		for _, u := range p.UsesOf(t) {
			if read == "" && distribution(u.Metric) != "" {
				read = u.Metric.Name + " in " + u.By
			}
		}
		if read == "" && len(p.Scenario.Tables) > 0 {
			continue
		}
		if read == "" {
			read = "latency in the tables of the report's own choice"
		}
		found := false
		all := p.Cells(t, func(c *plan.Cell) bool {
			from, to, apart := p.twoClocks(c)
			if apart {
				found = true
				p.Report(placeOfArgument(t, "place"), "The latency that is read (%s) is the difference between the clocks of host %s, which sends, and host %s, which receives: it is known to half a round trip of the pipes to them. Measure the round trip, by an rpc test, or mind the bound in the report.",
					read, from.Name, to.Name)
			}
			return !apart
		})
		if !found && !all {
			p.NotChecked(t.Range, "The test has more than %d cells; the placement of the others was not looked at.", maxCells)
		}
	}
}

// twoClocks finds publisher and subscriber on machines with clocks of their own.
func (p *Pass) twoClocks(c *plan.Cell) (from, to *dsl.Host, apart bool) {
	roles, hosts := p.Roles(c)
	for _, a := range roles {
		for _, b := range roles {
			from, to = hosts[a.Name], hosts[b.Name]
			if a.Active && !b.Active && b.Name != "broker" && clockOf(from) != clockOf(to) {
				return from, to, true
			}
		}
	}
	return nil, nil, false
}

// clockOf names the clock that a host reads: namespaces have their machine's.
func clockOf(h *dsl.Host) string {
	if h == nil || h.Kind == "netns" {
		return machineOf(nil)
	}
	return machineOf(h)
}
