package plan

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// randomTest writes a test with random sweeps: axes from a small set with
// values from a small range, so that sweeps overlap, some zipped, some left
// out, some filtered.
func randomTest(rng *rand.Rand) string {
	var b strings.Builder
	b.WriteString("test \"rpc\" \"t\" {\n  backend = backend.a\n")
	if rng.IntN(2) == 0 {
		b.WriteString("  concurrency = 2\n")
	}
	if rng.IntN(2) == 0 {
		b.WriteString("  in_flight = 1 + (each.x == null ? 0 : each.x)\n")
	}
	for range 1 + rng.IntN(3) {
		b.WriteString("  sweep {\n    x = " + randomList(rng, 1+rng.IntN(3)) + "\n")
		named := []string{"x"}
		for _, axis := range []string{"concurrency", "in_flight", "z"} {
			if rng.IntN(2) == 0 {
				fmt.Fprintf(&b, "    %s = %s\n", axis, randomList(rng, 1+rng.IntN(3)))
				named = append(named, axis)
			}
		}
		if rng.IntN(3) == 0 {
			n := 1 + rng.IntN(3)
			fmt.Fprintf(&b, "    zip = { u = %s, v = %s }\n", randomList(rng, n), randomList(rng, n))
		}
		switch rng.IntN(3) {
		case 0:
			b.WriteString("    where = " + randomFilter(rng, named, 3) + "\n")
		case 1:
			b.WriteString("    where = length([for k, v in each : v if v == 1]) < 2\n")
		}
		b.WriteString("  }\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// randomFilter writes a condition over the axes, with parts of up to the given
// depth. Some of its parts fail for some values, where another part lets them
// not be evaluated.
func randomFilter(rng *rand.Rand, axes []string, depth int) string {
	axis := func() string { return "each." + axes[rng.IntN(len(axes))] }
	if depth == 0 {
		return fmt.Sprintf("%s != %d", axis(), 1+rng.IntN(4))
	}
	sub := func() string { return randomFilter(rng, axes, depth-1) }
	switch rng.IntN(5) {
	case 0:
		return "!(" + sub() + ")"
	case 1:
		return "(" + sub() + ") && " + sub()
	case 2:
		return sub() + " || (" + sub() + ")"
	case 3:
		a := axis()
		return fmt.Sprintf("(%s != 1 && [false, true][%s %% 2])", a, a)
	}
	return fmt.Sprintf("%s + %s < %d", axis(), axis(), rng.IntN(8))
}

func randomList(rng *rand.Rand, n int) string {
	var parts []string
	for _, v := range rng.Perm(4)[:n] {
		parts = append(parts, fmt.Sprint(v+1))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// checkPlan checks what is true of every plan: keys are unique, a cell is the
// same each time, and the order has every run once.
func checkPlan(t *testing.T, p *Plan) {
	t.Helper()
	seen := map[string]int{}
	for i, key := range keys(t, p) {
		if first, ok := seen[key]; ok {
			t.Errorf("cells %d and %d are both %s", first, i, key)
		}
		seen[key] = i
	}
	runs := map[RunID]bool{}
	for position, id := range p.Order() {
		if position != len(runs) {
			t.Errorf("position %d after %d runs", position, len(runs))
		}
		if runs[id] || id.Cell < 0 || id.Cell >= p.Cells() || id.Run < 0 || id.Run >= p.RunsOf(id.Cell) {
			t.Errorf("%v comes twice, or is no run", id)
		}
		runs[id] = true
	}
	if len(runs) != p.Runs() {
		t.Errorf("the order has %d runs, the plan %d", len(runs), p.Runs())
	}
}

// TestRandomSweeps compares plans of random sweeps with a plain listing.
func TestRandomSweeps(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	planned := 0
	for range 200 {
		src := randomTest(rng)
		s := load(t, head+src)
		p, diags := New(s, registry, Options{})
		if p == nil {
			if !strings.Contains(diags.Error(), "Empty plan") {
				t.Fatal(src, diags)
			}
			continue
		}
		planned++
		checkPlan(t, p)
		if got, want := strings.Join(keys(t, p), "\n"), strings.Join(listed(t, p), "\n"); got != want {
			t.Fatalf("%s\ngot\n%s\n\nwant\n%s", src, got, want)
		}
	}
	if planned < 100 {
		t.Errorf("only %d of 200 plans have cells", planned)
	}
}

// listed lists the cells of the only test of a plan in the plain way: every
// combination of every sweep, filtered, each key once.
func listed(t *testing.T, p *Plan) []string {
	t.Helper()
	var list []string
	seen := map[string]bool{}
	for _, g := range p.tests[0].grids {
		total, _ := product(g.sizes(g.all()), maxCells)
		digits := make([]int, len(g.dims))
		for n := range total {
			for d := len(digits) - 1; d >= 0; d-- {
				digits[d] = n % g.dims[d].size()
				n /= g.dims[d].size()
			}
			if g.sweep.Where != nil {
				if keep, d := g.keeps(g.sweep.Where, digits); d != nil || !keep {
					continue
				}
			}
			if key := g.key(digits); !seen[key] {
				seen[key] = true
				list = append(list, key)
			}
		}
	}
	return list
}
