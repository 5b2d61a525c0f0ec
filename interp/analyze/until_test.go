package analyze

import (
	"slices"
	"strings"
	"testing"

	"versus/interp/journal"
)

const untilTest = `
methodology "until" {
  measure { duration = "1s" }
  until {
    relative_interval = 0.02
    max               = 12
  }
}
test "rpc" "t" {
  methodology = methodology.until
  sweep { backend = [backend.a, backend.b] }
}
`

func TestUntilIsDerivedFromTheJournal(t *testing.T) {
	s, p := scenario(t, untilTest)
	calm, wild := cellAt(t, p, 0), cellAt(t, p, 1)
	var runs []journal.Run
	for i := range 6 {
		runs = append(runs, constantRun(t, calm, i, int64(100_000+100*i), 10))
	}
	for i := range 12 {
		runs = append(runs, constantRun(t, wild, i, int64(100_000+10_000*(i%4)), 10))
	}
	res := analyzed(t, s, p, runs)
	for i, want := range []string{"measured until the median of time_per_call was known to +-2%: +-0.25% after 6 runs",
		"the median of time_per_call was wanted to +-2% and is less certain, after as many runs as were allowed: +-"} {
		c := res.Cells[i]
		if got := remarked(c, "the median of"); c.Absent != 0 || !strings.HasPrefix(got, want) {
			t.Errorf("cell %d: %d absent, %q", i, c.Absent, got)
		}
	}
	if got := res.Cells[1]; len(got.Valid) != 12 {
		t.Errorf("%d runs", len(got.Valid))
	}

	// Interrupted: the calm cell lacks its sixth run, and may need more.
	res = analyzed(t, s, p, slices.Delete(slices.Clone(runs), 5, 6))
	if c := res.Cells[0]; c.Absent != 7 || remarked(c, "the median of") != "" {
		t.Errorf("%d absent, %q", c.Absent, remarked(c, "the median of"))
	}
	// A failed run does not count: with five others the cell is not done.
	failed := slices.Clone(runs)
	failed[2].Status, failed[2].Error, failed[2].Roles = journal.Failed, "died", nil
	if c := analyzed(t, s, p, failed).Cells[0]; c.Absent != 6 {
		t.Errorf("%d absent", c.Absent)
	}
}
