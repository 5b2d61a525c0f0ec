package plan

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func mustSplit(t testing.TB, p *Plan, n int) []*Shard {
	t.Helper()
	shards, err := p.Split(n)
	if err != nil {
		t.Fatal(err)
	}
	if len(shards) != n {
		t.Fatalf("%d shards, want %d", len(shards), n)
	}
	return shards
}

// keysOf lists the cells of a shard.
func keysOf(t testing.TB, s *Shard) []string {
	t.Helper()
	var list []string
	for i, key := range keys(t, s.plan) {
		if s.Has(i) {
			list = append(list, key)
		}
	}
	return list
}

// comparing adds random comparisons and a random methodology to a scenario.
func comparing(rng *rand.Rand, src string) string {
	how := ""
	if rng.IntN(2) == 0 {
		how = "noise_floor = true"
	}
	src = strings.Replace(src, "{\n", fmt.Sprintf("{\n  methodology = methodology.varied\n  measure { duration = \"%dms\" }\n", 1+rng.IntN(3000)), 1)
	src += fmt.Sprintf("methodology \"varied\" {\n  measure { duration = \"1s\" }\n  repeat { runs = 4 }\n  order = %q\n  %s\n}\n",
		[]string{"grouped", "interleaved", "random"}[rng.IntN(3)], how)
	x := regexp.MustCompile(`x = \[(\d)`).FindAllStringSubmatch(src, -1) // the first value in each sweep
	for i := range rng.IntN(3) {
		src += fmt.Sprintf("comparison \"c%d\" {\n  baseline = { x = %s }\n  value = baseline.latency.mean / candidate.latency.mean\n}\n",
			i, x[rng.IntN(len(x))][1])
	}
	return src
}

// TestSplitOfRandomPlans checks what is true of every split: each run is made
// in exactly one shard, at its place in the order; a pair of a comparison is in
// one shard; no shard has more than its share and one bundle; and another plan
// of the same scenario is split the same way.
func TestSplitOfRandomPlans(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	planned, paired := 0, 0
	for range 200 {
		src := head + comparing(rng, randomTest(rng))
		s := load(t, src)
		p, diags := New(s, registry, Options{})
		if p == nil {
			if !strings.Contains(diags.Error(), "Empty plan") {
				t.Fatal(src, diags)
			}
			continue
		}
		planned++
		n := 1 + rng.IntN(12)
		shards := mustSplit(t, p, n)
		checkRunsOf(t, p, shards)
		paired += checkPairs(t, p, shards)
		checkBalance(t, p, shards)
		again, _ := New(load(t, src), registry, Options{})
		if d := cmp.Diff(shards[0].home, mustSplit(t, again, n)[0].home); d != "" {
			t.Errorf("%s\nis split in another way the second time:\n%s", src, d)
		}
	}
	if planned < 100 || paired < 100 {
		t.Errorf("only %d plans with %d pairs", planned, paired)
	}
}

func checkRunsOf(t *testing.T, p *Plan, shards []*Shard) {
	t.Helper()
	type place struct {
		position int
		run      RunID
	}
	var whole, parts []place
	for position, run := range p.Order() {
		whole = append(whole, place{position, run})
	}
	for _, s := range shards {
		last, runs := -1, 0
		for position, run := range s.Order() {
			if position <= last {
				t.Errorf("shard %d: position %d after %d", s.Number, position, last)
			}
			last, runs = position, runs+1
			parts = append(parts, place{position, run})
		}
		if runs != s.Runs() || len(keysOf(t, s)) != s.Cells {
			t.Errorf("shard %d has %d runs and %d cells, and says %d and %d", s.Number, runs, len(keysOf(t, s)), s.Runs(), s.Cells)
		}
	}
	slices.SortFunc(parts, func(a, b place) int { return a.position - b.position })
	if !slices.Equal(whole, parts) {
		t.Error("the shards together don't have each run of the plan once")
	}
}

// checkPairs returns how many pairs the plan has.
func checkPairs(t *testing.T, p *Plan, shards []*Shard) int {
	t.Helper()
	var cells []*Cell
	for i := range p.Cells() {
		c, err := p.Cell(i)
		if err != nil {
			t.Fatal(err)
		}
		cells = append(cells, c)
	}
	pairs, home := 0, shards[0].home
	for _, comparison := range p.scenario.Comparisons {
		pairing := NewPairing(comparison, cells)
		for _, c := range cells {
			if SideOf(comparison, c) != IsCandidate {
				continue
			}
			if b, refused := pairing.BaselineOf(c); b != nil && refused == "" {
				pairs++
				if home[b.Index] != home[c.Index] {
					t.Errorf("%s and %s are compared, but in different shards", b.Key, c.Key)
				}
			}
		}
	}
	return pairs
}

