package lint

import (
	"regexp"

	"versus/dsl"
	"versus/stdlib/metric"
)

var r09 = &Rule{
	ID: "R09", Slug: "best-half-unlabelled", Severity: Warning, Auto: true,
	What: "A heading says mean or average of a value that is a mean over the best runs only, or without those at both ends, and does not say so.",
	Why: "A best-half mean is too good by its nature: by 0.663 standard deviations of the runs for 4 runs, 0.704 for 6, 0.739 for 10, 0.767 for 20. " +
		"versus prints how many runs were kept, and the median of all runs with its interval, beneath every such table; but a heading is copied without them.",
	Source:  "Order statistics of the normal distribution; Hoefler, Belli 2015, rule 3.",
	Example: "column \"mean (us)\" { value = latency.mean * 1e6 } # of a test with keep { best = n / 2 }",
	Cure:    "column \"best-half mean (us)\" { value = latency.mean * 1e6 }",
	Check:   bestHalfUnlabelled,
}

var (
	saysMean = regexp.MustCompile(`(?i)\b(mean|average|avg)\b`)
	saysBest = regexp.MustCompile(`(?i)\b(best|fastest|kept|trimmed)\b`)
)

func bestHalfUnlabelled(p *Pass) {
	for _, table := range p.Scenario.Tables {
		for _, col := range p.columns(table) {
			from, to, ok := col.text.find(saysMean)
			if !ok || col.text.has(saysBest) || !readsMean(col.expr) {
				continue
			}
			for _, t := range p.tests(table.Tests) {
				if t.Pattern == "replay" || !p.selects(t) {
					continue
				}
				k, _ := p.Scenario.EvalKeep(t.Methodology.Keep, t.Methodology.Runs)
				name := "mean of the best"
				if 2*k == t.Methodology.Runs || 2*k+1 == t.Methodology.Runs {
					name = "best-half mean"
				}
				of := "the best"
				if t.Methodology.Keep.Best == nil {
					name, of = "trimmed mean", "the middle"
				}
				f := p.Report(col.text.at, "%q is the mean of %s %d of %d runs of test %s. Say so: %q.",
					col.text.words, of, k, t.Methodology.Runs, t.Name, col.text.words[:from]+name+col.text.words[to:])
				if at := col.text.part(from, to); !at.Empty() {
					f.Edit(at, name)
				}
				break
			}
		}
	}
}

// readsMean reports whether an expression has a metric that is a mean over the
// runs kept.
func readsMean(e *dsl.Expr) bool {
	for _, ref := range e.Metrics {
		if m, ok := metric.Lookup(ref.Metric); ok && m.Combine == metric.MeanOfKept {
			return true
		}
	}
	return false
}
