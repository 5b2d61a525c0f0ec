package analyze

import (
	"strings"

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

// Within returns the interval of a percentile over all messages of the valid
// runs (see Curve.Within). How many independent ones they are comes from the
// windows of each run, by batch means; the correlation of the mean stands for
// that of the percentile, which is cautious. ok is false if a run has no windows,
// or there are too few messages.
func (c *Cell) Within(name string) (in Within, ok bool) {
	if !IsPercentile(name) {
		return Within{}, false
	}
	m, _ := metric.Lookup(name)
	distribution, _, _ := strings.Cut(m.Name, ".")
	curve, why := c.Curve(distribution)
	if why != "" {
		return Within{}, false
	}
	in = Within{Samples: float64(curve.Count), Effective: curve.Effective}
	in.Interval, ok = curve.Within(m.Quantile)
	return in, ok
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
