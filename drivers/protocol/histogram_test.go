package protocol

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// The buckets are those of the library.
func TestBuckets(t *testing.T) {
	h := NewHistogram()
	if n := len(h.Export().Counts); n != buckets {
		t.Fatalf("%d buckets, want %d", buckets, n)
	}
	for bucket := range buckets {
		v := lowestOf(bucket)
		if bucketOf(v) != bucket || bucket > 0 && bucketOf(v-1) != bucket-1 {
			t.Fatalf("bucket %d begins at %d, which is in bucket %d, the one before in %d", bucket, v, bucketOf(v), bucketOf(v-1))
		}
		if bucket > 0 && (h.ValuesAreEquivalent(v-1, v) || !h.ValuesAreEquivalent(v, lowestOf(bucket+1)-1)) {
			t.Fatalf("bucket %d begins at %d, that of the library elsewhere", bucket, v)
		}
	}
}

// FuzzHistogram holds the reading of histograms against the library's, for any
// counts in what is compressed.
func FuzzHistogram(f *testing.F) {
	whole := func(text string) (header, payload []byte) {
		raw, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			f.Fatal(err)
		}
		z, err := zlib.NewReader(bytes.NewReader(raw[8:]))
		if err != nil {
			f.Fatal(err)
		}
		var all bytes.Buffer
		if _, err := all.ReadFrom(z); err != nil {
			f.Fatal(err)
		}
		return all.Bytes()[:hdrhistogram.ENCODING_HEADER_SIZE], all.Bytes()[hdrhistogram.ENCODING_HEADER_SIZE:]
	}
	header, payload := whole(distribution(f, 1, 2047, 2048, 90_000_000, MaxTrackable).Histogram)
	for _, p := range [][]byte{
		payload, nil, {0}, {1}, {2}, {0x80}, {2, 0x80},
		{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, // of zeros, the most
		{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, // the largest count
		{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2},
		binary.AppendVarint(nil, -buckets), binary.AppendVarint(nil, -buckets-1),
		append(binary.AppendVarint(nil, -buckets+1), 2), append(binary.AppendVarint(nil, -buckets), 2),
	} {
		f.Add(p, uint32(len(p)), uint8(0))
	}
	f.Add(payload, uint32(len(payload)-1), uint8(0))
	f.Add(payload, uint32(len(payload)+1), uint8(0))
	f.Add(payload, uint32(1<<31), uint8(0))
	f.Add(payload, uint32(len(payload)), uint8(1))
	f.Fuzz(func(t *testing.T, payload []byte, length uint32, cut uint8) {
		if len(payload) > 1<<10 {
			return
		}
		h := slices.Clone(header)
		binary.BigEndian.PutUint32(h[4:], length)
		var z bytes.Buffer
		w := zlib.NewWriter(&z)
		w.Write(h)
		w.Write(payload)
		w.Close()
		body := z.Bytes()[:max(z.Len()-int(cut), 0)]
		raw := binary.BigEndian.AppendUint32(nil, uint32(hdrhistogram.V2CompressedEncodingCookieBase|0x10))
		raw = append(binary.BigEndian.AppendUint32(raw, uint32(len(body))), body...)
		text := base64.StdEncoding.EncodeToString(raw)
		want, wantErr := hdrhistogram.Decode([]byte(text))
		d := Distribution{Histogram: text}
		got, err := d.Decode()
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("error %v, the library says %v", err, wantErr)
		}
		if err == nil && !got.Equals(want) {
			t.Fatal("the library reads other counts")
		}
	})
}

// BenchmarkValidate checks the distribution of a run, as reading a journal does
// for each.
func BenchmarkValidate(b *testing.B) {
	var ns []int64
	for i := range int64(5000) {
		ns = append(ns, 20_000+i*i%70_000)
	}
	d := distribution(b, ns...)
	b.ReportAllocs()
	for b.Loop() {
		if err := d.Validate(); err != nil {
			b.Fatal(err)
		}
	}
}
