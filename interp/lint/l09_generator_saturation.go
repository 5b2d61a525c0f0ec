package lint

import (
	"fmt"

	"versus/interp/plan"
)

var l09 = &Rule{
	ID: "L09", Slug: "generator-saturation", Severity: Warning,
	What: "The rate of an open loop, over all callers or topics, is more than the threads that make the load can send: above 200,000 calls or messages a second for each. " +
		"Threads are gomaxprocs, and no more than the CPUs to which the client or publisher is bound. A generator on the CPUs of the system that it loads is reported by E01, and one that fell behind in a run by the report and the audit.",
	Why: "A generator that can't keep up offers another load than the scenario says, and adds its own queue to every latency. " +
		"The fastest loops of this program reach 94,000 to 118,000 calls a second on one thread.",
	Source:  "Zhang, Meisner, Mars, Tang 2016 (Treadmill: client-side queueing bias); fortio and k6 report sends that fall behind.",
	Example: "test \"rpc\" \"latency\" {\n  rate        = \"50kHz\"\n  concurrency = 8\n  backend     = backend.http # gomaxprocs = 1\n}\n",
	Cure:    "test \"rpc\" \"latency\" {\n  rate        = \"5kHz\"\n  concurrency = 8\n  backend     = backend.http # gomaxprocs = 1\n}\n",
	Check:   generatorSaturation,
}

// threadLimit is more than one thread of a generator can send, per second.
const threadLimit = 200_000

func generatorSaturation(p *Pass) {
	for _, t := range p.Live() {
		if t.Args["rate"] == nil && !hasAxis(t, "rate") {
			continue
		}
		at := placeOfArgument(t, "rate")
		found := false
		all := p.Cells(t, func(c *plan.Cell) bool {
			roles, hosts := p.Roles(c)
			for _, r := range roles {
				n := threads(r, hosts[r.Name])
				if !r.Active || c.Offered() <= float64(n)*threadLimit {
					continue
				}
				found = true
				p.Report(at, "Cell %s offers %.4g %s a second from %s of the %s, more than the %d that each could send. Offer less, or give it more threads (gomaxprocs) and CPUs.",
					c.Key, c.Offered(), message(t), threadsText(n), r.Name, threadLimit)
			}
			return !found
		})
		if !all && !found {
			p.NotChecked(at, "The test has more than %d cells; the rates of the others were not looked at.", maxCells)
		}
	}
}

func threadsText(n int) string {
	if n == 1 {
		return "the one thread"
	}
	return fmt.Sprintf("the %d threads", n)
}
