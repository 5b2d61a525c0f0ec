package lint

import (
	"slices"
	"strings"

	"versus/drivers"
	"versus/drivers/goproc"
	"versus/dsl"
	"versus/interp/plan"
)

var l08 = &Rule{
	ID: "L08", Slug: "concurrency-undeclared", Severity: Error, Auto: true,
	What: "A closed loop does not say how many callers it has; the language then takes 1. " +
		"It is a warning if there are more callers than threads, and the backend does not say that it has so few: gomaxprocs is 1 if nothing else is written.",
	Why: "In a closed loop throughput is the number of callers divided by the time of a call (Little's law, X = N/(R + Z)): without N, neither number says anything. " +
		"Eight callers on one thread of the client wait for each other before they wait for the system.",
	Source:  "Little 1961; Schroeder, Wierman, Harchol-Balter 2006. AimRT's bench mode says neither.",
	Example: "test \"rpc\" \"capacity\" {\n  sweep { backend = [backend.grpc, backend.http] }\n}\n",
	Cure:    "test \"rpc\" \"capacity\" {\n  concurrency = 1\n  sweep { backend = [backend.grpc, backend.http] }\n}\n",
	Check: func(p *Pass) {
		for _, t := range p.Live() {
			if t.Pattern != string(drivers.PubSub) { // publishers do not wait for anyone
				p.callersSaid(t)
			}
		}
	},
}

func (p *Pass) callersSaid(t *dsl.Test) {
	loop := p.Loop(t)
	if !loop.Closed {
		if !loop.Known {
			p.NotChecked(placeOfArgument(t, "rate"), "The test has more than %d cells; whether others are closed loops was not looked at.", maxCells)
		}
		return
	}
	if t.Args["concurrency"] == nil && !hasAxis(t, "concurrency") {
		p.Report(t.Range, "The closed loop of test %s does not say how many callers it has; 1 is taken. Write concurrency = 1, or how many there are.", t.Name).
			Insert(p.Scenario.Find(t.Range), "concurrency = 1")
		return
	}
	p.callersOnThreads(t)
}

// callersOnThreads finds more callers than threads where no one wrote how many
// threads there are.
func (p *Pass) callersOnThreads(t *dsl.Test) {
	var names []string
	callers := 0
	p.Cells(t, func(c *plan.Cell) bool {
		n, ok := c.Backend.Options[goproc.Attr.Name].(float64)
		b := p.block(c.Backend.Range)
		if !ok || b == nil || b.Attr(goproc.Attr.Name) != nil || c.Workload.Rate > 0 || c.Workload.Concurrency <= int(n) {
			return true
		}
		callers = max(callers, c.Workload.Concurrency)
		if !slices.Contains(names, c.Backend.Name) {
			names = append(names, c.Backend.Name)
		}
		return true
	})
	if callers > 0 {
		p.Report(placeOfArgument(t, "concurrency"), "%d callers share one thread, in the client as in the server (%s): gomaxprocs is 1 if nothing is written. Write gomaxprocs in the backend, be it 1.",
			callers, strings.Join(names, ", ")).As(Warning)
	}
}
