package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

type ttests struct {
	Welch []struct {
		X, Y string
		T    float64   `json:"t"`
		DF   float64   `json:"df"`
		P    float64   `json:"p_two_sided"`
		CI   []float64 `json:"ci95_diff"`
	}
	Paired []struct {
		X, Y   string
		T      float64   `json:"t"`
		DF     float64   `json:"df"`
		P      float64   `json:"p"`
		CI     []float64 `json:"ci95"`
		V      float64   `json:"signed_rank_V"`
		VP     float64   `json:"signed_rank_p_exact"` // R's approximation: the sizes have ties
		Median float64   `json:"pseudo_median"`
	}
}

func TestWelchReference(t *testing.T) {
	all := samples(t)
	for _, c := range reference[ttests](t, "ttests.json").Welch {
		got, err := Welch(all[c.X], all[c.Y], 0.95)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, c.X+" t", got.T, c.T)
		expect(t, c.X+" df", got.DF, c.DF)
		expectPair(t, c.X, got.Difference.Interval, c.CI)
		if !near(got.P, c.P, 1e-7) {
			t.Errorf("%s: p = %v, want %v", c.X, got.P, c.P)
		}
	}
}

func TestPairedReference(t *testing.T) {
	all := samples(t)
	for _, c := range reference[ttests](t, "ttests.json").Paired {
		x, y := all[c.X], all[c.Y]
		got, err := PairedT(x, y, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, c.X+" t", got.T, c.T)
		expect(t, c.X+" p", got.P, c.P)
		expectPair(t, c.X, got.Difference.Interval, c.CI)
		d, _ := differences(x, y, 1)
		n := signedRankNormal(d)
		expect(t, c.X+" V", n.Statistic, c.V)
		expect(t, c.X+" V p", n.P, c.VP)
		e, err := PseudoMedian(d, 0.9)
		if err != nil || !near(e.Estimate, c.Median, 1e-3) || !e.Contains(e.Estimate) || e.Level < 0.9 {
			t.Errorf("%s: %+v, %v; want %v", c.X, e, err, c.Median) // R searches to 1e-4
		}
	}
}

// The signed-rank p value equals counting all signs, ties included.
func TestSignedRankByEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		d := make([]float64, 1+rng.IntN(9))
		for i := range d {
			d[i] = float64(1+rng.IntN(4)) * float64(1-2*rng.IntN(2))
		}
		ranks, v, _ := signedRanks(d)
		less, greater := 0.0, 0.0
		for set := range 1 << len(d) {
			s := 0
			for i, r := range ranks {
				if set>>i&1 == 1 {
					s += r
				}
			}
			if s <= v {
				less++
			}
			if s >= v {
				greater++
			}
		}
		got, total := signedRankExact(d), float64(int(1)<<len(d))
		if !near(got.Less, less/total, 1e-12) || !near(got.Greater, greater/total, 1e-12) {
			t.Fatalf("%v: %+v, want %v %v", d, got, less/total, greater/total)
		}
	}
}

func TestPairedEdges(t *testing.T) {
	if r, err := SignedRank([]float64{1, 2}, []float64{1, 2}); err != nil || r.P != 1 {
		t.Errorf("no differences: %+v, %v", r, err)
	}
	if _, err := SignedRank([]float64{1}, []float64{1, 2}); err == nil {
		t.Error("unequal numbers must be refused")
	}
	if _, err := SignedRank([]float64{math.MaxFloat64}, []float64{-math.MaxFloat64}); err == nil {
		t.Error("a difference beyond float64 must be refused")
	}
	for _, f := range []func(x, y []float64, level float64) (TTest, error){Welch, PairedT} {
		for _, c := range [][2][]float64{{nil, nil}, {{1}, {2}}, {{1, 1}, {2, 2}}, {{1, math.NaN()}, {1, 2}}} {
			if r, err := f(c[0], c[1], 0.95); err == nil {
				t.Errorf("%v: %+v", c, r)
			}
		}
		if _, err := f([]float64{1, 2}, []float64{2, 4}, 1); err == nil {
			t.Error("level 1 must be refused")
		}
	}
	e, err := PseudoMedian([]float64{1, 2, 3}, 0.95)
	if err == nil || e.Estimate != 2 || err.Error() != "3 values are too few for an interval of 95 %; it needs 6" {
		t.Errorf("three: %+v, %v", e, err)
	}
	big := make([]float64, 70)
	for i := range big {
		big[i] = float64(i)
	}
	if e, err := PseudoMedian(big, 0.95); err != nil || e.Estimate != 34.5 || e.Level < 0.94 {
		t.Errorf("seventy: %+v, %v", e, err)
	}
	if r, err := PairedRatio([]float64{2, 4, 8, 2, 4, 8}, []float64{1, 2, 4, 1, 2, 4}, 0.95); err != nil || !near(r.Estimate, 2, 1e-12) {
		t.Errorf("ratio: %+v, %v", r, err)
	}
	if _, err := PairedRatio([]float64{0, 1}, []float64{1, 1}, 0.95); err == nil {
		t.Error("a ratio of 0 must be refused")
	}
}

