package lint

import (
	"slices"

	"github.com/hashicorp/hcl/v2"

	"versus/drivers"
	"versus/dsl"
	"versus/interp/plan"
)

var c02 = &Rule{
	ID: "C02", Slug: "wall-clock-duration", Severity: Error,
	What: "Durations are shown or compared of a dataset that was recorded by the wall clock: clock = \"realtime\". " +
		"What this program measures itself is read from the monotonic clock (CLOCK_MONOTONIC), and no argument chooses another; recorded results had the clock that they had, which the dataset may declare.",
	Why: "The wall clock is set: by hand, by steps of NTP, and by slewing, which makes its seconds up to 0.05% longer or shorter. " +
		"A duration across a step is anything, also negative, and a tool that turns negative ones into 0 averages them in.",
	Source:  "clock_gettime(2), adjtimex(2). AimRT takes latencies from the wall clock and counts negative ones as 0.",
	Example: "dataset \"csv\" \"latencies\" {\n  file  = \"latencies.csv\"\n  clock = \"realtime\"\n}\n",
	Cure:    "dataset \"csv\" \"latencies\" {\n  file  = \"latencies_again.csv\" # measured again\n  clock = \"monotonic\"\n}\n",
	Check:   wallClockDuration,
}

func wallClockDuration(p *Pass) {
	for _, d := range p.Scenario.Datasets {
		if d.Clock != "realtime" {
			continue
		}
		read, unknown := p.durationsOf(d)
		at := d.Range
		if b := p.Scenario.Find(d.Range); b != nil {
			if a := b.Attr("clock"); a != nil {
				at = hcl.RangeBetween(a.Range, a.Expr.Range())
			}
		}
		switch {
		case read != "":
			p.Report(at, "The durations of dataset %s come from a clock that may be set while it is read, and %s are reported. Measure again with a monotonic clock, or say with the numbers that they may be off.", d.Name, read)
		case unknown != "":
			p.NotChecked(at, "Whether durations of dataset %s are reported is not known: %s.", d.Name, unknown)
		}
	}
}

// durationsOf is a duration that is replayed from a dataset and reported.
func (p *Pass) durationsOf(d *dsl.Dataset) (read, unknown string) {
	for _, t := range p.Scenario.Tests {
		if t.Pattern != string(drivers.Replay) {
			continue
		}
		var backends []*dsl.Backend
		all := p.Cells(t, func(c *plan.Cell) bool {
			if c.Backend.Options["dataset"] == d.Index && !slices.Contains(backends, c.Backend) {
				backends = append(backends, c.Backend)
			}
			return true
		})
		if !all {
			unknown = "test " + t.Name + " has too many cells to look at"
		}
		for _, u := range p.UsesOf(t) {
			for _, b := range backends {
				if columns, _ := b.Options["metrics"].(map[string]any); u.Metric.Unit == "s" && columns[u.Metric.Name] != nil {
					return u.Metric.Name + " in " + u.By, ""
				}
			}
		}
	}
	return "", unknown
}
