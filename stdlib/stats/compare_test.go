package stats

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/quick"
)

func TestMannWhitneyReference(t *testing.T) {
	all := samples(t)
	for _, c := range reference[struct {
		Cases []struct {
			X, Y     string
			U        float64 `json:"U_of_x"`
			Ties     bool    `json:"has_ties"`
			P        float64 `json:"exact_p_two_sided_doubled"`
			Less     float64 `json:"exact_p_less"`
			Greater  float64 `json:"exact_p_greater"`
			NP       float64 `json:"asymptotic_cc_two_sided"`
			NLess    float64 `json:"asymptotic_cc_less"`
			NGreater float64 `json:"asymptotic_cc_greater"`
		}
	}](t, "mannwhitney.json").Cases {
		name := c.X + " " + c.Y
		e := mannWhitneyExact(all[c.X], all[c.Y])
		expect(t, name+" U", e.Statistic, c.U)
		expect(t, name+" p", e.P, c.P)
		expect(t, name+" less", e.Less, c.Less)
		expect(t, name+" greater", e.Greater, c.Greater)
		if e.Ties != c.Ties {
			t.Errorf("%s: ties %v", name, e.Ties)
		}
		n := mannWhitneyNormal(all[c.X], all[c.Y])
		if !near(n.P, c.NP, 1e-9) || !near(n.Less, c.NLess, 1e-9) || !near(n.Greater, c.NGreater, 1e-9) {
			t.Errorf("%s: normal %+v, want %v %v %v", name, n, c.NP, c.NLess, c.NGreater)
		}
	}
}

// The dynamic programming equals counting all arrangements, ties included.
func TestMannWhitneyByEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		n, m := 1+rng.IntN(6), 1+rng.IntN(6)
		xs := make([]float64, n+m)
		for i := range xs {
			xs[i] = float64(rng.IntN(5))
		}
		got := mannWhitneyExact(xs[:n], xs[n:])
		ranks := floatRanks(xs)
		sumOf := func(set uint) (s float64) {
			for i, r := range ranks {
				if set>>i&1 == 1 {
					s += r
				}
			}
			return s
		}
		observed := sumOf(1<<n - 1)
		less, greater, total := 0.0, 0.0, 0.0
		for set := uint(0); set < 1<<(n+m); set++ {
			if bits.OnesCount(set) != n {
				continue
			}
			total++
			if s := sumOf(set); s <= observed {
				less++
				if s == observed {
					greater++
				}
			} else {
				greater++
			}
		}
		if !near(got.Less, less/total, 1e-12) || !near(got.Greater, greater/total, 1e-12) || got.P > 1 {
			t.Fatalf("%v | %v: %+v, want %v %v", xs[:n], xs[n:], got, less/total, greater/total)
		}
	}
	// The case that go-moremath gets wrong.
	if got := mannWhitneyExact([]float64{3, 3}, []float64{2, 2, 3, 3, 3}); !near(got.P, 20.0/21, 1e-9) {
		t.Errorf("p = %v, want 0.952", got.P)
	}
}

func TestHodgesLehmannReference(t *testing.T) {
	all := samples(t)
	for _, c := range reference[struct {
		Cases []struct {
			X, Y    string
			Shift   float64   `json:"shift_x_minus_y"`
			CI      []float64 `json:"ci95_shift"`
			K       int       `json:"order_stat_k"`
			Ratio   float64   `json:"ratio_x_over_y_median_of_pairwise"`
			RatioCI []float64 `json:"ratio_ci95"`
			Level   float64   `json:"confidence_achieved"`
		}
	}](t, "hodges_lehmann.json").Cases {
		x, y := all[c.X], all[c.Y]
		name := c.X + " " + c.Y
		e, err := HodgesLehmann(x, y, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, name+" shift", e.Estimate, c.Shift)
		expectPair(t, name, e.Interval, c.CI)
		expect(t, name+" level", e.Level, c.Level)
		if k, _ := shiftRank(len(x), len(y), 0.95); k != c.K {
			t.Errorf("%s: k = %d, want %d", name, k, c.K)
		}
		r, err := HodgesLehmannRatio(x, y, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, name+" ratio", r.Estimate, c.Ratio)
		if swapped, err := HodgesLehmannRatio(y, x, 0.95); err != nil || !near(r.Estimate*swapped.Estimate, 1, 1e-12) {
			t.Errorf("%s: %v swapped is %v, %v", name, r.Estimate, swapped.Estimate, err)
		}
		expectPair(t, name+" ratio", r.Interval, c.RatioCI)
	}
}

// The estimate of a resample is that of the values drawn.
func TestShiftOfResamples(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		x, y := make([]float64, 1+rng.IntN(7)), make([]float64, 1+rng.IntN(7))
		draw := func(xs []float64) (times []int, drawn []float64) {
			for i := range xs {
				xs[i] = float64(rng.IntN(9)) // with ties
			}
			times = make([]int, len(xs))
			for range xs {
				i := rng.IntN(len(xs))
				times[i]++
				drawn = append(drawn, xs[i])
			}
			return times, drawn
		}
		timesX, drawnX := draw(x)
		timesY, drawnY := draw(y)
		s, err := NewShift(x, y)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := HodgesLehmann(drawnX, drawnY, 0.95)
		if got := s.Of(timesX, timesY); !near(got, want.Estimate, 1e-12) && got != want.Estimate {
			t.Fatalf("%v %v drawn %v %v: %v, want %v", x, y, timesX, timesY, got, want.Estimate)
		}
	}
	if _, err := NewShift(nil, []float64{1}); err == nil {
		t.Error("an empty sample has no shift")
	}
}

