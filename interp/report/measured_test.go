package report

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
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
	Name: "fake", Patterns: []drivers.Pattern{drivers.RPC},
	Probe: func(context.Context) drivers.Availability { return drivers.Availability{OK: true} },
	Roles: func(drivers.Workload) ([]drivers.Role, error) {
		return []drivers.Role{{Name: "server"}, {Name: "client", Active: true}}, nil
	},
}}

const measuredHead = `
scenario "measured" { title = "Two transports" }
backend "fake" "grpc" {}
backend "fake" "http" {}
backend "fake" "mqtt" {}
methodology "quick" {
  measure { duration = "500ms" }
  repeat { runs = 6 }
  keep { best = n / 2 }
}
test "rpc" "capacity" {
  methodology = methodology.quick
  payload     = bytes(each.payload)
  sweep {
    backend = [backend.grpc, backend.http, backend.mqtt]
    payload = ["512B", "8KiB"]
  }
}
comparison "vs_grpc" {
  baseline = { backend = backend.grpc }
  value    = (baseline.time_per_call - candidate.time_per_call) / candidate.time_per_call
  format   = "percent"
}
`

const measuredTables = `
table "capacity" {
  rows = [each.backend, each.payload]
  column "mean (us)" { value = time_per_call * 1e6 }
  column "p99.9 (us)" { value = latency.p99_9 * 1e6 }
  column "calls/s" { value = throughput.rate }
  column "CPU (%)" { value = "${fixed(cpu.client * 100, 1)}/${fixed(cpu.server * 100, 1)}" }
  column "wire" { value = wire.bytes }
  column "vs gRPC" { value = comparison.vs_grpc }
}
table "by_size" {
  title   = "Against gRPC, by size"
  rows    = [each.backend]
  columns = [each.payload]
  cell    = comparison.vs_grpc
}
expect "nothing is slower than gRPC" {
  condition     = comparison.vs_grpc.low > 0
  error_message = "Slower by ${fixed(-comparison.vs_grpc * 100, 0)}%."
}
expect "calls take less than a second" { condition = latency.max < 1 }
`

// planned loads HCL text and plans it.
func planned(t testing.TB, text string) (*dsl.Scenario, *plan.Plan) {
	t.Helper()
	cfg := dsl.Config{Drivers: fake.Kinds(), Patterns: map[string][]string{"fake": {"rpc"}}}
	s, diags := dsl.LoadSources("main.hcl", map[string][]byte{"main.hcl": []byte(text)}, cfg)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	p, diags := plan.New(s, fake, plan.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return s, p
}

// measured makes runs up: the i-th cell takes about 20 + 10i us a call.
func measured(t testing.TB, p *plan.Plan) []journal.Run {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 2))
	var runs []journal.Run
	for i := range p.Cells() {
		c, err := p.Cell(i)
		if err != nil {
			t.Fatal(err)
		}
		for n := range p.RunsOf(i) {
			base := float64(20_000+10_000*i) * (1 + 0.1*rng.Float64())
			h := protocol.NewHistogram()
			d := &protocol.Distribution{Min: 1 << 60}
			for range 500 {
				v := int64(base * (0.9 + 0.2*rng.Float64()))
				_ = h.RecordValue(v)
				d.Sum += v
				d.Min, d.Max = min(d.Min, v), max(d.Max, v)
				d.SumSquares += float64(v) / 1e9 * float64(v) / 1e9
			}
			if err := d.SetHistogram(h); err != nil {
				t.Fatal(err)
			}
			client := &protocol.Result{Elapsed: float64(d.Sum) / 1e9 * 1.02, Sent: 500, Received: 500, Latency: d, CPUUser: 0.004, CPUSystem: 0.002, PeakMemory: 1 << 24}
			server := &protocol.Result{Elapsed: client.Elapsed, CPUUser: 0.003, PeakMemory: 1 << 23}
			runs = append(runs, journal.Run{Cell: c.Key, Run: n, Order: len(runs), Status: journal.OK, Setup: 0.04,
				Roles: map[string]*journal.Role{"client": {Active: true, Result: client}, "server": {Result: server}}})
		}
	}
	return runs
}

