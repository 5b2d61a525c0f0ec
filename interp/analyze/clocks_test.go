package analyze

import (
	"strings"
	"testing"

	"versus/drivers/protocol"
	"versus/interp/journal"
)

func TestClocksOfOneWayLatency(t *testing.T) {
	s, p := scenario(t, `
test "pubsub" "open" {
  methodology = methodology.all
  backend     = backend.a
}`)
	for _, c := range []struct {
		bound   int64 // ns
		want    string
		warning bool
	}{
		{0, "", false},
		{9_000, "+-9 us in the worst run", false},
		{11_000, "+-11 us in the worst run", true},
	} {
		r := journal.Run{Cell: cellAt(t, p, 0).Key, Status: journal.OK, Roles: map[string]*journal.Role{
			"publisher":  {Active: true, Result: &protocol.Result{Elapsed: 1, Sent: 1}},
			"subscriber": {Result: &protocol.Result{Elapsed: 1, Received: 1, Latency: distributionOf(t, 100_000)}}}}
		if c.bound > 0 {
			k := journal.ClockOffset{Offset: 5e12, Bound: c.bound}
			r.Clocks = map[string]journal.Clock{"far": {Before: k, After: k}}
		}
		cell, found := analyzed(t, s, p, []journal.Run{r}).Cells[0], false
		span := "one way, by one clock"
		if c.bound > 0 {
			span = "one way, by clocks that agree within " + strings.Fields(strings.TrimPrefix(c.want, "+-"))[0] + " us"
		}
		if got := cell.LatencySpan(); got != span {
			t.Errorf("bound %d: %q, want %q", c.bound, got, span)
		}
		for _, remark := range cell.Remarks() {
			if strings.Contains(remark.What, "clocks of their own") {
				found = true
				if remark.Detail != c.want || remark.Warning != c.warning {
					t.Errorf("bound %d: %+v", c.bound, remark)
				}
			}
		}
		if found != (c.bound > 0) {
			t.Errorf("bound %d: remarked on: %v", c.bound, found)
		}
	}
}
