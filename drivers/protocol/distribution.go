package protocol

import (
	"errors"
	"fmt"
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Digits is the number of significant decimal digits that histograms keep.
const Digits = 3

// NewHistogram returns an empty histogram of the protocol's geometry.
func NewHistogram() *hdrhistogram.Histogram {
	return hdrhistogram.New(1, MaxTrackable, Digits)
}

// SetHistogram sets Count and Histogram from h, which must have the geometry
// of NewHistogram.
func (d *Distribution) SetHistogram(h *hdrhistogram.Histogram) error {
	b, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return fmt.Errorf("histogram: %w", err)
	}
	d.Count, d.Histogram = h.TotalCount(), string(b)
	return nil
}

// Decode returns the histogram, or an error if it isn't one of the protocol's
// geometry or is damaged. It allocates no more than such a histogram needs,
// whatever the text claims.
func (d *Distribution) Decode() (*hdrhistogram.Histogram, error) {
	h := NewHistogram()
	err := eachBucket(d.Histogram, func(bucket int, count int64) error {
		return h.RecordValues(lowestOf(bucket), count)
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

// Merge returns the distribution of all samples of ds together. Nil and empty
// ones add nothing; without any sample it returns nil. Nothing is averaged: the
// result is what one recorder would have seen.
func Merge(ds ...*Distribution) (*Distribution, error) {
	var all *hdrhistogram.Histogram
	m := &Distribution{Min: math.MaxInt64}
	for _, d := range ds {
		if d == nil || d.Count == 0 {
			continue
		}
		h, err := d.Decode()
		if err != nil {
			return nil, err
		}
		if m.Sum > math.MaxInt64-d.Sum {
			return nil, errors.New("the sum of the merged times is over 292 years")
		}
		m.Sum += d.Sum
		m.Min, m.Max = min(m.Min, d.Min), max(m.Max, d.Max)
		m.SumSquares += d.SumSquares
		m.Over += d.Over
		if all == nil {
			all = h
		} else if dropped := all.Merge(h); dropped != 0 {
			return nil, fmt.Errorf("merging histograms lost %d samples", dropped)
		}
	}
	if all == nil {
		return nil, nil
	}
	return m, m.SetHistogram(all)
}
