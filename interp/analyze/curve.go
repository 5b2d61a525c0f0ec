package analyze

import (
	"math"

	"versus/stdlib/metric"
	"versus/stdlib/stats"
)

// Curve is the distribution of all messages of a cell's valid runs together, or
// of one of them.
type Curve struct {
	Count int64
	// Effective is how many independent messages they are worth; 0 if that is
	// not known, since a run has no windows.
	Effective float64

	all   *merged
	times []int
}

// Step is a value in seconds with the number of messages at or below it.
type Step struct {
	Value float64
	UpTo  int64
}

// Curve merges the histograms of a distribution, "latency" or "service_time",
// or says why there is none.
func (c *Cell) Curve(distribution string) (*Curve, string) {
	if len(c.runs) == 0 {
		return nil, c.whyNoRuns()
	}
	var hs []*histogram
	effective := 0.0
	for _, d := range c.runs {
		if len(d.run.Roles) == 0 {
			return nil, "no distribution was recorded, only some of its values"
		}
		h, why := d.histogram(metric.QuantileOf(distribution, 0.5))
		if why != "" {
			return nil, why
		}
		hs = append(hs, h)
		if effect, ok := c.designEffect(d); ok {
			effective += float64(h.count()) / effect
		} else {
			effective = math.NaN()
		}
	}
	curve := &Curve{all: merge(hs), times: once(len(hs))}
	curve.Count = curve.all.count(curve.times)
	if effective >= 1 && effective <= maxEffective {
		curve.Effective = effective
	}
	return curve, ""
}

// Runs are the distributions of the single runs.
func (c *Curve) Runs() []*Curve {
	out := make([]*Curve, len(c.times))
	for i := range out {
		times := make([]int, len(c.times))
		times[i] = 1
		out[i] = &Curve{Count: c.all.count(times), all: c.all, times: times}
	}
	return out
}

// Quantile is the nearest-rank quantile p, 0 < p <= 1, in seconds.
func (c *Curve) Quantile(p float64) float64 { return c.all.quantile(p, c.times) }

// Visible says whether a message lies beyond quantile p on average; Few that
// fewer than ten do.
func (c *Curve) Visible(p float64) bool { return visible(p, c.Count) }

// Few: see Visible.
func (c *Curve) Few(p float64) bool { return beyond(p, c.Count) < fewBeyond-1e-9 }

// Within is the interval of quantile p, in seconds, as the messages alone show
// it: between the order statistics (Thompson 1936) at the ranks that Effective
// independent values would have. It says nothing of how much runs differ. ok is
// false if there are too few messages, or Effective is not known.
func (c *Curve) Within(p float64) (in Interval, ok bool) {
	n := int(c.Effective)
	ranks, err := stats.QuantileRanks(n, p, MedianConfidence)
	if err != nil || ranks.Low < 1 || ranks.High > n {
		return Interval{}, false
	}
	at := func(rank int) float64 { return c.Quantile(math.Min(1, float64(rank)/float64(n))) }
	return Interval{at(ranks.Low), at(ranks.High)}, true
}

// Band is half the width of the band of Dvoretzky, Kiefer and Wolfowitz around
// the shares that Steps give, for Effective independent messages. ok is false if
// that is not known.
func (c *Curve) Band() (share float64, ok bool) {
	share, err := stats.DKW(int(c.Effective), MedianConfidence)
	return share, err == nil
}

// Steps are the buckets that hold messages, from the lowest up.
func (c *Curve) Steps() []Step {
	var out []Step
	longest, before := c.Quantile(1), int64(0)
	for k, edge := range c.all.edges {
		n := weigh(c.all.upTo[k], c.times)
		if n > before {
			out = append(out, Step{Value: min(float64(edge)/1e9, longest), UpTo: n})
		}
		before = n
	}
	return out
}
