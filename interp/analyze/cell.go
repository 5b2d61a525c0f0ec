package analyze

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"versus/interp/journal"
	"versus/interp/plan"
	"versus/stdlib/metric"
	"versus/stdlib/stats"
)

// Cell is one cell of the plan with its runs.
type Cell struct {
	Plan *plan.Cell
	// Valid are the runs that count, Failed and Skipped the others, each by
	// number.
	Valid, Failed, Skipped []*journal.Run
	// Invalid are runs that ended well and that a gate of the methodology
	// refused: they don't count.
	Invalid []Invalid
	// Absent is how many planned runs the journal does not have.
	Absent int
	// Kept is how many of the valid runs the keep rule kept, all without a
	// rule; KeptBy is the metric that ranked them, empty without a rule.
	Kept   int
	KeptBy string
	// Trimmed says that the rule left out both ends, not all but the best.
	Trimmed bool

	// Twin is the second measurement of a baseline, for the noise floor; nil for
	// most cells. It is in no number but that.
	Twin *Cell

	runs        []*runData  // of Valid
	keep        *stats.Kept // nil keeps all
	keepProblem string
	stopped     string   // how precise it was when its stop rule held; empty if it never did
	drift       *drift   // nil if none was seen
	strangers   []Remark // that runs were made on different machines
	unlike      []string // the comparisons by which it differs from its Twin, with the numbers
	values      map[string]Value
}

// runData is a run with what was read from it so far.
type runData struct {
	run        *journal.Run
	window     *window
	histograms map[string]*histogram // by distribution
}

func (d *runData) value(m metric.Metric) (parts, string) { return runValue(d, m) }

// sortRuns gives each cell its records, by run number. A run recorded twice
// counts once: a valid record wins over others, then the later one.
func sortRuns(cells []*plan.Cell, runs []journal.Run) (records [][]*journal.Run, problems []string) {
	index := make(map[string]int, len(cells))
	for i, c := range cells {
		index[c.Key] = i
	}
	records = make([][]*journal.Run, len(cells))
	strange, twice := 0, 0
	for i := range runs {
		r := &runs[i]
		at, ok := index[r.Cell]
		if !ok {
			strange++
			continue
		}
		records[at] = append(records[at], r)
	}
	for at, rs := range records {
		slices.SortStableFunc(rs, func(a, b *journal.Run) int {
			return cmp.Or(cmp.Compare(a.Run, b.Run), cmp.Compare(badness(a), badness(b)), b.Start.Compare(a.Start), cmp.Compare(b.Order, a.Order))
		})
		n := len(rs)
		records[at] = slices.CompactFunc(rs, func(a, b *journal.Run) bool { return a.Run == b.Run })
		twice += n - len(records[at])
	}
	if strange > 0 {
		problems = append(problems, fmt.Sprintf("%s of the journal belong to no cell of this plan and are not shown", plural(strange, "run")))
	}
	if twice > 0 {
		problems = append(problems, fmt.Sprintf("%s of the journal were recorded again; of each, the last valid record counts", plural(twice, "run")))
	}
	return records, problems
}

func badness(r *journal.Run) int {
	return slices.Index([]journal.Status{journal.OK, journal.Failed, journal.Skipped}, r.Status)
}

// newCell sorts the records of a cell. Without a keep function nothing is kept
// or left out.
func newCell(p *plan.Cell, planned slot, records []*journal.Run, keep keepFunc) *Cell {
	c := &Cell{Plan: p, values: map[string]Value{}}
	for _, r := range records {
		switch r.Status {
		case journal.OK:
			d := &runData{run: r, histograms: map[string]*histogram{}, window: newWindow(p.Test.Pattern, p.Workload.Payload.Bytes, r)}
			if x := c.gated(d); x != nil {
				c.Invalid = append(c.Invalid, *x)
				continue
			}
			c.Valid = append(c.Valid, r)
			c.runs = append(c.runs, d)
		case journal.Skipped:
			c.Skipped = append(c.Skipped, r)
		default:
			c.Failed = append(c.Failed, r)
		}
	}
	c.Kept = len(c.Valid)
	if keep != nil {
		c.Absent = max(0, c.wanted(planned, records)-len(records))
		c.applyKeep(keep)
	}
	return c
}

// applyKeep ranks the valid runs and finds which are kept: the same ones for
// every metric.
func (c *Cell) applyKeep(count keepFunc) {
	m := c.Plan.Test.Methodology
	if m == nil || m.Keep.Best == nil && m.Keep.Trimmed == 0 || len(c.Valid) == 0 {
		return
	}
	k, err := count(m.Keep, len(c.Valid))
	if err != nil {
		c.keepProblem = "the keep rule failed: " + err.Error()
		return
	}
	by, ok := metric.Lookup(c.rankingMetric())
	if !ok || by.Better == metric.Neither {
		c.keepProblem = "the keep rule can't rank runs by " + c.rankingMetric()
		return
	}
	var values []float64
	for _, d := range c.runs {
		p, why := d.value(by)
		if why != "" {
			c.keepProblem = fmt.Sprintf("the keep rule can't rank the runs: run %d: %s", d.run.Run+1, why)
			return
		}
		values = append(values, p.value)
	}
	c.Trimmed = m.Keep.Best == nil
	rule, err := stats.NewKept(values, k, by.Better == metric.Higher)
	if c.Trimmed {
		rule, err = stats.NewTrimmed(values, m.Keep.Cut(len(values)))
	}
	if err != nil {
		c.keepProblem = "the keep rule failed: " + err.Error()
		return
	}
	c.keep, c.Kept, c.KeptBy = rule, k, by.Name
}

// rankingMetric is the metric that says which run is better.
func (c *Cell) rankingMetric() string {
	if by := c.Plan.Test.Methodology.Keep.By; by != "" {
		return by
	}
	return timeOf(c.Plan.Test.Pattern)
}

// timeOf is the metric that says how fast a run of a pattern was, if nothing else
// is asked for.
func timeOf(pattern string) string {
	if pattern == "pubsub" {
		return "latency.mean"
	}
	return "time_per_call"
}

// Selected says whether the keep rule left some valid run out of means.
func (c *Cell) Selected() bool { return c.Kept < len(c.Valid) }

// whyNoRuns says why a cell has no valid run.
func (c *Cell) whyNoRuns() string {
	switch {
	case len(c.Invalid) > 0:
		return fmt.Sprintf("no run is valid: run %d %s (gate %s)", c.Invalid[0].Run.Run+1, c.Invalid[0].Why, c.Invalid[0].Gate)
	case len(c.Failed) > 0:
		return "no run succeeded: " + c.Failed[0].Error
	case len(c.Skipped) > 0:
		return "skipped: " + c.Skipped[0].Error
	}
	return "not measured yet"
}

// histogram returns the distribution behind a metric in this run, or why there
// is none.
func (d *runData) histogram(m metric.Metric) (*histogram, string) {
	name, ds := d.window.distribution(m.Name)
	if h, ok := d.histograms[name]; ok {
		return h, ""
	}
	if len(ds) == 0 || total(ds).count == 0 {
		return nil, name + " was not measured"
	}
	h, err := newHistogram(ds)
	if err != nil {
		return nil, name + ": " + err.Error()
	}
	d.histograms[name] = h
	return h, ""
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// nan is no number.
var nan = math.NaN()

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
