package lint

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"

	"versus/dsl"
	"versus/stdlib/metric"
)

var k02 = &Rule{
	ID: "K02", Slug: "formula-name", Severity: Warning, Auto: true,
	What: "A name, title or heading calls the value of a comparison something else than its formula computes: (b - c) / c over a time called a reduction, a saving or an overhead; (b - c) / b called a speedup; (c - b) / b called either.",
	Why: "The formulas have different values for the same pair: from 12 us to 6 us is a speedup of 100% by (b - c) / c, a reduction of 50% by (b - c) / b. " +
		"A \"reduction by 168%\" is impossible; nothing can be reduced by more than 100%.",
	Source: "Fleming and Wallace 1986; a published text with \"latency reduced by 168%\".",
	Example: `comparison "latency_reduction" {
  baseline = { backend = backend.grpc }
  value    = (baseline.latency.mean - candidate.latency.mean) / candidate.latency.mean
}`,
	Cure: `comparison "latency_speedup" {
  baseline = { backend = backend.grpc }
  value    = (baseline.latency.mean - candidate.latency.mean) / candidate.latency.mean
}`,
	Check: func(p *Pass) {
		for _, c := range p.Scenario.Comparisons {
			checkName(p, c)
		}
	},
}

func checkName(p *Pass, c *dsl.Comparison) {
	s := p.shape(c.Name)
	if s.relative() && s.oneMetric() && s.p.metric.Better == metric.Higher && s.rises() == "baseline" && !p.aboutBaseline(c) {
		return // K01, or called a loss
	}
	other := p.aboutBaseline(c)
	for i, t := range p.texts(c.Name) {
		is := s.read()
		if aboutBaseline(c, t) {
			is = s.mirrored().read()
		}
		says := t.claims()
		if is == noReading || len(says) != 1 || says[0] == is || s.form == ratio && says[0] == saving {
			continue
		}
		if other && says[0] == s.mirrored().read() {
			continue // of the baseline, as another text says
		}
		f := p.Report(t.at, "%q is called %s, and the formula of comparison %q computes %s: %s.", t.words, says[0], c.Name, is, instead(s, says[0]))
		if i == 0 {
			p.rename(f, c, t, says[0], is)
		} else if word, at := replacement(s, t, says[0], is); word != "" {
			f.Edit(at, word)
		}
	}
}

// instead says what would be right: another word, or another formula.
func instead(s shape, says reading) string {
	b, c := "baseline."+s.p.metric.Name, "candidate."+s.p.metric.Name
	formula := map[reading]string{
		speedup: "(" + b + " - " + c + ") / " + c, saving: "(" + b + " - " + c + ") / " + b, growth: "(" + c + " - " + b + ") / " + b,
	}[says]
	if s.p.metric.Better == metric.Higher {
		formula = map[reading]string{speedup: "(" + c + " - " + b + ") / " + b, saving: "(" + b + " - " + c + ") / " + b, growth: "(" + b + " - " + c + ") / " + c}[says]
	}
	return "change the word, or compute " + formula
}

// nouns and adjectives name a reading of a time or of a rate.
var (
	nouns       = map[reading]string{speedup: "speedup", saving: "reduction", growth: "increase"}
	adjectives  = map[reading]string{speedup: "faster", saving: "lower", growth: "higher"}
	isAdjective = []string{"faster", "quicker", "slower", "reduced", "saved", "decreased"}
)

// replacement is the word that is right in place of the one that a text has;
// empty for a metric that is neither a time nor a rate, which has no speed.
func replacement(s shape, t prose, says, is reading) (string, hcl.Range) {
	words := map[reading]*regexp.Regexp{speedup: saysFaster, saving: saysSaving, growth: saysGrowth}[says]
	from, to, ok := t.find(words)
	at := t.part(from, to)
	if unit := s.p.metric.Unit; !ok || at.Empty() || unit != "s" && unit != "1/s" && unit != "B/s" || s.p.metric.Better == metric.Higher && is == growth {
		return "", hcl.Range{}
	}
	word := t.words[from:to]
	right := nouns[is]
	if slices.Contains(isAdjective, strings.ToLower(word)) {
		right = adjectives[is]
	}
	if first, n := utf8.DecodeRuneInString(right); unicode.IsUpper([]rune(word)[0]) {
		right = string(unicode.ToUpper(first)) + right[n:]
	}
	return right, at
}

// rename changes the word in the name of a comparison, and all references to it.
func (p *Pass) rename(f *Finding, c *dsl.Comparison, t prose, says, is reading) {
	word, at := replacement(p.shape(c.Name), t, says, is)
	if word == "" {
		return
	}
	from := at.Start.Byte - t.in.Start.Byte
	name := t.words[:from] + word + t.words[from+at.End.Byte-at.Start.Byte:]
	if p.comparisonOf(name) != nil {
		return
	}
	f.Edit(t.in, name)
	p.Arguments(func(_ *dsl.Block, a *dsl.Argument) {
		for _, v := range a.Expr.Variables() {
			if v.RootName() != "comparison" || len(v) < 2 {
				continue
			}
			if step, ok := v[1].(hcl.TraverseAttr); ok && step.Name == c.Name {
				at := step.SrcRange
				at.Start.Byte, at.Start.Column = at.End.Byte-len(step.Name), at.End.Column-len(step.Name)
				f.Edit(at, name)
			}
		}
	})
}
