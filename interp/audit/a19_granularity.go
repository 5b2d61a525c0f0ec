package audit

import "math"

var a19 = &Check{
	ID: "A19", Title: "Granularity of throughput",
	What:      "Every recorded throughput of a test is a whole number of calls divided by a whole number of milliseconds: the test counted a fixed number of calls with a clock of milliseconds. That tells how long the runs really were.",
	Formula:   "The least N with X = N / (k ms) for a whole k in every row, where X is rounded in all rows or cut in all rows. It counts only if chance would give one such N in fewer than 1 of 100 tables; rows with equal throughput count once, and rows of a declared rate not at all.",
	Tolerance: "Information; a warning, where a run was shorter than 10 s.",
	Source:    "The granularity test of means, GRIM (Brown and Heathers 2017). AimRT's tables of RPC backends: 5000 calls in 708 ms to 40,731 ms.",
	Needs:     "it needs three recorded rows of a closed loop with different throughputs",
	run: func(p *pass) {
		for _, g := range groups(p.rows, func(r *row) string {
			if v, ok := r.has("throughput.rate"); !ok || v[0] <= 0 || !r.recorded || r.rate > 0 || len(r.cell.Valid) != 1 {
				return ""
			}
			return r.test
		}) {
			xs := throughputs(g)
			if len(xs) < 3 {
				continue
			}
			p.saw(g...)
			p.granularity(g, xs)
		}
	},
}

const maxBatch = 100_000 // calls in a run that the search tries

// throughputs are those of rows, each once, in the order of the rows: what fits a
// value fits it again.
func throughputs(g []*row) []float64 {
	var xs []float64
	seen := map[float64]bool{}
	for _, r := range g {
		x := mustHave(r, "throughput.rate")[0]
		if !seen[x] {
			xs = append(xs, x)
		}
		seen[x] = true
	}
	return xs
}

// granularity looks for the number of calls of rows with the throughputs xs.
func (p *pass) granularity(g []*row, xs []float64) {
	digits := 0
	for _, x := range xs {
		digits = max(digits, decimals(x))
	}
	unit := math.Pow10(-digits) * (1 + 1e-6)
	for n := 1; n <= maxBatch && chanceOf(n, xs, unit) <= 0.01; n++ {
		rounds, cuts := true, true
		for _, x := range xs {
			k := math.Round(float64(n) / x * 1e3)
			d := float64(n)/k*1e3 - x
			rounds = rounds && k >= 1 && math.Abs(d) <= unit/2
			cuts = cuts && k >= 1 && d >= -1e-6*unit && d < unit
			if !rounds && !cuts {
				break
			}
		}
		if !rounds && !cuts {
			continue
		}
		shortest, longest := math.Inf(1), 0.0
		for _, x := range xs {
			k := math.Round(float64(n) / x * 1e3)
			shortest, longest = min(shortest, k), max(longest, k)
		}
		s, comment := Info, "."
		if shortest < 10_000 {
			s, comment = Warning, ": shorter than 10 s."
		}
		p.report(s, g, "all %d throughputs are %d calls / k ms, such as %s/s = %d / %s ms; the runs took from %s ms to %s ms%s",
			len(g), n, num(xs[0]), n, num(math.Round(float64(n)/xs[0]*1e3)), num(shortest), num(longest), comment)
		return
	}
}

// chanceOf bounds the probability that some batch of up to n calls fits all
// throughputs by chance. It grows with n. A table either rounds or cuts its
// numbers, so that each n has two ways to fit.
func chanceOf(n int, xs []float64, unit float64) float64 {
	chance := 2 * float64(n)
	for _, x := range xs {
		if chance *= min(1, unit*float64(n)*1e3/(x*x)); chance < 1e-9 {
			break
		}
	}
	return chance
}
