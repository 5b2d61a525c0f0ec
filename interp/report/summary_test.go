package report

import (
	"strings"
	"testing"

	"versus/dsl"
	"versus/interp/analyze"
	"versus/interp/journal"
	"versus/interp/plan"
	"versus/stdlib/stats"
)

func summaryText(r *Report) string {
	var lines []string
	for _, p := range r.Summary {
		if p.Title != "" {
			lines = append(lines, p.Title)
		}
		lines = append(lines, p.Lines...)
	}
	return strings.Join(lines, "\n") + "\n"
}

// The summary says what came out, on how many runs, and where no verdict is
// possible, why.
func TestSummary(t *testing.T) {
	s, p := planned(t, measuredHead)
	runs := measured(t, p)
	runs[12].Status, runs[12].Error, runs[12].Roles = journal.Failed, "exit status 2", nil
	for i := range 6 { // of mqtt with 512 B, one run is left
		if i > 0 {
			runs[24+i].Status, runs[24+i].Error, runs[24+i].Roles = journal.Failed, "exit status 2", nil
		}
	}
	got := summaryText(built(t, s, p, runs))
	golden(t, "summary.txt", got)
	for _, want := range []string{
		"30 of 36 runs are valid, in 6 cells.", "vs_grpc, by time_per_call",
		"http is 2.0", " times as slow as grpc at payload 512B (", "5 of 6 and 6 of 6 runs valid.",
		"without a verdict: too few runs.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the summary does not say %q", want)
		}
	}
}

// Equal systems: no difference is shown, which is not that they are equal.
func TestSummaryOfEqualSystems(t *testing.T) {
	s, p := planned(t, measuredHead)
	runs := measured(t, p)
	for i := range runs {
		runs[i].Roles = runs[(i*7)%6].Roles
	}
	if got := summaryText(built(t, s, p, runs)); strings.Count(got, "no difference is shown (") != 4 || strings.Contains(got, " is ") && strings.Contains(got, "times as fast as") {
		t.Error(got)
	}
}

// A pair whose formula has no value gets no verdict, and the summary, a table and
// an expectation say why.
func TestNoVerdictWithoutValue(t *testing.T) {
	s, p := planned(t, strings.Replace(measuredHead, "/ candidate.time_per_call", "/ (candidate.time_per_call * 0)", 1)+`
table "verdicts" {
  rows = [each.backend, each.payload]
  column "verdict" { value = comparison.vs_grpc.verdict }
}
expect "http is faster" { condition = comparison.vs_grpc.verdict == "faster" }
`)
	r := built(t, s, p, measured(t, p))
	if got := summaryText(r); strings.Count(got, ", without a verdict: division by zero in (") != 4 {
		t.Error(got)
	}
	if got := text(t, r, Options{}); !strings.Contains(got, "N/A") || !strings.Contains(got, "it could not be checked: ") {
		t.Error(got)
	}
}

// Of many pairs, the summary says how often each system came out how.
func TestSummaryOfManyPairs(t *testing.T) {
	s, p := planned(t, strings.Replace(measuredHead, `["512B", "8KiB"]`, `[1, 2, 3, 4, 5]`, 1))
	got := summaryText(built(t, s, p, measured(t, p)))
	for _, want := range []string{"http against grpc, 5 cells: slower in 5 (", "mqtt against grpc, 5 cells: slower in 5 (", "Verdicts hold for these 10 pairs together"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}

// A ratio that prints as 1 is not so many times faster or slower, an interval
// over 1 names both directions, and a range of one number is one number.
func TestSummaryNearOne(t *testing.T) {
	c := &analyze.Comparison{Comparison: &dsl.Comparison{}}
	for _, x := range []struct {
		ratio, low, high float64
		came, span       string
	}{
		{0.98, 0.48, 1.7, "alike", "; it may be anything from 1.7 times as good to 2.1 times as bad"},
		{1.04, 0.97, 1.11, "1.04 times as good", "; it may be anything from 1.03 times as bad to 1.11 times as good"},
		{1.5, 1.2, 1.9, "1.50 times as good", ", 1.20 to 1.90"},
		{0.5, 0.4, 0.6, "2.00 times as bad", ", 1.67 to 2.50"},
	} {
		p := &analyze.Pair{Comparison: c}
		p.Ratio = stats.Estimate{Estimate: x.ratio, Interval: stats.Interval{Low: x.low, High: x.high, Level: 0.95}}
		if r := worded(p); r.came() != x.came || r.span() != x.span {
			t.Errorf("%v: %q %q, want %q %q", x.ratio, r.came(), r.span(), x.came, x.span)
		}
	}
	p := &analyze.Pair{Comparison: c, Baseline: &analyze.Cell{Plan: &plan.Cell{}}, Candidate: &analyze.Cell{Plan: &plan.Cell{}}}
	p.Ratio = stats.Estimate{Estimate: 0.25}
	got := wording{family: analyze.NewFamily(nil)}.grouped([]*analyze.Pair{p, p})
	if want := " against , 2 cells: came out worse in 2 (4.00 times)."; len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %q", got, want)
	}
}
