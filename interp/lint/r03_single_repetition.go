package lint

import "versus/dsl"

var r03 = &Rule{
	ID: "R03", Slug: "single-repetition", Severity: Warning, Auto: true,
	What: "Each cell is measured once. It is an error if the test is compared.",
	Why: "Runs differ by memory layout, scheduling and what else the machine does. One run has no spread, so that no interval " +
		"and no test exists: a difference can't be told from chance. AimRT's published tables have one batch a cell.",
	Source:  "Kalibera, Jones 2013; Hoefler, Belli 2015, rule 5.",
	Example: "repeat { runs = 1 }",
	Cure:    "repeat { runs = 10 }",
	Check:   singleRepetition,
}

func singleRepetition(p *Pass) {
	for _, s := range p.repeats() {
		if s.tests[0].Methodology.Runs != 1 {
			continue
		}
		f := p.Report(s.argument("runs"), "Each cell is measured once (%s): nothing says how much of a value is chance. Write runs = 10.", namesOf(s.tests))
		if s.any(func(t *dsl.Test) bool { return len(p.Compared(t)) > 0 }) {
			f.As(Error)
		}
		p.setRuns(f, s, "10")
	}
}

// repeats groups the live tests by what says how many runs they have.
func (p *Pass) repeats() []*shared {
	return p.measured(func(t *dsl.Test) *dsl.Block {
		for _, b := range p.homes(t) {
			for _, kind := range []string{"repeat", "until"} {
				if inner := b.Block(kind); inner != nil {
					return inner
				}
			}
		}
		return nil
	})
}

// setRuns edits the number of runs, if it is written there as a number.
func (p *Pass) setRuns(f *Finding, s *shared, runs string) {
	if s.block != nil && written(s.block.Attr("runs")) {
		f.Set(s.block, "runs", runs)
	}
}
