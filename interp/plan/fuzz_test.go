package plan

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"versus/dsl"
)

// FuzzExpressions plans a test with any three expressions: an axis, an
// argument and a filter. Whatever they are, there is a plan in which every
// key is unique and every run comes once, or diagnostics.
func FuzzExpressions(f *testing.F) {
	for _, seed := range [][3]string{
		{"[1, 2, 3]", "each.x", "each.x > 1"},
		{`["8KiB", 512, true, "a,b", "x=y"]`, "1", "each.x != 512"},
		{"[for i in range(20) : i / 3]", "floor(each.x) + 1", "!(each.x < 1 || each.x > 2) && each.n == 1"},
		{"[[1], [2], {a = 1}, backend.a]", "each.n", `can(each.x.a)`},
		{"[0.1, 1/3, 1e300, -0]", "each.backend == backend.a ? 1 : 2", "length(each) > 2"},
		{"[1]", "null", "each.n > 1 ? each.x : true"},
		{"[\"\\u0000\", \"\\\"\"]", "each.x", "false"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	f.Fuzz(func(t *testing.T, axis, argument, where string) {
		for _, s := range []string{axis, argument, where} {
			if len(s) > 200 || strings.Contains(s, "range") && len(s) > 60 {
				t.Skip("large plans are slow, not interesting")
			}
		}
		src := head + fmt.Sprintf(`test "rpc" "t" {
  concurrency = %s
  sweep {
    backend = [backend.a, backend.b]
    x       = %s
    n       = [1, 2]
    where   = %s
  }
  sweep {
    backend = [backend.a]
    x       = [1, 2]
    n       = [1]
  }
}
`, argument, axis, where)
		s, diags := dsl.LoadSources("s.hcl", map[string][]byte{"s.hcl": []byte(src)}, dsl.Config{Drivers: registry.Kinds(), Patterns: patterns()})
		if s == nil {
			if !diags.HasErrors() {
				t.Error("neither a scenario nor an error")
			}
			return
		}
		p, diags := New(s, registry, Options{})
		if p == nil {
			if !diags.HasErrors() {
				t.Error("neither a plan nor an error")
			}
			return
		}
		if p.Cells() <= 1000 {
			checkPlan(t, p)
		}
		lines := Methodology(s)
		for _, l := range lines {
			if strings.ContainsAny(l, "\n\r") {
				t.Errorf("a line break in %q", l)
			}
		}
		if changes := Changes(lines, lines); changes != nil {
			t.Errorf("changes without a change: %q", changes)
		}
	})
}

// FuzzNormalise: what is normalised means the same, and normalising it again
// changes nothing.
func FuzzNormalise(f *testing.F) {
	for _, s := range []string{"1 + 2", "{ a = 1\n b = 2 }", `"${1}-${true ? "c" : "d"}"`, "[1, -2][0]", "[for k, v in {a = 1} : k if v > 0]", "# c\n1", "!(1 < 2) || [1,2,][1] == 2", "0 .3"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 100 || strings.Contains(s, "<<") {
			t.Skip("a heredoc is written on one line, which is no heredoc")
		}
		x, diags := hclsyntax.ParseExpression([]byte(s), "", hcl.InitialPos)
		if diags.HasErrors() {
			t.Skip("not an expression")
		}
		once := normalise(s)
		y, diags := hclsyntax.ParseExpression([]byte(once), "", hcl.InitialPos)
		if diags.HasErrors() {
			t.Fatalf("normalise(%q) = %q: %v", s, once, diags)
		}
		if twice := normalise(once); twice != once {
			t.Errorf("normalise(%q) = %q, and of that %q", s, once, twice)
		}
		v, failed := x.Value(nil)
		w, alsoFailed := y.Value(nil)
		if failed.HasErrors() != alsoFailed.HasErrors() || !failed.HasErrors() && !v.RawEquals(w) {
			t.Errorf("%q is %#v, and %q is %#v", s, v, once, w)
		}
	})
}

// TestConcurrent computes cells from several goroutines.
func TestConcurrent(t *testing.T) {
	p := mustPlan(t, `test "rpc" "t" {
  payload = bytes(each.size * 2)
  place   = { server = host.h }
  sweep {
    backend = [backend.a, backend.b]
    size    = range(100)
  }
}
host "local" "h" {}`)
	want := keys(t, p)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range p.Cells() {
				c, err := p.Cell(i)
				if err != nil || c.Key != want[i] || c.Workload.Payload.Bytes != i%100*2 {
					t.Errorf("cell %d: %v", i, err)
				}
			}
		})
	}
	wg.Wait()
}
