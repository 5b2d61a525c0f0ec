package lint

import (
	"regexp"
)

var k04 = &Rule{
	ID: "K04", Slug: "times-faster-wording", Severity: Warning,
	What: "A name, title, heading or expectation says \"times faster\" (or slower, higher, less, ...) of a ratio, or \"times as fast\" of a formula that is 0 for equal sides.",
	Why: "A ratio of 1.5 is 1.5 times as fast, and 50% faster; \"1.5 times faster\" is read as either, and for small ratios that is all the difference. " +
		"A number in prose should be checked by an expectation: a published \"almost 40 times faster\" stands beside means that give 27.3.",
	Source:  "Horizon's test of zero copy; Fleming and Wallace 1986.",
	Example: `column "times faster" { value = comparison.speedup } # a ratio`,
	Cure:    `column "times as fast" { value = comparison.speedup }`,
	Check: func(p *Pass) {
		for _, c := range p.Scenario.Comparisons {
			for _, t := range p.texts(c.Name) {
				p.checkTimes(t, p.shape(c.Name))
			}
		}
		for _, e := range p.Scenario.Expectations {
			b := p.block(e.Range)
			if b == nil {
				continue
			}
			for _, name := range e.Condition.Comparisons {
				p.checkTimes(p.labelOf(b), p.shape(name))
			}
		}
	},
}

var (
	timesMore = regexp.MustCompile(`(?i)\b(times|[0-9]x)\s+(faster|quicker|slower|better|worse|higher|lower|more|less|fewer|larger|smaller|bigger|cheaper|longer|shorter)\b`)
	timesAs   = regexp.MustCompile(`(?i)\btimes as (fast|slow|good|bad|much|many|high|low|long|large|small)\b`)
)

func (p *Pass) checkTimes(t prose, s shape) {
	switch {
	case s.form == ratio && t.has(timesMore):
		p.Report(t.at, "%q: a ratio of 1.5 is 1.5 times as fast, which is 50%% faster, not 1.5 times faster. Say \"times as fast\".", t.words)
	case (s.form == excess || s.form == share) && t.has(timesAs):
		p.Report(t.at, "%q: the formula is 0 where both sides are equal, which is once as fast. Leave out the - 1, or say \"faster by\".", t.words)
	}
}
