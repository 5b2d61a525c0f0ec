package plan

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// ordered is a scenario with four cells: three of methodology x in two tests
// that stand around one of methodology y.
func ordered(x string) string {
	return `scenario "s" {}
backend "fake" "a" {}
methodology "x" {
  measure { calls = 10 }
  repeat { runs = 3 }
  ` + x + `
}
methodology "y" {
  measure { duration = "1s" }
  repeat { runs = 2 }
  order = "grouped"
}
test "rpc" "t1" {
  methodology = methodology.x
  sweep {
    backend = [backend.a]
    n       = [1, 2]
  }
}
test "rpc" "t2" {
  methodology = methodology.y
  backend     = backend.a
}
test "rpc" "t3" {
  methodology = methodology.x
  backend     = backend.a
  repeat { runs = 2 }
}
`
}

func orderOf(t *testing.T, p *Plan) string {
	t.Helper()
	text, next := "", 0
	for i, id := range p.Order() {
		if i != next {
			t.Errorf("position %d follows %d", i, next-1)
		}
		next++
		text += fmt.Sprintf(" %d.%d", id.Cell, id.Run)
	}
	return text
}

func TestOrder(t *testing.T) {
	for _, test := range []struct{ x, want string }{
		{`order = "grouped"`, " 0.0 0.1 0.2 1.0 1.1 1.2 3.0 3.1 2.0 2.1"},
		// Cell 3 has two runs only. The second round goes backwards.
		{`order = "interleaved"`, " 0.0 1.0 3.0 3.1 1.1 0.1 0.2 1.2 2.0 2.1"},
		{"order = \"random\"\n seed = 7", " 1.0 0.0 1.1 3.0 1.2 0.1 0.2 3.1 2.0 2.1"},
		{"order = \"random\"\n seed = 8", " 1.0 1.1 0.0 3.0 3.1 0.1 1.2 0.2 2.0 2.1"},
	} {
		p, diags := New(load(t, ordered(test.x)), registry, Options{})
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		first := orderOf(t, p)
		if d := cmp.Diff(test.want, first); d != "" {
			t.Errorf("%s: %s", test.x, d)
		}
		if again := orderOf(t, p); again != first {
			t.Errorf("%s: another order the second time: %s", test.x, again)
		}
	}
}

// TestDriftCancels: with an even number of rounds, the mean position of the
// runs is the same for every cell.
func TestDriftCancels(t *testing.T) {
	p := mustPlan(t, `test "rpc" "t" {
  repeat { runs = 4 }
  sweep {
    backend = [backend.a, backend.b]
    n       = range(5)
  }
}`)
	sum := map[int]int{}
	for i, id := range p.Order() {
		sum[id.Cell] += i
	}
	for c, s := range sum {
		if s != sum[0] {
			t.Errorf("positions of cell %d add up to %d, those of cell 0 to %d", c, s, sum[0])
		}
	}
}
