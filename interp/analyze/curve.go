package analyze

import "versus/stdlib/metric"

// Curve is the distribution of all messages of a cell's valid runs together.
type Curve struct {
	Count int64
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
	for _, d := range c.runs {
		if len(d.run.Roles) == 0 {
			return nil, "no distribution was recorded, only some of its values"
		}
		h, why := d.histogram(metric.QuantileOf(distribution, 0.5))
		if why != "" {
			return nil, why
		}
		hs = append(hs, h)
	}
	curve := &Curve{all: merge(hs), times: once(len(hs))}
	curve.Count = curve.all.count(curve.times)
	return curve, ""
}

// Quantile is the nearest-rank quantile p, 0 < p <= 1, in seconds.
func (c *Curve) Quantile(p float64) float64 { return c.all.quantile(p, c.times) }

// Visible says whether a message lies beyond quantile p on average; Few that
// fewer than ten do.
func (c *Curve) Visible(p float64) bool { return visible(p, c.Count) }

// Few: see Visible.
func (c *Curve) Few(p float64) bool { return beyond(p, c.Count) < fewBeyond-1e-9 }

// Steps are the buckets that hold messages, from the lowest up.
func (c *Curve) Steps() []Step {
	var out []Step
	longest := c.Quantile(1)
	for k, edge := range c.all.edges {
		out = append(out, Step{Value: min(float64(edge)/1e9, longest), UpTo: weigh(c.all.upTo[k], c.times)})
	}
	return out
}
