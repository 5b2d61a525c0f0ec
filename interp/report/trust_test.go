package report

import (
	"bytes"
	"strings"
	"testing"

	"versus/drivers/protocol"
	"versus/interp/journal"
)

// TestWhatTellsHowFarToTrust is a report with everything that says how far its
// numbers can be trusted: trimmed means beside medians, a noise floor, a stop
// rule, and planted faults: the first cell warms up within its runs, and the
// second drifts from run to run.
func TestWhatTellsHowFarToTrust(t *testing.T) {
	src := strings.NewReplacer("keep { best = n / 2 }", "keep { trimmed = 0.2 }\n  noise_floor = true",
		"repeat { runs = 6 }", "until {\n    relative_interval = 0.04\n    max = 8\n  }").Replace(measuredHead)
	s, p := planned(t, src+`
table "capacity" {
  rows = [each.backend, each.payload]
  column "mean (us)" { value = time_per_call * 1e6 }
  column "p90 (us)" { value = latency.p90 * 1e6 }
  column "vs gRPC" { value = comparison.vs_grpc }
}
table "whole" {
  rows = [each.backend]
  column "over sizes (us)" { value = geomean(time_per_call * 1e6) }
}
`)
	own, again := measured(t, p), measured(t, p)
	drifting, err := p.Cell(1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range own {
		r := own[i].Roles["client"].Result
		factor := int64(0)
		if i < p.RunsOf(0) { // the first cell
			factor = 1
		}
		r.Windows = cut(r.Latency, factor)
		if own[i].Cell == drifting.Key {
			r.Elapsed = 0.016 * (1 + 0.1*float64(own[i].Run))
		}
		if err := own[i].Check(); err != nil {
			t.Fatal(err)
		}
	}
	runs := own
	for _, r := range again {
		for i := range p.Cells() {
			if c, err := p.Cell(i); err == nil && c.Key == r.Cell && p.Twin(i) {
				r.Run += p.RunsOf(i)
				runs = append(runs, r)
			}
		}
	}
	r := built(t, s, p, runs)
	golden(t, "trust.txt", text(t, r, Options{Width: 100}))
	var out bytes.Buffer
	if err := JSON(&out, r); err != nil {
		t.Fatal(err)
	}
	for _, field := range []string{`"noise_floor": 1.`, `"within_low": `, `"effective": `} {
		if !strings.Contains(out.String(), field) {
			t.Errorf("the JSON has no %s", field)
		}
	}
	// The runs in another order say the same.
	other := make([]journal.Run, 0, len(runs))
	for i := range runs {
		other = append(other, runs[len(runs)-1-i])
	}
	if text(t, built(t, s, p, other), Options{Width: 100}) != text(t, r, Options{Width: 100}) {
		t.Error("the report depends on the order of the journal")
	}
}

// cut spreads a distribution over 100 windows: evenly, or with the first 20
// slower by factor.
func cut(d *protocol.Distribution, factor int64) []protocol.Window {
	ws := make([]protocol.Window, 100)
	n, sum := d.Count/100, d.Sum
	extra := d.Sum / 400 * factor
	for i := range ws {
		// Something small varies from window to window, as it always does.
		share := d.Sum/100 + d.Sum/100000*int64((i*37)%11-5) - extra/5
		if i < 20 {
			share += extra
		}
		if i == 99 {
			share = sum
		}
		ws[i] = protocol.Window{Count: n, Sum: share}
		sum -= share
	}
	return ws
}
