package lint

import (
	"fmt"
	"slices"
	"strings"
)

var r11 = &Rule{
	ID: "R11", Slug: "frankenstein-row", Severity: Warning,
	What: "A table shows means of several tests that choose their runs by different rules. Within one test, one rule chooses the runs for all metrics.",
	Why: "If each metric chooses its own best runs, a row has the latency of the runs {1, 4, 5} and the CPU of the runs {2, 3, 7}, and describes a system that never ran. " +
		"versus chooses runs once, by one metric. But where one test keeps the best half by time and another by CPU, or all runs, the rows of one table are not comparable.",
	Source:  "ZeroC 2005, whose rule orders the runs once, by time.",
	Example: "test \"rpc\" \"small\" {\n  keep {\n    best = n / 2\n    by   = time_per_call\n  }\n}\n\ntest \"rpc\" \"large\" {\n  keep {\n    best = n / 2\n    by   = cpu.client\n  }\n}\n\ntable \"both\" {\n  rows = [each.test, each.backend]\n}",
	Cure:    "defaults {\n  keep {\n    best = n / 2\n    by   = time_per_call\n  }\n}",
	Check:   frankensteinRow,
}

func frankensteinRow(p *Pass) {
	for _, table := range p.Scenario.Tables {
		for _, col := range p.columns(table) {
			if !readsMean(col.expr) {
				continue
			}
			var rules, texts []string
			for _, t := range p.tests(table.Tests) {
				if t.Pattern == "replay" {
					continue
				}
				rule := "all runs"
				if p.selects(t) {
					rule = kept(t)
				}
				if !slices.Contains(rules, rule) {
					rules = append(rules, rule)
					texts = append(texts, fmt.Sprintf("%s of test %s", rule, t.Name))
				}
			}
			if len(rules) > 1 {
				p.Report(col.text.at, "This column shows means over differently chosen runs: %s. Use one keep rule, or a table for each.", strings.Join(texts, ", "))
				break // the other columns say the same
			}
		}
	}
}
