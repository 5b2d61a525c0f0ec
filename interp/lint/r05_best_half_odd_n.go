package lint

import (
	"fmt"
	"math"
	"strconv"

	"versus/dsl"
)

var r05 = &Rule{
	ID: "R05", Slug: "best-half-odd-n", Severity: Warning, Auto: true,
	What: "The keep rule asks for a fraction of a run, as n / 2 does when the number of runs is odd, and does not say how to round it.",
	Why: "Rounding down and rounding up are different estimators. Of 5 normal runs, the mean of the best 2 is 0.829 standard deviations too low, " +
		"that of the best 3 is 0.553. The rule of the comparison of Ice and TAO, \"the other N/2 are discarded\", presumes an even N.",
	Source:  "ZeroC 2005 (the rule); bias from order statistics of the normal distribution.",
	Example: "repeat { runs = 7 }\nkeep { best = n / 2 }",
	Cure:    "repeat { runs = 8 }\nkeep { best = n / 2 }",
	Check:   bestHalfOddN,
}

func bestHalfOddN(p *Pass) {
	for _, s := range p.repeats() {
		for _, t := range s.tests {
			if m := t.Methodology; m.Keep.Best != nil && m.Runs >= tinyHalf { // R06 speaks of fewer
				p.rounded(s, t)
			}
		}
	}
}

func (p *Pass) rounded(s *shared, t *dsl.Test) {
	rule, runs := t.Methodology.Keep, t.Methodology.Runs
	keep := p.Written(t, "keep")
	at := p.place(keep, t)
	x, err := p.kept(rule, runs)
	if err != nil {
		p.NotChecked(at, "What the keep rule of test %s keeps of %d runs is not known: %v.", t.Name, runs, err)
		return
	}
	if whole(x) {
		return
	}
	next := 0
	for n := runs + 1; n <= runs+10 && next == 0; n++ {
		if x, err := p.kept(rule, n); err == nil && whole(x) {
			next = n
		}
	}
	advice := fmt.Sprintf("Say how to round: best = floor(%s).", rule.Best.Source)
	if next > 0 {
		advice = fmt.Sprintf("Make %d runs, or say how to round: best = floor(%s).", next, rule.Best.Source)
	}
	f := p.Report(at, "Of %d runs, %s is %.4g: the best %.0f are kept, and the best %.0f would be another estimator. %s",
		runs, rule.Best.Source, x, math.Floor(x), math.Ceil(x), advice)
	switch {
	case next > 0 && s.block != nil && written(s.block.Attr("runs")):
		f.Set(s.block, "runs", strconv.Itoa(next))
	case keep != nil && keep.Attr("best") != nil:
		f.Set(keep, "best", fmt.Sprintf("floor(%s)", rule.Best.Source))
	}
}