func built(t testing.TB, s *dsl.Scenario, p *plan.Plan, runs []journal.Run) *Report {
	t.Helper()
	res, err := analyze.Analyze(s, p, runs)
	if err != nil {
		t.Fatal(err)
	}
	return Build(res)
}

func TestMeasuredTables(t *testing.T) {
	s, p := planned(t, measuredHead+measuredTables)
	runs := measured(t, p)
	runs[0].Status, runs[0].Error, runs[0].Roles = journal.Failed, "client: exit status 2\x1b[31m", nil
	runs[8].Roles["client"].Result.Flags = []string{"fallback: udp instead of shared memory"}
	r := built(t, s, p, runs)
	golden(t, "measured.txt", text(t, r, Options{}))
	golden(t, "measured80.txt", text(t, r, Options{Width: 80}))
	var md, csv, js strings.Builder
	for _, w := range []struct {
		b     *strings.Builder
		write func(io.Writer, *Report) error
	}{{&md, Markdown}, {&csv, CSV}, {&js, JSON}} {
		if err := w.write(w.b, r); err != nil {
			t.Fatal(err)
		}
	}
	golden(t, "measured.md", md.String())
	golden(t, "measured.csv", csv.String())
	golden(t, "measured.json", js.String())
	if !r.Failed() {
		t.Error("an expectation that does not hold did not fail the report")
	}
}

func TestDefaultTables(t *testing.T) {
	s, p := planned(t, measuredHead)
	golden(t, "default.txt", text(t, built(t, s, p, measured(t, p)), Options{}))
}

// A report printed twice, and from a journal in another order, is the same to
// the byte.
func TestSameBytes(t *testing.T) {
	s, p := planned(t, measuredHead+measuredTables)
	runs := measured(t, p)
	all := func() string {
		r := built(t, s, p, runs)
		var b bytes.Buffer
		for _, write := range []func(io.Writer, *Report) error{Markdown, CSV, JSON} {
			if err := write(&b, r); err != nil {
				t.Fatal(err)
			}
		}
		return text(t, r, Options{Color: true, Width: 60}) + b.String()
	}
	want := all()
	if all() != want {
		t.Error("printed twice, the report differs")
	}
	rng := rand.New(rand.NewPCG(1, 1))
	rng.Shuffle(len(runs), func(i, j int) { runs[i], runs[j] = runs[j], runs[i] })
	if all() != want {
		t.Error("the order of the journal shows in the report")
	}
}

// A table whose rows leave an axis out says so; the baseline in the same place
// does not count.
func TestSeveralCellsInOnePlace(t *testing.T) {
	s, p := planned(t, measuredHead+`
table "bad" {
  rows = [each.payload]
  column "mean" { value = latency.mean }
  column "vs" { value = comparison.vs_grpc }
}`)
	r := built(t, s, p, measured(t, p))
	for _, row := range r.Tables[0].Rows {
		if row[1].Kind != KindAmbiguous || row[2].Kind != KindAmbiguous { // http and mqtt are both candidates
			t.Errorf("row %+v", row)
		}
	}
	if out := text(t, r, Options{}); !strings.Contains(out, "they differ in backend") {
		t.Error(out)
	}
}

// Programs can read what is written for them.
func TestMachinesCanReadIt(t *testing.T) {
	s, p := planned(t, measuredHead+measuredTables)
	r := built(t, s, p, measured(t, p))
	var b bytes.Buffer
	if err := JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	var back jsonReport
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || len(back.Tables) != 2 || back.Format != JSONFormat {
		t.Errorf("%v, %+v", err, back)
	}
	b.Reset()
	if err := CSV(&b, r); err != nil {
		t.Fatal(err)
	}
	for block := range strings.SplitSeq(b.String(), "\n\n") {
		if _, err := csv.NewReader(strings.NewReader(block)).ReadAll(); err != nil {
			t.Errorf("%v in\n%s", err, block)
		}
	}
}
