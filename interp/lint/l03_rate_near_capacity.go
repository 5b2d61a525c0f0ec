package lint

import (
	"github.com/hashicorp/hcl/v2"

	"versus/dsl"
	"versus/interp/plan"
)

var l03 = &Rule{
	ID: "L03", Slug: "rate-near-capacity", Severity: Warning,
	What: "The rate of an open loop, over all callers or topics, is above 0.7 of the declared capacity of the system. From 1 on it is an error.",
	Why: "Waiting grows as 1/(1 - load) even in the simplest queue (M/M/1: R = S/(1 - rho)): at 0.9 of capacity a call takes ten times its service time, and small differences of the system or of the load decide the result. " +
		"Above capacity the queue grows until the window ends, and latency measures how long the run was: 8 kHz on a backend of 7 kHz.",
	Source:  "M/M/1; Schroeder, Wierman, Harchol-Balter 2006 (NSDI).",
	Example: "test \"rpc\" \"latency\" {\n  rate     = \"8kHz\"\n  capacity = \"7kHz\" # measured by the test capacity\n}\n",
	Cure:    "test \"rpc\" \"latency\" {\n  rate     = \"3500/s\"\n  capacity = \"7kHz\" # measured by the test capacity\n}\n",
	Check:   rateNearCapacity,
}

// nearCapacity is the share of the capacity above which waiting decides.
const nearCapacity = 0.7

func rateNearCapacity(p *Pass) {
	for _, t := range p.Live() {
		if t.Args["rate"] == nil && !hasAxis(t, "rate") {
			continue
		}
		at := placeOfArgument(t, "rate")
		var worst, unknown *plan.Cell
		load := 0.0
		all := p.Cells(t, func(c *plan.Cell) bool {
			switch offered := c.Offered(); {
			case offered == 0:
			case c.Capacity == 0:
				unknown = c
			case offered/c.Capacity > load:
				worst, load = c, offered/c.Capacity
			}
			return true
		})
		switch {
		case load >= 1:
			p.Report(at, "Cell %s offers %.4g %s a second to a system that carries %.4g: the queue grows until the window ends, and latency measures how long the run was. Stay below %.4g.",
				worst.Key, worst.Offered(), message(t), worst.Capacity, nearCapacity*worst.Capacity).As(Error)
		case load > nearCapacity:
			p.Report(at, "Cell %s offers %.4g %s a second, %.0f%% of the %.4g that the system carries: waiting is %.2g times the service time or more. Stay below %.4g.",
				worst.Key, worst.Offered(), message(t), 100*load, worst.Capacity, 1/(1-load), nearCapacity*worst.Capacity)
		}
		if unknown != nil {
			p.noCapacity(t, unknown, at)
		} else if !all {
			p.NotChecked(at, "The test has more than %d cells; the rates of the others were not looked at.", maxCells)
		}
	}
}

// noCapacity says that nothing tells how much a system carries, and what would.
func (p *Pass) noCapacity(t *dsl.Test, c *plan.Cell, at hcl.Range) {
	for _, other := range p.Live() {
		if other == t || other.Pattern != t.Pattern {
			continue
		}
		var same bool
		p.Cells(other, func(o *plan.Cell) bool {
			same = o.Workload.Rate == 0 && o.Backend == c.Backend
			return !same
		})
		if same {
			p.NotChecked(at, "Nothing says how many %s a second the system of %s carries: test %s will measure it. Write what it came to as capacity.", message(t), c.Key, other.Name)
			return
		}
	}
	p.NotChecked(at, "Nothing says how many %s a second the system of %s carries. Measure it in a test without a rate, and write it as capacity.", message(t), c.Key)
}
