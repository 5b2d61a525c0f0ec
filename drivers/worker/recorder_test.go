package worker

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"versus/drivers/protocol"
)

// samples are times of all magnitudes, the edges of buckets among them.
func samples() []int64 {
	var s []int64
	for shift := range 42 {
		for d := int64(-2); d <= 2; d++ {
			s = append(s, max(int64(1)<<shift+d, 0))
		}
	}
	rng := rand.New(rand.NewPCG(1, 1))
	for range 20000 {
		s = append(s, int64(math.Exp(rng.Float64()*math.Log(float64(protocol.MaxTrackable)))))
	}
	return append(s, protocol.MaxTrackable-1, protocol.MaxTrackable)
}

func TestRecorderAgreesWithTheLibrary(t *testing.T) {
	want, r := protocol.NewHistogram(), newRecorder(1)
	for _, v := range samples() {
		if v > protocol.MaxTrackable {
			continue
		}
		if err := want.RecordValue(v); err != nil {
			t.Fatal(err)
		}
		r.record(v)
	}
	d, err := distribution(r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := d.Decode()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Export().Counts, want.Export().Counts) {
		t.Error("counts differ from those of hdrhistogram-go")
	}
	if err := d.Validate(); err != nil {
		t.Error(err)
	}
}

func TestRecorderIsExact(t *testing.T) {
	r := newRecorder(1)
	for _, v := range []int64{3, 1_000_000_007, protocol.MaxTrackable + 5} {
		r.record(v)
	}
	d, err := distribution(r)
	if err != nil {
		t.Fatal(err)
	}
	want := protocol.Distribution{
		Count: 3, Sum: 3 + 1_000_000_007 + protocol.MaxTrackable + 5, Min: 3, Max: protocol.MaxTrackable + 5, Over: 1,
		SumSquares: 3600.000000005*3600.000000005 + 1.000000007*1.000000007,
		Histogram:  d.Histogram,
	}
	if math.Abs(d.SumSquares/want.SumSquares-1) < 1e-14 {
		want.SumSquares = d.SumSquares
	}
	if diff := cmp.Diff(want, *d); diff != "" {
		t.Error(diff)
	}
	if err := d.Validate(); err != nil {
		t.Error(err)
	}
}

// Recorders merged are one recorder that saw everything; a reset one is new.
func TestRecordersMergeAndReset(t *testing.T) {
	all, parts, used := newRecorder(1), []*recorder{newRecorder(1), newRecorder(1), newRecorder(1)}, newRecorder(1)
	for i, v := range samples() {
		all.record(v)
		parts[i%2].record(v)
		used.record(v)
	}
	one, err := distribution(all)
	if err != nil {
		t.Fatal(err)
	}
	merged, err := distribution(parts...)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(one, merged); diff != "" {
		t.Error(diff)
	}
	used.reset()
	if diff := cmp.Diff(newRecorder(1), used, cmp.AllowUnexported(recorder{})); diff != "" {
		t.Error(diff)
	}
	if d, err := distribution(used); d != nil || err != nil {
		t.Errorf("without samples: %v, %v", d, err)
	}
}

func BenchmarkRecord(b *testing.B) {
	r := newRecorder(1)
	b.ReportAllocs()
	v := int64(20_000)
	for b.Loop() {
		r.record(v)
		v = (v*5 + 7) & (1<<21 - 1)
	}
}

func BenchmarkRecordByLibrary(b *testing.B) {
	h := hdrhistogram.New(1, protocol.MaxTrackable, protocol.Digits)
	v := int64(20_000)
	for b.Loop() {
		h.RecordValue(v)
		v = (v*5 + 7) & (1<<21 - 1)
	}
}

func BenchmarkNewRecorder(b *testing.B) {
	for b.Loop() {
		newRecorder(1)
	}
}

func BenchmarkDistribution(b *testing.B) {
	r := newRecorder(1)
	for _, v := range samples() {
		r.record(v)
	}
	for b.Loop() {
		distribution(r)
	}
}

// BenchmarkWindows is what windows add to the recording of a time.
func BenchmarkWindows(b *testing.B) {
	w := newWindows()
	w.begin(protocol.MaxWindows, 0, 1e9)
	b.ReportAllocs()
	at := int64(0)
	for b.Loop() {
		w.record(at, 20_000)
		at += 20_000
	}
}
