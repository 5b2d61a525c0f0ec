package lint

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"versus/drivers"
	"versus/dsl"
	"versus/interp/plan"
)

var l14 = &Rule{
	ID: "L14", Slug: "censored-latency", Severity: Error, Auto: true,
	What: "An expectation bounds a percentile or maximum of latency, and none asks for errors or losses of the same test. It is a warning if a table shows such a latency, and nothing in the report shows errors or losses. " +
		"It is an error if a subscriber whose percentiles are read waits for nothing at the end (drain = \"0s\").",
	Why: "A call that fails (over MQTT, one without an answer for 10 s) and a message that does not come before the end of drain have no latency: the survivors look fast, the more so the worse the system is. " +
		"The report remarks that calls failed, but not in which share, and an expectation holds all the same.",
	Source:  "AimRT's RPC client counts a call over its limit of 3 s as an error and leaves it out of the latencies.",
	Example: "table \"latency\" {\n  rows = [each.backend]\n  column \"p99 (us)\" { value = latency.p99 * 1e6 }\n}\n",
	Cure:    "table \"latency\" {\n  rows = [each.backend]\n  column \"p99 (us)\" { value = latency.p99 * 1e6 }\n  column \"failed (%)\" { value = errors.rate * 100 }\n}\n",
	Check: func(p *Pass) {
		seen := map[hcl.Range]bool{} // by table or expectation
		for _, u := range p.Uses() {
			if isTail(u.Metric) && distribution(u.Metric) != "" && u.Compared == nil && !seen[u.Inside] {
				seen[u.Inside] = p.survivors(u)
			}
		}
		for _, t := range p.Live() {
			p.drained(t)
		}
	},
}

// lossMetric is the metric of what has no latency, for a pattern.
func lossMetric(t *dsl.Test) string {
	if t.Pattern == string(drivers.PubSub) {
		return "loss.rate"
	}
	return "errors.rate"
}

// tellsLosses reports whether a use shows how many have no latency.
func tellsLosses(u Use, t *dsl.Test) bool {
	if t.Pattern == string(drivers.PubSub) {
		return strings.HasPrefix(u.Metric.Name, "loss.") || u.Metric.Name == "samples.lost"
	}
	return strings.HasPrefix(u.Metric.Name, "errors.")
}

// survivors reports a tail of some live test of which no losses are told.
func (p *Pass) survivors(u Use) bool {
	var silent []*dsl.Test
	doubt, _ := p.CellsOf(u, func(c *plan.Cell) bool {
		if slices.Contains(silent, c.Test) {
			return true
		}
		told := slices.ContainsFunc(p.UsesOf(c.Test), func(v Use) bool {
			return tellsLosses(v, c.Test) && (p.expects(v) || !p.expects(u))
		})
		if !told {
			silent = append(silent, c.Test)
		}
		return true
	})
	switch {
	case len(silent) == 0:
		return false
	case doubt != "":
		p.NotChecked(u.Range, "Whether %s is read of a test whose losses no one shows is not known: %s.", u.Metric.Name, doubt)
		return true
	}
	loss := lossMetric(silent[0])
	if p.expects(u) {
		p.Report(u.Range, "Only what was answered is in %s: what failed or was lost has no latency, and no expectation asks how many did (%s). Add %s == 0, or a bound, to the condition.",
			u.Metric.Name, namesOf(silent), loss)
		return true
	}
	f := p.Report(u.Range, "Only what was answered is in %s, and no table or expectation shows the share that was not (%s). Show %s beside it.",
		u.Metric.Name, namesOf(silent), loss).As(Warning)
	for _, table := range p.Scenario.Tables {
		b := p.block(table.Range)
		if table.Range != u.Inside || table.Cell != nil || b == nil {
			continue
		}
		var columns []string
		for _, t := range silent {
			text := `column "failed (%)" { value = errors.rate * 100 }`
			if t.Pattern == string(drivers.PubSub) {
				text = `column "lost (%)" { value = loss.rate * 100 }`
			}
			if !slices.Contains(columns, text) {
				columns = append(columns, text)
			}
		}
		f.Insert(b, strings.Join(columns, "\n"))
	}
	return true
}

// drained finds subscribers that wait for nothing that is under way.
func (p *Pass) drained(t *dsl.Test) {
	if t.Pattern != string(drivers.PubSub) || t.Methodology.Drain > 0 || !p.readsTail(t) {
		return
	}
	b := p.MethodologyBlock(t)
	if b == nil || b.Attr("drain") == nil {
		return
	}
	a := b.Attr("drain")
	f := p.Report(p.argumentAt(b, "drain", t), "The subscriber waits for nothing at the end (test %s): what is under way then counts as lost, and the slowest are the likeliest. Give drain more than the longest latency.", t.Name)
	if written(a) {
		f.Edit(a.Expr.Range(), `"2s"`)
	}
}

// argumentAt is where an argument of a block stands, if that is in a file of
// the scenario, or what brings it into the test.
func (p *Pass) argumentAt(b *dsl.Block, name string, t *dsl.Test) hcl.Range {
	a := b.Attr(name)
	if a == nil || p.place(b, t) != b.Range {
		return p.place(b, t)
	}
	return hcl.RangeBetween(a.Range, a.Expr.Range())
}
