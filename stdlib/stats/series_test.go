package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestAutocorrelationReference(t *testing.T) {
	for _, c := range reference[struct {
		Cases []struct {
			Series   string
			X, ACF   []float64
			Lag1     []float64 `json:"ljung_box_lag1"`
			Lag      int       `json:"ljung_box_lag"`
			LB       []float64 `json:"ljung_box"`
			Spearman float64   `json:"spearman_lag1"`
		}
	}](t, "autocorrelation.json").Cases {
		acf, err := Autocorrelation(c.X, len(c.ACF)-1)
		if err != nil {
			t.Fatal(err)
		}
		for i := range acf {
			expect(t, c.Series+" acf", acf[i], c.ACF[i])
		}
		for lags, want := range map[int][]float64{1: c.Lag1, c.Lag: c.LB} {
			got, err := LjungBox(c.X, lags)
			if err != nil {
				t.Fatal(err)
			}
			expect(t, c.Series+" Q", got.Statistic, want[0])
			expect(t, c.Series+" p", got.P, want[1])
		}
		rho, err := LagSpearman(c.X)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, c.Series+" Spearman", rho, c.Spearman)
	}
}

func TestEffectiveSize(t *testing.T) {
	// An autoregression with coefficient phi is worth n (1-phi)/(1+phi).
	rng := rand.New(rand.NewPCG(5, 5))
	xs := make([]float64, 10000)
	for i := 1; i < len(xs); i++ {
		xs[i] = 0.5*xs[i-1] + rng.NormFloat64()
	}
	if got, err := EffectiveSize(xs); err != nil || !near(got, 10000.0/3, 0.15) {
		t.Errorf("AR(0.5): %v, %v", got, err)
	}
	if got, err := BlockLength(xs); err != nil || got < 4 || got > 12 {
		t.Errorf("block of AR(0.5): %v, %v", got, err)
	}
	if got, err := EffectiveSize([]float64{1, 2, 1, 2, 1, 2, 1, 2}); err != nil || got != 8 {
		t.Errorf("alternating: %v, %v", got, err)
	}
	for _, bad := range [][]float64{nil, {1, 2}, {1, 1, 1}, {1, 2, math.NaN()}} {
		if got, err := EffectiveSize(bad); err == nil {
			t.Errorf("%v: %v", bad, got)
		}
		if got, err := BlockLength(bad); err == nil {
			t.Errorf("%v: block %v", bad, got)
		}
		if got, err := LagSpearman(bad); err == nil {
			t.Errorf("%v: Spearman %v", bad, got)
		}
	}
	for _, lags := range []int{-1, 0, 3} {
		if _, err := LjungBox([]float64{1, 2, 3}, lags); err == nil {
			t.Errorf("%d lags of 3 values", lags)
		}
	}
}

func TestMSERReference(t *testing.T) {
	for _, c := range reference[struct {
		Cases []struct {
			Name      string
			X         []float64
			Batch     int
			Truncate  int `json:"truncate_samples"`
			Statistic float64
			Limit     bool `json:"hit_limit"`
		}
	}](t, "mser5.json").Cases {
		got, err := MSER(c.X, c.Batch)
		if err != nil {
			t.Fatal(err)
		}
		if got.Values != c.Truncate || got.TooShort != c.Limit || math.Abs(got.Statistic-c.Statistic) > 1e-9*math.Max(1, c.Statistic) {
			t.Errorf("%s: %+v, want %d %v %v", c.Name, got, c.Truncate, c.Statistic, c.Limit)
		}
	}
	for _, bad := range []struct {
		xs    []float64
		batch int
	}{{nil, 5}, {make([]float64, 19), 5}, {make([]float64, 20), 0}, {append(make([]float64, 20), math.NaN()), 5}} {
		if got, err := MSER(bad.xs, bad.batch); err == nil {
			t.Errorf("%v: %+v", bad, got)
		}
	}
	if got, err := MSER(make([]float64, 20), 5); err != nil || got.Values != 0 || got.TooShort {
		t.Errorf("all equal: %+v, %v", got, err)
	}
}

