package lint

import (
	"math"

	"github.com/hashicorp/hcl/v2"

	"versus/dsl"
	"versus/interp/plan"
)

var l04 = &Rule{
	ID: "L04", Slug: "link-overload", Severity: Warning,
	What: "The messages that an open loop sends over a link, headers and the hops to and from a broker included, take more than 0.7 of its rate. Above its rate it is an error, and so is a rate of calls for which the delay of the link leaves too few in flight.",
	Why: "A link is a queue like any other: near its rate, waiting decides, and above it the queue grows until the window ends. " +
		"The two worst cells of AimRT's comparison over two hosts, with means of 1.7 and 2.3 s, are those that offer 65.5 Mbit/s of payload to a wireless link. " +
		"A caller that may have 16 calls in flight over a link with 50 ms each way makes at most 160 a second, whatever its schedule.",
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
		var full, late worstCell
		all := p.Cells(t, func(c *plan.Cell) bool {
			for _, l := range p.Scenario.Links {
				there, back := p.crossings(c, l)
				if l.Rate > 0 {
					full.see(c, l, max(there, back)*onWire(c)/l.Rate)
				}
				if c.Workload.InFlight > 0 && c.LatencyKind() == plan.RoundTrip { // others wait for no answer
					late.see(c, l, (there+back)*l.Delay*c.Workload.Rate/float64(c.Workload.InFlight))
				}
			}
			return true
		})
		p.reportOverload(at, full)
		if late.load > 1 {
			w := late.cell.Workload
			p.Report(at, "Cell %s calls %.4g times a second, but over link %q, with a delay of %s each way, an answer takes so long that %d calls in flight allow only %.4g. Raise in_flight, or lower the rate.",
				late.cell.Key, w.Rate, late.link.Name, seconds(late.link.Delay), w.InFlight, w.Rate/late.load).As(Error)
		}
		if !all {
			p.NotChecked(at, "The test has more than %d cells; the others were not looked at.", maxCells)
		}
	}
}

// worstCell is the cell that asks most of a link, as a share of what is possible.
type worstCell struct {
	cell *plan.Cell
	link *dsl.Link
	load float64
}

func (w *worstCell) see(c *plan.Cell, l *dsl.Link, load float64) {
	if load > w.load {
		*w = worstCell{c, l, load}
	}
}

// reportOverload reports a cell that sends more than the link carries.
func (p *Pass) reportOverload(at hcl.Range, w worstCell) {
	const what = "Cell %s sends %.3g kbit/s one way, headers included, over link %q of %.3g kbit/s"
	switch {
	case w.load > 1:
		p.Report(at, what+": the queue grows until the window ends. Lower the rate, the payload or the number of topics.",
			w.cell.Key, w.load*w.link.Rate/1e3, w.link.Name, w.link.Rate/1e3).As(Error)
	case w.load > nearCapacity:
		p.Report(at, what+", %.0f%% of it: waiting for the link decides what comes out. Stay below %.0f%%.",
			w.cell.Key, w.load*w.link.Rate/1e3, w.link.Name, w.link.Rate/1e3, 100*w.load, 100*nearCapacity)
	}
}

// onWire is what the messages of an open loop take on a link, one way, in bits
// per second.
func onWire(c *plan.Cell) float64 {
	bytes := float64(c.Workload.Payload.Bytes)
	packets := math.Max(1, math.Ceil(bytes/packetPayload))
	return c.Offered() * (bytes + packets*packetOverhead) * 8
}

// crossings is how often a message of the cell, and its answer, pass the link
// either way.
func (p *Pass) crossings(c *plan.Cell, l *dsl.Link) (there, back float64) {
	var names []string
	roles, _ := p.Roles(c)
	for _, r := range roles {
		names = append(names, r.Name)
	}
	times := c.Crossings(l, names)
	return float64(times[0]), float64(times[1])
}
