package analyze

import (
	"math"
	"strings"
	"testing"

	"versus/dsl"
	"versus/interp/journal"
)

const trimmedTest = `
methodology "trimmed" {
  measure { duration = "1s" }
  repeat { runs = 10 }
  keep { trimmed = 0.1 }
}
test "rpc" "t" {
  methodology = methodology.trimmed
  sweep { backend = [backend.a, backend.b] }
}
`

func TestTrimmedKeep(t *testing.T) {
	s, p := scenario(t, trimmedTest)
	var runs []journal.Run
	c := cellAt(t, p, 0)
	for i := range 10 { // 1, 2, ... 8 us, and two outliers
		v := int64(1000 * (i + 1))
		if i >= 8 {
			v = 1_000_000
		}
		runs = append(runs, constantRun(t, c, i, v, 10))
	}
	res := analyzed(t, s, p, runs)
	cell := res.Cells[0]
	if cell.Kept != 8 || !cell.Trimmed || !cell.Selected() || cell.KeptBy != "time_per_call" {
		t.Errorf("kept %d of %d by %q, trimmed %v", cell.Kept, len(cell.Valid), cell.KeptBy, cell.Trimmed)
	}
	want := (2 + 3 + 4 + 5 + 6 + 7 + 8 + 1000) * 1e-6 / 8
	if got := cell.Metric("latency.mean"); math.Abs(got.Number-want) > 1e-12 {
		t.Errorf("trimmed mean is %v, want %v", got, want)
	}
	if got := cell.Metric("latency.max"); got.Number != 1e-3 {
		t.Errorf("the maximum is of all runs: %v", got)
	}

	// An invalid run is out before anything is cut.
	runs[9].Status, runs[9].Error, runs[9].Roles = journal.Failed, "died", nil
	cell = analyzed(t, s, p, runs).Cells[0]
	if cell.Kept != 9 || cell.Selected() {
		t.Errorf("a tenth of 9 runs is less than one: kept %d", cell.Kept)
	}
	said := false
	for _, r := range cell.Remarks() {
		said = said || strings.Contains(r.What, "trims less than one run")
	}
	if !said {
		t.Error("nothing says that the rule cut nothing")
	}
}

func TestMedianOver(t *testing.T) {
	s, p := scenario(t, trimmedTest)
	var runs []journal.Run
	for n := range 2 {
		for i := range 10 {
			runs = append(runs, constantRun(t, cellAt(t, p, n), i, int64((n+1)*1000+10*i), 10))
		}
	}
	res := analyzed(t, s, p, runs)
	ratio := func(get getter) dsl.Outcome {
		a, why := get(res.Cells[0], "latency.mean")
		b, why2 := get(res.Cells[1], "latency.mean")
		if why+why2 != "" {
			return dsl.Outcome{Kind: dsl.IsMissing, Why: why + why2}
		}
		return dsl.Outcome{Kind: dsl.IsNumber, Number: b / a}
	}
	if !OverKept(ratio) {
		t.Error("the ratio rests on trimmed means")
	}
	m := res.MedianOver(ratio)
	if want := 2045.0 / 1045; math.Abs(m.Outcome.Number-want) > 1e-9 {
		t.Errorf("ratio of medians is %v, want %v", m.Outcome, want)
	}
	if m.NoInterval != "" || !(m.Interval.Low < m.Outcome.Number && m.Outcome.Number < m.Interval.High) {
		t.Errorf("interval %v: %s", m.Interval, m.NoInterval)
	}
	missing := res.MedianOver(func(get getter) dsl.Outcome {
		_, why := get(res.Cells[0], "no.metric")
		return dsl.Outcome{Kind: dsl.IsMissing, Why: why}
	})
	if missing.Outcome.Kind != dsl.IsMissing || missing.NoInterval == "" {
		t.Errorf("a missing value: %+v", missing)
	}
}
