package stats

import (
	"math"
	"slices"
	"strconv"
	"testing"
)

func TestOutlierReference(t *testing.T) {
	all := samples(t)
	for _, c := range reference[struct {
		Cases []struct {
			Dataset string
			Q       []float64 `json:"q1_q3_type7"`
			Inner   []float64 `json:"tukey_inner"`
			Outer   []float64 `json:"tukey_outer"`
			Median  float64
			MAD     float64   `json:"mad_raw"`
			Z       []float64 `json:"modified_z"`
			Marked  []float64 `json:"modified_z_gt_3_5"`
		}
	}](t, "outliers.json").Cases {
		xs := all[c.Dataset]
		f, err := TukeyFences(xs)
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range []float64{f.Q1, f.Q3} {
			expect(t, c.Dataset+" quartile", got, c.Q[i])
		}
		expectPair(t, c.Dataset+" inner", Interval{f.InnerLow, f.InnerHigh, 0}, c.Inner)
		expectPair(t, c.Dataset+" outer", Interval{f.OuterLow, f.OuterHigh, 0}, c.Outer)
		expect(t, c.Dataset+" MAD", MAD(xs), c.MAD)
		z, err := ModifiedZ(xs)
		if err != nil {
			t.Fatal(err)
		}
		var marked []float64
		for i := range z {
			expect(t, c.Dataset+" z", z[i], c.Z[i])
			if math.Abs(z[i]) > ModifiedZLimit {
				marked = append(marked, xs[i])
			}
		}
		if !slices.Equal(marked, c.Marked) {
			t.Errorf("%s: marked %v, want %v", c.Dataset, marked, c.Marked)
		}
	}
	if _, err := ModifiedZ([]float64{1, 1, 1, 9}); err == nil {
		t.Error("a MAD of 0 must be an error")
	}
	if _, err := TukeyFences([]float64{1, 2, 3}); err == nil {
		t.Error("three values must be refused")
	}
	if !math.IsNaN(MAD(nil)) {
		t.Error("MAD of nothing")
	}
}

func TestSampleSizeReference(t *testing.T) {
	all := samples(t)
	for _, c := range reference[struct {
		Cases []struct {
			Dataset string
			Rel     float64 `json:"rel_error"`
			N       int     `json:"n_needed"`
		}
	}](t, "sample_size.json").Cases {
		if got, err := RunsFor(all[c.Dataset], c.Rel, 0.95); err != nil || got != c.N {
			t.Errorf("%s at %v: %d, %v; want %d", c.Dataset, c.Rel, got, err, c.N)
		}
	}
	if got, err := RunsFor([]float64{2, 2}, 0.01, 0.95); err != nil || got != 1 {
		t.Errorf("no spread: %d, %v", got, err)
	}
	for _, bad := range []struct {
		xs  []float64
		rel float64
	}{{nil, 0.1}, {[]float64{1}, 0.1}, {[]float64{-1, 1}, 0.1}, {[]float64{1, 2}, 0}, {[]float64{1, 2}, math.NaN()}, {[]float64{1, 2}, 1e-9}} {
		if got, err := RunsFor(bad.xs, bad.rel, 0.95); err == nil {
			t.Errorf("%v: %d", bad, got)
		}
	}
}

// The cases of Newcombe (1998), table I, to four decimals.
func TestProportions(t *testing.T) {
	for _, c := range []struct {
		k, n          int64
		wilson, exact []float64
	}{
		{81, 263, []float64{.2553, .3662}, []float64{.2527, .3676}},
		{15, 148, []float64{.0624, .1605}, []float64{.0578, .1617}},
		{0, 20, []float64{0, .1611}, []float64{0, .1684}},
		{1, 29, []float64{.0061, .1718}, []float64{.0009, .1776}},
	} {
		w, err := Wilson(c.k, c.n, 0.95)
		e, err2 := ClopperPearson(c.k, c.n, 0.95)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		for _, p := range [][2]float64{{w.Low, c.wilson[0]}, {w.High, c.wilson[1]}, {e.Low, c.exact[0]}, {e.High, c.exact[1]}} {
			if math.Abs(p[0]-p[1]) > 6e-5 {
				t.Errorf("%d of %d: %v, want %v", c.k, c.n, p[0], p[1])
			}
		}
	}
	if iv, err := ClopperPearson(0, 1e9, 0.95); err != nil || !near(iv.High, 3.6889e-9, 1e-3) {
		t.Errorf("0 of a billion: %v, %v", iv, err)
	}
	if iv, err := Wilson(5, 5, 0.95); err != nil || iv.High != 1 || iv.Low <= 0.5 {
		t.Errorf("5 of 5: %v, %v", iv, err)
	}
	for _, bad := range [][2]int64{{0, 0}, {-1, 5}, {6, 5}} {
		if _, err := Wilson(bad[0], bad[1], 0.95); err == nil {
			t.Errorf("%v must be refused", bad)
		}
		if _, err := ClopperPearson(bad[0], bad[1], 0.95); err == nil {
			t.Errorf("%v must be refused", bad)
		}
	}
}

