package audit

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"versus/drivers"
	"versus/drivers/protocol"
	"versus/dsl"
	"versus/interp/analyze"
	"versus/interp/journal"
	"versus/interp/plan"
)

// fake is a driver that runs nothing; tests make its runs up.
var fake = drivers.Registry{{
	Name: "fake", AcrossHosts: drivers.OverNetworks, Patterns: []drivers.Pattern{drivers.RPC, drivers.PubSub},
	Probe: func(context.Context) drivers.Availability { return drivers.Availability{OK: true} },
	Roles: func(w drivers.Workload) ([]drivers.Role, error) {
		if w.Pattern == drivers.PubSub {
			return []drivers.Role{{Name: "subscriber"}, {Name: "publisher", Active: true}}, nil
		}
		return []drivers.Role{{Name: "server"}, {Name: "client", Active: true}, {Name: "broker"}}, nil
	},
}}

const measuredHead = `
scenario "s" {}
backend "fake" "b" {}
defaults {
  backend = backend.b
  measure { duration = "1s" }
  repeat { runs = 2 }
}
`

// measured analyzes a scenario whose runs are made up.
func measured(t *testing.T, text string, run func(c *plan.Cell, n int) map[string]*journal.Role) *analyze.Result {
	t.Helper()
	cfg := dsl.Config{Drivers: fake.Kinds(), Patterns: map[string][]string{"fake": {"rpc", "pubsub"}}}
	s, diags := dsl.LoadSources("main.hcl", map[string][]byte{"main.hcl": []byte(measuredHead + text)}, cfg)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	p, diags := plan.New(s, fake, plan.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	var runs []journal.Run
	for i := range p.Cells() {
		c, err := p.Cell(i)
		if err != nil {
			t.Fatal(err)
		}
		for n := range p.RunsOf(i) {
			runs = append(runs, journal.Run{Cell: c.Key, Run: n, Status: journal.OK, Roles: run(c, n)})
		}
	}
	res, err := analyze.Analyze(s, p, runs)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// client is a client whose calls took so long, over a window.
func client(t *testing.T, window float64, ns ...int64) *protocol.Result {
	t.Helper()
	h := protocol.NewHistogram()
	d := &protocol.Distribution{Min: math.MaxInt64}
	for _, v := range ns {
		if err := h.RecordValue(v); err != nil {
			t.Fatal(err)
		}
		d.Sum += v
		d.Min, d.Max = min(d.Min, v), max(d.Max, v)
		d.SumSquares += float64(v) / 1e9 * float64(v) / 1e9
	}
	if err := d.SetHistogram(h); err != nil {
		t.Fatal(err)
	}
	return &protocol.Result{Elapsed: window, Sent: d.Count, Received: d.Count, Latency: d}
}

func roles(r *protocol.Result) map[string]*journal.Role {
	return map[string]*journal.Role{"client": {Active: true, Result: r}, "server": {Result: &protocol.Result{Elapsed: r.Elapsed}}}
}

// A run alone is held against Little's law: the product of two means over runs
// that differ would be above 1 though no run is.
func TestLittlesLawLooksAtEachRun(t *testing.T) {
	const test = `test "rpc" "t" {}`
	calm := measured(t, test, func(_ *plan.Cell, n int) map[string]*journal.Role {
		if n == 0 {
			return roles(client(t, 4e-3, 1e6, 1e6, 1e6, 1e6))
		}
		return roles(client(t, 16e-3, 8e6, 8e6))
	})
	if found := of(Audit(calm), "A01"); len(found) > 0 {
		t.Errorf("callers that were never idle: %s", texts(found))
	}
	idle := measured(t, test, func(_ *plan.Cell, n int) map[string]*journal.Role {
		return roles(client(t, 4e-3+float64(n)*4e-3, 1e6, 1e6, 1e6, 1e6))
	})
	found := of(Audit(idle), "A01")
	if len(found) != 1 || found[0].Severity != Error || !strings.Contains(found[0].Message, "run 2: X R / N = 500/s x 1000 us / 1 = 0.500") {
		t.Errorf("an idle caller: %s", texts(found))
	}
}

// A faster cell with more callers is a fall only if no runs overlap, and our
// own open loops omit nothing.
func TestNoiseIsNoFall(t *testing.T) {
	const test = `test "rpc" "t" {
  sweep { concurrency = [1, 2] }
}`
	times := map[float64][2]int64{1: {100_000, 300_000}, 2: {90_000, 200_000}}
	noisy := func(c *plan.Cell, n int) map[string]*journal.Role {
		v := times[float64(c.Workload.Concurrency)][n]
		return roles(client(t, float64(2*v)/1e9/float64(c.Workload.Concurrency), v, v))
	}
	if found := of(Audit(measured(t, test, noisy)), "A11"); len(found) > 0 {
		t.Errorf("runs that overlap: %s", texts(found))
	}
	times[2] = [2]int64{40_000, 50_000}
	if found := of(Audit(measured(t, test, noisy)), "A11"); len(found) != 1 || found[0].Severity != Warning {
		t.Errorf("runs apart: %s", texts(found))
	}
}

func TestMeasuredLimits(t *testing.T) {
	const test = `test "rpc" "t" {
  rate      = "1kHz"
  in_flight = 1
}`
	slow := func(_ *plan.Cell, n int) map[string]*journal.Role {
		r := client(t, 4.3, 4.29e9+int64(n), 5e6) // beside 2^32 ns, which is no limit of ours
		r.Offered, r.Service = 1000, r.Latency
		return roles(r)
	}
	findings := Audit(measured(t, test, slow))
	for _, id := range []string{"A09", "A17"} {
		if found := of(findings, id); len(found) > 0 {
			t.Errorf("of our own recorder: %s", texts(found))
		}
	}
	if found := of(findings, "A16"); len(found) != 1 || !strings.Contains(found[0].Message, "calls/s, not 1000/s") {
		t.Errorf("the rate can't be met: %s", texts(found))
	}
}

// A gate can leave a result without any run, which is no fault of the audit.
func TestNothingToAudit(t *testing.T) {
	const test = `test "rpc" "t" {
  gate { negative = 0 }
}`
	res := measured(t, test, func(*plan.Cell, int) map[string]*journal.Role {
		r := client(t, 1, 1e6)
		r.Negative = 1
		return roles(r)
	})
	for _, f := range Audit(res) {
		if f.Severity == Error {
			t.Errorf("%s", f)
		}
	}
}

// Whatever a table says, no check panics or prints a number that is none.
func TestStrangeNumbers(t *testing.T) {
	strange := []string{"", "0", "-1", "1e-300", "1e300", "5e-324", "1.7976931348623157e308", "1", "100", "3e-5", "4.2949672", "1e-9", "0.1"}
	rng := rand.New(rand.NewPCG(1, 2))
	args := []string{"", oneCaller, sized, fixedRate, channel, `group = "g"; ` + channel, `payload = bytes(each.payload); concurrency = each.n`}
	for range 150 {
		x := table{csv: "t,n,payload,mean,max,min,p50,p99,qps,loss,errors,sent", tests: []string{args[rng.IntN(len(args))], args[rng.IntN(len(args))]}}
		for test := range 2 {
			for n := range 4 {
				x.csv += "; " + []string{"0", "1"}[test] + "," + []string{"1", "2", "4", "8"}[n] + "," + []string{"512", "1024"}[rng.IntN(2)]
				for range 9 {
					x.csv += "," + strange[rng.IntN(len(strange))]
				}
			}
		}
		for _, f := range Audit(x.result(t)) {
			if text := f.String(); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
				t.Fatalf("%s\n%s", text, x.csv)
			}
		}
	}
}

// A message over a link counts once for each time that it crosses it, and what
// came over it can't be more than it carries.
func TestLoadOfALink(t *testing.T) {
	const link = `
host "netns" "near" {}
host "netns" "far" {}
link "slow" {
  between = [host.near, host.far]
  rate    = "100kbit/s"
}
`
	const place = `place = { client = host.near, server = host.far, broker = host.far }
  payload = bytes(1000)`
	for _, c := range []struct {
		test     string
		calls    int // in a second
		broker   bool
		severity Severity
		want     string // part of what is found; empty if nothing
	}{
		{place + "\n  rate = \"8/s\"", 8, false, "", ""},
		{place + "\n  rate = \"10/s\"", 10, false, Warning, "on the link slow of 100 kbit/s: 80% of it, without headers"},
		{place + "\n  rate = \"13/s\"", 12, false, Error, "104% of it"},
		{"place = { client = host.near, server = host.near, broker = host.far }\n  payload = bytes(1000)\n  rate = \"5/s\"", 5, true, Warning, "which each message passes 2 times one way: 80% of it"},
		{place, 13, false, "", ""},
		{place, 20, false, Warning, "throughput.rate x payload = 20/s x 1000 B x 8 = 160 kbit/s came over the link slow of 100 kbit/s: what was sent is smaller"},
	} {
		res := measured(t, link+"test \"rpc\" \"t\" {\n  "+c.test+"\n}", func(*plan.Cell, int) map[string]*journal.Role {
			var ns []int64
			for range c.calls {
				ns = append(ns, 1e9/int64(c.calls))
			}
			rs := roles(client(t, 1, ns...))
			if c.broker {
				rs["broker"] = &journal.Role{Result: &protocol.Result{Elapsed: 1}}
			}
			return rs
		})
		found := of(Audit(res), "A18")
		if (len(found) > 0) != (c.want != "") || c.want != "" && (found[0].Severity != c.severity || !strings.Contains(found[0].Message, c.want)) {
			t.Errorf("%s, %d calls: %s, want %s", c.test, c.calls, texts(found), c.want)
		}
	}
}
