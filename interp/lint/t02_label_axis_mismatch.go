package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"

	"versus/dsl"
	"versus/stdlib/metric"
)

var t02 = &Rule{
	ID: "T02", Slug: "label-axis-mismatch", Severity: Warning, Auto: true,
	What: "The heading of a column names another unit, statistic or axis than its value has: \"(ms)\" over latency.mean * 1e6, \"p99\" over latency.p95, \"topics\" over each.parallel. " +
		"Rows and columns that spread values over a table take their headings from what they are, so that they can't be wrong.",
	Why:     "The reader believes the heading. AimRT's RPC tables have a column \"Topic num\" that holds the number of parallel callers; in a published chart of calls per second the names of three backends are exchanged.",
	Source:  "AimRT 0.8.0, RPC tables and charts.",
	Example: `column "p99 (ms)" { value = latency.p99 * 1e6 }`,
	Cure:    `column "p99 (us)" { value = latency.p99 * 1e6 }`,
	Check: func(p *Pass) {
		for _, t := range p.Scenario.Tables {
			for _, col := range p.columns(t) {
				p.checkUnit(col)
				p.checkStatistic(col)
				p.checkAxis(t, col)
			}
		}
	},
}

func (p *Pass) checkUnit(col column) {
	m, factor, ok := p.shownMetric(col)
	if _, half := p.halfRoundTrip(col); !ok || half { // of halves, C04 speaks
		return
	}
	u, from, to, found := col.text.unitIn()
	if !found || u.kind == kindOf(m) && sameFactor(u.factor, factor) {
		return
	}
	right, known := unitWith(kindOf(m), factor)
	switch {
	case u.kind != kindOf(m) && kindOf(m) == noKind:
		p.Report(col.text.at, "%q has the unit %s, and %s has none: it is a count.", col.text.words, u.name, m.Name)
		return
	case !known:
		f := p.Report(col.text.at, "%q has the unit %s, and the value is %s times %g: for %s it would be times %g.", col.text.words, u.name, m.Name, factor, u.name, u.factor)
		if e := col.expr; u.kind == kindOf(m) && strings.TrimSpace(e.Source) == m.Name {
			end := e.Range()
			end.Start = end.End
			f.Edit(end, fmt.Sprintf(" * %g", u.factor))
		}
		return
	}
	f := p.Report(col.text.at, "%q has the unit %s, and the value is in %s: %s times %g.", col.text.words, u.name, right.name, m.Name, factor)
	if at := col.text.part(from, to); !at.Empty() {
		f.Edit(at, right.name)
	}
}

// statistics are words of headings, by the last part of a metric's name.
var statistics = []struct {
	words *regexp.Regexp
	name  string
}{
	{regexp.MustCompile(`(?i)\b(mean|average|avg)\b`), "mean"},
	{regexp.MustCompile(`(?i)\b(max|maximum|worst)\b`), "max"},
	{regexp.MustCompile(`(?i)\b(min|minimum)\b`), "min"},
	{regexp.MustCompile(`(?i)\bmedian\b`), "p50"},
	{regexp.MustCompile(`(?i)\bstd ?dev\b`), "stddev"},
}

var percentileWord = regexp.MustCompile(`(?i)\bp[0-9]{1,2}(?:[._][0-9]+)?\b`)

func (p *Pass) checkStatistic(col column) {
	m, _, ok := p.shownMetric(col)
	distribution, has, _ := strings.Cut(m.Name, ".")
	if !ok || !slices.Contains(metric.Distributions, distribution) || col.expr.Over != nil {
		return
	}
	var says []string
	from, to := 0, 0
	for _, s := range statistics {
		if i, j, ok := col.text.find(s.words); ok {
			says, from, to = append(says, s.name), i, j
		}
	}
	for _, at := range percentileWord.FindAllStringIndex(col.text.words, -1) {
		name := strings.ToLower(strings.ReplaceAll(col.text.words[at[0]:at[1]], ".", "_"))
		if q, ok := metric.Percentile(name); ok && q == m.Quantile {
			return
		}
		says, from, to = append(says, name), at[0], at[1]
	}
	if len(says) != 1 || says[0] == has {
		return
	}
	f := p.Report(col.text.at, "%q says %s, and the value is %s.", col.text.words, strings.ReplaceAll(says[0], "_", "."), m.Name)
	if at := col.text.part(from, to); !at.Empty() {
		f.Edit(at, strings.ReplaceAll(has, "_", "."))
	}
}

// workloadWords are arguments of tests that are no axis of every scenario, and
// that a heading may name by mistake all the same.
var workloadWords = []string{"topics", "concurrency", "payload", "rate", "backend", "host"}

// checkAxis looks at a column that shows the value of an axis.
func (p *Pass) checkAxis(t *dsl.Table, col column) {
	x, ok := col.expr.Expression.(*hclsyntax.ScopeTraversalExpr)
	if !ok || x.Traversal.RootName() != "each" || len(col.expr.Axes) != 1 || col.pivot {
		return
	}
	own := col.expr.Axes[0]
	others := slices.Clone(workloadWords)
	for _, test := range p.tests(t.Tests) {
		for _, s := range test.Sweeps {
			for _, a := range s.Axes {
				others = append(others, a.Name)
			}
		}
	}
	if col.text.has(wordFor(own)) {
		return
	}
	for _, other := range others {
		from, to, found := col.text.find(wordFor(other))
		if !found || other == own {
			continue
		}
		f := p.Report(col.text.at, "%q names %s, and the value is that of %s.", col.text.words, other, own)
		if at := col.text.part(from, to); !at.Empty() {
			f.Edit(at, strings.ReplaceAll(own, "_", " "))
		}
		return
	}
}

// wordFor finds the name of an axis in a heading, in the singular or plural.
func wordFor(axis string) *regexp.Regexp {
	stem := strings.TrimSuffix(strings.ReplaceAll(axis, "_", " "), "s")
	return regexp.MustCompile(`(?i)\b` + regexp.QuoteMeta(stem) + `s?\b`)
}
