package native_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"versus/drivers"
	"versus/drivers/protocol"
)

// TestDistribution has both record the same times: what comes out is the same
// to the last bit but for the compression.
func TestDistribution(t *testing.T) { eachKit(t, testDistribution) }

func testDistribution(t *testing.T, k *kit) {
	rng := rand.New(rand.NewPCG(7, 7))
	for round := range 100 {
		n := 1 + rng.IntN(300)
		times := make([]int64, n)
		h := protocol.NewHistogram()
		want := &protocol.Distribution{Min: math.MaxInt64}
		squares := 0.0
		for i := range times {
			times[i] = rng.Int64N(int64(1) << (1 + rng.IntN(44)))
			if round%10 == 0 {
				times[i] = []int64{0, 1, 2047, 2048, protocol.MaxTrackable - 1, protocol.MaxTrackable, protocol.MaxTrackable + 1}[i%7]
			}
			if err := h.RecordValue(min(times[i], protocol.MaxTrackable)); err != nil {
				t.Fatal(err)
			}
			if times[i] > protocol.MaxTrackable {
				want.Over++
			}
			want.Sum += times[i]
			want.Min, want.Max = min(want.Min, times[i]), max(want.Max, times[i])
			squares += float64(times[i]) * float64(times[i]) * 1e-18
		}
		if err := want.SetHistogram(h); err != nil {
			t.Fatal(err)
		}
		got := &protocol.Distribution{}
		if e := k.ask(t, map[string]any{"ask": "distribution", "times": times}, got); e != "" {
			t.Fatal(e)
		}
		if err := got.Validate(); err != nil {
			t.Fatalf("%v: %v", times, err)
		}
		if math.Abs(got.SumSquares-squares) > 1e-9*squares {
			t.Errorf("sum of squares %v, want %v", got.SumSquares, squares)
		}
		decoded, err := got.Decode()
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(decoded.Export().Counts, h.Export().Counts) {
			t.Errorf("%v: other counts", times)
		}
		got.Histogram, got.SumSquares, want.Histogram = "", 0, ""
		if d := cmp.Diff(want, got); d != "" {
			t.Error(d)
		}
	}
}

func TestContent(t *testing.T) { eachKit(t, testContent) }

func testContent(t *testing.T, k *kit) {
	for _, p := range []drivers.Payload{
		{Kind: "bytes"}, {Kind: "bytes", Bytes: 1}, {Kind: "bytes", Bytes: 100_001},
		{Kind: "lines", Text: "a line,\nanother ü\u2028\x01\"\\"}, {Kind: "structs", Bytes: 10, Count: 2, Text: "x"},
	} {
		w := drivers.Workload{Driver: "x", Pattern: drivers.RPC, Payload: p, Measure: drivers.Extent{Calls: 1}}
		var got string
		if e := k.ask(t, map[string]any{"ask": "content", "workload": w}, &got); e != "" {
			t.Fatal(e)
		}
		if want := base64.StdEncoding.EncodeToString(p.Content()); got != want {
			t.Errorf("%s of %d bytes: other content", p.Kind, p.Bytes)
		}
	}
}

func TestWorkloadLimits(t *testing.T) { eachKit(t, testWorkloadLimits) }

func testWorkloadLimits(t *testing.T, k *kit) {
	good := func() drivers.Workload {
		return drivers.Workload{Pattern: drivers.RPC, Payload: drivers.Payload{Kind: "bytes"}, Measure: drivers.Extent{Calls: 1}}
	}
	for _, c := range []struct {
		name  string
		spoil func(*drivers.Workload)
	}{
		{"no window", func(w *drivers.Workload) { w.Measure = drivers.Extent{} }},
		{"two extents", func(w *drivers.Workload) { w.Warmup = drivers.Extent{Seconds: 1, Calls: 1} }},
		{"negative extent", func(w *drivers.Workload) { w.Warmup = drivers.Extent{Seconds: -1} }},
		{"topics", func(w *drivers.Workload) { w.Topics = 10_001 }},
		{"callers", func(w *drivers.Workload) { w.Concurrency = -1 }},
		{"in flight", func(w *drivers.Workload) { w.Rate, w.Concurrency, w.InFlight = 1, 1000, 101 }},
		{"rate", func(w *drivers.Workload) { w.Rate = 1e9 }},
		{"bytes", func(w *drivers.Workload) { w.Payload.Bytes = -1 }},
		{"many bytes", func(w *drivers.Workload) { w.Payload.Bytes = 1 << 40 }},
	} {
		w := good()
		c.spoil(&w)
		if e := k.ask(t, map[string]any{"ask": "content", "workload": w}, nil); e == "" {
			t.Errorf("%s: not refused", c.name)
		}
	}
}

