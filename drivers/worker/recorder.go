package worker

import (
	"math"
	"math/bits"
	"unsafe"

	"github.com/HdrHistogram/hdrhistogram-go"
	"golang.org/x/sys/unix"

	"versus/drivers/protocol"
)

// The layout of an HdrHistogram from 1 ns with 3 digits: values below 2^11
// have a count each; every doubling above has 2^10 counts.
const (
	halfBits = 10
	// touchedTo bounds the values whose counts are in memory before the window
	// opens: 2^30 ns. Beyond a second, one page fault no longer matters.
	touchedTo = 1 << 30
)

// recorder records times of one caller: an HdrHistogram compatible with
// protocol.NewHistogram, and exact sums. It is not safe for concurrent use.
// It indexes the counts itself: this takes half the time of the library.
type recorder struct {
	counts   []int64
	count    int64
	sum      int64
	min, max int64
	over     int64
	// squares is the exact sum of squares, 128 bits.
	squaresHigh, squaresLow uint64
}

// maxTouched is how many recorders are touched beforehand. That takes 170 kB
// each; with more of them the memory would weigh more than the faults.
const maxTouched = 64

// newRecorder returns one of n recorders.
func newRecorder(n int) *recorder {
	r := &recorder{counts: make([]int64, index(protocol.MaxTrackable)+1), min: math.MaxInt64}
	if n <= maxTouched {
		touch(r.counts[:index(touchedTo)])
	}
	return r
}

// index returns the place of v in the counts.
func index(v int64) int {
	shift := bits.Len64(uint64(v)|(1<<(halfBits+1)-1)) - (halfBits + 1)
	return shift<<halfBits + int(v>>shift)
}

// touch has the kernel map the pages of s now, all at once: a first write to a
// page in the middle of the window would be measured with the call.
func touch(s []int64) {
	page := uintptr(unix.Getpagesize())
	start := uintptr(unsafe.Pointer(&s[0]))
	skip := (page - start%page) % page
	b := unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*8)
	if uintptr(len(b)) > skip {
		if unix.Madvise(b[skip:], unix.MADV_POPULATE_WRITE) == nil {
			return
		}
	}
	for i := 0; i < len(s); i += int(page) / 8 { // kernels before 5.14
		s[i] = 0
	}
}

// record adds one time in nanoseconds, not below 0.
func (r *recorder) record(ns int64) {
	i := index(protocol.MaxTrackable)
	if ns > protocol.MaxTrackable {
		r.over++
	} else {
		i = index(ns)
	}
	r.counts[i]++
	r.count++
	r.sum += ns
	r.min = min(r.min, ns)
	r.max = max(r.max, ns)
	high, low := bits.Mul64(uint64(ns), uint64(ns))
	var carry uint64
	r.squaresLow, carry = bits.Add64(r.squaresLow, low, 0)
	r.squaresHigh += high + carry
}

func (r *recorder) reset() {
	counts := r.counts
	clear(counts[:min(index(r.max), len(counts)-1)+1])
	*r = recorder{counts: counts, min: math.MaxInt64}
}

// add adds the samples of another recorder.
func (r *recorder) add(o *recorder) {
	if o.count == 0 {
		return
	}
	for i, n := range o.counts[:min(index(o.max), len(o.counts)-1)+1] {
		if n != 0 {
			r.counts[i] += n
		}
	}
	r.count += o.count
	r.sum += o.sum
	r.min, r.max = min(r.min, o.min), max(r.max, o.max)
	r.over += o.over
	var carry uint64
	r.squaresLow, carry = bits.Add64(r.squaresLow, o.squaresLow, 0)
	r.squaresHigh += o.squaresHigh + carry
}

// distribution merges recorders into what the protocol sends; nil without samples.
func distribution(rs ...*recorder) (*protocol.Distribution, error) {
	all := &recorder{counts: make([]int64, index(protocol.MaxTrackable)+1), min: math.MaxInt64}
	for _, r := range rs {
		all.add(r)
	}
	if all.count == 0 {
		return nil, nil
	}
	d := &protocol.Distribution{
		Sum: all.sum, Min: all.min, Max: all.max, Over: all.over,
		SumSquares: (float64(all.squaresHigh)*0x1p64 + float64(all.squaresLow)) * 1e-18,
	}
	return d, d.SetHistogram(hdrhistogram.Import(&hdrhistogram.Snapshot{
		LowestTrackableValue:  1,
		HighestTrackableValue: protocol.MaxTrackable,
		SignificantFigures:    protocol.Digits,
		Counts:                all.counts,
	}))
}
