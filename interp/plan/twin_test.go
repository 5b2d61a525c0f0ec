package plan

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// twinned has four cells, of which 0 and 1 are baselines of comparisons, in
// two rounds.
func twinned(how string) string {
	return `
methodology "twinned" {
  measure { duration = "1s" }
  repeat { runs = 2 }
  ` + how + `
}
test "rpc" "t" {
  methodology = methodology.twinned
  payload     = bytes(each.payload)
  sweep {
    backend = [backend.a, backend.b]
    payload = [1, 2]
  }
}
comparison "c" {
  baseline = { backend = backend.a }
  value    = baseline.latency.mean / candidate.latency.mean
}
`
}

func TestTwins(t *testing.T) {
	for how, want := range map[string]string{
		``:                   " 0.0 1.0 2.0 3.0 3.1 2.1 1.1 0.1",
		`noise_floor = true`: " 0.0 1.0 2.0 3.0 0.2 1.2 1.3 0.3 3.1 2.1 1.1 0.1",
		"noise_floor = true\n order = \"grouped\"": " 0.0 0.1 1.0 1.1 2.0 2.1 3.0 3.1 0.2 0.3 1.2 1.3",
	} {
		p := mustPlan(t, twinned(how))
		if got := orderOf(t, p); got != want {
			t.Errorf("%s: order%s, want%s", how, got, want)
		}
		if n := strings.Count(want, "."); p.Runs() != n {
			t.Errorf("%s: %d runs, want %d", how, p.Runs(), n)
		}
		if got, _ := p.Estimate(); got != time.Duration(p.Runs())*1080*time.Millisecond {
			t.Errorf("%s: takes %v", how, got)
		}
		if on := how != ""; p.Twin(0) != on || p.Twin(1) != on || p.Twin(2) || p.RunsOf(0) != 2 {
			t.Errorf("%s: twins %v %v %v", how, p.Twin(0), p.Twin(1), p.Twin(2))
		}
	}
	// All runs are made once, in random order too.
	seen := map[RunID]bool{}
	p := mustPlan(t, twinned("noise_floor = true\n order = \"random\""))
	for _, id := range p.Order() {
		if seen[id] {
			t.Errorf("%v twice", id)
		}
		seen[id] = true
	}
	if len(seen) != 12 || !seen[RunID{1, 3}] || seen[RunID{2, 2}] {
		t.Errorf("%v", seen)
	}
}

func TestTwinsAreInTheFingerprint(t *testing.T) {
	lines := Methodology(load(t, head+twinned("noise_floor = true")))
	if !slices.Contains(lines, "test.t.methodology.noise_floor = true") {
		t.Errorf("%s", strings.Join(lines, "\n"))
	}
	plain := Methodology(load(t, head+twinned("")))
	if got := Changes(plain, lines); len(got) != 1 || !strings.Contains(got[0], "noise_floor is new: true") {
		t.Errorf("changes: %q", got)
	}
}

func TestTwinsOfRecordedResults(t *testing.T) {
	got := problemsOf(t, `
methodology "twinned" { noise_floor = true }
test "replay" "t" {
  methodology = methodology.twinned
  backend     = backend.old
}
`)
	if !strings.Contains(got, "can't be measured twice") {
		t.Errorf("%q", got)
	}
}
