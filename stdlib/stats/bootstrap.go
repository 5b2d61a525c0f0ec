package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Statistic computes a number from a resample: times[s][i] says how often run
// i of side s was drawn; the counts of a side add up to its number of runs.
// NaN means that the statistic is undefined there. It must not keep times.
type Statistic func(times [][]int) float64

// Bootstrap resamples runs with replacement, the runs of each side by
// themselves (Efron 1979). A resample is given as counts, not as a list, so
// that a statistic can select runs inside it (Kept) or use all, for as many
// metrics of the same runs as it likes.
//
// The values depend on the seed and the stream only, not on the number of
// cores: resamples come in blocks, each with a generator of its own.
type Bootstrap struct {
	Runs      []int // number of runs of each side, at least 1
	Resamples int   // at least 1; 10,000 for an interval that is shown
	Seed      uint64
	Stream    uint64 // tells comparisons under one seed apart
}

// blockSize is the number of resamples from one generator. It is part of the
// definition of the values: another size draws others.
const blockSize = 512

// MaxResamples bounds Bootstrap.Resamples.
const MaxResamples = 10_000_000

// Values evaluates a statistic on every resample, in a fixed order. New is
// called once by each of the workers, which run at the same time, so that the
// Statistic it returns can own scratch space; nothing else is allocated per
// resample.
func (b Bootstrap) Values(new func() Statistic) ([]float64, error) {
	if len(b.Runs) == 0 || slices.Min(b.Runs) < 1 {
		return nil, fmt.Errorf("each side needs at least one run to resample, and they have %v", b.Runs)
	}
	if b.Resamples < 1 || b.Resamples > MaxResamples {
		return nil, fmt.Errorf("the number of resamples must be from 1 to %d, not %d", MaxResamples, b.Resamples)
	}
	values := make([]float64, b.Resamples)
	blocks := (b.Resamples + blockSize - 1) / blockSize
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), blocks) {
		workers.Go(func() {
			w := b.worker(new())
			for block := next.Add(1) - 1; block < int64(blocks); block = next.Add(1) - 1 {
				start := int(block) * blockSize
				w.fill(values[start:min(start+blockSize, len(values))], b.Seed, b.Stream, uint64(block))
			}
		})
	}
	workers.Wait()
	return values, nil
}

// drawer draws resamples and evaluates the statistic.
type drawer struct {
	pcg       *rand.PCG
	rng       *rand.Rand
	times     [][]int
	statistic Statistic
}

func (b Bootstrap) worker(s Statistic) *drawer {
	w := &drawer{pcg: rand.NewPCG(0, 0), statistic: s}
	w.rng = rand.New(w.pcg)
	for _, n := range b.Runs {
		w.times = append(w.times, make([]int, n))
	}
	return w
}

func (w *drawer) fill(values []float64, seed, stream, block uint64) {
	// Neighbouring blocks and streams must not be neighbouring states.
	w.pcg.Seed(mix(seed^mix(stream)), mix(block))
	for i := range values {
		for _, times := range w.times {
			clear(times)
			n := uint32(len(times))
			for range n {
				times[w.rng.Uint32N(n)]++
			}
		}
		values[i] = w.statistic(w.times)
	}
}

// mix is the finalizer of SplitMix64 (Steele, Lea and Flood 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// PercentileInterval is the interval between quantiles of bootstrap values: an
// approximation, whose coverage is below its level for few runs. Each end is
// the smallest value with at least its share of the values at or below it.
//
// If any value is NaN or infinite (a formula that divides by zero in some
// resample), there is no interval: leaving it out would make one that is too
// short. The error says how many there were.
func PercentileInterval(values []float64, level float64) (Interval, error) {
	if err := checkLevel(level); err != nil {
		return Interval{}, err
	}
	if err := checkDefined(values); err != nil {
		return Interval{}, err
	}
	s, tail := sorted(values), (1-level)/2
	return Interval{s[Rank(len(s), tail)-1], s[Rank(len(s), 1-tail)-1], level}, nil
}

// checkDefined refuses bootstrap values of which some are undefined.
func checkDefined(values []float64) error {
	undefined := 0
	for _, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			undefined++
		}
	}
	if undefined > 0 || len(values) == 0 {
		return fmt.Errorf("the value is undefined in %d of %d resamples", undefined, len(values))
	}
	return nil
}

// Kept is a keep rule that can be applied inside a resample: the k best runs
// by one metric, or those that are left when both ends are cut. The same runs
// then count for every metric of their side.
type Kept struct {
	order []int // runs, best first
	skip  int   // best runs left out
	k     int
}

// NewKept prepares the rule that keeps k of the runs with these key values,
// the smallest or, if higher is better, the largest. Of equal keys the earlier
// run is the better one. k is from 1 to the number of runs.
func NewKept(key []float64, k int, higher bool) (*Kept, error) {
	if err := Check(key); err != nil {
		return nil, err
	}
	if k < 1 || k > len(key) {
		return nil, fmt.Errorf("%d of %d runs can't be kept", k, len(key))
	}
	order := ascending(key)
	if higher {
		negative := make([]float64, len(key))
		for i, v := range key {
			negative[i] = -v
		}
		order = ascending(negative)
	}
	return &Kept{order, 0, k}, nil
}

// NewTrimmed prepares the rule that leaves out the cut smallest and the cut
// largest of these key values (the trimmed mean, Tukey 1962). At least one run
// must be left. Of equal keys the earlier run counts as the smaller one.
func NewTrimmed(key []float64, cut int) (*Kept, error) {
	if err := Check(key); err != nil {
		return nil, err
	}
	if cut < 0 || cut > (len(key)-1)/2 {
		return nil, fmt.Errorf("%d of %d runs can't be cut at each end", cut, len(key))
	}
	return &Kept{ascending(key), cut, len(key) - 2*cut}, nil
}

// Mean is the mean of a metric over the runs kept in a resample.
func (r *Kept) Mean(values []float64, times []int) float64 {
	sum, skip, left := 0.0, r.skip, r.k
	for _, run := range r.order {
		over := min(times[run], skip)
		skip -= over
		t := min(times[run]-over, left)
		sum += float64(t) * values[run]
		if left -= t; left == 0 {
			break
		}
	}
	return sum / float64(r.k)
}

// ResampledMean is the mean of a metric over all runs of a resample.
func ResampledMean(values []float64, times []int) float64 {
	sum, n := 0.0, 0
	for run, t := range times {
		sum += float64(t) * values[run]
		n += t
	}
	return sum / float64(n)
}

// ResampledMax is the largest value of a metric in a resample.
func ResampledMax(values []float64, times []int) float64 {
	largest := math.Inf(-1)
	for run, t := range times {
		if t > 0 {
			largest = math.Max(largest, values[run])
		}
	}
	return largest
}

// ResampledRatio is the sum of one count over the sum of another, over all
// runs of a resample: losses by messages sent. NaN if the latter is 0.
func ResampledRatio(part, whole []float64, times []int) float64 {
	p, w := 0.0, 0.0
	for run, t := range times {
		p += float64(t) * part[run]
		w += float64(t) * whole[run]
	}
	if w == 0 {
		return math.NaN()
	}
	return p / w
}
