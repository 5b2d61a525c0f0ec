package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The mean of a first-order autoregression with coefficient rho is less certain
// than that of independent values by (1+rho)/(1-rho).
func TestDesignEffectOfAutoregression(t *testing.T) {
	for _, rho := range []float64{0, 0.5, 0.9} {
		rng := rand.New(rand.NewPCG(1, 2))
		sum := 0.0
		const series, batches, size = 50, 100, 50
		for range series {
			x := rng.NormFloat64()
			var values, means []float64
			for range batches {
				batch := 0.0
				for range size {
					x = rho*x + math.Sqrt(1-rho*rho)*rng.NormFloat64()
					values = append(values, x)
					batch += x / size
				}
				means = append(means, batch)
			}
			d, err := DesignEffect(means, size, Variance(values))
			if err != nil {
				t.Fatal(err)
			}
			sum += d / series
		}
		if want := (1 + rho) / (1 - rho); sum < 0.9*want || sum > 1.4*want { // it errs on the side of caution
			t.Errorf("rho %v: design effect %v, want %v or a little more", rho, sum, want)
		}
	}
}

func TestDesignEffectOfBadInput(t *testing.T) {
	ten := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for name, f := range map[string]func() (float64, error){
		"few batches":       func() (float64, error) { return DesignEffect(ten[:9], 1, 1) },
		"NaN":               func() (float64, error) { return DesignEffect(append([]float64{math.NaN()}, ten...), 1, 1) },
		"empty batches":     func() (float64, error) { return DesignEffect(ten, 0, 1) },
		"infinite variance": func() (float64, error) { return DesignEffect(ten, 1, math.Inf(1)) },
	} {
		if _, err := f(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if d, err := DesignEffect(make([]float64, 10), 5, 0); d != 1 || err != nil {
		t.Errorf("equal values: %v, %v", d, err)
	}
}
