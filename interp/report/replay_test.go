package report

import (
	"path/filepath"
	"strings"
	"testing"

	"versus/drivers"
	"versus/drivers/replay"
	"versus/dsl"
	"versus/interp/analyze"
	"versus/interp/journal"
	"versus/interp/plan"
)

// loaded loads a shipped scenario and plans it.
func loaded(t *testing.T, file string, reg drivers.Registry) (*dsl.Scenario, *plan.Plan) {
	t.Helper()
	patterns := map[string][]string{}
	for _, d := range reg {
		for _, p := range d.Patterns {
			patterns[d.Name] = append(patterns[d.Name], string(p))
		}
	}
	s, _, diags := dsl.Load(filepath.FromSlash(file), dsl.Config{Drivers: reg.Kinds(), Patterns: patterns})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	p, diags := plan.New(s, reg, plan.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return s, p
}

// replayed runs a scenario of recorded results.
func replayed(t *testing.T, name string) *Report {
	t.Helper()
	reg := drivers.Registry{replay.Driver}
	s, p := loaded(t, "../../scenarios/"+name+".hcl", reg)
	var runs []journal.Run
	for i := range p.Cells() {
		c, err := p.Cell(i)
		if err != nil {
			t.Fatal(err)
		}
		for n := range p.RunsOf(i) {
			values, err := replay.Driver.Recorded(c.Workload, n)
			if err != nil {
				t.Fatal(err)
			}
			runs = append(runs, journal.Run{Cell: c.Key, Run: n, Order: len(runs), Status: journal.OK, Values: values})
		}
	}
	res, err := analyze.Analyze(s, p, runs)
	if err != nil {
		t.Fatal(err)
	}
	return Build(res)
}

func text(t *testing.T, r *Report, o Options) string {
	t.Helper()
	var b strings.Builder
	if err := Text(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestPublishedTables(t *testing.T) {
	for _, name := range []string{"ice_vs_tao_published", "zero_copy_published", "aimrt_channel_published", "aimrt_rpc_published", "aimrt_logger_published"} {
		t.Run(name, func(t *testing.T) {
			golden(t, name+".txt", text(t, replayed(t, name), Options{}))
		})
	}
}
