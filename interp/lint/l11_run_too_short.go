package lint

import (
	"math"
	"strings"

	"versus/dsl"
	"versus/interp/plan"
)

var l11 = &Rule{
	ID: "L11", Slug: "run-too-short", Severity: Warning, Auto: true,
	What: "The measurement of a run is shorter than 1 s, or shorter than 10 s where percentiles above the median or maxima are reported. A number of calls is converted by the rate, or by the declared capacity.",
	Why: "Timers, schedulers, garbage collectors and governors work in steps of milliseconds to seconds; a run that sees few of them measures which ones it met. " +
		"The ticks themselves do no harm here: latency is read in nanoseconds and CPU time from exact counters, while a tick of 10 ms, as /proc counts, makes 0.1% of CPU over 5 s half a tick.",
	Source:  "Hoefler, Belli 2015, section 4.2.1; wrk2 (runs under 10 to 20 s say little). AimRT's stress runs on one host lasted 0.708 to 1.243 s.",
	Example: "measure { duration = \"500ms\" }",
	Cure:    "measure { duration = \"10s\" }",
	Check:   runTooShort,
}

// The shortest measurements, in seconds.
const (
	shortRun     = 1.0
	shortTailRun = 10.0
)

func runTooShort(p *Pass) {
	for _, s := range p.measured(func(t *dsl.Test) *dsl.Block { return p.Written(t, "measure") }) {
		want, why := shortRun, "too short to see what happens once a second"
		if s.any(p.readsTail) {
			want, why = shortTailRun, "too short for the percentiles and maxima that are reported"
		}
		shortest, cell, unknown := math.Inf(1), "", ""
		for _, t := range s.tests {
			if want == shortTailRun && !p.readsTail(t) {
				continue
			}
			all := p.Cells(t, func(c *plan.Cell) bool {
				switch x := length(c); {
				case x == 0:
					unknown = c.Key + " makes as many calls as it is told to, and nothing says how fast"
				case x < shortest:
					shortest, cell = x, c.Key
				}
				return true
			})
			if !all {
				unknown = "test " + t.Name + " has too many cells to look at"
			}
		}
		at := s.at
		if s.block != nil && len(s.block.Attrs) == 1 {
			at = s.argument(s.block.Attrs[0].Name)
		}
		switch {
		case shortest < want*(1-1e-9):
			f := p.Report(at, "A run of %s measures %s, %s. Measure %s or more.", cell, seconds(shortest), why, seconds(want))
			p.measureFor(f, s, seconds(want))
		case unknown != "":
			p.NotChecked(at, "How long a run measures is not known: %s.", unknown)
		}
	}
}

// length is how long a run of a cell measures, in seconds; 0 if not known.
func length(c *plan.Cell) float64 {
	m := c.Workload.Measure
	if m.Calls == 0 {
		return m.Seconds
	}
	if x := speed(c); x > 0 {
		return float64(m.Calls) / x
	}
	return 0
}

// measureFor adds edits that make the tests of a block measure for a duration:
// in the block itself, or beside it if that is in a file that no one can mend.
func (p *Pass) measureFor(f *Finding, s *shared, duration string) {
	text := `duration = "` + strings.ReplaceAll(duration, " ", "") + `"`
	if s.block != nil && Editable(p.Scenario, s.block.Range.Filename) {
		if len(s.block.Attrs) == 1 && written(&s.block.Attrs[0]) {
			a := s.block.Attrs[0]
			at := a.Range
			at.End = a.Expr.Range().End
			f.Edit(at, text)
		}
		return
	}
	for _, t := range s.tests {
		f.Insert(p.Scenario.Find(t.Range), "measure { "+text+" }")
	}
}
