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
	"math/bits"
	"sync"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// The buckets of NewHistogram: the first 2048 are one nanosecond wide, and each
// 1024 after them twice as wide as those before (HdrHistogram, Gil Tene).
const (
	buckets    = 33_792
	halfBits   = 10 // of 1024
	maxPayload = 9 * buckets
	// maxEncoded bounds the text of a histogram: counts of at most 9 bytes,
	// hardly compressed, in base64.
	maxEncoded = 420_000
)

// bucketOf is the bucket of a value from 0 to MaxTrackable.
func bucketOf(v int64) int {
	shift := bits.Len64(uint64(v)|(1<<(halfBits+1)-1)) - halfBits - 1
	return shift<<halfBits + int(v>>shift)
}

// lowestOf is the smallest value of a bucket.
func lowestOf(bucket int) int64 {
	shift := max(bucket>>halfBits-1, 0)
	return int64(bucket-shift<<halfBits) << shift
}

// decoder is what the text of a histogram is read with. A report reads tens of
// thousands of them, so that it is used again.
type decoder struct {
	compressed bytes.Reader
	inflate    io.ReadCloser // with zlib.Resetter
	raw        []byte
	payload    []byte
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

// eachBucket calls do for each bucket of an encoded histogram that has a count,
// in ascending order, until one of these calls fails. The error of a histogram
// that is damaged or not of the protocol's geometry may come after some calls.
func eachBucket(text string, do func(bucket int, count int64) error) error {
	if len(text) > maxEncoded {
		return fmt.Errorf("a histogram of %d characters; at most %d are possible", len(text), maxEncoded)
	}
	d := decoders.Get().(*decoder)
	defer decoders.Put(d)
	payload, err := d.read(text)
	if err != nil {
		return err
	}
	var total int64
	for bucket := 0; len(payload) > 0; {
		n, length := zigZag(payload)
		payload = payload[min(length, len(payload)):]
		switch {
		case length == 0:
			return errors.New("damaged histogram: its last count is torn")
		case n < 0 && n >= int64(bucket)-buckets: // so many are empty
			bucket += int(-n)
			continue
		case n < 0 || bucket >= buckets:
			return fmt.Errorf("damaged histogram: it has more than %d counts", buckets)
		case n > math.MaxInt64-total:
			return errors.New("damaged histogram: its counts sum up to more than there can be")
		}
		total += n
		if n > 0 {
			if err := do(bucket, n); err != nil {
				return err
			}
		}
		bucket++
	}
	return nil
}

// read checks what is around the counts of a histogram, and returns them; they
// are valid until the next call.
func (d *decoder) read(text string) ([]byte, error) {
	const cookies = 0xf0 // bits that say how wide counts are in memory
	raw, err := base64.StdEncoding.AppendDecode(d.raw[:0], []byte(text))
	d.raw = raw
	if err != nil || len(raw) < 8 || int32(binary.BigEndian.Uint32(raw))&^cookies != hdrhistogram.V2CompressedEncodingCookieBase {
		return nil, errors.New("a histogram must be HdrHistogram V2, compressed, in base64")
	}
	length := binary.BigEndian.Uint32(raw[4:])
	if int64(length) > int64(len(raw)-8) {
		return nil, fmt.Errorf("damaged histogram: it has %d bytes of %d", len(raw)-8, length)
	}
	if err := d.open(raw[8 : 8+length]); err != nil {
		return nil, fmt.Errorf("damaged histogram: %w", err)
	}
	var header [hdrhistogram.ENCODING_HEADER_SIZE]byte
	if _, err := io.ReadFull(d.inflate, header[:]); err != nil {
		return nil, fmt.Errorf("damaged histogram: %w", err)
	}
	if int32(binary.BigEndian.Uint32(header[:]))&^cookies != hdrhistogram.V2EncodingCookieBase {
		return nil, errors.New("damaged histogram: what is compressed is not HdrHistogram V2")
	}
	digits := int32(binary.BigEndian.Uint32(header[12:]))
	low, high := int64(binary.BigEndian.Uint64(header[16:])), int64(binary.BigEndian.Uint64(header[24:]))
	if digits != Digits || low != 1 || high != MaxTrackable {
		return nil, fmt.Errorf("a histogram from %d to %d with %d digits; it must be from 1 to %d with %d digits",
			low, high, digits, MaxTrackable, Digits)
	}
	return d.counts(int64(binary.BigEndian.Uint32(header[4:])))
}

// open begins to inflate.
func (d *decoder) open(compressed []byte) (err error) {
	d.compressed.Reset(compressed)
	if d.inflate == nil {
		d.inflate, err = zlib.NewReader(&d.compressed)
		return err
	}
	return d.inflate.(zlib.Resetter).Reset(&d.compressed, nil)
}

// counts inflates the counts, which are to have so many bytes.
func (d *decoder) counts(want int64) ([]byte, error) {
	if want > maxPayload {
		return nil, fmt.Errorf("damaged histogram: %d bytes of counts; at most %d are possible", want, maxPayload)
	}
	if d.payload == nil {
		d.payload = make([]byte, maxPayload)
	}
	if n, err := io.ReadFull(d.inflate, d.payload[:want]); err != nil {
		return nil, fmt.Errorf("damaged histogram: %d bytes of counts instead of %d: %w", n, want, err)
	}
	// Only at the end it is known that nothing else follows, and the sum is right.
	var more [1]byte
	switch _, err := io.ReadFull(d.inflate, more[:]); err {
	case io.EOF:
		return d.payload[:want], nil
	case nil:
		return nil, fmt.Errorf("damaged histogram: more than %d bytes of counts", want)
	default:
		return nil, fmt.Errorf("damaged histogram: %w", err)
	}
}

// zigZag reads a number of 1 to 9 bytes (ZigZag LEB128-64b9B: the ninth has 8
// bits); length is 0 if it is torn.
func zigZag(b []byte) (n int64, length int) {
	var u uint64
	for i, x := range b[:min(len(b), 9)] {
		if i == 8 {
			u |= uint64(x) << 56
		} else {
			u |= uint64(x&0x7f) << (7 * i)
		}
		if i == 8 || x < 0x80 {
			return int64(u>>1) ^ -int64(u&1), i + 1
		}
	}
	return 0, 0
}
