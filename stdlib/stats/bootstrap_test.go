package stats

import (
	"math"
	"runtime"
	"slices"
	"testing"
)

// exact is a case of bootstrap_exact.json: all n^n resamples, no chance.
type exact struct {
	Dataset, Stat string
	Theta         float64
	MeanOfBoot    float64   `json:"mean_of_boot"`
	SD            float64   `json:"sd_of_boot"`
	Percentile    []float64 `json:"percentile_ci"`
	Z0            float64   `json:"z0_midp"`
	Acceleration  float64   `json:"acceleration"`
	BCa           []float64 `json:"bca_ci"`
}

var statistics = map[string]func([]float64) float64{
	"mean": Mean, "median": Median, "geomean": GeoMean,
	"best_half_floor_lower": func(xs []float64) float64 { return BestMean(xs, Half(len(xs)), false) },
}

// enumerate evaluates f on all n^n resamples of xs.
func enumerate(xs []float64, f func(resample []float64, times []int) float64) []float64 {
	n := len(xs)
	var out []float64
	resample, times, digits := make([]float64, n), make([]int, n), make([]int, n)
	for {
		clear(times)
		for i, d := range digits {
			resample[i] = xs[d]
			times[d]++
		}
		out = append(out, f(resample, times))
		i := 0
		for i < n && digits[i] == n-1 {
			digits[i] = 0
			i++
		}
		if i == n {
			return out
		}
		digits[i]++
	}
}

