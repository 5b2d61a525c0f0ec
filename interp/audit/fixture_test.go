package audit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"versus/drivers"
	"versus/drivers/replay"
	"versus/dsl"
	"versus/interp/analyze"
	"versus/interp/journal"
	"versus/interp/plan"
)

// metrics are the columns of tables in tests that hold metrics; all others
// are axes.
var metrics = map[string]string{
	"mean": "latency.mean", "max": "latency.max", "min": "latency.min", "p50": "latency.p50", "p99": "latency.p99",
	"qps": "throughput.rate", "call": "time_per_call", "loss": "loss.rate", "errors": "errors.rate", "sent": "samples.sent",
}

// table is a recorded table: rows of numbers in SI units, header first,
// separated by semicolons; and the tests that replay it, each by its
// arguments. With several, the column t says by its number which test a row
// belongs to.
type table struct {
	csv   string
	tests []string
	more  string // HCL
}

func (x table) hcl() string {
	header, _, _ := strings.Cut(x.csv, ";")
	var axes, columns []string
	for _, c := range strings.Split(header, ",") {
		c = strings.TrimSpace(c)
		if m, ok := metrics[c]; ok {
			columns = append(columns, fmt.Sprintf("%q = column(%q)", m, c))
		} else if c != "t" {
			axes = append(axes, c)
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "scenario \"s\" {}\ndataset \"csv\" \"d\" { file = \"d.csv\" }\nbackend \"replay\" \"b\" {\n  dataset = dataset.d\n  metrics = { %s }\n}\n", strings.Join(columns, ", "))
	tests := x.tests
	if len(tests) == 0 {
		tests = []string{""}
	}
	for i, args := range tests {
		fmt.Fprintf(&b, "test \"replay\" \"t%d\" {\n  backend = backend.b\n  %s\n  sweep {\n", i, strings.ReplaceAll(args, "; ", "\n  "))
		if strings.Contains(header, "t,") {
			fmt.Fprintf(&b, "    t = [%d]\n", i)
		}
		for _, a := range axes {
			fmt.Fprintf(&b, "    %s = distinct(dataset.d, %q)\n", a, a)
		}
		b.WriteString("    where = exists(dataset.d, each)\n  }\n}\n")
	}
	return b.String() + x.more
}

// result analyzes the table.
func (x table) result(t testing.TB) *analyze.Result {
	t.Helper()
	csv := strings.ReplaceAll(strings.ReplaceAll(x.csv, "; ", "\n"), ";", "\n") + "\n"
	return replayed(t, "main.hcl", map[string][]byte{"main.hcl": []byte(x.hcl()), "d.csv": []byte(csv)})
}

// replayed analyzes a scenario of recorded results.
func replayed(t testing.TB, main string, sources map[string][]byte) *analyze.Result {
	t.Helper()
	return withValues(t, main, sources, nil)
}

// withValues is replayed with values made up; nil takes those recorded.
func withValues(t testing.TB, main string, sources map[string][]byte, values func(drivers.Workload, int) (map[string]float64, error)) *analyze.Result {
	t.Helper()
	cfg := dsl.Config{Drivers: drivers.Registry{replay.Driver}.Kinds(), Patterns: map[string][]string{"replay": {"replay"}}}
	var s *dsl.Scenario
	var diags error
	if sources != nil {
		loaded, d := dsl.LoadSources(main, sources, cfg)
		s = loaded
		if d.HasErrors() {
			diags = d
		}
	} else {
		loaded, _, d := dsl.Load(main, cfg)
		s = loaded
		if d.HasErrors() {
			diags = d
		}
	}
	if diags != nil {
		t.Fatalf("%v\n%s", diags, sources[main])
	}
	p, d := plan.New(s, drivers.Registry{replay.Driver}, plan.Options{})
	if d.HasErrors() {
		t.Fatalf("%v\n%s", d, sources[main])
	}
	var runs []journal.Run
	for i := range p.Cells() {
		c, err := p.Cell(i)
		if err != nil {
			t.Fatal(err)
		}
		for n := range p.RunsOf(i) {
			recorded := values
			if values == nil {
				recorded = replay.Driver.Recorded
			}
			v, err := recorded(c.Workload, n)
			if err != nil {
				t.Fatal(err)
			}
			runs = append(runs, journal.Run{Cell: c.Key, Run: n, Order: len(runs), Status: journal.OK, Values: v})
		}
	}
	res, err := analyze.Analyze(s, p, runs)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// of are the findings of one check that it really made.
func of(findings []*Finding, id string) []*Finding {
	return slices.DeleteFunc(slices.Clone(findings), func(f *Finding) bool { return f.Check.ID != id || f.NotChecked })
}

func texts(findings []*Finding) string {
	var lines []string
	for _, f := range findings {
		lines = append(lines, fmt.Sprintf("%s %s %s", f.Severity, f, map[bool]string{true: "(not checked)"}[f.NotChecked]))
	}
	return strings.Join(lines, "\n")
}