func TestKaliberaJonesReference(t *testing.T) {
	r := reference[struct {
		Two struct {
			Data    [][]float64
			Mean    float64
			S1      float64 `json:"S1_sq"`
			S2      float64 `json:"S2_sq"`
			T1      float64 `json:"T1_sq"`
			T2      float64 `json:"T2_sq"`
			CI      []float64
			Optimal []struct {
				Execution float64 `json:"cost_execution"`
				Iteration float64 `json:"cost_iteration"`
				Unrounded float64
			} `json:"optimal_reps_level1"`
		} `json:"two_level"`
		Three struct {
			Data    [][][]float64
			Reps    []int `json:"reps_high_to_low"`
			Mean    float64
			S       []float64 `json:"S_sq"`
			T       []float64 `json:"T_sq"`
			CI      []float64 `json:"ci95"`
			Optimal []struct {
				Level     int
				Costs     []float64 `json:"costs_low_to_high"`
				Unrounded float64
			}
		} `json:"three_level"`
	}](t, "kalibera_jones.json")
	two, err := KaliberaJones(slices.Concat(r.Two.Data...), []int{5, 4}, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "mean", two.Mean.Estimate, r.Two.Mean)
	expectPair(t, "mean", two.Mean.Interval, r.Two.CI)
	for i, want := range [][2]float64{{r.Two.S1, r.Two.T1}, {r.Two.S2, r.Two.T2}} {
		expect(t, "S²", two.S2[i], want[0])
		expect(t, "T²", two.T2[i], want[1])
	}
	for _, o := range r.Two.Optimal {
		got, err := two.Repetitions([]float64{o.Iteration, o.Execution})
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "repetitions", got[0], o.Unrounded)
	}
	var flat []float64
	for _, d := range r.Three.Data {
		flat = append(flat, slices.Concat(d...)...)
	}
	three, err := KaliberaJones(flat, r.Three.Reps, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "mean of three", three.Mean.Estimate, r.Three.Mean)
	expectPair(t, "mean of three", three.Mean.Interval, r.Three.CI)
	for i := range r.Three.S {
		expect(t, "S² of three", three.S2[i], r.Three.S[i])
		expect(t, "T² of three", three.T2[i], r.Three.T[i])
	}
	for _, o := range r.Three.Optimal {
		got, err := three.Repetitions(o.Costs)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "repetitions of three", got[o.Level-1], o.Unrounded)
	}
}

func TestKaliberaJonesEdges(t *testing.T) {
	for _, bad := range []struct {
		xs   []float64
		reps []int
	}{{nil, []int{2}}, {[]float64{1, 2}, nil}, {[]float64{1, 2}, []int{2, 2}}, {[]float64{1, 2, 3}, []int{3, 1}}, {[]float64{1, math.NaN()}, []int{2}}, {[]float64{1, 2}, []int{1 << 40, 1 << 40}}} {
		if got, err := KaliberaJones(bad.xs, bad.reps, 0.95); err == nil {
			t.Errorf("%v: %+v", bad, got)
		}
	}
	l := Levels{T2: []float64{-1, 2, 0}}
	got, err := l.Repetitions([]float64{1, 1, 1})
	if err != nil || got[0] != 1 || !math.IsInf(got[1], 1) {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := l.Repetitions([]float64{1}); err == nil {
		t.Error("one cost for three levels")
	}
	if _, err := l.Repetitions([]float64{1, 0, 1}); err == nil {
		t.Error("a cost of 0")
	}
}

// The quantiles of R that intervals rest on.
func TestDistributionReference(t *testing.T) {
	for _, r := range rows(t, "distribution_quantiles.csv") {
		p, want := num(t, r["p"]), num(t, r["quantile_R"])
		first, _ := strconv.Atoi(r["param1"])
		second, _ := strconv.Atoi(r["param2"])
		// qwilcox(p) is the smallest q with P(U <= q) >= p: the largest k with
		// P(U < k) < p. They differ where P(U < k) = p, which is 3 of 3 at 0.05.
		k := -1
		switch r["dist"] {
		case "t":
			if got := tQuantile(num(t, r["param1"]), 2*p-1); !near(got, want, 1e-9) {
				t.Errorf("t(%d) at %v = %v, want %v", first, p, got, want)
			}
			continue
		case "wilcox":
			k, _ = shiftRank(first, second, 1-2*p)
		case "signrank":
			k, _ = signedRankK(first, 1-2*p)
		default:
			continue
		}
		if first == 3 && p == 0.05 {
			want = 1
		}
		if float64(k) != want {
			t.Errorf("%s(%d, %d) at %v = %d, want %v", r["dist"], first, second, p, k, want)
		}
	}
}
