package lint

import (
	"fmt"
	"hash/fnv"
)

var r14 = &Rule{
	ID: "R14", Slug: "seed-missing", Severity: Warning, Auto: true,
	What: "The runs are in random order, and no seed is written.",
	Why: "A random order must be one that can be repeated. versus draws nothing that it can't draw again: without a seed the order is that of seed 1, payloads and resamples have fixed seeds too. " +
		"But then every scenario has the seed that nobody chose, and a later default would change the order. AimRT seeds with the time of day.",
	Source:  "MLPerf inference rules (fixed seeds); Hoefler, Belli 2015, rule 9.",
	Example: "order = \"random\"",
	Cure:    "order = \"random\"\nseed  = 71",
	Check:   seedMissing,
}

func seedMissing(p *Pass) {
	for _, s := range p.measured(p.MethodologyBlock) {
		if s.block == nil || s.tests[0].Methodology.Order != "random" || s.block.Attr("seed") != nil {
			continue
		}
		seed := p.drawn(s.tests[0].Methodology.Name)
		p.Report(s.argument("order"), "The order is random, and its seed is written nowhere. Write one: seed = %d.", seed).
			Insert(s.block, fmt.Sprintf("seed = %d", seed))
	}
}

// drawn is a seed that differs from scenario to scenario, and is the same each
// time that a scenario is mended.
func (p *Pass) drawn(name string) uint32 {
	h := fnv.New32a()
	fmt.Fprintf(h, "%s\x00%s", p.Scenario.Name, name)
	return 2 + h.Sum32()%1_000_000
}
