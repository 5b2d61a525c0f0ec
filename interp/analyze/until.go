package analyze

import (
	"fmt"

	"versus/interp/journal"
	"versus/interp/plan"
	"versus/stdlib/metric"
)

// StopValue is the value of a run that the stop rule of its cell looks at; ok is
// false if the run does not count: it failed, a gate refuses it, or it has no
// such value.
func StopValue(c *plan.Cell, r *journal.Run) (value float64, ok bool) {
	one := newCell(c, slot{}, []*journal.Run{r}, nil)
	m, known := metric.Lookup(one.rankingMetric())
	if len(one.runs) == 0 || !known {
		return 0, false
	}
	p, why := one.runs[0].value(m)
	return p.value, why == ""
}

// slot says which runs of a cell the plan has: so many, from number first on.
type slot struct{ first, runs int }

// wanted is how many runs the cell should have by its records: those of the
// plan or, with a stop rule, as many as it took to be precise enough.
func (c *Cell) wanted(planned slot, records []*journal.Run) int {
	m := c.Plan.Test.Methodology
	if m == nil || m.Until == nil {
		return planned.runs
	}
	var values []float64
	for i, r := range records {
		if r.Run != planned.first+i { // one is missing, and it may change all that follows
			break
		}
		if v, ok := StopValue(c.Plan, r); ok {
			values = append(values, v)
		}
		if plan.Enough(m.Until, values) {
			c.stopped = precise(values)
			return i + 1
		}
	}
	return planned.runs
}

// untilRemarks say which cells became as precise as wanted.
func (c *Cell) untilRemarks() []Remark {
	m := c.Plan.Test.Methodology
	if m == nil || m.Until == nil || len(c.runs) == 0 || c.Absent > 0 {
		return nil
	}
	values, why := c.RunValues(c.rankingMetric())
	if why != "" {
		return nil
	}
	if c.stopped != "" {
		return []Remark{{false, fmt.Sprintf("measured until the median of %s was known to +-%.3g%%", c.rankingMetric(), 100*m.Until.RelativeInterval), c.stopped}}
	}
	return []Remark{{true, fmt.Sprintf("the median of %s was wanted to +-%.3g%% and is less certain, after as many runs as were allowed", c.rankingMetric(), 100*m.Until.RelativeInterval), precise(values)}}
}

// precise says how precise values are.
func precise(values []float64) string {
	if p := plan.Precision(values); finite(p) {
		return fmt.Sprintf("+-%.2g%% after %s", 100*p, plural(len(values), "run"))
	}
	return "no interval after " + plural(len(values), "run")
}