func TestBootstrapByEnumeration(t *testing.T) {
	all := samples(t)
	for _, c := range reference[struct{ Cases []exact }](t, "bootstrap_exact.json").Cases {
		xs, f, name := all[c.Dataset], statistics[c.Stat], c.Dataset+" "+c.Stat
		values := enumerate(xs, func(resample []float64, _ []int) float64 { return f(resample) })
		expect(t, name, f(xs), c.Theta)
		expect(t, name+" mean", Mean(values), c.MeanOfBoot)
		iv, err := PercentileInterval(values, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		expectPair(t, name+" percentile", iv, c.Percentile)
		if got := bias(values, c.Theta); math.Abs(got-c.Z0) > 1e-9 {
			t.Errorf("%s: z0 = %v, want %v", name, got, c.Z0)
		}
		jack := Jackknife(xs, f)
		if got := acceleration(jack); math.Abs(got-c.Acceleration) > 1e-9 {
			t.Errorf("%s: acceleration = %v, want %v", name, got, c.Acceleration)
		}
		bca, err := BCaInterval(values, c.Theta, jack, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		expectPair(t, name+" BCa", bca, c.BCa)
	}
}

// Selecting by counts is selecting from the list: Kept.Mean of every resample
// is the best-half mean of its values.
func TestKeptByEnumeration(t *testing.T) {
	xs := samples(t)["five"]
	for _, higher := range []bool{false, true} {
		kept, err := NewKept(xs, 2, higher)
		if err != nil {
			t.Fatal(err)
		}
		enumerate(xs, func(resample []float64, times []int) float64 {
			if got, want := kept.Mean(xs, times), BestMean(resample, 2, higher); !near(got, want, 1e-12) {
				t.Fatalf("%v: %v, want %v", times, got, want)
			}
			if got := ResampledMean(xs, times); !near(got, Mean(resample), 1e-12) {
				t.Fatalf("mean %v", got)
			}
			if got := ResampledMax(xs, times); got != Max(resample) {
				t.Fatalf("max %v", got)
			}
			return 0
		})
	}
}

// Random resamples come near to all resamples.
func TestBootstrapNearEnumeration(t *testing.T) {
	all := samples(t)
	for _, c := range reference[struct{ Cases []exact }](t, "bootstrap_exact.json").Cases {
		if c.Stat != "mean" && c.Stat != "best_half_floor_lower" {
			continue
		}
		xs := all[c.Dataset]
		k := len(xs)
		if c.Stat != "mean" {
			k = Half(k)
		}
		kept, _ := NewKept(xs, k, false)
		values, err := Bootstrap{Runs: []int{len(xs)}, Resamples: 20000, Seed: 1}.Values(func() Statistic {
			return func(times [][]int) float64 { return kept.Mean(xs, times[0]) }
		})
		if err != nil {
			t.Fatal(err)
		}
		if width := c.Percentile[1] - c.Percentile[0]; math.Abs(Mean(values)-c.MeanOfBoot) > 0.03*width || !near(StdDev(values), c.SD, 0.03) {
			t.Errorf("%s %s: mean %v, sd %v; want %+v", c.Dataset, c.Stat, Mean(values), StdDev(values), c)
		}
		// The values are few and far apart, so what must be near is not the
		// end of the interval, but its share of all resamples.
		iv, _ := PercentileInterval(values, 0.95)
		every := enumerate(xs, func(_ []float64, times []int) float64 { return kept.Mean(xs, times) })
		for end, share := range map[float64]float64{iv.Low: 0.025, iv.High: 0.975} {
			below, upTo := 0.0, 0.0
			for _, v := range every {
				if v < end-1e-12 {
					below++
				}
				if v <= end+1e-12 {
					upTo++
				}
			}
			if n := float64(len(every)); below/n > share+0.004 || upTo/n < share-0.004 {
				t.Errorf("%s %s: end %v covers %v to %v, want %v", c.Dataset, c.Stat, end, below/n, upTo/n, share)
			}
		}
	}
}

// twoMetrics is (b.time - c.time) / c.time + b.cpu / c.cpu over the best half
// of ten runs a side.
func twoMetrics(t testing.TB) (Bootstrap, func() Statistic) {
	all := samples(t)
	b, c := all["base10"], all["cand10"]
	cpuB, cpuC := slices.Clone(b), slices.Clone(c)
	slices.Reverse(cpuB)
	keptB, err := NewKept(b, 5, false)
	if err != nil {
		t.Fatal(err)
	}
	keptC, _ := NewKept(c, 5, false)
	return Bootstrap{Runs: []int{10, 10}, Resamples: 10000, Seed: 1}, func() Statistic {
		m := make([]float64, 4)
		return func(times [][]int) float64 {
			m[0], m[1] = keptB.Mean(b, times[0]), keptC.Mean(c, times[1])
			m[2], m[3] = keptB.Mean(cpuB, times[0]), keptC.Mean(cpuC, times[1])
			return (m[0]-m[1])/m[1] + m[2]/m[3]
		}
	}
}

func TestBootstrapDeterministic(t *testing.T) {
	b, statistic := twoMetrics(t)
	want, err := b.Values(statistic)
	if err != nil {
		t.Fatal(err)
	}
	before := runtime.GOMAXPROCS(1)
	alone, _ := b.Values(statistic)
	runtime.GOMAXPROCS(7)
	crowd, _ := b.Values(statistic)
	runtime.GOMAXPROCS(before)
	if !slices.Equal(want, alone) || !slices.Equal(want, crowd) {
		t.Error("the values depend on the number of cores")
	}
	b.Stream = 1
	other, _ := b.Values(statistic)
	b.Stream, b.Seed = 0, 2
	another, _ := b.Values(statistic)
	if slices.Equal(want, other) || slices.Equal(want, another) || slices.Equal(other, another) {
		t.Error("streams or seeds share their values")
	}
	if slices.Equal(want[:blockSize], want[blockSize:2*blockSize]) {
		t.Error("blocks share their values")
	}
	small := testing.AllocsPerRun(3, func() { b.Resamples = 512; b.Values(statistic) })
	large := testing.AllocsPerRun(3, func() { b.Resamples = 5120; b.Values(statistic) })
	if large > small+20 { // one more worker, no more than that
		t.Errorf("%v allocations for 512 resamples, %v for 5120", small, large)
	}
}

func TestBootstrapErrors(t *testing.T) {
	zero := func() Statistic { return func([][]int) float64 { return 0 } }
	for _, b := range []Bootstrap{{Resamples: 1}, {Runs: []int{0}, Resamples: 1}, {Runs: []int{1}}, {Runs: []int{1}, Resamples: MaxResamples + 1}} {
		if _, err := b.Values(zero); err == nil {
			t.Errorf("%+v must be refused", b)
		}
	}
	for _, vs := range [][]float64{nil, {math.NaN()}, {1, math.Inf(1)}} {
		if _, err := PercentileInterval(vs, 0.95); err == nil {
			t.Errorf("interval of %v", vs)
		}
		if _, err := BCaInterval(vs, 1, []float64{1, 2}, 0.95); err == nil {
			t.Errorf("BCa of %v", vs)
		}
	}
	for name, f := range map[string]func() (Interval, error){
		"equal values":    func() (Interval, error) { return BCaInterval([]float64{1, 1}, 1, []float64{1, 2}, 0.95) },
		"estimate beyond": func() (Interval, error) { return BCaInterval([]float64{1, 2}, 9, []float64{1, 2}, 0.95) },
		"flat jackknife":  func() (Interval, error) { return BCaInterval([]float64{1, 2}, 1.5, []float64{1, 1, 1}, 0.95) },
		"no jackknife":    func() (Interval, error) { return BCaInterval([]float64{1, 2}, 1.5, nil, 0.95) },
	} {
		if iv, err := f(); err == nil {
			t.Errorf("%s: %v", name, iv)
		}
	}
	for _, k := range []int{0, 3} {
		if _, err := NewKept([]float64{1, 2}, k, false); err == nil {
			t.Errorf("keeping %d of 2", k)
		}
	}
	if _, err := NewKept([]float64{math.NaN()}, 1, false); err == nil {
		t.Error("a NaN as key")
	}
	if got := ResampledRatio([]float64{0}, []float64{0}, []int{1}); !math.IsNaN(got) {
		t.Errorf("0 of 0 = %v", got)
	}
	if got := ResampledRatio([]float64{1, 5}, []float64{10, 10}, []int{2, 0}); got != 0.1 {
		t.Errorf("ratio = %v", got)
	}
}

// 10,000 resamples of one comparison; a thousand of them are to take under 5 s
// on two cores, so 5 ms each.
func BenchmarkBootstrap(b *testing.B) {
	boot, statistic := twoMetrics(b)
	for b.Loop() {
		boot.Stream++
		values, err := boot.Values(statistic)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := PercentileInterval(values, 0.95); err != nil {
			b.Fatal(err)
		}
	}
}

func TestTrimmedInsideResamples(t *testing.T) {
	values := []float64{5, 1, 4, 2, 3, 100}
	rule, err := NewTrimmed(values, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		times []int
		want  float64
	}{
		{[]int{1, 1, 1, 1, 1, 1}, 3.5},                      // 2 3 4 5
		{[]int{6, 0, 0, 0, 0, 0}, 5},                        // only 5
		{[]int{0, 3, 0, 0, 0, 3}, (1 + 1 + 100 + 100) / 4.}, // 1 1 [1] ... both ends cut once
		{[]int{0, 0, 0, 1, 0, 5}, 100},
	} {
		if got := rule.Mean(values, c.times); got != c.want {
			t.Errorf("%v: %v, want %v", c.times, got, c.want)
		}
	}
	for _, cut := range []int{-1, 3} {
		if _, err := NewTrimmed(values, cut); err == nil {
			t.Errorf("cutting %d of 6 at each end is no error", cut)
		}
	}
}
