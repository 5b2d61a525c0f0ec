package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"versus/drivers"
)

func TestMessagesSurviveTheWire(t *testing.T) {
	want := []Message{
		{Type: TypeHello, Protocol: Version, Worker: "grpc client", PID: 7},
		{Type: TypePrepare, Workload: &drivers.Workload{
			Driver: "grpc", Pattern: drivers.RPC, Options: map[string]any{"gomaxprocs": 1.0},
			Payload: drivers.Payload{Kind: "bytes", Bytes: 512}, Concurrency: 4, Rate: 1000,
			Measure: drivers.Extent{Seconds: 0.5},
		}, Peers: map[string]map[string]string{"server": {"address": "127.0.0.1:1"}}},
		{Type: TypeReady, Effective: map[string]string{"gomaxprocs": "1"}},
		{Type: TypeWarmUp}, {Type: TypeWarm}, {Type: TypeMeasure}, {Type: TypeMeasuring},
		{Type: TypeFinish, Sent: 10, Drain: 1.5},
		{Type: TypeResult, Result: &Result{Elapsed: 1, Sent: 3, Errors: map[string]int64{"deadline": 3}}},
		{Type: TypeError, Error: "what\nand <why>"},
		{Type: TypeStop},
	}
	var wire bytes.Buffer
	enc := NewEncoder(&wire)
	for _, m := range want {
		if err := enc.Encode(m); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(wire.String(), "\n"); n != len(want) {
		t.Errorf("%d lines for %d messages", n, len(want))
	}
	dec := NewDecoder(&wire)
	for _, m := range want {
		got, err := dec.Decode()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, got); diff != "" {
			t.Error(diff)
		}
	}
	if _, err := dec.Decode(); err != io.EOF {
		t.Errorf("at the end: %v, want io.EOF", err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"garbage", "Segmentation fault\n", `"Segmentation fault"`},
		{"blank line", "\n", "not a message"},
		{"no type", "{}\n", "no type"},
		{"unknown type", `{"type":"ready!"}` + "\n", `unknown type "ready!"`},
		{"two values", `{"type":"stop"}{"type":"stop"}` + "\n", "not a message"},
		{"array", "[]\n", "not a message"},
		{"cut off", `{"type":"stop"`, "ended in the middle"},
		{"hello without protocol", `{"type":"hello"}` + "\n", `without "protocol"`},
		{"result without result", `{"type":"result"}` + "\n", `without "result"`},
		{"prepare without workload", `{"type":"prepare"}` + "\n", `without "workload"`},
		{"error without words", `{"type":"error"}` + "\n", `without "error"`},
		{"NaN", `{"type":"finish","drain":NaN}` + "\n", "not a message"},
		{"too large a number", `{"type":"finish","drain":1e999}` + "\n", "not a message"},
		{"too large a count", `{"type":"finish","sent":99999999999999999999}` + "\n", "not a message"},
		{"control characters", "\x1b[2J\x00\n", `"\x1b[2J\x00"`},
		{"deep", `{"type":"prepare","workload":{"options":{"a":` + strings.Repeat("[", 20000) + "\n", "depth"},
		{"long", strings.Repeat("x", MaxLine+1) + "\n", "longer than"},
		{"endless", strings.Repeat("x", MaxLine+100), "longer than"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dec := NewDecoder(strings.NewReader(c.in))
			_, err := dec.Decode()
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got error %v, want one with %q", err, c.want)
			}
			if len(err.Error()) > 500 {
				t.Errorf("the error has %d characters", len(err.Error()))
			}
			if _, again := dec.Decode(); again != err {
				t.Errorf("after an error: %v, want the same error", again)
			}
		})
	}
}

func TestDecodeTolerates(t *testing.T) {
	long := `{"type":"stop","note":"` + strings.Repeat("x", MaxLine-25) + `"}` // MaxLine bytes
	for _, in := range []string{
		`{"type":"stop","new_field":{"a":[1,2]}}`,
		` {"type" : "stop"} ` + "\r",
		long,
	} {
		m, err := NewDecoder(strings.NewReader(in + "\n")).Decode()
		if err != nil || m.Type != TypeStop {
			t.Errorf("%.40s (%d bytes): %v, %v", in, len(in), m, err)
		}
	}
}

func TestEncodeRefusesWhatTheOtherEndWould(t *testing.T) {
	for _, m := range []Message{
		{}, {Type: "new"}, {Type: TypeResult},
		{Type: TypeResult, Result: &Result{Elapsed: math.NaN()}},
		{Type: TypeError, Error: strings.Repeat("x", MaxLine)},
	} {
		var wire bytes.Buffer
		if err := NewEncoder(&wire).Encode(m); err == nil || wire.Len() != 0 {
			t.Errorf("%.80v: error %v, %d bytes written", m, err, wire.Len())
		}
	}
}

func TestReadErrorIsReported(t *testing.T) {
	broken := errors.New("broken pipe")
	_, err := NewDecoder(io.MultiReader(strings.NewReader(""), errReader{broken})).Decode()
	if !errors.Is(err, broken) {
		t.Error(err)
	}
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

// FuzzDecode feeds lines to the decoder and to Validate: neither may panic, and
// what they accept must be encodable again.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"type":"hello","protocol":1}` + "\n" + `{"type":"stop"}` + "\n"))
	f.Add([]byte("garbage"))
	d := distribution(f, 1000, 2000, 3000)
	b, _ := json.Marshal(Message{Type: TypeResult, Result: &Result{Elapsed: 1, Received: 3, Latency: d}})
	f.Add(append(b, '\n'))
	f.Fuzz(func(t *testing.T, in []byte) {
		dec := NewDecoder(bytes.NewReader(in))
		for {
			m, err := dec.Decode()
			if err != nil {
				return
			}
			if err := NewEncoder(io.Discard).Encode(m); err != nil {
				t.Errorf("can't encode what was decoded: %v", err)
			}
			if m.Result == nil || m.Result.Validate() != nil {
				continue
			}
			if d := m.Result.Latency; d != nil && d.Count > 0 {
				if _, err := d.Decode(); err != nil {
					t.Errorf("can't decode the histogram of what is valid: %v", err)
				}
			}
		}
	})
}

func ExampleDecoder() {
	dec := NewDecoder(strings.NewReader(`{"type":"warm"}` + "\n"))
	m, err := dec.Decode()
	fmt.Println(m.Type, err)
	// Output: warm <nil>
}
