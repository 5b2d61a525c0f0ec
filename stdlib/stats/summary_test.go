package stats

import (
	"math"
	"slices"
	"strconv"
	"testing"
	"testing/quick"
)

func TestQuantileReference(t *testing.T) {
	all := samples(t)
	for _, r := range rows(t, "quantiles.csv") {
		xs, ok := all[r["dataset"]]
		if !ok {
			t.Fatal(r["dataset"])
		}
		p := num(t, r["p"])
		expect(t, r["dataset"]+" type 7 at "+r["p"], Quantile(xs, p), num(t, r["type7"]))
		if p > 0 {
			expect(t, r["dataset"]+" nearest rank at "+r["p"], NearestRank(xs, p), num(t, r["nearest_rank_ceil"]))
		}
	}
}

func TestRank(t *testing.T) {
	for _, c := range []struct {
		n    int
		p    float64
		want int
	}{{100, 0.07, 7}, {100, 0.29, 29}, {10, 0.54, 6}, {1, 0.5, 1}, {1000, 0.999, 999}, {10, 1, 10}, {1e9, 0.999999999, 999999999}} {
		if got := Rank(c.n, c.p); got != c.want {
			t.Errorf("Rank(%d, %v) = %d, want %d", c.n, c.p, got, c.want)
		}
	}
}

func TestGeoMeanReference(t *testing.T) {
	for _, c := range reference[struct {
		Cases []struct {
			Name                     string
			X                        []float64
			Geomean, Arith, Harmonic float64
			SdLog                    float64   `json:"sd_log"`
			CI                       []float64 `json:"ci95_log_t"`
		}
	}](t, "geomean.json").Cases {
		expect(t, c.Name+" geometric", GeoMean(c.X), c.Geomean)
		expect(t, c.Name+" arithmetic", Mean(c.X), c.Arith)
		expect(t, c.Name+" harmonic", HarmonicMean(c.X), c.Harmonic)
		expect(t, c.Name+" sd of logs", StdDev(logs(c.X)), c.SdLog)
		iv, err := GeoMeanInterval(c.X, 0.95)
		if c.CI == nil {
			if err == nil {
				t.Errorf("%s: interval %v from %d values", c.Name, iv, len(c.X))
			}
			continue
		}
		expectPair(t, c.Name, iv, c.CI)
	}
}

func TestBestHalfReference(t *testing.T) {
	all := samples(t)
	for _, c := range reference[struct {
		Cases []struct {
			Dataset, Better, Rounding string
			N, Kept                   int
			Value                     float64
		}
	}](t, "best_half.json").Cases {
		xs := all[c.Dataset]
		if xs == nil { // "10..70" is 10, 20, ..., 70
			for i := range c.N {
				xs = append(xs, float64(10*(i+1)))
			}
		}
		if c.Rounding == "floor" && Half(c.N) != c.Kept {
			t.Errorf("Half(%d) = %d, want %d", c.N, Half(c.N), c.Kept)
		}
		expect(t, c.Dataset, BestMean(xs, c.Kept, c.Better == "higher"), c.Value)
	}
}

// Every summary is NaN, and no more, for what it can't summarise.
func TestBadInput(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	functions := map[string]func([]float64) float64{
		"Mean": Mean, "Variance": Variance, "StdDev": StdDev, "GeoMean": GeoMean, "HarmonicMean": HarmonicMean,
		"Min": Min, "Max": Max, "Median": Median,
		"Quantile":    func(xs []float64) float64 { return Quantile(xs, 0.9) },
		"NearestRank": func(xs []float64) float64 { return NearestRank(xs, 0.9) },
		"BestMean":    func(xs []float64) float64 { return BestMean(xs, 1, false) },
	}
	for name, f := range functions {
		for _, xs := range [][]float64{nil, {nan}, {1, nan}, {inf}, {-inf, inf}, {1, inf}} {
			if got := f(xs); !math.IsNaN(got) {
				t.Errorf("%s(%v) = %v", name, xs, got)
			}
		}
		if got := f([]float64{3, 3, 3, 3}); !near(got, 3, 1e-12) && got != 0 {
			t.Errorf("%s of equal values = %v", name, got)
		}
	}
	for name, got := range map[string]float64{
		"StdDev of one": StdDev([]float64{1}), "GeoMean of 0": GeoMean([]float64{0, 1}), "GeoMean of a negative": GeoMean([]float64{-1, 1}),
		"quantile 1.1": Quantile([]float64{1}, 1.1), "quantile NaN": Quantile([]float64{1}, nan), "rank 0": NearestRank([]float64{1}, 0),
		"best 0": BestMean([]float64{1}, 0, false), "best 2 of 1": BestMean([]float64{1}, 2, false),
	} {
		if !math.IsNaN(got) {
			t.Errorf("%s = %v, want NaN", name, got)
		}
	}
	if got := Mean([]float64{1e308, 1.2e308, 1.4e308}); !near(got, 1.2e308, 1e-12) {
		t.Errorf("mean of huge values = %v", got)
	}
}

