package stats

import (
	"math"
	"testing"
)

func TestJudge(t *testing.T) {
	ratio := func(low, mid, high float64) Estimate { return Estimate{mid, Interval{low, high, 0.95}} }
	for _, c := range []struct {
		name string
		e    Evidence
		want Verdict
	}{
		{"all agree", Evidence{ratio(1.1, 1.2, 1.3), 0.01, 0.05, 0}, Faster},
		{"all agree, the other way", Evidence{ratio(0.7, 0.8, 0.9), 0.01, 0.05, 1.02}, Slower},
		{"p too large after adjustment", Evidence{ratio(1.1, 1.2, 1.3), 0.06, 0.05, 0}, NoDifference},
		{"p at alpha", Evidence{ratio(1.1, 1.2, 1.3), 0.05, 0.05, 0}, Faster},
		{"interval holds 1", Evidence{ratio(1, 1.2, 1.3), 0.01, 0.05, 0}, NoDifference},
		{"within the noise", Evidence{ratio(1.01, 1.015, 1.02), 0.01, 0.05, 1.02}, NoDifference},
		{"within the noise, slower", Evidence{ratio(0.98, 0.985, 0.99), 0.01, 0.05, 1.02}, NoDifference},
		{"no interval", Evidence{Estimate{Estimate: 2}, 0.1, 0.05, 0}, TooFewRuns},
		{"nothing", Evidence{}, TooFewRuns},
		{"no p", Evidence{ratio(1.1, 1.2, 1.3), math.NaN(), 0.05, 0}, TooFewRuns},
	} {
		if got := Judge(c.e); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if !Equivalent(ratio(0.99, 1, 1.01), 0.02) || Equivalent(ratio(0.99, 1, 1.03), 0.02) || Equivalent(Estimate{Estimate: 1}, 0.02) {
		t.Error("equivalence")
	}
}

func TestSmallestP(t *testing.T) {
	for _, c := range [][2]int{{1, 1}, {3, 3}, {4, 4}, {10, 10}, {2, 9}} {
		x, y := make([]float64, c[0]), make([]float64, c[1])
		for i := range x {
			x[i] = float64(i)
		}
		for i := range y {
			y[i] = float64(100 + i)
		}
		r, err := MannWhitney(x, y)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "smallest p", SmallestP(c[0], c[1]), r.P)
	}
	if SmallestP(0, 3) != 1 {
		t.Error("without runs nothing is significant")
	}
}
