package lint

import (
	"cmp"
	"regexp"

	"versus/drivers"
	"versus/interp/plan"
)

var l01 = &Rule{
	ID: "L01", Slug: "closed-loop-percentiles", Severity: Warning,
	What: "A percentile above the median, or a maximum, of `latency` is read from a closed loop: a test without a rate. It is an error in an expectation, and where the text speaks of a service level or of what users wait. " +
		"service_time.p99 is the same number under its honest name, and is not reported.",
	Why: "A closed loop sends the next call when the answer to the last one is there. While the system stalls nothing is sent, so that the calls that would have waited are not in the sample: coordinated omission. " +
		"Of 99 calls of 1 ms and a stall of 100 ms, the 99th percentile is 1 ms; of calls that are due every millisecond it is 99 ms. At equal load, closed and open loops differ by up to an order of magnitude in mean response time.",
	Source:  "Tene, How not to measure latency; Schroeder, Wierman, Harchol-Balter 2006 (NSDI).",
	Example: "test \"rpc\" \"latency\" {\n  concurrency = 1\n}\n\ntable \"latency\" {\n  column \"p99 (us)\" { value = latency.p99 * 1e6 }\n}\n",
	Cure:    "test \"rpc\" \"latency\" {\n  rate = \"1kHz\"\n}\n\ntable \"latency\" {\n  column \"p99 (us)\" { value = latency.p99 * 1e6 }\n}\n",
	Check:   closedLoopPercentiles,
}

// serviceLevel are words that promise something to users.
var serviceLevel = regexp.MustCompile(`(?i)\b(slos?|slas?|service[- ]levels?|response times?|users?|guarantees?|guaranteed)\b`)

func closedLoopPercentiles(p *Pass) {
	for _, u := range p.Uses() {
		if !isTail(u.Metric) || distribution(u.Metric) != "latency" {
			continue
		}
		var closed []*plan.Cell
		doubt, cut := p.CellsOf(u, func(c *plan.Cell) bool {
			if c.Workload.Rate == 0 {
				closed = append(closed, c)
			}
			return true
		})
		switch {
		case len(closed) == 0 && cut == "":
			continue
		case len(closed) == 0 || doubt != "":
			p.NotChecked(u.Range, "Whether %s is read from a closed loop is not known: %s.", u.Metric.Name, cmp.Or(doubt, cut))
			continue
		}
		tests := testsIn(closed)
		what := "no call is sent while the system stalls, so that those who would have waited are not counted"
		if tests[0].Pattern == string(drivers.PubSub) {
			what = "messages are sent as fast as it goes, so that this is how long the queues got"
		}
		f := p.Report(u.Range, "A closed loop gives %s (%s): %s. Give the test a rate, or read service_time.%s, which is what this is.",
			u.Metric.Name, namesOf(tests), what, u.Metric.Name[len("latency."):])
		if p.expects(u) || p.promises(u) {
			f.As(Error)
		}
	}
}

// promises reports whether the text about a value, or the title above it,
// speaks of a service level.
func (p *Pass) promises(u Use) bool {
	for _, t := range p.proseOf(u) {
		if t.has(serviceLevel) {
			return true
		}
	}
	for _, t := range p.Scenario.Tables {
		if t.Range == u.Inside && serviceLevel.MatchString(t.Title) {
			return true
		}
	}
	return false
}
