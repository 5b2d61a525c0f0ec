package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// sqrt(ln(40) / 2n), by hand; and 0.136 for 100 values at 95 %, as in textbooks.
func TestDKW(t *testing.T) {
	for n, want := range map[int]float64{1: 1, 100: 0.13581015, 10000: 0.013581015} {
		if got, err := DKW(n, 0.95); err != nil || math.Abs(got-want) > 1e-8 {
			t.Errorf("%d values: %v, %v; want %v", n, got, err, want)
		}
	}
	for _, bad := range []func() (float64, error){
		func() (float64, error) { return DKW(0, 0.95) }, func() (float64, error) { return DKW(5, 1) }, func() (float64, error) { return DKW(5, math.NaN()) },
	} {
		if _, err := bad(); err == nil {
			t.Error("no error")
		}
	}
}

// The band holds the true distribution function as often as it says.
func TestDKWCovers(t *testing.T) {
	const n, trials = 50, 2000
	rng := rand.New(rand.NewPCG(1, 2))
	eps, err := DKW(n, 0.95)
	if err != nil {
		t.Fatal(err)
	}
	outside := 0
	for range trials {
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = rng.Float64()
		}
		slices.Sort(xs)
		for i, x := range xs { // of uniform values, F(x) is x
			if math.Max(float64(i+1)/n-x, x-float64(i)/n) > eps {
				outside++
				break
			}
		}
	}
	if share := float64(outside) / trials; share > 0.065 || share < 0.02 {
		t.Errorf("the band fails in %.3f of the trials", share)
	}
}

func TestRuleOfThree(t *testing.T) {
	for n, want := range map[int64]float64{1: 1, 300: 0.01, 1000000: 3e-6} {
		if got := RuleOfThree(n); math.Abs(got-want) > 1e-15 {
			t.Errorf("%d trials: %v, want %v", n, got, want)
		}
		if exact := 1 - math.Pow(0.05, 1/float64(n)); n > 1 && math.Abs(RuleOfThree(n)/exact-1) > 0.01 {
			t.Errorf("%d trials: the exact bound is %v", n, exact)
		}
	}
	if !math.IsNaN(RuleOfThree(0)) {
		t.Error("a bound of no trial")
	}
}
