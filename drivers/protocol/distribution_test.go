package protocol

import (
	"math"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// distribution is what a recorder would report of the given nanoseconds.
func distribution(t testing.TB, ns ...int64) *Distribution {
	t.Helper()
	h := NewHistogram()
	d := &Distribution{}
	for i, v := range ns {
		if i == 0 {
			d.Min = v
		}
		d.Sum += v
		d.Min, d.Max = min(d.Min, v), max(d.Max, v)
		d.SumSquares += float64(v) * float64(v) * 1e-18
		if v > MaxTrackable {
			d.Over++
		}
		if err := h.RecordValue(min(v, MaxTrackable)); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.SetHistogram(h); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDistributionsThatAreTrue(t *testing.T) {
	for name, ns := range map[string][]int64{
		"none": nil, "zero": {0}, "one": {1}, "edge": {2047, 2048, 4095, 4096},
		"usual": {100_123, 250_456, 93_000_000}, "over": {5, MaxTrackable, MaxTrackable + 1, 2 * MaxTrackable},
	} {
		d := distribution(t, ns...)
		if err := d.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if h, err := d.Decode(); err != nil || h.TotalCount() != int64(len(ns)) {
			t.Errorf("%s: decoded %v, %v", name, h, err)
		}
	}
}

// The example of docs/worker-protocol.md, for authors of other encoders.
func TestDocumentedHistogram(t *testing.T) {
	doc, err := os.ReadFile("../../docs/worker-protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`(?m)^    (HIST\S+)$`).FindSubmatch(doc)
	if text == nil {
		t.Fatal("no histogram in the document")
	}
	d := &Distribution{Count: 4, Sum: 93500100, Min: 100, Max: 93000000, SumSquares: 0.00864912500001, Histogram: string(text[1])}
	if err := d.Validate(); err != nil {
		t.Fatal(err)
	}
	h, err := d.Decode()
	if err != nil {
		t.Fatal(err)
	}
	counts := h.Export().Counts
	if len(counts) != 33792 || counts[100] != 1 || counts[9121] != 2 || counts[17803] != 1 {
		t.Error("the counts are not those of the document")
	}
}

func TestValidateRefuses(t *testing.T) {
	encoded := func(h *hdrhistogram.Histogram) string {
		b, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	good := func() *Result {
		return &Result{Elapsed: 1, Sent: 3, Received: 3, Latency: distribution(t, 100, 200, 4000)}
	}
	cut := good()
	cut.Windows = []Window{{1, 4000}, {0, 0}, {2, 300}}
	for _, r := range []*Result{good(), cut} {
		if err := r.Validate(); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, want string
		spoil      func(r *Result)
	}{
		{"no time", "elapsed", func(r *Result) { r.Elapsed = 0 }},
		{"NaN", "elapsed", func(r *Result) { r.Elapsed = math.NaN() }},
		{"infinite CPU", "cpu_user", func(r *Result) { r.CPUUser = math.Inf(1) }},
		{"negative CPU", "cpu_system", func(r *Result) { r.CPUSystem = -1 }},
		{"negative count", "lost is -1", func(r *Result) { r.Lost = -1 }},
		{"negative errors", "errors.deadline", func(r *Result) { r.Errors = map[string]int64{"deadline": -1} }},
		{"error kind", "short name", func(r *Result) { r.Errors = map[string]int64{"Deadline exceeded": 1} }},
		{"more samples than messages", "only 2 messages", func(r *Result) { r.Received = 2 }},
		{"service without messages", "service", func(r *Result) { r.Service, r.Received, r.Latency = r.Latency, 0, nil }},
		{"flags", "flags", func(r *Result) { r.Flags = make([]string, 1000) }},
		{"long flag", "a flag", func(r *Result) { r.Flags = []string{strings.Repeat("x", 10000)} }},
		{"count", "count says 4", func(r *Result) { r.Latency.Count, r.Received = 4, 4 }},
		{"min", "min is", func(r *Result) { r.Latency.Min = 1 }},
		{"max", "max is", func(r *Result) { r.Latency.Max = 8000 }},
		{"sum", "sum up", func(r *Result) { r.Latency.Sum = 299 }},
		{"negative sum", "below 0", func(r *Result) { r.Latency.Sum = -1 }},
		{"squares too small", "sum_squares", func(r *Result) { r.Latency.SumSquares = 1e-18 }},
		{"squares too large", "sum_squares", func(r *Result) { r.Latency.SumSquares = 1 }},
		{"over without max", "over", func(r *Result) { r.Latency.Over = 1 }},
		{"no histogram", "base64", func(r *Result) { r.Latency.Histogram = "" }},
		{"not base64", "base64", func(r *Result) { r.Latency.Histogram = "%%%" }},
		{"not compressed", "compressed, in base64", func(r *Result) { r.Latency.Histogram = strings.Repeat("AAAA", 20) }},
		{"other geometry", "must be from 1", func(r *Result) {
			r.Latency.Histogram = encoded(hdrhistogram.New(1, math.MaxInt64, 5))
		}},
		{"cut", "damaged", func(r *Result) { r.Latency.Histogram = r.Latency.Histogram[:len(r.Latency.Histogram)/8*4] }},
		{"windows of nothing", "without a latency", func(r *Result) { r.Windows, r.Latency = []Window{{1, 100}}, nil }},
		{"windows lack a time", "lack 1", func(r *Result) { r.Windows = []Window{{1, 100}, {1, 200}} }},
		{"windows lack time", "lack 0", func(r *Result) { r.Windows = []Window{{1, 100}, {2, 4199}} }},
		{"windows have too much", "larger sum", func(r *Result) { r.Windows = []Window{{1, 100}, {2, 4201}} }},
		{"windows wrap around", "more times", func(r *Result) { r.Windows = []Window{{math.MaxInt64, 100}, {math.MaxInt64, 1}} }},
		{"negative window", "window 2 has -1", func(r *Result) { r.Windows = []Window{{1, 100}, {-1, 4200}} }},
		{"empty window with time", "window 1 has 0", func(r *Result) { r.Windows = []Window{{0, 1}, {3, 4299}} }},
		{"many windows", "at most 100", func(r *Result) { r.Windows = make([]Window, 101) }},
		{"enormous", "characters", func(r *Result) { r.Latency.Histogram = strings.Repeat("A", 1<<20) }},
	} {
		r := good()
		c.spoil(r)
		if err := r.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
}

func BenchmarkSetHistogram(b *testing.B) {
	h := NewHistogram()
	for v := int64(20_000); v < 5_000_000; v += 50 {
		h.RecordValue(v)
	}
	d := &Distribution{}
	for b.Loop() {
		d.SetHistogram(h)
	}
	b.ReportMetric(float64(len(d.Histogram)), "B")
}
