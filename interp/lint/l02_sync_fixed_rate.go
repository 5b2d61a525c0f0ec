package lint

import (
	"regexp"
	"slices"
	"strings"

	"versus/drivers"
	"versus/dsl"
	"versus/interp/plan"
)

var l02 = &Rule{
	ID: "L02", Slug: "sync-fixed-rate", Severity: Error, Auto: true,
	What: "The service time of a fixed rate, counted from the actual send, is shown as latency or response time. " +
		"It is a warning if service time is the only time shown of a fixed rate, and if in_flight = 1 makes each call of a fixed rate await the reply to the last one.",
	Why: "A sender that awaits the reply, or a time that begins at the actual send, leaves out the wait of calls that were due and could not go: at 1 kHz and replies of 3.8 ms every call starts later than the one before, and the service time stays at 3.8 ms. " +
		"`latency` counts from when a call was due in every open loop, so that the mistake needs service_time to be written. With in_flight = 1 nothing is omitted, but past one reply a period the queue of the caller is what is measured.",
	Source:  "AimRT 0.8 takes the start of a call at a fixed frequency right before the call, and makes the next one after the reply; Tene, README of wrk2.",
	Example: "column \"p99 latency (us)\" { value = service_time.p99 * 1e6 }",
	Cure:    "column \"p99 latency (us)\" { value = latency.p99 * 1e6 }",
	Check: func(p *Pass) {
		for _, u := range p.Uses() {
			if distribution(u.Metric) == "service_time" {
				p.fromActualSend(u)
			}
		}
		for _, t := range p.Live() {
			p.awaitsReply(t)
		}
	},
}

var (
	latencyWords = regexp.MustCompile(`(?i)\b(latency|latencies|response times?|waits?|waiting|delays?)\b`)
	serviceWords = regexp.MustCompile(`(?i)\bservice times?\b`)
)

func (p *Pass) fromActualSend(u Use) {
	var open *plan.Cell
	doubt, _ := p.CellsOf(u, func(c *plan.Cell) bool {
		if c.Workload.Rate > 0 {
			open = c
		}
		return open == nil
	})
	switch {
	case open == nil:
		return
	case doubt != "":
		p.NotChecked(u.Range, "Whether %s is read of a fixed rate is not known: %s.", u.Metric.Name, doubt)
		return
	}
	name := "latency." + strings.TrimPrefix(u.Metric.Name, "service_time.")
	for _, t := range p.proseOf(u) {
		if !t.has(latencyWords) || t.has(serviceWords) {
			continue
		}
		f := p.Report(u.Range, "%q shows %s of a fixed rate (test %s): it begins at the actual send and leaves out how long a call that was due had to wait. Read %s.",
			t.words, u.Metric.Name, open.Test.Name, name)
		full := strings.Trim(u.Side+"."+u.Metric.Name, ".")
		if p.sourceAt(u.Range.Filename, u.Range.Start.Byte, u.Range.End.Byte) == full {
			f.Edit(u.Range, strings.Trim(u.Side+"."+name, "."))
		}
		return
	}
	other := func(v Use) bool { return distribution(v.Metric) == "latency" && v.Of(open.Test) }
	if !slices.ContainsFunc(p.Uses(), other) {
		p.Report(u.Range, "Of the fixed rate of test %s only the service time is shown, which leaves out how long a call that was due had to wait. Show %s beside it.",
			open.Test.Name, name).As(Warning)
	}
}

// sourceAt is the text of a file between two places.
func (p *Pass) sourceAt(file string, from, to int) string {
	src := p.Scenario.Sources[file]
	if from < 0 || to > len(src) || from > to {
		return ""
	}
	return string(src[from:to])
}

func (p *Pass) awaitsReply(t *dsl.Test) {
	if t.Pattern != string(drivers.RPC) || t.Args["in_flight"] == nil && !hasAxis(t, "in_flight") {
		return
	}
	p.Cells(t, func(c *plan.Cell) bool {
		w := c.Workload
		if w.Rate == 0 || w.InFlight != 1 {
			return true
		}
		p.Report(placeOfArgument(t, "in_flight"), "With in_flight = 1, a call at %.4g/s awaits the reply to the last one: a reply slower than %s delays all that follow, and their latency is the caller's own queue. Allow more in flight, or offer the rate by more callers.",
			w.Rate, seconds(1/w.Rate)).As(Warning)
		return false
	})
}
