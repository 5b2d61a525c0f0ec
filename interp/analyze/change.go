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
	// Test compares the runs; its ratio is above 1 where the new result is better.
	Test
	// AdjustedP is P for all changes together (Holm 1979).
	AdjustedP float64
	Verdict   stats.Verdict
	// Missing says why there is nothing to compare; everything else is then empty.
	Missing string
}

// Changes are the cells of two results, paired by their keys.
type Changes struct {
	Changes []*Change
	// OnlyOld and OnlyNew are the keys of cells that one result has alone.
	OnlyOld, OnlyNew []string
	// Mean is the geometric mean of the ratios of all cells that have one
	// (Fleming and Wallace 1986); NaN if none has.
	Mean float64
}

// Between compares two results cell by cell. by names the metric; empty means
// the keep rule's own: time_per_call, or latency.mean in pubsub tests.
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
	all := &Changes{Mean: math.NaN()}
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
	all.judge(confidence, math.Max(floorOf(old), floorOf(new)))
	return all, nil
}

// floorOf is the largest noise floor that a result measured, at least 1.
func floorOf(r *Result) float64 {
	floor := 1.0
	for _, c := range r.Comparisons {
		if c.Noise != nil {
			floor = math.Max(floor, c.Noise.Floor)
		}
	}
	return floor
}

func change(old, new *Cell, by string, confidence float64) *Change {
	c := &Change{Old: old, New: new}
	if by == "" {
		by = "time_per_call"
		if new.Plan.Test.Pattern == "pubsub" {
			by = "latency.mean"
		}
	}
	c.Metric, _ = metric.Lookup(by)
	x, why := old.RunValues(by)
	if why != "" {
		c.Missing = "old: " + why
		return c
	}
	y, why := new.RunValues(by)
	if why != "" {
		c.Missing = "new: " + why
		return c
	}
	c.OldMedian, c.NewMedian = stats.Median(x), stats.Median(y)
	if c.Metric.Better == metric.Higher {
		x, y = y, x
	}
	c.Test = ratioTest(x, y, confidence)
	c.Missing = c.NoTest
	return c
}

// judge adjusts the p values for their number and gives the verdicts.
func (all *Changes) judge(confidence, floor float64) {
	var ps, logs []float64
	var tested []*Change
	for _, c := range all.Changes {
		if c.Missing != "" {
			continue
		}
		if r := c.Ratio.Estimate; r > 0 && !math.IsInf(r, 0) {
			logs = append(logs, math.Log(r))
		}
		c.AdjustedP, c.Verdict = c.P, stats.TooFewRuns
		if !c.tooFew {
			tested, ps = append(tested, c), append(ps, c.P)
		}
	}
	for i, p := range stats.Holm(ps) {
		tested[i].AdjustedP = p
		tested[i].Verdict = stats.Judge(stats.Evidence{Ratio: tested[i].Ratio, P: p, Alpha: 1 - confidence, NoiseFloor: floor})
	}
	if len(logs) > 0 {
		all.Mean = math.Exp(stats.Mean(logs))
	}
}