// By definition a ratio at an end of Fieller's interval is just significant.
func TestFieller(t *testing.T) {
	all := samples(t)
	x, y := all["base10"], all["cand10"]
	e, err := RatioOfMeans(x, y, 0.95)
	if err != nil || !e.Contains(e.Estimate) {
		t.Fatalf("%+v, %v", e, err)
	}
	nx, ny := float64(len(x)), float64(len(y))
	vx, vy, r := Variance(x)/nx, Variance(y)/ny, e.Estimate
	df := (vx + r*r*vy) * (vx + r*r*vy) / (vx*vx/(nx-1) + r*r*r*r*vy*vy/(ny-1))
	for _, end := range []float64{e.Low, e.High} {
		got := math.Abs(Mean(x)-end*Mean(y)) / math.Sqrt(vx+end*end*vy)
		expect(t, "t at the end", got, tQuantile(df, 0.95))
	}
	p, err := PairedRatioOfMeans(x, y, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []float64{p.Low, p.High} {
		scaled := make([]float64, len(y))
		for i := range y {
			scaled[i] = end * y[i]
		}
		got, err := PairedT(x, scaled, 0.95)
		if err != nil || !near(got.P, 0.05, 1e-6) {
			t.Errorf("p at the end %v: %v, %v", end, got.P, err)
		}
	}
	inverse, _ := RatioOfMeans(y, x, 0.95)
	if !near(inverse.Estimate*e.Estimate, 1, 1e-12) {
		t.Error("swapping must invert the ratio")
	}
	for _, c := range [][2][]float64{{{1, 2}, {-1, 1}}, {{1, 2}, {-5, 7}}, {nil, {1, 2}}, {{1}, {1}}, {{1, math.Inf(1)}, {1, 2}}} {
		if e, err := RatioOfMeans(c[0], c[1], 0.95); err == nil {
			t.Errorf("%v: %+v", c, e)
		}
	}
	if e, err := RatioOfMeans([]float64{4, 4}, []float64{2, 2}, 0.95); err != nil || e.Low != 2 || e.High != 2 {
		t.Errorf("no spread: %+v, %v", e, err)
	}
}

func TestEffectReference(t *testing.T) {
	all := samples(t)
	for _, c := range reference[struct {
		Cases []struct {
			X, Y  string
			D     float64 `json:"cohens_d_pooled"`
			G     float64 `json:"hedges_g"`
			Cliff float64 `json:"cliffs_delta"`
			A12   float64
		}
	}](t, "effect_sizes.json").Cases {
		got, err := Effects(all[c.X], all[c.Y])
		if err != nil {
			t.Fatal(err)
		}
		expect(t, c.X+" d", got.CohensD, c.D)
		expect(t, c.X+" g", got.HedgesG, c.G)
		expect(t, c.X+" delta", got.CliffsDelta, c.Cliff)
		expect(t, c.X+" A12", got.A12, c.A12)
	}
	e, err := Effects([]float64{1, 1}, []float64{2, 2})
	if err != nil || !math.IsNaN(e.CohensD) || e.CliffsDelta != -1 {
		t.Errorf("no spread: %+v, %v", e, err)
	}
	if _, err := Effects([]float64{1}, []float64{1, 2}); err == nil {
		t.Error("one value must be refused")
	}
	for d, want := range map[float64]string{0: "negligible", -0.2: "small", 0.4: "medium", -1: "large"} {
		if got, err := Magnitude(d); got != want || err != nil {
			t.Errorf("%v is %s, %v; want %s", d, got, err, want)
		}
	}
	if _, err := Magnitude(1.1); err == nil {
		t.Error("1.1 is no Cliff's delta")
	}
}

func TestGroupsReference(t *testing.T) {
	all := samples(t)
	r := reference[struct {
		Kruskal []struct {
			Groups []string
			H      float64 `json:"kruskal_H"`
			DF, P  float64
		}
		Friedman struct {
			Blocks      [][]float64
			Chi2, DF, P float64
		}
	}](t, "k_groups.json")
	for _, c := range r.Kruskal {
		var groups [][]float64
		for _, g := range c.Groups {
			groups = append(groups, all[g])
		}
		got, err := KruskalWallis(groups...)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "H", got.Statistic, c.H)
		expect(t, "df", got.DF, c.DF)
		expect(t, "p", got.P, c.P)
	}
	got, err := Friedman(r.Friedman.Blocks)
	if err != nil {
		t.Fatal(err)
	}
	expect(t, "chi2", got.Statistic, r.Friedman.Chi2)
	expect(t, "p", got.P, r.Friedman.P)
	for _, groups := range [][][]float64{nil, {{1}}, {{1, 1}, {1}}, {{1}, {}}, {{1}, {math.NaN()}}} {
		if got, err := KruskalWallis(groups...); err == nil {
			t.Errorf("%v: %+v", groups, got)
		}
	}
	for _, blocks := range [][][]float64{nil, {{1, 2}}, {{1, 2}, {1}}, {{1, 1}, {1, 1}}, {{}, {}}, {{1, 2}, {1, math.NaN()}}} {
		if got, err := Friedman(blocks); err == nil {
			t.Errorf("%v: %+v", blocks, got)
		}
	}
}