func TestChangePointReference(t *testing.T) {
	for _, c := range reference[struct {
		Cases []struct {
			Name    string
			X       []float64
			Cost    string
			Penalty float64
			Starts  []int   `json:"changepoints_0based_start_of_new_segment"`
			Total   float64 `json:"total_cost"`
		}
	}](t, "changepoint.json").Cases {
		cost := MeanCost
		if c.Cost == "meanvar" {
			cost = MeanVarianceCost
		}
		got, err := ChangePoints(c.X, cost, c.Penalty)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, c.Name+" "+c.Cost, got.Cost, c.Total)
		if !slices.Equal(got.Starts, c.Starts) {
			t.Errorf("%s %s: %v, want %v", c.Name, c.Cost, got.Starts, c.Starts)
		}
	}
	if !near(WarmupPenalty(80), 65.73039952010822, 1e-12) {
		t.Error("penalty")
	}
	for _, bad := range []struct {
		xs      []float64
		penalty float64
	}{{nil, 1}, {[]float64{1, 2, 3}, 1}, {[]float64{1, 2, 3, math.Inf(1)}, 1}, {[]float64{1, 2, 3, 4}, -1}, {[]float64{1, 2, 3, 4}, math.NaN()}, {make([]float64, maxPartition+1), 1}} {
		if got, err := ChangePoints(bad.xs, MeanCost, bad.penalty); err == nil {
			t.Errorf("%d values, %v: %+v", len(bad.xs), bad.penalty, got)
		}
	}
	if got, err := ChangePoints(make([]float64, 10), MeanVarianceCost, 1); err != nil || len(got.Starts) != 0 {
		t.Errorf("all equal: %+v, %v", got, err)
	}
}

func TestMannKendall(t *testing.T) {
	up, err := MannKendall([]float64{1, 2, 3, 4, 5})
	if err != nil || up.S != 10 || up.Tau != 1 || !up.Exact || !near(up.P, 2.0/120, 1e-12) || up.Slope != 1 {
		t.Errorf("rising: %+v, %v", up, err)
	}
	down, _ := MannKendall([]float64{5, 4, 3, 2, 1})
	if down.S != -10 || down.P != up.P || down.Slope != -1 {
		t.Errorf("falling: %+v", down)
	}
	flat, err := MannKendall([]float64{3, 3, 3})
	if err != nil || flat.P != 1 || flat.Slope != 0 {
		t.Errorf("flat: %+v, %v", flat, err)
	}
	// All orders of 6 values: the exact p is the share that is as extreme.
	ranks := []float64{0, 1, 2, 3, 4, 5}
	var every []Trend
	permute(ranks, 0, func(xs []float64) {
		r, err := MannKendall(xs)
		if err != nil {
			t.Fatal(err)
		}
		every = append(every, r)
	})
	for _, r := range every[:100] {
		n := 0.0
		for _, other := range every {
			if math.Abs(other.S) >= math.Abs(r.S) {
				n++
			}
		}
		if want := n / float64(len(every)); r.S != 0 && !near(r.P, want, 1e-12) {
			t.Fatalf("S %v: p %v, want %v", r.S, r.P, want)
		}
	}
	// For more values the approximation is near.
	rng := rand.New(rand.NewPCG(6, 6))
	xs := make([]float64, 40)
	for i := range xs {
		xs[i] = rng.Float64() + float64(i)/150
	}
	exact, _ := MannKendall(xs)
	variance := float64(40*39*85) / 18
	if z := normalRankTest(exact.S/2, 0, math.Sqrt(variance)/2, false); math.Abs(z.P-exact.P) > 0.003 {
		t.Errorf("exact %v, normal %v", exact.P, z.P)
	}
	for _, bad := range [][]float64{nil, {1, 2}, {1, 2, math.NaN()}, make([]float64, maxSeries+1)} {
		if got, err := MannKendall(bad); err == nil {
			t.Errorf("%d values: %+v", len(bad), got)
		}
	}
}

func permute(xs []float64, i int, f func([]float64)) {
	if i == len(xs) {
		f(xs)
		return
	}
	for j := i; j < len(xs); j++ {
		xs[i], xs[j] = xs[j], xs[i]
		permute(xs, i+1, f)
		xs[i], xs[j] = xs[j], xs[i]
	}
}
