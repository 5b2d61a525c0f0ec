package analyze

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"versus/drivers/protocol"
	"versus/stdlib/metric"
	"versus/stdlib/stats"
)

// moments are the exact sums of distributions, in nanoseconds but for the squares.
type moments struct {
	count, min, max int64
	sum             float64
	squares         float64 // seconds squared
}

func total(ds []*protocol.Distribution) moments {
	var t moments
	for _, d := range ds {
		t = t.plus(moments{d.Count, d.Min, d.Max, float64(d.Sum), d.SumSquares}, 1)
	}
	return t
}

// plus adds o, counted times times.
func (t moments) plus(o moments, times int) moments {
	if o.count <= 0 || times == 0 {
		return t
	}
	if t.count == 0 {
		t.min, t.max = o.min, o.max
	}
	return moments{
		count: t.count + int64(times)*o.count, min: min(t.min, o.min), max: max(t.max, o.max),
		sum: t.sum + float64(times)*o.sum, squares: t.squares + float64(times)*o.squares,
	}
}

// mean in seconds.
func (t moments) mean() float64 { return t.sum / float64(t.count) / 1e9 }

// stddev is the sample standard deviation over messages, in seconds. It needs
// two samples. A difference of sums below their rounding error is zero; one
// that is really negative is not a spread, and NaN.
func (t moments) stddev() (float64, bool) {
	if t.count < 2 {
		return 0, false
	}
	n, sum := float64(t.count), t.sum/1e9
	v := t.squares - sum*sum/n
	if math.Abs(v) <= 1e-12*t.squares {
		v = 0
	}
	return math.Sqrt(v / (n - 1)), true
}

// histogram is the distribution of one run's messages: ascending bucket values
// with the number of samples at or below each.
type histogram struct {
	edges []int64 // highest value of each bucket that holds samples, nanoseconds
	upTo  []int64
	max   int64 // exact
}

// newHistogram decodes and adds the histograms of a run.
func newHistogram(ds []*protocol.Distribution) (*histogram, error) {
	counts := map[int64]int64{}
	h := &histogram{}
	for _, d := range ds {
		p, err := d.Decode()
		if err != nil {
			return nil, err
		}
		if p.TotalCount() != d.Count {
			return nil, fmt.Errorf("its histogram holds %d samples, but %d were counted", p.TotalCount(), d.Count)
		}
		last := int64(0)
		for _, bar := range p.Distribution() {
			if bar.Count > 0 {
				counts[bar.To] += bar.Count
				last = bar.To
			}
		}
		if d.Over > 0 { // in the last bucket for want of a better one: all that is known is the maximum
			counts[last] -= d.Over
			counts[max(d.Max, last)] += d.Over
		}
		h.max = max(h.max, d.Max)
	}
	if len(counts) == 0 {
		return nil, errors.New("its histogram is empty")
	}
	for edge, n := range counts {
		if n < 0 {
			return nil, errors.New("its histogram has fewer samples over its range than were counted")
		}
		h.edges = append(h.edges, edge)
	}
	slices.Sort(h.edges)
	sum := int64(0)
	for _, edge := range h.edges {
		sum += counts[edge]
		h.upTo = append(h.upTo, sum)
	}
	return h, nil
}

func (h *histogram) count() int64 { return h.upTo[len(h.upTo)-1] }

// quantile is the nearest-rank quantile p in seconds: the upper end of the
// bucket that holds it, but not above the exact maximum.
func (h *histogram) quantile(p float64) float64 {
	rank := int64(stats.Rank(int(h.count()), p))
	k := sort.Search(len(h.upTo), func(k int) bool { return h.upTo[k] >= rank })
	return float64(min(h.edges[k], h.max)) / 1e9
}

// merged holds the histograms of several runs on common edges, so that any
// resample of the runs has its quantile found without merging again.
type merged struct {
	edges []int64
	upTo  [][]int64 // by edge, then by run
	total []int64
	max   []int64
}

func merge(hs []*histogram) *merged {
	m := &merged{}
	for _, h := range hs {
		m.edges = append(m.edges, h.edges...)
		m.total = append(m.total, h.count())
		m.max = append(m.max, h.max)
	}
	slices.Sort(m.edges)
	m.edges = slices.Compact(m.edges)
	next := make([]int, len(hs))
	for _, edge := range m.edges {
		row := make([]int64, len(hs))
		for r, h := range hs {
			for next[r] < len(h.edges) && h.edges[next[r]] <= edge {
				next[r]++
			}
			if next[r] > 0 {
				row[r] = h.upTo[next[r]-1]
			}
		}
		m.upTo = append(m.upTo, row)
	}
	return m
}

// count is the number of samples, each run counted times[run] times.
func (m *merged) count(times []int) int64 { return weigh(m.total, times) }

// quantile is the nearest-rank quantile in seconds of the runs, each counted
// times[run] times.
func (m *merged) quantile(p float64, times []int) float64 {
	rank := int64(stats.Rank(int(m.count(times)), p))
	k := sort.Search(len(m.edges), func(k int) bool { return weigh(m.upTo[k], times) >= rank })
	largest := int64(0)
	for r, n := range times {
		if n > 0 {
			largest = max(largest, m.max[r])
		}
	}
	return float64(min(m.edges[k], largest)) / 1e9
}

func weigh(counts []int64, times []int) int64 {
	sum := int64(0)
	for r, n := range times {
		sum += int64(n) * counts[r]
	}
	return sum
}

// beyond is how many of n samples lie above quantile p on average.
func beyond(p float64, n int64) float64 { return float64(n) * (1 - p) }

// visible says whether n samples show quantile p at all: at least one lies
// beyond it. The maximum, p = 1, always shows.
func visible(p float64, n int64) bool { return p >= 1 || beyond(p, n) > 1-1e-9 }

// tooFew says why a percentile is not shown. It does not name the number of
// samples, so that the cells of a table share a footnote.
func tooFew(m metric.Metric) string {
	return fmt.Sprintf("%s needs at least %.0f samples to show", m.Name, math.Ceil(1/(1-m.Quantile)*(1-1e-9)))
}
