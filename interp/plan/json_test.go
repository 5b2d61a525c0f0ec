package plan

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const mixed = `
test "rpc" "calls" {
  backend = backend.a
  rate    = each.open ? 100 : null
  warmup { calls = 50 }
  measure { calls = 1000 }
  repeat { runs = 2 }
  concurrency = 2
  sweep { open = [true, false] }
}
test "replay" "old" {
  repeat { runs = 1 }
  sweep { backend = [backend.old, backend.new] }
}
test "rpc" "timed" {
  sweep {
    backend = [backend.a, backend.b]
    n       = [1, 2]
    where   = each.n == 2
  }
}
`

func TestEstimate(t *testing.T) {
	known, unknown := mustPlan(t, mixed).Estimate()
	// Two cells of calls: 4 runs of 80 ms, of which 2 at 200 calls/s last 5.25 s.
	// Two timed cells: 6 runs of 3.08 s. Recorded results take no time.
	want := 4*80*time.Millisecond + 2*5250*time.Millisecond + 6*3080*time.Millisecond
	if known != want || unknown != 2 {
		t.Errorf("%v known and %d unknown, want %v and 2", known, unknown, want)
	}
}

// With its capacity, the calls of a closed loop have a known duration.
func TestEstimateWithCapacity(t *testing.T) {
	known, unknown := mustPlan(t, strings.Replace(mixed, "concurrency = 2", "concurrency = 2\n  capacity    = 2100", 1)).Estimate()
	want := 4*80*time.Millisecond + 2*5250*time.Millisecond + 2*500*time.Millisecond + 6*3080*time.Millisecond
	if known != want || unknown != 0 {
		t.Errorf("%v known and %d unknown, want %v and 0", known, unknown, want)
	}
}

func TestWriteJSON(t *testing.T) {
	p := mustPlan(t, mixed)
	var b bytes.Buffer
	if err := p.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Plan  Summary
		Cells []map[string]any
		Order [][2]int
	}
	d := json.NewDecoder(&b)
	d.DisallowUnknownFields()
	if err := d.Decode(&got); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(p.Summary(), got.Plan); d != "" {
		t.Error(d)
	}
	if len(got.Cells) != 6 || len(got.Order) != 12 {
		t.Errorf("%d cells and %d runs", len(got.Cells), len(got.Order))
	}
	c := got.Cells[5]
	delete(c, "workload")
	want := map[string]any{"index": 5.0, "key": "timed[backend=b,n=2]", "test": "timed", "backend": "b", "runs": 3.0,
		"axes": map[string]any{"backend": "b", "n": 2.0}, "place": map[string]any{"": "local"}}
	if d := cmp.Diff(want, c); d != "" {
		t.Error(d)
	}
}

func TestSummaryOfTests(t *testing.T) {
	s := mustPlan(t, mixed).Summary()
	want := []TestSummary{
		{Name: "calls", Pattern: "rpc", Axes: []string{"open"}, Methodology: "m", Order: "interleaved", Cells: 2, RunsPerCell: 2},
		{Name: "old", Pattern: "replay", Axes: []string{"backend"}, Methodology: "m", Order: "interleaved", First: 2, Cells: 2, RunsPerCell: 1},
		{Name: "timed", Pattern: "rpc", Axes: []string{"backend", "n"}, Methodology: "m", Order: "interleaved", First: 4, Cells: 2, RunsPerCell: 3},
	}
	if d := cmp.Diff(want, s.Tests); d != "" {
		t.Error(d)
	}
	if s.Cells != 6 || s.Runs != 12 || len(s.Filters) != 1 {
		t.Errorf("%+v", s)
	}
}
