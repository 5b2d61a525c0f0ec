package lint

import (
	"fmt"
	"math"
	"strconv"

	"versus/dsl"
)

var r05 = &Rule{
	ID: "R05", Slug: "best-half-odd-n", Severity: Warning, Auto: true,
	What: "The keep rule asks for a fraction of a run, as n / 2 does when the number of runs is odd (or may come to be, with until), and does not say how to round it; or trimmed cuts off no run, or fewer than it says.",
	Why: "Rounding down and rounding up are different estimators. Of 5 normal runs, the mean of the best 2 is 0.829 standard deviations too low, " +
		"that of the best 3 is 0.553. The rule of the comparison of Ice and TAO, \"the other N/2 are discarded\", presumes an even N. " +
		"A tenth of 6 runs is none: that trimmed mean is the mean of all.",
	Source:  "ZeroC 2005 (the rule); bias from order statistics of the normal distribution.",
	Example: "repeat { runs = 7 }\nkeep { best = n / 2 }",
	Cure:    "repeat { runs = 8 }\nkeep { best = n / 2 }",
	Check:   bestHalfOddN,
}

func bestHalfOddN(p *Pass) {
	for _, s := range p.repeats() {
		for _, t := range s.tests {
			switch m := t.Methodology; {
			case m.Keep.Trimmed > 0:
				p.trimmed(s, t)
			case m.Keep.Best != nil && m.Runs >= tinyHalf: // R06 speaks of fewer
				p.rounded(s, t)
			}
		}
	}
}

func (p *Pass) rounded(s *shared, t *dsl.Test) {
	rule := t.Methodology.Keep
	keep := p.Written(t, "keep")
	at := p.place(keep, t)
	least, most := counts(t.Methodology)
	runs, x := 0, 0.0 // the first number of runs that is rounded
	// max may be a million: what is whole for a thousand numbers is so for the rest.
	for n := least; n <= min(most, least+1000) && runs == 0; n++ {
		asked, err := p.asked(rule, n)
		if err != nil {
			p.NotChecked(at, "What the keep rule of test %s keeps of %d runs is not known: %v.", t.Name, n, err)
			return
		}
		if !whole(asked) {
			runs, x = n, asked
		}
	}
	if runs == 0 {
		return
	}
	next := 0
	if t.Methodology.Until == nil {
		next = p.wholeAfter(rule, runs)
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

// trimmed reports a rule that cuts nothing off, or another share than it says.
func (p *Pass) trimmed(s *shared, t *dsl.Test) {
	rule := t.Methodology.Keep
	at := p.place(p.Written(t, "keep"), t)
	least, most := counts(t.Methodology)
	x, _ := p.asked(rule, least)
	if whole(x) && x >= 1 || t.Methodology.Until != nil && x >= 1 { // a stop rule makes any number of runs
		return
	}
	next := p.wholeAfter(rule, most)
	advice := "Choose a share that is a whole number of runs."
	if next > 0 {
		advice = fmt.Sprintf("Make %d runs, or choose another share.", next)
	}
	f := p.Report(at, "Of %d runs, trimmed = %v is %.4g at each end: %.0f are cut off there, and the mean is trimmed by %.4g%%. %s",
		least, rule.Trimmed, x, math.Floor(x), 100*math.Floor(x)/float64(least), advice)
	if next > 0 && t.Methodology.Until == nil && s.block != nil && written(s.block.Attr("runs")) {
		f.Set(s.block, "runs", strconv.Itoa(next))
	}
}

// wholeAfter is the next number of runs that a rule needs not round; 0 if none
// of the ten that follow is.
func (p *Pass) wholeAfter(rule dsl.Keep, runs int) int {
	for n := runs + 1; n <= runs+10; n++ {
		if x, err := p.asked(rule, n); err == nil && whole(x) && x >= 1 {
			return n
		}
	}
	return 0
}