func checkBalance(t *testing.T, p *Plan, shards []*Shard) {
	t.Helper()
	bundles, err := p.bundles()
	if err != nil {
		t.Fatal(err)
	}
	total, largest, most := 0.0, 0.0, 0.0
	for _, b := range bundles {
		total, largest = total+b.work, max(largest, b.work)
	}
	for _, s := range shards {
		most = max(most, s.work)
	}
	if limit := total/float64(len(shards)) + largest; most > limit {
		t.Errorf("a shard of %d has %v ms of work of %v; the limit is %v", len(shards), most, total, limit)
	}
	whole, unknown := p.Estimate()
	for _, s := range shards {
		known, u := s.Estimate()
		whole, unknown = whole-known, unknown-u
	}
	if whole.Abs() > time.Duration(p.Cells())*time.Millisecond || unknown != 0 {
		t.Errorf("the plan and its shards differ by %v and %d unknown runs", whole, unknown)
	}
}

// What stays together, and what is dealt out how.
func TestSplit(t *testing.T) {
	timed := func(lengths ...int) string {
		src := ""
		for i, l := range lengths {
			src += fmt.Sprintf("test \"rpc\" \"t%d\" {\n  backend = backend.a\n  warmup {\n    duration = \"0s\"\n  }\n  measure { duration = \"%ds\" }\n  repeat { runs = 1 }\n}\n", i, l)
		}
		return src
	}
	for name, test := range map[string]struct {
		src  string
		want [][]string
	}{
		"longest first": {timed(2, 3, 7, 6, 2), [][]string{{"t2[backend=a]", "t0[backend=a]", "t4[backend=a]"}, {"t3[backend=a]", "t1[backend=a]"}}},
		"a twin is work": {twinned("noise_floor = true"), [][]string{
			{"t[backend=a,payload=1]", "t[backend=b,payload=1]"}, {"t[backend=a,payload=2]", "t[backend=b,payload=2]"}}},
		"recorded results take no time": {"test \"replay\" \"t\" {\n  sweep {\n    backend = [backend.old]\n    x = [1, 2, 3, 4]\n  }\n}\n", [][]string{
			{"t[backend=old,x=1]", "t[backend=old,x=3]"}, {"t[backend=old,x=2]", "t[backend=old,x=4]"}}},
		"calls take as long as others": {timed(9, 9) + "test \"rpc\" \"c\" {\n  backend = backend.a\n  measure { calls = 10 }\n  repeat { runs = 1 }\n  sweep { x = [1, 2] }\n}\n", [][]string{
			{"c[backend=a,x=1]", "t0[backend=a]"}, {"c[backend=a,x=2]", "t1[backend=a]"}}},
		"more shards than bundles": {timed(1), [][]string{{"t0[backend=a]"}, nil}},
	} {
		var got [][]string
		for _, s := range mustSplit(t, mustPlan(t, test.src), 2) {
			list := keysOf(t, s)
			slices.Sort(list)
			got = append(got, list)
		}
		for i := range test.want {
			slices.Sort(test.want[i])
		}
		if d := cmp.Diff(test.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestSplitRefuses(t *testing.T) {
	p := mustPlan(t, twinned(""))
	for _, n := range []int{-1, 0, MaxShards + 1} {
		if _, err := p.Split(n); err == nil || !strings.Contains(err.Error(), "1 to 10000") {
			t.Errorf("%d shards: %v", n, err)
		}
	}
}

// BenchmarkSplit splits a hundred thousand compared cells into 64 shards.
func BenchmarkSplit(b *testing.B) {
	p := mustPlan(b, `test "rpc" "t" {
  sweep {
    backend = [backend.a, backend.b]
    x       = range(500)
    y       = range(100)
  }
}
comparison "c" {
  baseline = { backend = backend.a }
  value    = baseline.latency.mean / candidate.latency.mean
}
`)
	for b.Loop() {
		mustSplit(b, p, 64)
	}
}
