package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"versus/dsl"
)

// recorded is a scenario of a dataset d with a test that has the given body.
func recorded(t testing.TB, csv, body string) *dsl.Scenario {
	t.Helper()
	src := strings.Replace(head, `"new" {}`, `"new" { title = "New one" }`, 1) + "dataset \"csv\" \"d\" { file = \"d.csv\" }\ntest \"replay\" \"t\" {\n" + body + "\n}"
	s, diags := dsl.LoadSources("s.hcl", map[string][]byte{"s.hcl": []byte(src), "d.csv": []byte(csv)},
		dsl.Config{Drivers: registry.Kinds(), Patterns: patterns()})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return s
}

// What the planner finds in a dataset is what the function finds.
func TestExistsIsTheFunction(t *testing.T) {
	const csv = "backend,x,y\nold,1,a\nold,0.1,\nnew,2,5\nNew one,-0.5,b\nnew,0,5\n,1,a\nold,-0,b\n"
	const sweep = `  sweep {
    backend = [backend.old, backend.new]
    x       = [1, 2, 0.1, -0.5, 0, -0, 1 / 3, "1", true]
    y       = ["a", "b", "5", 5]
    where   = %s
  }
  sweep "without_y" {
    backend = [backend.old]
    x       = [0.1, 1]
    where   = %s
  }`
	keys := func(where string) (keys []string) {
		body := strings.ReplaceAll(sweep, "%s", where)
		s := recorded(t, csv, body)
		p, diags := New(s, registry, Options{})
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		for i := range p.Cells() {
			c, err := p.Cell(i)
			if err != nil {
				t.Fatal(err)
			}
			keys = append(keys, c.Key)
		}
		return keys
	}
	want := keys("exists(dataset.d, true ? each : each)")
	if got := keys("exists(dataset.d, each)"); len(got) < 5 || cmp.Diff(want, got) != "" {
		t.Errorf("%d cells; -want +got:\n%s", len(got), cmp.Diff(want, got))
	}
	want = keys("!exists(dataset.d, true ? each : each)")
	if got := keys("!exists(dataset.d, each)"); cmp.Diff(want, got) != "" {
		t.Errorf("with not: -want +got:\n%s", cmp.Diff(want, got))
	}
}

// BenchmarkExists plans as many cells as its dataset has rows, for two numbers of
// them: ns/cell must not grow with it.
func BenchmarkExists(b *testing.B) {
	for _, n := range []int{100, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var csv strings.Builder
			csv.WriteString("x,y\n")
			for i := range n {
				fmt.Fprintf(&csv, "%d,%d\n", i/10, i%10)
			}
			s := recorded(b, csv.String(), fmt.Sprintf(`  sweep {
    backend = [backend.old]
    x       = range(%d)
    y       = range(10)
    where   = exists(dataset.d, each)
  }`, n/10))
			for b.Loop() {
				if p, diags := New(s, registry, Options{}); diags.HasErrors() || p.Cells() != n {
					b.Fatal(diags)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/cell")
		})
	}
}
