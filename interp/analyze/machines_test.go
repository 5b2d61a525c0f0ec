package analyze

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"versus/interp/journal"
)

// What is compared must have been measured on one machine, and each host of a
// pair must have been one machine.
func TestRunsOfSeveralMachines(t *testing.T) {
	s, p := scenario(t, `
test "rpc" "t" {
  methodology = methodology.all
  sweep { backend = [backend.a, backend.b] }
}
comparison "c" {
  baseline = { backend = backend.a }
  value    = baseline.time_per_call / candidate.time_per_call
}`)
	baseline, candidate := cellAt(t, p, 0), cellAt(t, p, 1)
	host := func(name string) map[string]*journal.Environment {
		return map[string]*journal.Environment{"far": {Host: name}}
	}
	via := func(what string) map[string]*journal.Link {
		return map[string]*journal.Link{"slow": {Via: what}}
	}
	for name, c := range map[string]struct {
		change   func(b, c []journal.Run)
		machines []Machine
		want     map[string]string // by remark, on the candidate
	}{
		"one":          {func(b, c []journal.Run) {}, nil, nil},
		"one, by name": {func(b, c []journal.Run) { b[0].Machine, b[1].Machine, c[0].Machine, c[1].Machine = "n", "n", "n", "n" }, nil, nil},
		"a machine for each cell": {func(b, c []journal.Run) { b[0].Machine, b[1].Machine, c[0].Machine, c[1].Machine = "n", "n", "m", "m" },
			[]Machine{{"m", 1}, {"n", 1}}, map[string]string{"comparison c compares runs of different machines: what differs may be those": "m and n"}},
		"two for one cell": {func(b, c []journal.Run) { c[1].Machine = "m" },
			nil, map[string]string{"runs of one cell were made on different machines": "another one and m"}},
		"same host": {func(b, c []journal.Run) { b[0].Machines, c[1].Machines = host("x"), host("x") }, nil, nil},
		"other hosts": {func(b, c []journal.Run) { b[0].Machines, c[1].Machines = host("y"), host("x") },
			nil, map[string]string{"comparison c compares runs of different machines: what differs may be those": "host far was x and y"}},
		"other links": {func(b, c []journal.Run) { b[0].Links, c[1].Links = via("netem"), via("relay") },
			nil, map[string]string{"comparison c compares runs of different machines: what differs may be those": "link slow was made by netem and relay"}},
	} {
		b := []journal.Run{constantRun(t, baseline, 0, 10, 3), constantRun(t, baseline, 1, 10, 3)}
		k := []journal.Run{constantRun(t, candidate, 0, 10, 3), constantRun(t, candidate, 1, 10, 3)}
		c.change(b, k)
		res := analyzed(t, s, p, append(b, k...))
		got := map[string]string{}
		for _, r := range res.Cells[1].Remarks() {
			if strings.Contains(r.What, "different machines") && r.Warning {
				got[r.What] = r.Detail
			}
		}
		if d := cmp.Diff(c.machines, res.Machines); d != "" {
			t.Errorf("%s: machines (-want +got):\n%s", name, d)
		}
		if len(got) != len(c.want) || len(got) > 0 && !cmp.Equal(c.want, got) {
			t.Errorf("%s: remarks %q, want %q", name, got, c.want)
		}
	}
}

// Of several links and hosts that differ, the same one is named each time.
func TestScatteredNamesTheFirst(t *testing.T) {
	run := func(via, host string) *journal.Run {
		r := &journal.Run{Links: map[string]*journal.Link{}, Machines: map[string]*journal.Environment{}}
		for _, name := range []string{"a", "b", "c", "d"} {
			r.Links[name] = &journal.Link{Via: via}
			r.Machines[name] = &journal.Environment{Host: host}
		}
		return r
	}
	for range 20 {
		if got := scattered([]*journal.Run{run("", "x"), run("relay", "x")}); got != "link a was made by tbf alone and relay" {
			t.Fatal(got)
		}
		if got := scattered([]*journal.Run{run("", "x"), run("", "y")}); got != "host a was x and y" {
			t.Fatal(got)
		}
	}
}