// positives makes a sample of 1 to 12 positive values of very different size.
func positives(raw []uint16) []float64 {
	xs := []float64{1}
	for _, r := range raw[:min(len(raw), 11)] {
		xs = append(xs, float64(r%1000+1)*math.Pow(10, float64(r%7)))
	}
	return xs
}

func TestSummaryProperties(t *testing.T) {
	check := func(name string, f any) {
		t.Helper()
		if err := quick.Check(f, nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	check("harmonic <= geometric <= arithmetic", func(raw []uint16) bool {
		xs := positives(raw)
		return HarmonicMean(xs) <= GeoMean(xs)*(1+1e-12) && GeoMean(xs) <= Mean(xs)*(1+1e-12)
	})
	check("best low <= mean <= best high", func(raw []uint16) bool {
		xs := positives(raw)
		k := Half(len(xs))
		return BestMean(xs, k, false) <= Mean(xs)*(1+1e-12) && Mean(xs) <= BestMean(xs, k, true)*(1+1e-12)
	})
	check("quantiles rise with p", func(raw []uint16, p, q float64) bool {
		xs := positives(raw)
		p, q = math.Abs(math.Mod(p, 1)), math.Abs(math.Mod(q, 1))
		return (p <= q) == (Quantile(xs, p) <= Quantile(xs, q)) || Quantile(xs, p) == Quantile(xs, q)
	})
	check("scale, order, and the caller's slice", func(raw []uint16) bool {
		xs := positives(raw)
		before := slices.Clone(xs)
		reversed, scaled := slices.Clone(xs), slices.Clone(xs)
		slices.Reverse(reversed)
		for i := range scaled {
			scaled[i] *= 4 // a power of 2, so that nothing is rounded
		}
		for _, f := range []func([]float64) float64{Mean, Median, GeoMean, StdDev, Min, Max} {
			a := f(xs)
			if !near(f(reversed), a, 1e-12) || !near(f(scaled), 4*a, 1e-12) {
				return false
			}
		}
		return slices.Equal(xs, before)
	})
}

func TestOrderStatisticReference(t *testing.T) {
	for _, r := range rows(t, "order_stat_ci.csv") {
		n, _ := strconv.Atoi(r["n"])
		q, level := num(t, r["q"]), num(t, r["confidence"])
		got, err := QuantileRanks(n, q, level)
		if err != nil {
			t.Fatal(err)
		}
		if got.Low != int(num(t, r["lo_rank_1based"])) || got.High != int(num(t, r["hi_rank_1based"])) {
			t.Errorf("n=%d q=%v level=%v: ranks %d, %d; want %s, %s", n, q, level, got.Low, got.High, r["lo_rank_1based"], r["hi_rank_1based"])
		}
		if !near(got.Coverage, num(t, r["coverage_exact"]), 1e-9) {
			t.Errorf("n=%d q=%v level=%v: coverage %v, want %s", n, q, level, got.Coverage, r["coverage_exact"])
		}
	}
	for _, r := range rows(t, "min_samples_for_quantile.csv") {
		want := int(num(t, r["n_two_sided_ci_exists"]))
		if got := MinValues(num(t, r["q"]), num(t, r["confidence"])); got != want {
			t.Errorf("MinValues(%s, %s) = %d, want %d", r["q"], r["confidence"], got, want)
		}
	}
}

// The early stopping of MLPerf's LoadGen asks how many queries there must be
// before a percentile is known from above, when so many took longer: the upper
// rank of ours leaves as many values above it, and with one query less it does not.
func TestQuantileRanksAgainstLoadGen(t *testing.T) {
	for _, r := range rows(t, "mlperf_min_queries.csv") {
		q, over, n := num(t, r["percentile"]), int(num(t, r["overlatency_t"])), int(num(t, r["min_total_n"]))
		level := 2*num(t, r["confidence"]) - 1 // both tails
		for _, c := range []struct {
			n     int
			known bool
		}{{n, true}, {n - 1, false}} {
			got, err := QuantileRanks(c.n, q, level)
			if err != nil {
				t.Fatal(err)
			}
			if (got.High <= c.n-over) != c.known {
				t.Errorf("p=%v t=%d n=%d: the upper rank is %d", q, over, c.n, got.High)
			}
		}
	}
}

func TestMedianInterval(t *testing.T) {
	six := samples(t)["six"]
	iv, err := MedianInterval(six, 0.95)
	if err != nil || iv.Low != Min(six) || iv.High != Max(six) || !near(iv.Level, 0.96875, 1e-9) {
		t.Errorf("six: %+v, %v", iv, err)
	}
	if _, err := MedianInterval(six[:5], 0.95); err == nil || err.Error() != "5 values are too few for an interval of 95 %; it needs 6" {
		t.Errorf("five: %v", err)
	}
	for _, level := range []float64{0, 1, -1, math.NaN()} {
		if _, err := MedianInterval(six, level); err == nil {
			t.Errorf("level %v must be refused", level)
		}
	}
	if _, err := MedianInterval([]float64{1, math.NaN()}, 0.95); err == nil {
		t.Error("NaN must be refused")
	}
	if _, err := QuantileRanks(10, 1, 0.95); err == nil {
		t.Error("quantile 1 must be refused")
	}
}
