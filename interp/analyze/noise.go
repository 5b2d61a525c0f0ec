package analyze

import (
	"fmt"
	"math"
	"slices"
	"sort"

	"versus/interp/journal"
	"versus/stdlib/stats"
)

// noiseShare is the share of the A/A comparisons that lie within the floor.
const noiseShare = 0.95

// Noise is how far apart two measurements of the same baseline came out, in
// the same order as the candidates (A/A): the smallest difference that is more
// than noise.
type Noise struct {
	// Floor is that difference as a ratio, at least 1: 1.023 if equal systems
	// differ by 2.3 %. 0 if it could not be found.
	Floor float64
	Pairs int    // baselines measured twice
	Why   string // there is no floor
}

// splitTwin parts the records of a cell, by number, from those of its twin.
func splitTwin(records []*journal.Run, n int) (own, twin []*journal.Run) {
	at := sort.Search(len(records), func(i int) bool { return records[i].Run >= n })
	return records[:at:at], records[at:]
}

// noise compares each baseline of the comparison with its twin. An A/A
// comparison is as wide as its ratio by Hodges and Lehmann is from 1, and at
// least half as wide as the interval of the ratio, both as logarithms; the
// floor is the 95th percentile of these widths (nearest rank: with fewer than
// 20 baselines, the largest).
func (c *Comparison) noise() *Noise {
	n := &Noise{}
	var widths, ps []float64
	var tested []*Cell
	var tests []Test
	for _, p := range c.Pairs { // the baselines, in the order of the plan
		b := p.Baseline
		if b == nil || b.Twin == nil || slices.Contains(tested, b) {
			continue
		}
		n.Pairs++
		tested = append(tested, b)
		t := c.twinTest(b)
		if t.NoTest != "" || t.Ratio.Level == 0 {
			if n.Why = t.NoTest; n.Why == "" {
				n.Why = fmt.Sprintf("%d and %d runs of a baseline are too few for an interval", len(b.Valid), len(b.Twin.Valid))
			}
			return n
		}
		ratio := t.Ratio
		widths = append(widths, math.Max(math.Abs(math.Log(ratio.Estimate)), math.Log(ratio.High/ratio.Low)/2))
		ps, tests = append(ps, t.P), append(tests, t)
	}
	if n.Pairs == 0 {
		return nil
	}
	n.Floor = math.Exp(stats.NearestRank(widths, noiseShare))
	for i, p := range stats.Holm(ps) {
		if r := tests[i].Ratio; p <= 1-c.Comparison.Confidence {
			tested[i].unlike = append(tested[i].unlike, fmt.Sprintf("%s: %.3gx [%.3gx, %.3gx], p = %.2g", c.Comparison.Name, r.Estimate, r.Low, r.High, p))
		}
	}
	return n
}

// twinTest compares a baseline with its twin by the formula's metric.
func (c *Comparison) twinTest(b *Cell) Test {
	if c.Metric == nil {
		return Test{NoTest: "a noise floor needs a formula over one metric of both sides"}
	}
	again := Pair{Comparison: c, Baseline: b, Candidate: b.Twin}
	return c.test(&again)
}

// twinRemarks are about the second measurement of a baseline.
func (c *Cell) twinRemarks() []Remark {
	if c.Twin == nil {
		return nil
	}
	var rs []Remark
	t := c.Twin
	if all := len(t.Valid) + len(t.Invalid) + len(t.Failed) + len(t.Skipped) + t.Absent; len(t.Valid) < all {
		rs = append(rs, Remark{true, "runs of the second measurement of a baseline, for the noise floor, don't count: they failed, are invalid or are missing",
			fmt.Sprintf("%d of %d", all-len(t.Valid), all)})
	}
	for _, how := range c.unlike {
		rs = append(rs, Remark{true, "a baseline differs from itself, measured twice: something else than the systems makes a difference here", how})
	}
	return rs
}
