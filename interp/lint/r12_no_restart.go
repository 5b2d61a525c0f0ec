package lint

import (
	"regexp"
	"slices"

	"versus/dsl"
	"versus/interp/plan"
)

var r12 = &Rule{
	ID: "R12", Slug: "no-restart", Severity: Warning,
	What: "Recorded results that are compared have several rows a cell which are repetitions inside one process: the dataset has a column that numbers them (iteration, invocation, sample, ...), and none that names the process, fork or run. " +
		"What versus measures itself, it measures in fresh processes, always.",
	Why: "Memory layout, hashing seeds, connection placement and just-in-time compilation are drawn anew with each process, and stay as long as it lives. " +
		"Repetitions within one process do not show that part of the variance, often the largest one: their interval is too narrow, and excludes what the next start will give.",
	Source:  "Kalibera, Jones 2013; Zhang, Meisner, Mars, Tang 2016 (Treadmill, hysteresis); Mytkowicz, Diwan, Hauswirth, Sweeney 2009.",
	Example: "dataset \"csv\" \"recorded\" {\n  file = \"data.csv\" # backend, iteration, time_s\n}",
	Cure:    "dataset \"csv\" \"recorded\" {\n  file = \"data.csv\" # backend, fork, time_s\n}",
	Check:   noRestart,
}

var (
	iterationColumn = regexp.MustCompile(`(?i)^(iter(ation)?|invocation|rep(etition)?|sample|loop)s?(_?(no|nr|num(ber)?|id|index))?$`)
	processColumn   = regexp.MustCompile(`(?i)^(process|pid|fork|run|start|launch|execution|trial)s?(_?(no|nr|num(ber)?|id|index))?$`)
)

func noRestart(p *Pass) {
	for _, t := range p.Scenario.Tests {
		if t.Pattern != "replay" || t.Methodology == nil || t.Methodology.Runs < 2 || len(p.Compared(t)) == 0 {
			continue
		}
		for _, d := range p.replayed(t) {
			has := func(names *regexp.Regexp) bool {
				return slices.ContainsFunc(d.Columns, func(c string) bool { return names.MatchString(c) && !hasAxis(t, c) })
			}
			switch {
			case has(processColumn):
			case has(iterationColumn):
				p.Report(d.Range, "The %d rows a cell are repetitions in one process, as the columns of %s say. Their interval says nothing of the next start; compare recordings of several processes.", t.Methodology.Runs, d.Name)
			default:
				p.NotChecked(d.Range, "Nothing in %s says whether the %d rows a cell come from as many processes.", d.Name, t.Methodology.Runs)
			}
		}
	}
}

// replayed are the datasets from which the cells of a test are read.
func (p *Pass) replayed(t *dsl.Test) []*dsl.Dataset {
	var found []*dsl.Dataset
	p.Cells(t, func(c *plan.Cell) bool {
		for _, d := range p.Scenario.Datasets {
			if c.Backend.Options["dataset"] == d.Index && !slices.Contains(found, d) {
				found = append(found, d)
			}
		}
		return true
	})
	return found
}
