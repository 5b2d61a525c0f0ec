package lint

import (
	"slices"

	"versus/dsl"
	"versus/stdlib/metric"
)

var r08 = &Rule{
	ID: "R08", Slug: "best-direction", Severity: Error, Auto: true,
	What: "A keep rule chooses runs by a metric of which neither more nor less is better (rate.offered). It is a warning if it chooses the runs of an open loop by what the schedule fixes: " +
		"time per call, throughput or rate, where means of these runs are read.",
	Why: "The best run is the one with the highest throughput, but the lowest time; every metric of versus knows which, so that a wrong direction can't be written. " +
		"But a metric without a direction orders runs by chance, and so does the time per call of an open loop: at 1,000 calls a second it is 1 ms whatever the system does.",
	Source:  "ZeroC 2005, whose \"best\" runs are those of the least time; Schroeder, Wierman, Harchol-Balter 2006 on open loops.",
	Example: "keep {\n  best = n / 2\n  by   = rate.offered\n}",
	Cure:    "keep {\n  best = n / 2\n  by   = latency.mean\n}",
	Check:   bestDirection,
}

// scheduled are the metrics that the schedule of an open loop fixes, as long as
// the system keeps up.
var scheduled = []string{"time_per_call", "throughput.rate", "throughput.bytes", "rate.achieved"}

func bestDirection(p *Pass) {
	for _, s := range p.measured(func(t *dsl.Test) *dsl.Block { return p.Written(t, "keep") }) {
		open, closed := 0, 0
		for _, t := range s.tests {
			switch l := p.Loop(t); {
			case !l.Known:
				p.NotChecked(s.at, "Test %s has too many cells to tell whether it is an open loop.", t.Name)
			case l.Open:
				open++
			default:
				closed++
			}
		}
		for _, t := range s.tests {
			if p.selects(t) {
				p.chosenBy(s, t, open > 0 && closed == 0)
			}
		}
	}
}

// chosenBy checks the metric by which the runs of a test are chosen. alike says
// that all tests that share the rule are open loops.
func (p *Pass) chosenBy(s *shared, t *dsl.Test, alike bool) {
	by := keptBy(t)
	m, _ := metric.Lookup(by)
	loop := p.Loop(t)
	readsKept := slices.ContainsFunc(p.UsesOf(t), func(u Use) bool { return u.Metric.Combine == metric.MeanOfKept })
	var f *Finding
	switch {
	case m.Better == metric.Neither:
		f = p.Report(s.argument("by"), "Of %s, neither more nor less is better: it can't rank runs. Write by = latency.mean.", by)
		f.Set(s.block, "by", "latency.mean")
	case loop.Open && slices.Contains(scheduled, by) && readsKept:
		f = p.Report(s.argument("by"), "Test %s is an open loop, whose schedule fixes %s: which runs it picks is chance. Write by = latency.mean.", t.Name, by).As(Warning)
		if alike {
			f.Set(s.block, "by", "latency.mean")
		} else { // the rule is right for the other tests
			f.Insert(p.Scenario.Find(t.Range), "keep {\n  "+keepSource(t)+"\n  by = latency.mean\n}")
		}
	}
}
