package lint

import (
	"math"

	"versus/dsl"
	"versus/interp/plan"
)

var l04 = &Rule{
	ID: "L04", Slug: "link-overload", Severity: Warning,
	What: "The messages that an open loop sends over a link, headers and the hops to and from a broker included, take more than 0.7 of its rate. Above its rate it is an error.",
	Why: "A link is a queue like any other: near its rate, waiting decides, and above it the queue grows until the window ends. " +
		"The two worst cells of AimRT's comparison over two hosts, with means of 1.7 and 2.3 s, are those that offer 65.5 Mbit/s of payload to a wireless link.",
	Source:  "RFC 2544 (1999); RFC 6349 (2011), whose 1538 bytes on the wire for 1460 of payload are taken here.",
	Example: "link \"modem\" {\n  between = [host.near, host.far]\n  rate    = \"56kbit/s\"\n}\n\ntest \"rpc\" \"document\" {\n  place   = { client = host.near, server = host.far }\n  payload = bytes(1000)\n  rate    = \"10/s\" # 85 kbit/s\n}\n",
	Cure:    "test \"rpc\" \"document\" {\n  place   = { client = host.near, server = host.far }\n  payload = bytes(1000)\n  rate    = \"4/s\" # 34 kbit/s\n}\n",
	Check:   linkOverload,
}

// What a packet carries, and takes on an Ethernet (RFC 6349): frame, gap,
// preamble and the headers of IP and TCP.
const (
	packetPayload  = 1460
	packetOverhead = 78
)

func linkOverload(p *Pass) {
	if len(p.Scenario.Links) == 0 {
		return
	}
	for _, t := range p.Live() {
		if t.Args["rate"] == nil && !hasAxis(t, "rate") {
			continue
		}
		at := placeOfArgument(t, "rate")
		var worst *plan.Cell
		var over *dsl.Link
		load := 0.0
		all := p.Cells(t, func(c *plan.Cell) bool {
			for _, l := range p.Scenario.Links {
				if times := p.crossings(c, l); l.Rate > 0 && times*onWire(c)/l.Rate > load {
					worst, over, load = c, l, times*onWire(c)/l.Rate
				}
			}
			return true
		})
		const what = "Cell %s sends %.3g kbit/s one way, headers included, over link %q of %.3g kbit/s"
		switch {
		case load > 1:
			p.Report(at, what+": the queue grows until the window ends. Lower the rate, the payload or the number of topics.",
				worst.Key, load*over.Rate/1e3, over.Name, over.Rate/1e3).As(Error)
		case load > nearCapacity:
			p.Report(at, what+", %.0f%% of it: waiting for the link decides what comes out. Stay below %.0f%%.",
				worst.Key, load*over.Rate/1e3, over.Name, over.Rate/1e3, 100*load, 100*nearCapacity)
		}
		if !all {
			p.NotChecked(at, "The test has more than %d cells; the others were not looked at.", maxCells)
		}
	}
}

// onWire is what the messages of an open loop take on a link, one way, in bits
// per second.
func onWire(c *plan.Cell) float64 {
	bytes := float64(c.Workload.Payload.Bytes)
	packets := math.Max(1, math.Ceil(bytes/packetPayload))
	return c.Offered() * (bytes + packets*packetOverhead) * 8
}

// crossings is how often a message of the cell passes the link, one way: that in
// which it does so more often.
func (p *Pass) crossings(c *plan.Cell, l *dsl.Link) float64 {
	var names []string
	roles, _ := p.Roles(c)
	for _, r := range roles {
		names = append(names, r.Name)
	}
	times := c.Crossings(l, names)
	return float64(max(times[0], times[1]))
}