func TestHodgesLehmannTooFew(t *testing.T) {
	e, err := HodgesLehmannRatio([]float64{2, 2, 2}, []float64{1, 1, 1}, 0.95)
	if err == nil || err.Error() != "3 and 3 values are too few for an interval of 95 %; it needs 4 a side" {
		t.Errorf("error %v", err)
	}
	if !near(e.Estimate, 2, 1e-12) || e.Level != 0 {
		t.Errorf("the estimate is set all the same, without interval: %+v", e)
	}
	for _, bad := range [][]float64{nil, {0, 1}, {-1}, {math.NaN()}, {math.Inf(1)}} {
		if e, err := HodgesLehmannRatio(bad, []float64{1}, 0.95); err == nil || !math.IsNaN(e.Estimate) {
			t.Errorf("%v: %+v, %v", bad, e, err)
		}
		if e, err := HodgesLehmannRatio([]float64{1}, bad, 0.95); err == nil || !math.IsNaN(e.Estimate) {
			t.Errorf("%v: %+v, %v", bad, e, err)
		}
	}
	if e, err := HodgesLehmann(make([]float64, 3000), make([]float64, 3000), 0.95); err == nil || !math.IsNaN(e.Estimate) {
		t.Errorf("too many pairs: %+v, %v", e, err)
	}
}

// Above 60 values the rank of the interval comes from the normal
// approximation, which by then is within 1 of the exact one.
func TestShiftRankApproximation(t *testing.T) {
	for _, n := range []int{25, 30} {
		exact, _ := shiftRank(n, n, 0.95)
		ranks := float64(n*n)/2 + 0.5 - 1.959963984540054*math.Sqrt(float64(n*n)*float64(2*n+1)/12)
		if math.Abs(float64(exact)-math.Floor(ranks)) > 1 {
			t.Errorf("n=%d: exact %d, normal %v", n, exact, ranks)
		}
	}
	x, y := make([]float64, 40), make([]float64, 40)
	rng := rand.New(rand.NewPCG(2, 2))
	for i := range x {
		x[i], y[i] = rng.NormFloat64()+10, rng.NormFloat64()+9
	}
	e, err := HodgesLehmann(x, y, 0.95)
	if err != nil || !e.Contains(e.Estimate) || e.Level < 0.94 || e.Level > 0.96 {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestCompareProperties(t *testing.T) {
	check := func(name string, f any) {
		t.Helper()
		if err := quick.Check(f, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	check("p is symmetric and in [0, 1]", func(a, b []uint16) bool {
		x, y := positives(a), positives(b)
		p, _ := MannWhitney(x, y)
		q, _ := MannWhitney(y, x)
		return p.P >= 0 && p.P <= 1 && near(p.P, q.P, 1e-12) && near(p.Less, q.Greater, 1e-12)
	})
	check("swapping inverts the ratio and its interval; the interval holds the estimate", func(a, b []uint16) bool {
		x, y := positives(a), positives(b)
		r, err := HodgesLehmannRatio(x, y, 0.9)
		s, err2 := HodgesLehmannRatio(y, x, 0.9)
		if (err == nil) != (err2 == nil) || !near(r.Estimate*s.Estimate, 1, 1e-9) {
			return false
		}
		return err != nil || near(r.Low*s.High, 1, 1e-9) && near(r.High*s.Low, 1, 1e-9) && r.Contains(r.Estimate) && r.Level >= 0.9
	})
	check("shifting x shifts the estimate", func(a, b []uint16) bool {
		x, y := positives(a), positives(b)
		e, _ := HodgesLehmann(x, y, 0.9)
		moved := slices.Clone(x)
		for i := range moved {
			moved[i] += 1024
		}
		f, _ := HodgesLehmann(moved, y, 0.9)
		return near(f.Estimate, e.Estimate+1024, 1e-9)
	})
}

func TestMannWhitneyEdges(t *testing.T) {
	same, err := MannWhitney([]float64{1, 1, 1}, []float64{1, 1})
	if err != nil || same.P != 1 {
		t.Errorf("all equal: %+v, %v", same, err)
	}
	many := make([]float64, 50)
	if all, err := MannWhitney(many, many); err != nil || all.P != 1 || all.Exact {
		t.Errorf("100 equal values: %+v, %v", all, err)
	}
	for _, bad := range [][]float64{nil, {math.NaN()}, {math.Inf(-1)}} {
		if _, err := MannWhitney(bad, []float64{1}); err == nil {
			t.Errorf("%v must be refused", bad)
		}
	}
	// 30 a side still counts exactly, and the two methods agree there.
	x, y := make([]float64, 30), make([]float64, 30)
	rng := rand.New(rand.NewPCG(3, 3))
	for i := range x {
		x[i], y[i] = rng.Float64(), rng.Float64()+0.15
	}
	e, n := mannWhitneyExact(x, y), mannWhitneyNormal(x, y)
	if math.Abs(e.P-n.P) > 0.005 {
		t.Errorf("exact %v, normal %v", e.P, n.P)
	}
}

func TestAdjustReference(t *testing.T) {
	for _, c := range reference[struct {
		Cases []struct{ P, Holm, BH []float64 }
	}](t, "p_adjust.json").Cases {
		holm, bh := Holm(c.P), BenjaminiHochberg(c.P)
		for i := range c.P {
			expect(t, "Holm", holm[i], c.Holm[i])
			expect(t, "BH", bh[i], c.BH[i])
		}
	}
	got := Holm([]float64{0.04, math.NaN(), 0.01})
	if !near(got[0], 0.04, 1e-12) || !math.IsNaN(got[1]) || !near(got[2], 0.02, 1e-12) {
		t.Errorf("with a NaN: %v", got)
	}
	if got := Holm(nil); len(got) != 0 {
		t.Errorf("empty: %v", got)
	}
}
