package analyze

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"versus/drivers/protocol"
	"versus/stdlib/stats"
)

// Steadiness says how a run went along (Barrett et al. 2017).
type Steadiness string

// The classes of runs.
const (
	Unknown  Steadiness = "" // too few windows to tell
	Flat     Steadiness = "flat"
	WarmUp   Steadiness = "warm-up"         // slower at first
	Slowdown Steadiness = "slowdown"        // faster at first
	Unsteady Steadiness = "no steady state" // still changing near its end
)

const (
	// minWindows is the least number of windows from which a run is classified.
	minWindows = 20
	// alike is the difference of levels, as a share, that is no change for our
	// purposes, however certain it is.
	alike = 0.02
	// stall is the number of outlying windows in a row that are more than a stall.
	stall = 3
	// latest is the share of a run before which its steady state must begin: of
	// 2000 iterations Barrett et al. want the last 500.
	latest = 0.75
)

// course is what the windows of a run say of it.
type course struct {
	class Steadiness
	start float64 // of the steady state, as a share of the run
	level float64 // of what came before it, over the level of the steady state
}

// courseOf classifies a run by its windows. The window means, as logarithms,
// without outliers, are cut at their change points (level and spread, penalty
// 15 log n). Walking back from the last segment, those of about its level are
// the steady state. A warm-up counts only if MSER-5 too would leave something
// out at the start: two methods that err differently. By simulation 100 windows
// without any change are called unsteady in less than 1 of 100 runs; in 2 if the
// correlation from one window to the next is 0.8, in 16 if it is 0.9, which is
// hardly steady.
func courseOf(windows []protocol.Window) course {
	at, means := regular(windows)
	starts := segments(means)
	if starts == nil {
		return course{}
	}
	last := means[starts[len(starts)-1]:]
	level, near := stats.Mean(last), math.Max(alike, stats.StdDev(last))
	first := len(starts) - 1
	for first > 0 && math.Abs(stats.Mean(means[starts[first-1]:starts[first]])-level) <= near {
		first--
	}
	if first == 0 {
		return course{class: Flat}
	}
	begin := starts[first]
	c := course{class: WarmUp, start: float64(at[begin]) / float64(len(windows)), level: math.Exp(stats.Mean(means[:begin]) - level)}
	switch {
	case c.start > latest:
		c.class = Unsteady
	case c.level < 1:
		c.class = Slowdown
	}
	if t, err := stats.MSER(means, 5); c.class == WarmUp && (err != nil || t.Values == 0) {
		return course{class: Flat}
	}
	return c
}

// segments are where the parts between change points begin; nil if there are too
// few windows to tell.
func segments(means []float64) []int {
	if len(means) < minWindows {
		return nil
	}
	cut, err := stats.ChangePoints(means, stats.MeanVarianceCost, stats.WarmupPenalty(len(means)))
	if err != nil {
		return nil
	}
	return append([]int{0}, cut.Starts...)
}

// regular returns the logarithms of the means of the windows and their
// positions, without empty windows and without outliers: those further from the
// median than three times the range from the 10th to the 90th percentile, as in
// the method of Barrett et al. (2017). A stall is no change of a run; but
// three windows in a row are no stall, they may be all that a cold start is.
func regular(windows []protocol.Window) (at []int, means []float64) {
	for i, w := range windows {
		if w.Count > 0 && w.Sum > 0 {
			at = append(at, i)
			means = append(means, math.Log(float64(w.Sum)/float64(w.Count)))
		}
	}
	if len(means) == 0 {
		return nil, nil
	}
	median := stats.Median(means)
	reach := 3 * (stats.Quantile(means, 0.9) - stats.Quantile(means, 0.1))
	far := func(i int) bool { return math.Abs(means[i]-median) > reach }
	var outliers []int
	for i := 0; i < len(means); i++ {
		first := i
		for i < len(means) && far(i) {
			i++
		}
		for k := first; k < i && i-first < stall; k++ {
			outliers = append(outliers, k)
		}
	}
	kept := 0
	for i, m := range means {
		if !slices.Contains(outliers, i) {
			at[kept], means[kept] = at[i], m
			kept++
		}
	}
	return at[:kept], means[:kept]
}

// steadyRemarks say what more than half of the runs did that a steady run
// does not.
func (c *Cell) steadyRemarks() []Remark {
	var seen []course
	for _, d := range c.runs {
		if x := courseOf(c.windowsOf(d)); x.class != Unknown {
			seen = append(seen, x)
		}
	}
	all := len(seen)
	of := func(class Steadiness) (n int, start, level float64) {
		var starts, levels []float64
		for _, x := range seen {
			if x.class == class {
				starts, levels = append(starts, x.start), append(levels, x.level)
			}
		}
		return len(starts), stats.Median(starts), stats.Median(levels)
	}
	flat, _, _ := of(Flat)
	warm, start, above := of(WarmUp)
	slow, from, below := of(Slowdown)
	never, _, _ := of(Unsteady)
	switch {
	case 2*(all-flat) <= all:
		return nil
	case 2*warm > all:
		return []Remark{{true, "the warm-up was too short: runs become steady only after the measurement has begun",
			fmt.Sprintf("%d of %d runs, by %s, before which latencies are %.3g%% higher", warm, all, c.part(start), 100*(above-1))}}
	case 2*slow > all:
		return []Remark{{true, "runs slow down as they go on",
			fmt.Sprintf("%d of %d runs, by %.3g%% after %s", slow, all, 100*(1/below-1), c.part(from))}}
	case 2*never > all:
		return []Remark{{true, "runs reach no steady state: their latencies still change in the last quarter", fmt.Sprintf("%d of %d runs", never, all)}}
	}
	return []Remark{{true, "runs disagree on how they go along",
		fmt.Sprintf("%d flat, %d warm-up, %d slowdown, %d without a steady state", flat, warm, slow, never)}}
}

// windowsOf are the windows of the side that sees messages arrive, added up over
// its roles; nil if a role has none, or others are cut otherwise.
func (c *Cell) windowsOf(d *runData) []protocol.Window {
	var all []protocol.Window
	for _, name := range slices.Sorted(maps.Keys(d.run.Roles)) {
		role := d.run.Roles[name]
		if role == nil || role.Result == nil || !arrives(c.Plan.Test.Pattern, name, role) {
			continue
		}
		ws := role.Result.Windows
		if len(ws) == 0 || all != nil && len(all) != len(ws) {
			return nil
		}
		if all == nil {
			all = make([]protocol.Window, len(ws))
		}
		for i, w := range ws {
			all[i].Count += w.Count
			all[i].Sum += w.Sum
		}
	}
	return all
}

// part is a share of the extent of the measurement in words.
func (c *Cell) part(share float64) string {
	m := c.Plan.Workload.Measure
	if m.Calls > 0 {
		return fmt.Sprintf("%.3g of %d messages", share*float64(m.Calls), m.Calls)
	}
	return fmt.Sprintf("%s of %s", seconds(share*m.Seconds), seconds(m.Seconds))
}
