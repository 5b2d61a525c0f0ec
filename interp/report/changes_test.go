package report

import (
	"slices"
	"strings"
	"testing"

	"versus/interp/analyze"
	"versus/interp/journal"
	"versus/stdlib/stats"
)

// Before and after say the noise floor that they used, or why there is none,
// what is missing on a side, and the warnings about the runs of both.
func TestChanges(t *testing.T) {
	s, p := planned(t, strings.Replace(measuredHead, "keep {", "noise_floor = true\n  keep {", 1))
	twice := func(drop string) *analyze.Result {
		runs := measured(t, p)
		for _, r := range measured(t, p) {
			for i := range p.Cells() {
				if c, err := p.Cell(i); err == nil && c.Key == r.Cell && p.Twin(i) {
					r.Run += p.RunsOf(i)
					runs = append(runs, r)
				}
			}
		}
		runs = slices.DeleteFunc(runs, func(r journal.Run) bool { return drop == "second" && r.Run >= 6 })
		runs[0].Status, runs[0].Error, runs[0].Roles = journal.Failed, "exit status 2", nil
		res, err := analyze.Analyze(s, p, runs)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	report := func(old, new *analyze.Result) string {
		all, err := analyze.Between(old, new, "", 0.95)
		if err != nil {
			t.Fatal(err)
		}
		all.OnlyOld = []string{"gone"}
		return strings.Join(strings.Fields(text(t, Changes("t", old, new, all, 0.95), Options{})), " ")
	}
	good, bad := twice(""), twice("second")
	for _, c := range []struct{ out, want string }{
		{report(good, good), "Noise floor: 3.2%. So far"},
		{report(good, good), "! Only in the old result, and compared with nothing: gone."},
		{report(good, good), "! New: Runs failed: exit status 2: capacity grpc 512B (1 of 6)"},
		{report(good, good), "The geometric mean has no interval: a cell has 5 runs on a side, and an interval needs 6."},
		{report(bad, bad), "! A noise floor was asked for and could not be found, old: vs_grpc: "},
	} {
		if !strings.Contains(c.out, c.want) {
			t.Errorf("it does not say %q:\n%s", c.want, c.out)
		}
	}
	all, err := analyze.Between(good, good, "", 0.95)
	if err != nil {
		t.Fatal(err)
	}
	var csv strings.Builder
	if err := CSV(&csv, Changes("t", good, good, all, 0.95)); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(csv.String(), "table,cell,metric,old,new,change,change low,change high,change p,change verdict\n") || !strings.Contains(csv.String(), ",no difference shown\n") {
		t.Error(csv.String())
	}
	// The words of a program are those of a reader: less memory is better, not faster.
	if all, err = analyze.Between(good, good, "memory.client", 0.95); err != nil {
		t.Fatal(err)
	}
	all.Changes[0].Verdict = stats.Faster
	last := Changes("t", good, good, all, 0.95).Tables[0].Rows[0][4]
	if last.Detail == nil || last.Detail.Verdict != "better" || !strings.HasSuffix(last.Text(), " better") {
		t.Errorf("%q, %+v", last.Text(), last.Detail)
	}
	if strings.Contains(report(bad, bad), "Noise floor:") {
		t.Error("a noise floor that nobody measured")
	}
}
