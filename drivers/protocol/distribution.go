package protocol

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
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

// maxEncoded bounds the text of a histogram: 33,792 counts of at most 9 bytes,
// hardly compressed, in base64.
const maxEncoded = 420_000

// Decode returns the histogram, or an error if it isn't one of the protocol's
// geometry or is damaged. It allocates no more than such a histogram needs,
// whatever the text claims.
func (d *Distribution) Decode() (*hdrhistogram.Histogram, error) {
	if len(d.Histogram) > maxEncoded {
		return nil, fmt.Errorf("a histogram of %d characters; at most %d are possible", len(d.Histogram), maxEncoded)
	}
	if err := checkGeometry(d.Histogram); err != nil {
		return nil, err
	}
	h, err := hdrhistogram.Decode([]byte(d.Histogram))
	if err != nil {
		return nil, fmt.Errorf("damaged histogram: %w", err)
	}
	return h, nil
}

// checkGeometry reads the header of an encoded histogram, before the library
// allocates what the header asks for.
func checkGeometry(text string) error {
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) < 8 {
		return errors.New("a histogram must be HdrHistogram V2, compressed, in base64")
	}
	z, err := zlib.NewReader(bytes.NewReader(raw[8:]))
	if err != nil {
		return fmt.Errorf("damaged histogram: %w", err)
	}
	defer z.Close()
	header := make([]byte, hdrhistogram.ENCODING_HEADER_SIZE)
	if _, err := io.ReadFull(z, header); err != nil {
		return fmt.Errorf("damaged histogram: %w", err)
	}
	digits := int32(binary.BigEndian.Uint32(header[12:]))
	low := int64(binary.BigEndian.Uint64(header[16:]))
	high := int64(binary.BigEndian.Uint64(header[24:]))
	if digits != Digits || low != 1 || high != MaxTrackable {
		return fmt.Errorf("a histogram from %d to %d with %d digits; it must be from 1 to %d with %d digits",
			low, high, digits, MaxTrackable, Digits)
	}
	return nil
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
