package dataset

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// The cookies of the encodings, without the word size in bits 4 to 7. V0 and
// V1 are those of HdrHistogram 1.0 and 2.0 in Java (AbstractHistogram.java).
const (
	hdrV0 = 0x1c849309 // compressed
	hdrV1 = 0x1c849302 // compressed
	hdrV2 = 0x1c849304 // compressed

	hdrV1Inner = 0x1c849301
	hdrV2Inner = 0x1c849303

	hdrHeader = 40 // bytes

	// maxInflated bounds what all histograms of a log may hold together: a
	// small file can claim terabytes.
	maxInflated = 512 << 20
)

// histogramDecoder reads the histograms of a log.
type histogramDecoder struct {
	inflated int64        // bytes of counts so far
	writer   *zlib.Writer // for recoding; one costs a megabyte
}

// hdrError says why a histogram can't be read, for the error of its line.
func hdrError(format string, args ...any) error { return fmt.Errorf("the histogram "+format, args...) }

// decode reads a histogram in base64. V1 is recoded as V2, which the library
// reads.
func (d *histogramDecoder) decode(encoded string) (*hdrhistogram.PackedHistogram, error) {
	if strings.HasPrefix(encoded, "DHIST") {
		return nil, hdrError("is of floating-point numbers (DoubleHistogram), which can't be read")
	}
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(raw) < 8 {
		return nil, hdrError("is cut or not in base64")
	}
	cookie, size := binary.BigEndian.Uint32(raw)&^0xf0, binary.BigEndian.Uint32(raw[4:])
	switch cookie {
	case hdrV1, hdrV2:
	case hdrV0, hdrV0 - 1:
		return nil, hdrError("has the encoding V0; V1 and V2 can be read")
	default:
		return nil, hdrError("has an unknown encoding; V1 and V2 can be read")
	}
	if int64(size) != int64(len(raw)-8) {
		return nil, hdrError("is cut: %d bytes of %d", len(raw)-8, size)
	}
	z, err := zlib.NewReader(bytes.NewReader(raw[8:]))
	if err != nil {
		return nil, hdrError("is damaged: %v", err)
	}
	defer z.Close()
	header := make([]byte, hdrHeader)
	if _, err := io.ReadFull(z, header); err != nil {
		return nil, hdrError("is cut in its header")
	}
	length := int64(int32(binary.BigEndian.Uint32(header[4:])))
	if ratio := math.Float64frombits(binary.BigEndian.Uint64(header[32:])); ratio != 1 && ratio != 0 {
		return nil, hdrError("has values in a scale of its own (%g), which can't be read", ratio)
	}
	if digits := binary.BigEndian.Uint32(header[12:]); digits < 1 || digits > 5 {
		return nil, hdrError("claims %d significant digits; 1 to 5 are possible", digits)
	}
	if length < 0 || length > maxInflated-d.inflated {
		return nil, hdrError("claims %d bytes of counts; a log may hold %d MiB in all", length, maxInflated>>20)
	}
	d.inflated += length
	if cookie == hdrV1 {
		if encoded, err = d.recodeV1(header, io.LimitReader(z, length+1), length); err != nil {
			return nil, err
		}
	}
	h, err := hdrhistogram.DecodePacked([]byte(encoded))
	if err != nil {
		return nil, hdrError("is damaged: %v", err)
	}
	if h.TotalCount() == math.MaxInt64 {
		return nil, hdrError("counts more than 2^63 values")
	}
	return h, nil
}

// recodeV1 turns the counts of V1, words of 2, 4 or 8 bytes, into those of V2:
// ZigZag LEB128 with runs of zeros as negative numbers.
func (d *histogramDecoder) recodeV1(header []byte, payload io.Reader, length int64) (string, error) {
	cookie := binary.BigEndian.Uint32(header)
	word := int(cookie >> 4 & 0xe)
	if cookie&^0xf0 != hdrV1Inner || word != 2 && word != 4 && word != 8 || length%int64(word) != 0 {
		return "", hdrError("is damaged: its header is not of V1")
	}
	counts, err := io.ReadAll(payload)
	if err != nil || int64(len(counts)) != length {
		return "", hdrError("is damaged: it doesn't have the %d bytes of counts that it claims", length)
	}
	var recoded []byte
	zeros := int64(0)
	flush := func() {
		if zeros > 0 {
			recoded = appendLEB(recoded, -zeros)
			zeros = 0
		}
	}
	for ; len(counts) > 0; counts = counts[word:] {
		var n int64
		switch word {
		case 2:
			n = int64(int16(binary.BigEndian.Uint16(counts)))
		case 4:
			n = int64(int32(binary.BigEndian.Uint32(counts)))
		default:
			n = int64(binary.BigEndian.Uint64(counts))
		}
		switch {
		case n < 0:
			return "", hdrError("is damaged: a count is negative")
		case n == 0:
			zeros++
		default:
			flush()
			recoded = appendLEB(recoded, n)
		}
	}
	inner := append([]byte{}, header...)
	binary.BigEndian.PutUint32(inner, hdrV2Inner|0x10)
	binary.BigEndian.PutUint32(inner[4:], uint32(len(recoded)))
	var out bytes.Buffer
	if d.writer == nil {
		d.writer = zlib.NewWriter(&out)
	} else {
		d.writer.Reset(&out)
	}
	for _, part := range [][]byte{inner, recoded} {
		if _, err := d.writer.Write(part); err != nil {
			return "", err
		}
	}
	if err := d.writer.Close(); err != nil {
		return "", err
	}
	outer := binary.BigEndian.AppendUint32(nil, hdrV2|0x10)
	outer = binary.BigEndian.AppendUint32(outer, uint32(out.Len()))
	return base64.StdEncoding.EncodeToString(append(outer, out.Bytes()...)), nil
}

// appendLEB appends a number as HdrHistogram's V2 has it: ZigZag, then LEB128
// of at most 9 bytes, the ninth of 8 bits.
func appendLEB(b []byte, n int64) []byte {
	u := uint64(n<<1) ^ uint64(n>>63)
	for range 8 {
		if u < 0x80 {
			return append(b, byte(u))
		}
		b = append(b, byte(u)|0x80)
		u >>= 7
	}
	return append(b, byte(u))
}
