package analyze

import (
	"errors"
	"fmt"
	"math"

	"versus/stdlib/metric"
	"versus/stdlib/stats"
)

// Change is what became of one cell between two results of one methodology.
type Change struct {
	Old, New *Cell
	Metric   metric.Metric
	// OldMedian and NewMedian are over the valid runs, in the metric's unit.
	OldMedian, NewMedian float64
	// Test compares the runs; its ratio is above 1 where the new result is better
	// (or, for a metric without a better direction, higher).
	Test
	// AdjustedP is P for all changes together (Holm 1979).
	AdjustedP float64
	Verdict   stats.Verdict
	// Missing says why there is nothing to compare; everything else is then empty.
	Missing string
	// Lost says that the old result has a value here and the new one has none.
	Lost bool

	x, y []float64 // the values of the runs, of which the ratio is x to y
}

// Changes are the cells of two results, paired by their keys.
type Changes struct {
	Changes []*Change
	// OnlyOld and OnlyNew are the keys of cells that one result has alone.
	OnlyOld, OnlyNew []string
	Mean             MeanChange
	// NoiseFloor is the larger noise floor of the two results, as a ratio: a
	// change within it is none. 1 if neither result measured one.
	NoiseFloor float64
	// NoFloor says of a result that asked for a noise floor why there is none.
	NoFloor []string
}

// Between compares two results cell by cell. by names the metric; empty means
// time_per_call, or latency.mean in pubsub tests.
// confidence is the level of the intervals, and 1 minus it the chance of a
// verdict where there is no change in any cell. A change within the noise
// floor that either result measured is none.
func Between(old, new *Result, by string, confidence float64) (*Changes, error) {
	if by != "" {
		if _, ok := metric.Lookup(by); !ok {
			return nil, fmt.Errorf("there is no metric %q", by)
		}
	}
	if !(confidence > 0 && confidence < 1) {
		return nil, errors.New("the confidence must be between 0 and 1")
	}
	before := map[string]*Cell{}
	for _, c := range old.Cells {
		before[c.Plan.Key] = c
	}
	all := &Changes{NoiseFloor: 1}
	for _, c := range new.Cells {
		was, ok := before[c.Plan.Key]
		if !ok {
			all.OnlyNew = append(all.OnlyNew, c.Plan.Key)
			continue
		}
		delete(before, c.Plan.Key)
		all.Changes = append(all.Changes, change(was, c, by, confidence))
	}
	for _, c := range old.Cells {
		if _, left := before[c.Plan.Key]; left {
			all.OnlyOld = append(all.OnlyOld, c.Plan.Key)
		}
	}
	all.addFloor("old", old)
	all.addFloor("new", new)
	all.judge(confidence)
	return all, nil
}

// addFloor takes account of the noise floors that a result measured.
func (all *Changes) addFloor(name string, r *Result) {
	for _, c := range r.Comparisons {
		switch {
		case c.Noise == nil:
		case c.Noise.Floor == 0:
			all.NoFloor = append(all.NoFloor, fmt.Sprintf("%s: %s: %s", name, c.Comparison.Name, c.Noise.Why))
		default:
			all.NoiseFloor = math.Max(all.NoiseFloor, c.Noise.Floor)
		}
	}
}

func change(old, new *Cell, by string, confidence float64) *Change {
	c := &Change{Old: old, New: new}
	if by == "" {
		by = timeOf(new.Plan.Test.Pattern)
	}
	c.Metric, _ = metric.Lookup(by)
	x, why := old.RunValues(by)
	if why != "" {
		c.Missing = "old: " + why
		return c
	}
	y, why := new.RunValues(by)
	if why != "" {
		c.Missing, c.Lost = "new: "+why, true
		return c
	}
	c.OldMedian, c.NewMedian = stats.Median(x), stats.Median(y)
	x, y = inFavour(c.Metric, x, y)
	c.Test = ratioTest(by, x, y, confidence)
	c.Missing = c.NoTest
	c.x, c.y = x, y
	return c
}

// judge adjusts the p values for their number and gives the verdicts.
func (all *Changes) judge(confidence float64) {
	var ps []float64
	var tested, changed []*Change
	for _, c := range all.Changes {
		if c.Missing != "" {
			continue
		}
		changed = append(changed, c)
		c.AdjustedP, c.Verdict = c.P, stats.TooFewRuns
		if !c.tooFew {
			tested, ps = append(tested, c), append(ps, c.P)
		}
	}
	for i, p := range stats.Holm(ps) {
		tested[i].AdjustedP = p
		tested[i].Verdict = stats.Judge(stats.Evidence{Ratio: tested[i].Ratio, P: p, Alpha: 1 - confidence, NoiseFloor: all.NoiseFloor})
	}
	all.Mean = meanOf(changed, confidence)
}
