package lint

import (
	"fmt"

	"versus/dsl"
)

var r06 = &Rule{
	ID: "R06", Slug: "best-half-tiny-n", Severity: Warning,
	What: "A keep rule keeps one of several runs, or has fewer than 4 to choose from.",
	Why: "The best half of 2 or 3 runs is their minimum: an estimator of the luckiest run, which falls with every run that is added " +
		"(by 0.564 standard deviations for 2 normal runs, 0.846 for 3), and has no spread of its own.",
	Source:  "Order statistics of the normal distribution (expected minimum of n).",
	Example: "repeat { runs = 3 }\nkeep { best = n / 2 }",
	Cure:    "repeat { runs = 6 }\nkeep { best = n / 2 }",
	Check:   bestHalfTinyN,
}

// tinyHalf is the fewest runs of which a half is more than a minimum.
const tinyHalf = 4

func bestHalfTinyN(p *Pass) {
	for _, s := range p.measured(func(t *dsl.Test) *dsl.Block { return p.Written(t, "keep") }) {
		for _, t := range s.tests {
			m := t.Methodology
			if m.Keep.Best == nil || m.Runs < 2 { // R03 speaks of one
				continue
			}
			k, err := p.Scenario.EvalKeep(m.Keep, m.Runs)
			why := ""
			switch {
			case err != nil:
				p.NotChecked(s.at, "What the keep rule of test %s keeps of %d runs is not known: %v.", t.Name, m.Runs, err)
			case k == 1:
				why = fmt.Sprintf("Of %d runs one is kept: the mean is that of the luckiest run.", m.Runs)
			case m.Runs < tinyHalf:
				why = fmt.Sprintf("There are only %d runs to keep the best of.", m.Runs)
			}
			if why != "" {
				p.Report(s.at, "%s Make 6 runs or more, of which the rule keeps several; or take the rule away and read the median.", why)
			}
		}
	}
}
