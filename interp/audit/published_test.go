package audit

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"versus/drivers"
	"versus/interp/analyze"
)

var update = flag.Bool("update", false, "write the golden files and docs/audit.md")

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); run with -update if it is meant:\n%s", path, diff)
	}
}

func published(t testing.TB, name string) *analyze.Result {
	return replayed(t, filepath.FromSlash("../../scenarios/"+name+".hcl"), nil)
}

var shipped = []string{"aimrt_channel_published", "aimrt_rpc_published", "aimrt_logger_published", "ice_vs_tao_published", "zero_copy_published", "aimrt_upstream_published"}

func TestPublishedTables(t *testing.T) {
	for _, name := range shipped {
		t.Run(name, func(t *testing.T) {
			golden(t, "testdata/"+name+".txt", texts(Audit(published(t, name)))+"\n")
		})
	}
}

// The rows that are demonstrably wrong, and no others: an error anywhere else
// is a false alarm.
func TestErrorsOfPublishedTables(t *testing.T) {
	want := map[string][]string{
		"aimrt_channel_published": {
			"A04 single_host ros2 payload 512 topics 1, single_host ros2 payload 2048 topics 1",
			"A09 cross_host mqtt payload 1024 topics 8",
			"A15 cross_host mqtt payload 8192 topics 1", "A15 cross_host mqtt payload 1024 topics 8",
		},
		"aimrt_rpc_published": {
			"A01 single_host_bench grpc payload 512", "A01 single_host_bench ros2 payload 512", "A01 single_host_bench ros2 payload 2048",
			"A02 single_host_bench grpc payload 512, single_host_bench grpc payload 2048",
			"A03 single_host_bench grpc payload 512, single_host_bench grpc payload 2048", "A03 single_host_bench ros2 payload 512, single_host_bench ros2 payload 2048",
			"A16 cross_host_fixed grpc parallel 1", "A16 cross_host_fixed grpc parallel 4", "A16 cross_host_fixed grpc parallel 8",
			"A16 cross_host_fixed http parallel 1", "A16 cross_host_fixed http parallel 4", "A16 cross_host_fixed http parallel 8",
			"A16 cross_host_fixed mqtt parallel 1", "A16 cross_host_fixed mqtt parallel 4", "A16 cross_host_fixed mqtt parallel 8",
		},
		"zero_copy_published":      {"A23 array4m zero-copy"},
		"aimrt_upstream_published": {"A09 channel_topics http payload 1024 topics 10 multi-topic"},
	}
	for _, name := range shipped {
		var have []string
		for _, f := range Audit(published(t, name)) {
			if f.Severity == Error {
				have = append(have, f.Check.ID+" "+f.Where())
				if f.Expected == "" {
					t.Errorf("%s: no expectation knows of %s", name, f)
				}
			}
		}
		if diff := cmp.Diff(want[name], have); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A row that is copied over another one is noticed, whichever the two are.
func TestCopiedRows(t *testing.T) {
	rows := []string{"33.78e-6,556.791e-6", "86.67e-6,3479.172e-6", "35.327e-6,372.595e-6", "91.106e-6,898.042e-6"}
	for i := range rows {
		for j := range rows {
			if i == j {
				continue
			}
			copied := slices.Clone(rows)
			copied[j] = rows[i]
			csv := "i,mean,max"
			for k, r := range copied {
				csv += fmt.Sprintf("; %d,%s", k, r)
			}
			if found := of(Audit(table{csv: csv}.result(t)), "A04"); len(found) != 1 || len(found[0].Cells) != 2 {
				t.Errorf("row %d over row %d: %s", i, j, texts(found))
			}
		}
	}
}

func TestExpectations(t *testing.T) {
	x := table{csv: "i,mean,max; 1,78.294e-6,601.76e-6; 2,78.294e-6,601.76e-6; 3,80e-6,900e-6"}
	for _, c := range []struct{ name, hcl, want string }{
		{"known", `expect "e" {
  finding = "A04"
  where   = each.i < 3
}
expect "no more" { finding = "none" }`, ""},
		{"too much", `expect "e" { finding = "A04" }`, "t0 i 3: the audit does not find A04"},
		{"half of it", `expect "e" {
  finding = "A04"
  where   = each.i == 1
}
expect "no more" { finding = "none" }`, "t0 i 1, t0 i 2: A04 both have"},
		{"another", `expect "e" {
  finding = "A05"
  where   = each.i == 1
}`, "t0 i 1: the audit does not find A05"},
		{"nowhere", `expect "e" {
  finding = "A04"
  where   = each.i > 5
}`, "no cell is looked at"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x.more = c.hcl
			res := x.result(t)
			var failures []string
			for _, e := range Expectations(res, Audit(res)) {
				failures = append(failures, e.Failures...)
			}
			if got := strings.Join(failures, "\n"); c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("failures %q, want %q", got, c.want)
			}
		})
	}
}

// docs/audit.md has the page of every check.
func TestPages(t *testing.T) {
	var b strings.Builder
	b.WriteString("# The checks of `versus audit`\n\n" +
		"`versus audit` looks at the numbers of a result, or of recorded tables, for what can't be true or can't mean what it seems to.\n" +
		"It exits with status 1 if it finds an error that the scenario does not expect (`expect` with `finding`). `-v` also says what was not checked for want of a number,\n" +
		"and `-explain A01` prints one of these pages. They are written by the tests of package audit, `go test ./interp/audit -update`.\n")
	for _, c := range Checks() {
		b.WriteString("\n" + c.Page())
	}
	golden(t, "../../docs/audit.md", b.String())
}

// A large table takes no longer than its size asks for: one whose rows have few
// different values is the worst.
func BenchmarkAudit(b *testing.B) {
	main := `
scenario "s" {}
dataset "csv" "d" { file = "d.csv" }
backend "replay" "b" {
  dataset = dataset.d
  metrics = { "latency.mean" = column("mean") }
}
test "replay" "t" {
  backend     = backend.b
  concurrency = 1
  payload     = bytes(each.payload)
  sweep {
    payload = range(1, 5001)
    again   = [1, 2, 3, 4]
  }
}
`
	res := withValues(b, "main.hcl", map[string][]byte{"main.hcl": []byte(main), "d.csv": []byte("mean\n1\n")},
		func(w drivers.Workload, _ int) (map[string]float64, error) {
			i := w.Payload.Bytes
			return map[string]float64{"latency.mean": 1e-3 + float64(i%97)*1e-6, "latency.max": 0.1 + float64(i%89)*1e-3, "throughput.rate": 1000.25 - float64(i%83)}, nil
		})
	for b.Loop() {
		Audit(res)
	}
	b.ReportMetric(float64(len(res.Cells)), "cells")
}
