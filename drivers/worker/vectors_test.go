package worker

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sharedVectors are questions about parts of the kit and this kit's answers, in
// a file that the kits in other languages are held against.
const sharedVectors = "../native/testdata/kit.json"

type vector struct {
	Question map[string]any `json:"question"`
	Answer   any            `json:"answer"`
}

// vectors asks the kit anew. The questions are always the same.
func vectors() []vector {
	rng := rand.New(rand.NewPCG(3, 4))
	var vs []vector
	add := func(answer any, question map[string]any) { vs = append(vs, vector{question, answer}) }
	for i := range 12 {
		v := rng.Int64N(1 << (1 + 3*i))
		add(index(v), map[string]any{"ask": "index", "value": v})
	}
	for _, c := range [][2]float64{{0, 0}, {10, 0}, {10, 0.5}, {9.5, 0.5}, {9.5, 0.6}, {0.3, 0.7}, {0.1 * 30, 0}, {1e6, 0.999}} {
		add(slotsWithin(c[0], c[1]), map[string]any{"ask": "slots", "periods": c[0], "phase": c[1]})
	}
	for _, c := range []struct {
		n     int
		rate  float64
		times []int64
	}{
		{1, 100, nil}, {3, 1e6, nil}, {1, 1000, []int64{90_000, 90_000, 10, 10, 10}}, {1, 1, []int64{300_000}},
		{4, 500, []int64{0, 0, 0, 1 << 40, 80_000, 79_000, 81_000}},
	} {
		p, err := newPacer(c.n, c.rate)
		if err != nil {
			panic(err)
		}
		for _, x := range c.times {
			p.adapt(x)
		}
		p.close()
		add(p.margin, map[string]any{"ask": "pacer", "n": c.n, "rate": c.rate, "times": append([]int64{}, c.times...)})
	}
	for _, s := range []stamp{{}, {true, 513, 1<<40 + 7, 1 << 50, 1<<50 + 9}, {false, 65535, 1, 2, 3}} {
		b := make([]byte, StampSize)
		s.write(b)
		add(base64.StdEncoding.EncodeToString(b), map[string]any{"ask": "stamp", "measured": s.measured,
			"topic": s.topic, "sequence": s.sequence, "due": s.due, "sent": s.sent})
	}
	for range 4 {
		n, start, length := 1+rng.IntN(100), rng.Int64N(1<<50), 1+1e9*rng.Float64()
		w := newWindows()
		w.begin(n, start, length)
		var times [][2]int64
		for range 50 {
			x := [2]int64{start + int64((1.2*rng.Float64()-0.1)*length), rng.Int64N(1e9)}
			w.record(x[0], x[1])
			times = append(times, x)
		}
		add(addWindows(w), map[string]any{"ask": "windows", "n": n, "start": start, "length": length, "times": times})
	}
	var seen sequences
	numbers := []uint64{0, 1, 1, 5, 3, 1 << 20, 1<<20 - 1, 1 << 50, maxGap + 1<<20, maxGap + 1<<20 + 1, 2}
	var all [][3]bool
	for _, n := range numbers {
		isNew, inOrder, ok := seen.add(n)
		all = append(all, [3]bool{isNew, inOrder, ok})
	}
	add(all, map[string]any{"ask": "sequences", "numbers": numbers})
	return vs
}

// TestSharedVectors holds the file against this kit. With
// VERSUS_UPDATE_VECTORS=1 in the environment it writes the file.
func TestSharedVectors(t *testing.T) {
	var b []byte
	for i, v := range vectors() {
		line, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		b = fmt.Appendf(b, "%s%s", map[bool]string{true: "[\n", false: ",\n"}[i == 0], line)
	}
	b = append(b, "\n]\n"...)
	if os.Getenv("VERSUS_UPDATE_VECTORS") != "" {
		if err := os.WriteFile(sharedVectors, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(sharedVectors)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(b)); d != "" {
		t.Error(d)
	}
}
