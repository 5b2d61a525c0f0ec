package lint

import (
	"cmp"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"versus/dsl"
	"versus/interp/plan"
	"versus/stdlib/metric"
)

var c04 = &Rule{
	ID: "C04", Slug: "rtt-versus-oneway", Severity: Error,
	What: "Latencies that span different ways are compared, or shown in one column: the round trip of an rpc test, the one way of a pubsub test, and the mere handing over of a oneway call. " +
		"Half a round trip under a heading that does not say so is reported as well. A heading that names both (\"round trip\" and \"one way\") means it. Of a comparison of rpc and pubsub tests the report prints no value.",
	Why:     "A factor of two lies between them, more than between most middlewares; and half a round trip is one way only where both ways are equal.",
	Source:  "iceperf of iceoryx prints round trips divided by 2, RTI perftest as well, others print round trips.",
	Example: "test \"rpc\" \"call\" {}\n\ntest \"pubsub\" \"publish\" {}\n\ntable \"latency\" {\n  test = [test.call, test.publish]\n  column \"mean (us)\" { value = latency.mean * 1e6 }\n}\n",
	Cure:    "test \"rpc\" \"call\" {}\n\ntest \"pubsub\" \"publish\" {}\n\ntable \"round_trip\" {\n  test = test.call\n  column \"mean round trip (us)\" { value = latency.mean * 1e6 }\n}\n\ntable \"one_way\" {\n  test = test.publish\n  column \"mean one way (us)\" { value = latency.mean * 1e6 }\n}\n",
	Check: func(p *Pass) {
		p.comparedWays()
		for _, t := range p.Scenario.Tables {
			for _, col := range p.columns(t) {
				p.shownWays(col)
				p.halfWay(col)
			}
		}
	},
}

func (p *Pass) comparedWays() {
	p.Measured(func(ps *Pairs, pair Pair) {
		b, c := pair.Baseline.LatencyKind(), pair.Candidate.LatencyKind()
		if b == c {
			return
		}
		if m := timed(ps.Comparison.Value); m != "" {
			printed := ""
			if pair.Refused != "" {
				printed = " The report will print no value."
			}
			p.Report(ps.Comparison.Value.Range(), "The two sides are not alike: %s is %s in test %s and %s in test %s.%s Compare tests of one kind.",
				m, b.Words(), pair.Baseline.Test.Name, c.Words(), pair.Candidate.Test.Name, printed)
		}
	})
}

// timed is a latency that an expression reads, or "".
func timed(e *dsl.Expr) string {
	for _, ref := range e.Metrics {
		if m, ok := metric.Lookup(ref.Metric); ok && distribution(m) != "" {
			return m.Name
		}
	}
	return ""
}

var (
	onewayWords    = regexp.MustCompile(`(?i)\bone[- ]?way\b`)
	roundtripWords = regexp.MustCompile(`(?i)\b(round[- ]?trips?|rtt)\b`)
	halfWords      = regexp.MustCompile(`(?i)\bhalf\b|/ ?2\b|½|\b0\.5\b`)
)

// shownWays finds columns in which latencies span different ways.
func (p *Pass) shownWays(col column) {
	i := slices.IndexFunc(p.Uses(), func(u Use) bool { return u.Expr == col.expr && distribution(u.Metric) != "" })
	if i < 0 || col.text.has(onewayWords) && col.text.has(roundtripWords) {
		return
	}
	first := map[plan.LatencyKind]string{} // the test
	doubt, cut := p.CellsOf(p.Uses()[i], func(c *plan.Cell) bool {
		if k := c.LatencyKind(); first[k] == "" {
			first[k] = c.Test.Name
		}
		return len(first) < 2
	})
	switch {
	case len(first) < 2 && (cut == "" || p.onePattern(p.Uses()[i])):
		return
	case len(first) < 2 || doubt != "":
		p.NotChecked(col.text.at, "Whether the column shows latencies of one kind is not known: %s.", cmp.Or(doubt, cut))
		return
	}
	var texts []string
	for _, w := range slices.Sorted(maps.Keys(first)) {
		texts = append(texts, w.Words()+" in test "+first[w])
	}
	p.Report(col.text.at, "%q shows latencies that span different ways: %s. Give each a table of its own, or say both in the heading.", col.text.words, strings.Join(texts, ", and "))
}

// onePattern reports whether the tests for which a metric is read can't but have
// latencies of one kind.
func (p *Pass) onePattern(u Use) bool {
	patterns := map[string]bool{}
	for _, t := range p.Live() {
		if u.Of(t) {
			patterns[t.Pattern] = true
			if t.Args["call"] != nil || hasAxis(t, "call") {
				return false
			}
		}
	}
	return len(patterns) < 2
}

// halfWay finds half a round trip under a heading that does not say so.
func (p *Pass) halfWay(col column) {
	m, factor, _ := p.shownMetric(col)
	if at, ok := p.halfRoundTrip(col); ok && !col.text.has(halfWords) {
		p.Report(at, "Under %q stands half a round trip: %s times %g. Show the round trip, or say \"RTT/2\".", col.text.words, m.Name, factor)
	}
}

// halfRoundTrip is where a column takes half of a round trip.
func (p *Pass) halfRoundTrip(col column) (at hcl.Range, ok bool) {
	m, factor, ok := p.shownMetric(col)
	if !ok || distribution(m) == "" || !halves(factor) {
		return at, false
	}
	for _, u := range p.Uses() {
		if u.Expr != col.expr || distribution(u.Metric) == "" {
			continue
		}
		p.CellsOf(u, func(c *plan.Cell) bool {
			if c.LatencyKind() == plan.RoundTrip {
				at = u.Range
			}
			return at.Empty()
		})
	}
	return at, !at.Empty()
}

// halves reports whether a factor halves a time, beside its unit.
func halves(factor float64) bool {
	for _, u := range units {
		if u.kind == ofTime && math.Abs(factor-u.factor/2) < 1e-9*u.factor {
			return true
		}
	}
	return false
}
