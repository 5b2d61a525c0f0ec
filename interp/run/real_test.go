package run

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"versus/drivers/all"
	"versus/drivers/worker"
	"versus/dsl"
	"versus/interp/journal"
	"versus/interp/plan"
)

// realWorker plays `versus worker DRIVER ROLE`.
func realWorker(driver, role string) int {
	roles, err := all.Worker(driver, role)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return worker.Main(driver, role, roles, os.Stdin, os.Stdout)
}

const realScenario = `
scenario "real" {}
backend "grpc" "grpc" {}
backend "http" "http" {}
backend "mqtt" "mqtt" {
  broker "embedded" {}
}
variable "calls" {
  type    = number
  default = 50
}
methodology "short" {
  warmup { calls = var.calls }
  measure { calls = var.calls }
  repeat { runs = 2 }
  order = "interleaved"
}
defaults { methodology = methodology.short }
test "rpc" "echo" {
  payload = bytes("64B")
  sweep { backend = [backend.grpc, backend.http, backend.mqtt] }
}
test "pubsub" "feed" {
  payload = bytes("64B")
  rate    = "1kHz"
  sweep { backend = [backend.mqtt] }
}
`

// realPlan plans realScenario.
func realPlan(tb testing.TB, set ...dsl.Setting) *plan.Plan {
	tb.Helper()
	return planOf(tb, realScenario, set...)
}

// planOf plans a scenario.
func planOf(tb testing.TB, src string, set ...dsl.Setting) *plan.Plan {
	tb.Helper()
	reg := all.Registry()
	patterns := map[string][]string{}
	for _, d := range reg {
		for _, p := range d.Patterns {
			patterns[d.Name] = append(patterns[d.Name], string(p))
		}
	}
	s, diags := dsl.LoadSources("real.hcl", map[string][]byte{"real.hcl": []byte(src)},
		dsl.Config{Drivers: reg.Kinds(), Patterns: patterns, Set: set})
	if diags.HasErrors() {
		tb.Fatal(diags)
	}
	p, diags := plan.New(s, reg, plan.Options{})
	if diags.HasErrors() {
		tb.Fatal(diags)
	}
	return p
}

func TestRealDrivers(t *testing.T) {
	p := realPlan(t)
	dir, j := newJournal(t)
	if err := Run(t.Context(), p, j, Options{Drivers: all.Registry()}); err != nil {
		t.Fatal(err)
	}
	c, err := journal.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Runs) != p.Runs() || p.Runs() != 8 {
		t.Fatalf("%d runs of %d", len(c.Runs), p.Runs())
	}
	for _, r := range c.Runs {
		if r.Status != journal.OK {
			t.Errorf("%s, run %d: %s", r.Cell, r.Run, r.Error)
			continue
		}
		var sent, received int64
		for name, role := range r.Roles {
			if role.Result.CPUUser+role.Result.CPUSystem <= 0 || role.Result.PeakMemory <= 0 {
				t.Errorf("%s: %s used nothing: %+v", r.Cell, name, role.Result)
			}
			sent, received = sent+role.Result.Sent, received+role.Result.Received
		}
		if sent < 50 || received < 50 {
			t.Errorf("%s: %d sent, %d received", r.Cell, sent, received)
		}
	}
}

// find returns the cell of a driver in a test.
func find(t *testing.T, p *plan.Plan, test, driver string) *plan.Cell {
	t.Helper()
	for i := range p.Cells() {
		c, err := p.Cell(i)
		if err != nil {
			t.Fatal(err)
		}
		if c.Test.Name == test && c.Workload.Driver == driver {
			return c
		}
	}
	t.Fatalf("no cell of %s in %s", driver, test)
	return nil
}

func TestRealWorkersKilled(t *testing.T) {
	short, endless := realPlan(t), realPlan(t, dsl.Setting{Name: "calls", Value: "1000000000"})
	for _, c := range []struct {
		driver, test string
		roles        []string
	}{
		{"grpc", "echo", []string{"client", "server"}},
		{"http", "echo", []string{"server"}},
		{"mqtt", "echo", []string{"client", "server", "broker"}},
		{"mqtt", "feed", []string{"publisher", "subscriber", "broker"}},
	} {
		for _, role := range c.roles {
			for _, at := range []phase{preparing, warming, measuring} {
				t.Run(fmt.Sprint(c.driver, c.test, role, at), func(t *testing.T) {
					p := cells{[]*plan.Cell{find(t, endless, c.test, c.driver), find(t, short, c.test, c.driver)}, 1}
					p.list[1].Key += ", short" // they have one key, not depending on their length
					if at == measuring {
						p.list[0].Workload.Warmup.Calls = 1
					}
					runs := records(t, p, Options{Drivers: all.Registry(), probe: probes{reached: killOnce(at, role)}})
					if !strings.Contains(runs[0].Error, fmt.Sprintf("%s died in %s: signal: killed", role, at)) {
						t.Errorf("error of the first run: %s", runs[0].Error)
					}
					if runs[1].Status != journal.OK {
						t.Errorf("the run after it: %+v", runs[1])
					}
				})
			}
		}
	}
}

// killOnce kills the process of a role the first time that a phase is reached.
func killOnce(at phase, role string) func(phase, []*process) {
	done := false
	return func(p phase, ps []*process) {
		for _, proc := range ps {
			if p == at && proc.role.Name == role && !done {
				proc.Kill()
				done = true
			}
		}
	}
}

func TestInterruptOfRealWorkers(t *testing.T) {
	p := realPlan(t, dsl.Setting{Name: "calls", Value: "1000000000"})
	for _, driver := range []string{"grpc", "http", "mqtt"} {
		dir, j := newJournal(t)
		ctx, cancel := context.WithCancel(t.Context())
		var ended []*process
		c := find(t, p, "echo", driver)
		c.Workload.Warmup.Calls = 1
		err := Run(ctx, cells{[]*plan.Cell{c}, 1}, j, Options{Drivers: all.Registry(), probe: probes{
			reached: func(at phase, ps []*process) {
				if at == measuring {
					ended = ps
					cancel()
				}
			}}})
		cancel()
		if !errors.Is(err, context.Canceled) || len(ended) < 2 {
			t.Errorf("%s: %v with %d processes", driver, err, len(ended))
		}
		for _, p := range ended {
			if p.State() == nil {
				t.Errorf("%s of %s was left behind", p.role.Name, driver)
			}
		}
		if c, err := journal.Read(dir); err != nil || len(c.Runs) != 0 {
			t.Errorf("%s: journal %v, %v", driver, c, err)
		}
	}
}

// BenchmarkRun shows what a run costs beyond warm-up and measurement: with 1
// call each these take no time to speak of.
func BenchmarkRun(b *testing.B) {
	p := realPlan(b, dsl.Setting{Name: "calls", Value: "1"})
	for i := range p.Cells() {
		c, err := p.Cell(i)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(c.Workload.Driver+" "+c.Test.Name, func(b *testing.B) {
			e := newExecutor(1, Options{Drivers: all.Registry()})
			defer e.guard.close()
			var setup, total float64
			for b.Loop() {
				r := journal.Run{Cell: c.Key}
				if err := e.do(b.Context(), c, &r); err != nil || r.Status != journal.OK {
					b.Fatal(err, r.Error)
				}
				setup, total = setup+r.Setup, total+r.Total
			}
			b.ReportMetric(setup/float64(b.N)*1e3, "setup-ms/op")
			b.ReportMetric(total/float64(b.N)*1e3, "total-ms/op")
		})
	}
}
