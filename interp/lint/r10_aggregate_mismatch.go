package lint

import (
	"fmt"
	"slices"
	"strings"

	"versus/dsl"
)

var r10 = &Rule{
	ID: "R10", Slug: "aggregate-mismatch", Severity: Error, Auto: true,
	What: "A comparison of two tests compares cells with different warm-up, measurement, number of runs, keep rule or order, and does not say across = [\"methodology\"]. " +
		"With across, it is a warning if the keep rules or their numbers of runs differ. Within one test both sides are always measured alike.",
	Why: "The two values are not estimates of the same thing: the best half of 20 runs is better than that of 10 (0.767 against 0.739 standard deviations), a longer run has a larger maximum. " +
		"versus refuses such pairs, so that the comparison has no value.",
	Source:  "Georges, Buytaert, Eeckhout 2007; Hoefler, Belli 2015, rules 4 and 9; as if TAO had 10 runs and Ice 20.",
	Example: "comparison \"old_vs_new\" {\n  baseline  = { test = test.old } # repeat { runs = 10 }\n  candidate = { test = test.new } # repeat { runs = 20 }\n  value     = baseline.time_per_call / candidate.time_per_call\n}",
	Cure:    "defaults {\n  methodology = methodology.both\n}",
	Check:   aggregateMismatch,
}

func aggregateMismatch(p *Pass) {
	for _, c := range p.Scenario.Comparisons {
		type tests struct{ b, c *dsl.Test }
		seen := map[tests]bool{}
		for _, pair := range p.Pairs(c).All {
			if pair.Baseline == nil {
				continue
			}
			k := tests{pair.Baseline.Test, pair.Candidate.Test}
			if k.b != k.c && !seen[k] {
				seen[k] = true
				p.unlike(c, k.b, k.c)
			}
		}
	}
}

// unlike reports in what the methodologies of two tests differ that are compared.
func (p *Pass) unlike(c *dsl.Comparison, base, other *dsl.Test) {
	a, b := base.Methodology, other.Methodology
	if a == nil || b == nil {
		return
	}
	var all, biased []string
	differ := func(is bool, list *[]string, what, x, y string) {
		if is {
			*list = append(*list, fmt.Sprintf("%s (%s and %s)", what, x, y))
		}
	}
	differ(a.Warmup != b.Warmup, &all, "warm-up", extent(a.Warmup), extent(b.Warmup))
	differ(a.Measure != b.Measure, &all, "measurement", extent(a.Measure), extent(b.Measure))
	differ(a.Order != b.Order, &all, "order", a.Order, b.Order)
	differ(a.Runs != b.Runs, &biased, "number of runs", fmt.Sprint(a.Runs), fmt.Sprint(b.Runs))
	differ(kept(base) != kept(other), &biased, "runs kept", kept(base), kept(other))
	if slices.Contains(c.Across, "methodology") {
		if len(biased) > 0 && (p.selects(base) || p.selects(other)) {
			p.Report(c.Range, "Tests %s and %s differ in %s, so that their means are not of the same kind: a mean of the best runs is better the more there are. Give both the same runs and the same keep rule.",
				base.Name, other.Name, strings.Join(biased, ", ")).As(Warning)
		}
		return
	}
	if all = append(all, biased...); len(all) == 0 {
		return
	}
	f := p.Report(c.Range, "Tests %s and %s are not measured alike: they differ in %s. The report will refuse to compare them; give both the same methodology.",
		base.Name, other.Name, strings.Join(all, ", "))
	p.sameMethodology(f, base, other)
}

// sameMethodology gives a test the methodology of another, if that is all in
// which they differ as written.
func (p *Pass) sameMethodology(f *Finding, base, other *dsl.Test) {
	a, b := p.Scenario.Find(base.Range), p.Scenario.Find(other.Range)
	if a == nil || b == nil || a.Attr("methodology") == nil || base.Methodology.Name == other.Methodology.Name {
		return
	}
	for _, kind := range []string{"warmup", "measure", "repeat", "keep"} {
		if a.Block(kind) != nil || b.Block(kind) != nil {
			return
		}
	}
	f.Set(b, "methodology", a.Attr("methodology").Source)
}

func extent(e dsl.Extent) string {
	if e.Calls > 0 {
		return fmt.Sprintf("%d calls", e.Calls)
	}
	return seconds(e.Seconds)
}
