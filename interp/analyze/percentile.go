package analyze

import (
	"math"

	"versus/stdlib/metric"
	"versus/stdlib/stats"
)

// maxEffective bounds the messages of an interval: beyond, the ends of the exact
// interval can't be told apart in floating point, and would say nothing.
const maxEffective = 1e12

// IsPercentile says whether a metric is a percentile of a distribution.
func IsPercentile(name string) bool {
	m, ok := metric.Lookup(name)
	return ok && m.Quantile > 0 && m.Quantile < 1
}

// Within is the interval of a percentile as the messages of the runs alone show
// it. It says nothing of how much runs differ.
type Within struct {
	Interval
	// Samples are the messages, Effective how many independent ones they are
	// worth: neighbours are alike, and an interval that counts each is too narrow.
	Samples, Effective float64
}

// Within returns the interval between order statistics of the merged histogram
// (Thompson 1936), at the ranks that so many independent values would have. How
// many those are comes from the windows of each run, by batch means; the
// correlation of the mean stands for that of the percentile, which is cautious.
// ok is false if a run has no windows, or there are too few messages.
func (c *Cell) Within(name string) (in Within, ok bool) {
	m, known := metric.Lookup(name)
	if !known || !IsPercentile(name) || len(c.runs) == 0 {
		return Within{}, false
	}
	var hs []*histogram
	for _, d := range c.runs {
		h, why := d.histogram(m)
		if why != "" {
			return Within{}, false
		}
		effect, ok := c.designEffect(d)
		if !ok {
			return Within{}, false
		}
		hs = append(hs, h)
		in.Samples += float64(h.count())
		in.Effective += float64(h.count()) / effect
	}
	if !(in.Effective >= 1 && in.Effective <= maxEffective) {
		return Within{}, false
	}
	n := int(in.Effective)
	ranks, err := stats.QuantileRanks(n, m.Quantile, MedianConfidence)
	if err != nil || ranks.Low < 1 || ranks.High > n {
		return Within{}, false
	}
	all, times := merge(hs), once(len(hs))
	in.Low = all.quantile(float64(ranks.Low)/float64(n), times)
	in.High = all.quantile(math.Min(1, float64(ranks.High)/float64(n)), times)
	return in, true
}

// designEffect is by how much the messages of a run count for less than
// independent ones.
func (c *Cell) designEffect(d *runData) (float64, bool) {
	var means []float64
	count := int64(0)
	for _, w := range c.windowsOf(d) {
		if w.Count > 0 {
			means = append(means, float64(w.Sum)/float64(w.Count)/1e9)
			count += w.Count
		}
	}
	spread, ok := total(d.window.receiver.latency).stddev()
	if !ok || !finite(spread) || len(means) == 0 {
		return 0, false
	}
	effect, err := stats.DesignEffect(means, float64(count)/float64(len(means)), spread*spread)
	return effect, err == nil
}
