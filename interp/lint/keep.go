package lint

import (
	"fmt"

	"versus/dsl"
)

// picks reports whether a test has a keep rule, whatever it leaves out.
func picks(t *dsl.Test) bool {
	return t.Methodology != nil && (t.Methodology.Keep.Best != nil || t.Methodology.Keep.Trimmed > 0)
}

// selects reports whether the keep rule of a test leaves out some of its runs.
func (p *Pass) selects(t *dsl.Test) bool {
	if !picks(t) {
		return false
	}
	k, err := p.Scenario.EvalKeep(t.Methodology.Keep, t.Methodology.Runs)
	return err == nil && k < t.Methodology.Runs
}

// kept says in words which runs of a test count by its keep rule, whether it
// leaves any out or not: "all runs", "the best n / 2 by time_per_call".
func kept(t *dsl.Test) string {
	switch {
	case !picks(t):
		return "all runs"
	case t.Methodology.Keep.Best == nil:
		return fmt.Sprintf("all but %.4g%% at each end by %s", 100*t.Methodology.Keep.Trimmed, keptBy(t))
	}
	return "the best " + t.Methodology.Keep.Best.Source + " by " + keptBy(t)
}

// keptBy is the metric by which a test ranks its runs.
func keptBy(t *dsl.Test) string {
	switch {
	case t.Methodology.Keep.By != "":
		return t.Methodology.Keep.By
	case t.Pattern == "pubsub":
		return "latency.mean"
	}
	return "time_per_call"
}

// keepSource is the argument of the keep rule of a test, as it is written.
func keepSource(t *dsl.Test) string {
	if k := t.Methodology.Keep; k.Best == nil {
		return fmt.Sprintf("trimmed = %v", k.Trimmed)
	}
	return "best = " + t.Methodology.Keep.Best.Source
}

// counts are the numbers of valid runs that a test may come to: one, or with a
// stop rule a range.
func counts(m *dsl.Methodology) (least, most int) {
	if m.Until != nil {
		return m.Until.Min, m.Until.Max
	}
	return m.Runs, m.Runs
}
