package analyze

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"versus/drivers/protocol"
	"versus/interp/journal"
)

func TestConditionsOfRuns(t *testing.T) {
	s, p := scenario(t, `
test "rpc" "calls" {
  methodology = methodology.all
  backend     = backend.a
}`)
	for _, c := range []struct {
		name string
		k    []*journal.Conditions
		want []Remark
	}{
		{"not recorded", []*journal.Conditions{nil}, nil},
		{"quiet", []*journal.Conditions{{Others: 0.03}, {Others: -0.01}}, nil},
		{"busy", []*journal.Conditions{{Others: 0.3}, {Others: 0.12}, {Others: 0.05}}, []Remark{
			{true, "the machine was busy with other work too", "2 of 3 runs, up to 30% of its CPU time"},
		}},
		{"all at once", []*journal.Conditions{{Others: 0.2, Stolen: 0.05, Throttled: 0.25, Changed: []string{"turbo: off -> on"}}}, []Remark{
			{true, "the machine was changed while it was measured: turbo: off -> on", "1 of 1 runs"},
			{true, "a control group stopped the processes of runs, for they had used up their CPU time", "1 of 1 runs, for up to 250 ms"},
			{true, "the host of the virtual machine took CPU time from runs", "1 of 1 runs, up to 5% of it"},
			{true, "the machine was busy with other work too", "1 of 1 runs, up to 20% of its CPU time"},
		}},
	} {
		var runs []journal.Run
		for i, k := range c.k {
			runs = append(runs, journal.Run{Cell: cellAt(t, p, 0).Key, Run: i, Status: journal.OK, Total: 10, Conditions: k,
				Roles: map[string]*journal.Role{"client": {Active: true, Result: &protocol.Result{Elapsed: 1, Sent: 1, Received: 1}}}})
		}
		if d := cmp.Diff(c.want, analyzed(t, s, p, runs).Cells[0].conditionRemarks()); d != "" {
			t.Errorf("%s: %s", c.name, d)
		}
		for i := range runs {
			runs[i].Total = 0.2 // too short to tell
			if k := runs[i].Conditions; k != nil {
				k.Throttled, k.Changed = 0, nil
			}
		}
		if rs := analyzed(t, s, p, runs).Cells[0].conditionRemarks(); len(rs) != 0 {
			t.Errorf("%s: short runs: %+v", c.name, rs)
		}
	}
}
