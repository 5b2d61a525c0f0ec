package lint

import "slices"

var r17 = &Rule{
	ID: "R17", Slug: "optional-stopping", Severity: Error, Auto: true,
	What: "An expectation fails the command until a difference is significant: its condition looks at the p of a comparison. A scenario can't say \"repeat until p < 0.05\"; the number of runs never depends on a difference.",
	Why: "Who repeats until p < 0.05 finds a difference sooner or later between two systems that are equal: with a look after every run, in far more than 5% of the cases. " +
		"A command that fails until then invites to start it again. A precision may be waited for, a result may not.",
	Source:  "Armitage, McPherson, Rowe 1969 (repeated significance tests); Laaber, Würsten, Gall, Leitner 2020 (stop on the width of the interval).",
	Example: "expect \"a difference\" {\n  condition = comparison.vs_grpc.p < 0.05\n}",
	Cure:    "expect \"a difference\" {\n  condition = comparison.vs_grpc.p < 0.05\n  severity  = \"info\"\n}",
	Check:   optionalStopping,
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
