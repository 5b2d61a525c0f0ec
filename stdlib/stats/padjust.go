package stats

import (
	"cmp"
	"math"
	"slices"
)

// Holm adjusts p values that are judged together, so that the chance of any
// false claim among them stays within the level (Holm 1979). It assumes
// nothing of their dependence. The result is in the order of ps, each at least
// its p and at most 1; a NaN stays NaN and does not count in the family.
func Holm(ps []float64) []float64 {
	order := ascending(ps)
	out := nans(len(ps))
	largest := 0.0
	for i, o := range order {
		largest = math.Max(largest, float64(len(order)-i)*ps[o])
		out[o] = math.Min(1, largest)
	}
	return out
}

// BenjaminiHochberg adjusts p values so that the expected share of false
// claims among the claims stays within the level (Benjamini and Hochberg
// 1995): for screening, not for claims. Condition: independent or positively
// dependent tests. NaN is treated as by Holm.
func BenjaminiHochberg(ps []float64) []float64 {
	order := ascending(ps)
	out := nans(len(ps))
	smallest := 1.0
	for i := len(order) - 1; i >= 0; i-- {
		o := order[i]
		smallest = math.Min(smallest, float64(len(order))/float64(i+1)*ps[o])
		out[o] = smallest
	}
	return out
}

// ascending lists the indexes of the values that are not NaN, in their order.
func ascending(xs []float64) []int {
	var order []int
	for i, x := range xs {
		if !math.IsNaN(x) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(xs[a], xs[b]) })
	return order
}

func nans(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.NaN()
	}
	return out
}
