package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMatrixAgainstListing compares the counted numbering with a plain list of
// all accepted combinations, for random sizes and filters.
func TestMatrixAgainstListing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		sizes := make([]int, rng.IntN(6))
		var used []int
		for d := range sizes {
			sizes[d] = 1 + rng.IntN(4)
			if rng.IntN(2) == 0 {
				used = append(used, d)
			}
		}
		share, seed := rng.Float64(), rng.Uint64()
		accept := func(digits []int) bool {
			h := seed
			for _, d := range used {
				h = h*31 + uint64(digits[d])
			}
			return rand.New(rand.NewPCG(h, 0)).Float64() < share
		}
		if rng.IntN(5) == 0 {
			accept = nil
		}
		checkMatrix(t, sizes, used, accept, rng)
	}
}

func checkMatrix(t *testing.T, sizes, used []int, accept func([]int) bool, rng *rand.Rand) {
	t.Helper()
	m, err := newMatrix(sizes, used, accept)
	if err != nil {
		t.Fatal(err)
	}
	var want [][]int
	all, _ := product(sizes, maxCells)
	for n := range all {
		digits := make([]int, len(sizes))
		rest := n
		for d := len(sizes) - 1; d >= 0; d-- {
			digits[d] = rest % sizes[d]
			rest /= sizes[d]
		}
		ok := accept == nil || accept(digits)
		if ok {
			want = append(want, digits)
		}
		if r, got := m.rank(digits); got != ok || ok && r != len(want)-1 {
			t.Fatalf("sizes %v used %v: rank(%v) = %d, %v; want %d, %v", sizes, used, digits, r, got, len(want)-1, ok)
		}
	}
	if m.total != len(want) {
		t.Fatalf("sizes %v used %v: total %d, want %d", sizes, used, m.total, len(want))
	}
	digits := make([]int, len(sizes))
	for i, w := range want {
		if m.at(i, digits); !slices.Equal(digits, w) {
			t.Fatalf("sizes %v used %v: at(%d) = %v, want %v", sizes, used, i, digits, w)
		}
	}
	var dims []int
	for d := range sizes {
		if rng.IntN(2) == 0 {
			dims = append(dims, d)
		}
	}
	checkProjection(t, m, dims, want)
}

func checkProjection(t *testing.T, m *matrix, dims []int, cells [][]int) {
	t.Helper()
	pick := func(digits []int) string {
		key := ""
		for _, d := range dims {
			key += fmt.Sprint(digits[d], " ")
		}
		return key
	}
	want := map[string]bool{}
	for _, c := range cells {
		want[pick(c)] = true
	}
	got := map[string]bool{}
	m.project(dims, func(digits []int) bool {
		if got[pick(digits)] {
			t.Fatalf("%v visited twice", digits)
		}
		if _, ok := m.rank(digits); !ok {
			t.Fatalf("visited %v, which the filter refuses", digits)
		}
		got[pick(digits)] = true
		return true
	})
	if len(got) != len(want) {
		t.Fatalf("projection on %v has %d combinations, want %d", dims, len(got), len(want))
	}
}

func TestMatrixLimits(t *testing.T) {
	if _, err := newMatrix([]int{1 << 20, 1 << 20, 1 << 62}, nil, nil); err == nil {
		t.Error("a product above the limit was accepted")
	}
	if _, err := newMatrix([]int{1 << 12, 1 << 12}, []int{0, 1}, func([]int) bool { return true }); err == nil {
		t.Error("a filter over too many combinations was accepted")
	}
	if m, err := newMatrix([]int{3, 0}, []int{0}, func([]int) bool { return true }); err != nil || m.total != 0 {
		t.Errorf("an empty dimension: %v, %v", m, err)
	}
}
