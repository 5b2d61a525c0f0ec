package analyze

import (
	"testing"

	"versus/dsl"
)

// One comparison with 10,000 resamples of ten runs a side, best half kept, of
// a formula over two metrics. A thousand of them are to take under 5 s on two
// cores: 10 ms each.
func BenchmarkInterval(b *testing.B) {
	for name, formula := range map[string]string{
		"two means":       "baseline.time_per_call / candidate.time_per_call + candidate.cpu.client / baseline.cpu.client",
		"a percentile":    "baseline.latency.p90 / candidate.latency.p90",
		"mean and errors": "baseline.latency.mean / candidate.latency.mean * (1 - candidate.errors.rate)",
	} {
		b.Run(name, func(b *testing.B) {
			s, p := scenario(b, `
test "rpc" "calls" {
  methodology = methodology.half
  repeat { runs = 10 }
  sweep { backend = [backend.a, backend.b] }
}
comparison "c" {
  baseline = { backend = backend.a }
  value    = `+formula+`
}`)
			pair := analyzed(b, s, p, noisy(b, p, []int64{200_000, 100_000}, 7)).Comparisons[0].Pairs[0]
			c := pair.Comparison.Comparison
			compiled, ok := s.Compile(c.Value)
			if !ok {
				b.Fatal("not compiled")
			}
			for b.Loop() {
				r, why := newResampler(s, c, pair, &compiled)
				if why != "" {
					b.Fatal(why)
				}
				pair.resample(r, 0)
			}
		})
	}
}

// Everything for a plan of 1,000 cells: 500 comparisons.
func BenchmarkAnalyze(b *testing.B) {
	s, p := scenario(b, `
test "rpc" "calls" {
  methodology = methodology.half
  payload     = bytes(each.size)
  sweep {
    backend = [backend.a, backend.b]
    size    = range(1, 501)
  }
}
comparison "c" {
  baseline = { backend = backend.a }
  value    = (baseline.time_per_call - candidate.time_per_call) / candidate.time_per_call
}`)
	runs := noisy(b, p, []int64{200_000, 100_000}, 7)
	for b.Loop() {
		res := analyzed(b, s, p, runs)
		if o := res.Comparisons[0].Pairs[0].Outcome(); o.Kind != dsl.IsNumber {
			b.Fatal(o.Why)
		}
	}
}
