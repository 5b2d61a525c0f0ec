package protocol

import (
	"fmt"

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
