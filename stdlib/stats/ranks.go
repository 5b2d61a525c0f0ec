package stats

import "sort"

// midranks ranks the values from 1, equal ones sharing the mean of their
// ranks, and returns twice each rank, which is whole. ties is the sum of
// t^3 - t over groups of t equal values.
func midranks(xs []float64) (doubled []int, ties float64) {
	order := make([]int, len(xs))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(i, j int) bool { return xs[order[i]] < xs[order[j]] })
	doubled = make([]int, len(xs))
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && xs[order[j]] == xs[order[i]] {
			j++
		}
		for _, o := range order[i:j] {
			doubled[o] = i + 1 + j // 2 × the mean of i+1 .. j
		}
		t := float64(j - i)
		ties += t*t*t - t
		i = j
	}
	return doubled, ties
}

// floatRanks are midranks as numbers.
func floatRanks(xs []float64) []float64 {
	doubled, _ := midranks(xs)
	ranks := make([]float64, len(doubled))
	for i, d := range doubled {
		ranks[i] = float64(d) / 2
	}
	return ranks
}
