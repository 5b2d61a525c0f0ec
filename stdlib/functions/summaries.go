package functions

import (
	"slices"

	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"versus/stdlib/stats"
)

var summaries = map[string]entry{
	"mean": {"mean(list)", "mean([1, 2, 6])", "3",
		summary("The arithmetic mean of a list of numbers.", 1, stats.Mean)},
	"median": {"median(list)", "median([1, 2, 6])", "2",
		summary("The middle value of a list of numbers, or the mean of the middle two.", 1, stats.Median)},
	"stddev": {"stddev(list)", "stddev([2, 4, 6])", "2",
		summary("The sample standard deviation (divisor n-1) of at least two numbers.", 2, stats.StdDev)},
	"geomean": {"geomean(list)", "geomean([0.5, 2])", "1",
		define(cty.Number, "The geometric mean of numbers above 0: the mean to take of ratios.",
			params{param("list", cty.List(cty.Number), "Numbers above 0.")}, nil,
			func(args []cty.Value) (cty.Value, error) {
				xs, err := atLeast(args, 1)
				if err != nil {
					return cty.NilVal, err
				}
				if low := stats.Min(xs); low <= 0 {
					return cty.NilVal, argErrorf(0, "has %g in it, and a geometric mean needs numbers above 0", low)
				}
				return number(stats.GeoMean(xs))
			})},
	"quantile": {"quantile(list, p)", "quantile([1, 2, 3, 4, 5], 0.25)", "2",
		define(cty.Number, "The quantile p of a list of numbers, p from 0 to 1, interpolated (type 7, the default of R and NumPy).",
			params{param("list", cty.List(cty.Number), "Numbers."), param("p", cty.Number, "From 0 to 1.")}, nil,
			func(args []cty.Value) (cty.Value, error) {
				xs, err := atLeast(args, 1)
				if err != nil {
					return cty.NilVal, err
				}
				p, _ := float(args[1])
				if p < 0 || p > 1 {
					return cty.NilVal, argErrorf(1, "must be from 0 to 1, not %g; the 99th percentile is 0.99", p)
				}
				return number(stats.Quantile(xs, p))
			})},
	"best": {"best(list, n)", "best([3, 1, 2], 2)", "[1, 2]",
		define(cty.List(cty.Number), "The n smallest numbers of a list, in ascending order: the best n of some times.",
			params{param("list", cty.List(cty.Number), "Numbers."), param("n", cty.Number, "How many, from 1 to the length of the list.")}, nil, best)},
	"speedup": {"speedup(baseline, candidate)", "speedup(3, 2)", "1.5",
		ratio("How many times as fast the candidate is, from two times: baseline / candidate.",
			func(b, c float64) float64 { return b / c })},
	"reldiff": {"reldiff(baseline, candidate)", "reldiff(3, 2)", "0.5",
		ratio("The relative difference (baseline - candidate) / candidate: 0.5 means 1.5 times as fast, from two times.",
			func(b, c float64) float64 { return (b - c) / c })},
}

// summary makes a function of a list of at least n numbers.
func summary(doc string, n int, f func([]float64) float64) function.Function {
	return define(cty.Number, doc, params{param("list", cty.List(cty.Number), "Numbers.")}, nil,
		func(args []cty.Value) (cty.Value, error) {
			xs, err := atLeast(args, n)
			if err != nil {
				return cty.NilVal, err
			}
			return number(f(xs))
		})
}

// atLeast reads argument 0, a list of at least n numbers.
func atLeast(args []cty.Value, n int) ([]float64, error) {
	xs, err := floats(args, 0)
	if err == nil && len(xs) < n {
		err = argErrorf(0, "needs at least %d number(s), there are %d", n, len(xs))
	}
	return xs, err
}

func best(args []cty.Value) (cty.Value, error) {
	xs, err := atLeast(args, 1)
	if err != nil {
		return cty.NilVal, err
	}
	n, err := whole(args, 1, 1, float64(len(xs)))
	if err != nil {
		return cty.NilVal, err
	}
	slices.Sort(xs)
	return numberList(xs[:n])
}

// ratio makes a function of a baseline and a candidate that divides by the latter.
func ratio(doc string, f func(b, c float64) float64) function.Function {
	return define(cty.Number, doc,
		params{param("baseline", cty.Number, "The value compared with."), param("candidate", cty.Number, "The value compared; not 0.")}, nil,
		func(args []cty.Value) (cty.Value, error) {
			b, _ := float(args[0])
			c, _ := float(args[1])
			if c == 0 {
				return cty.NilVal, argErrorf(1, "is 0: a division by zero")
			}
			return number(f(b, c))
		})
}