// lines are messages, good and bad.
var lines = []string{
	`{"type":"stop"}`, `{"type":"warm_up","new":[1,{"a":null}],"x":1e400}`, `{"type":"measure" , "sent":1}`, `{"type":"finish","drain":0.5}`,
	`{"type":"prepare","workload":{}}`, `{"type":"prepare"}`, `{"type":"prepare","workload":1}`, `{"type":"\u0073top"}`,
	`{}`, ``, ` `, `null`, `[]`, `"stop"`, `{"type":"nothing"}`, `{"type":"stop"`, `{"type":"stop"}}`, `{"type":"stop"} x`,
	`{"type":"stop","sent":NaN}`, `{"type":"stop","x":01}`, `{"type":"stop","x":+1}`, `{"type":"stop","x":1.}`, `{"type":"stop","x":.5}`,
	`{"type":"stop","x":"` + "\x01" + `"}`, `{"type":"stop","x":"\x"}`, `{"type":"stop","x":"\u12"}`, `{"type":"stop",}`, `{"type" "stop"}`,
	`{'type':"stop"}`, `{"type":"stop","x":tru}`, `{"type":"stop","x":[1,]}`, `{"type":"stop","x":-}`, `{"type":"stop","x":"\ud83d\ude00"}`,
}

// TestLines has both judge the same lines.
func TestLines(t *testing.T) { eachKit(t, testLines) }

func testLines(t *testing.T, k *kit) {
	for _, line := range lines {
		want, err := protocol.NewDecoder(strings.NewReader(line + "\n")).Decode()
		var got string
		failure := k.ask(t, map[string]any{"ask": "parse", "text": line}, &got)
		if (err != nil) != (failure != "") || err == nil && got != want.Type && want.Type != "" {
			t.Errorf("%s: Go says %q %v, the kit %q %s", line, want.Type, err, got, failure)
		}
	}
}

// FuzzJSON has both read the same text.
func FuzzJSON(f *testing.F) {
	for _, line := range lines {
		f.Add(line)
	}
	f.Add(`[0,-0,1.5,-2e-3,9223372036854775807,9223372036854775808,"\"\\\/\b\f\n\r\t\u00e9\ud800x\udc00",{"a":{"b":[]}},true,false,null]`)
	k := startKit(f, build(f, "vectors"))
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 || !utf8.ValidString(text) {
			t.Skip() // the question can't carry it
		}
		var want, got any
		err := json.Unmarshal([]byte(text), &want)
		failure := k.ask(t, map[string]any{"ask": "json", "text": text}, &got)
		var tooLarge *json.UnmarshalTypeError // a number beyond float64
		if strings.Contains(failure, "too deep") || strings.Contains(failure, "not finite") || errors.As(err, &tooLarge) {
			return
		}
		if (err != nil) != (failure != "") {
			t.Fatalf("%q: Go says %v, C++ %s", text, err, failure)
		}
		if err == nil && !reflect.DeepEqual(want, got) && !duplicates(text) {
			t.Errorf("%q: Go reads %v, C++ %v", text, want, got)
		}
	})
}

// duplicates reports whether an object may have a name twice, which Go merges.
func duplicates(text string) bool { return strings.Count(text, ":") > 1 }

// TestSharedVectors asks the kit what testdata/kit.json says that the Go kit
// answers; drivers/worker holds its own parts against the same file.
func TestSharedVectors(t *testing.T) { eachKit(t, testSharedVectors) }

func testSharedVectors(t *testing.T, k *kit) {
	text, err := os.ReadFile("testdata/kit.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		Question map[string]any
		Answer   any
	}
	if err := json.Unmarshal(text, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors) < 20 {
		t.Fatalf("only %d vectors", len(vectors))
	}
	for _, v := range vectors {
		var got any
		if e := k.ask(t, v.Question, &got); e != "" {
			t.Fatalf("%v: %s", v.Question, e)
		}
		if d := cmp.Diff(v.Answer, got); d != "" {
			t.Errorf("%v: %s", v.Question, d)
		}
	}
}
