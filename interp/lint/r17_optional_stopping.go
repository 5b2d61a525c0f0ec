package lint

import "slices"

var r17 = &Rule{
	ID: "R17", Slug: "optional-stopping", Severity: Error, Auto: true,
	What: "An expectation fails the command until a difference is significant: its condition looks at the p of a comparison. A scenario can't say \"repeat until p < 0.05\"; the number of runs never depends on a difference. " +
		"It is a warning if until has the same min and max, so that it stops nothing.",
	Why: "Who repeats until p < 0.05 finds a difference sooner or later between two systems that are equal: with a look after every run, in far more than 5% of the cases. " +
		"A command that fails until then invites to start it again. A precision may be waited for, a result may not.",
	Source:  "Armitage, McPherson, Rowe 1969 (repeated significance tests); Laaber, Würsten, Gall, Leitner 2020 (stop on the width of the interval).",
	Example: "expect \"a difference\" {\n  condition = comparison.vs_grpc.p < 0.05\n}",
	Cure:    "expect \"a difference\" {\n  condition = comparison.vs_grpc.p < 0.05\n  severity  = \"info\"\n}",
	Check: func(p *Pass) {
		optionalStopping(p)
		stopsNothing(p)
	},
}

// stopsNothing finds stop rules that never stop: all cells get the same runs,
// and the report says of some that they were not precise enough.
func stopsNothing(p *Pass) {
	for _, s := range p.repeats() {
		if u := s.tests[0].Methodology.Until; u != nil && u.Min == u.Max {
			p.Report(s.at, "This makes %d runs whatever comes: min and max are the same. Write repeat { runs = %d }, or a larger max.", u.Max, u.Max).As(Warning)
		}
	}
}

func optionalStopping(p *Pass) {
	for _, e := range p.Scenario.Expectations {
		i := slices.IndexFunc(fieldsOf(e.Condition), func(f comparisonField) bool { return f.field == "p" })
		if e.Severity != "error" || i < 0 || !p.measures(e.Tests) {
			continue
		}
		name := fieldsOf(e.Condition)[i].name
		p.Report(e.Condition.Range(), "The command fails until comparison.%s.p is as wished, and may be repeated until it is. Let it inform: severity = \"info\"; or set the limit that matters: comparison.%s.low > 0.02.", name, name).
			Set(p.Scenario.Find(e.Range), "severity", `"info"`)
	}
}
