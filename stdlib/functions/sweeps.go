package functions

import (
	"fmt"
	"math"
	"strconv"

	"github.com/zclconf/go-cty/cty"
)

var sweeps = map[string]entry{
	"range": {"range([start, ]limit[, step])", "range(5, 8)", "[5, 6, 7]",
		define(cty.List(cty.Number), "Numbers from start (or 0) up to, but not including, limit, in steps of 1 or of step; at most 10000. A negative step counts down.",
			nil, rest("numbers", cty.Number, "The limit, or start and limit, or start, limit and step."), rangeList)},
	"linspace": {"linspace(from, to, n)", "linspace(0, 1, 5)", "[0, 0.25, 0.5, 0.75, 1]",
		define(cty.List(cty.Number), "n numbers at equal distances, both ends included; n from 2 to 10000.",
			params{param("from", cty.Number, "The first number."), param("to", cty.Number, "The last number."), param("n", cty.Number, "How many.")}, nil,
			func(args []cty.Value) (cty.Value, error) {
				return spaced(args, func(a, b, t float64) float64 { return a + (b-a)*t })
			})},
	"logspace": {"logspace(from, to, n)", "logspace(1, 1000, 4)", "[1, 10, 100, 1000]",
		define(cty.List(cty.Number), "n numbers in equal ratios, both ends included and above 0; n from 2 to 10000.",
			params{param("from", cty.Number, "The first number, above 0."), param("to", cty.Number, "The last number, above 0."), param("n", cty.Number, "How many.")}, nil,
			func(args []cty.Value) (cty.Value, error) {
				for i := range 2 {
					if x, _ := float(args[i]); x <= 0 {
						return cty.NilVal, argErrorf(i, "must be above 0 for equal ratios, not %g", x)
					}
				}
				return spaced(args, func(a, b, t float64) float64 { return a * math.Pow(b/a, t) })
			})},
	"pow2": {"pow2(from, to)", "pow2(5, 9)", "[32, 64, 128, 256, 512]",
		define(cty.List(cty.Number), "The powers of 2 with the exponents from .. to, both included, each from -1022 to 1023.",
			params{param("from", cty.Number, "The first exponent."), param("to", cty.Number, "The last exponent.")}, nil, powersOf2)},
}

func rangeList(args []cty.Value) (cty.Value, error) {
	xs, err := numbersOf(args)
	if err != nil {
		return cty.NilVal, err
	}
	start, limit, step := 0.0, 0.0, 1.0
	switch len(xs) {
	case 1:
		limit = xs[0]
	case 2:
		start, limit = xs[0], xs[1]
	case 3:
		start, limit, step = xs[0], xs[1], xs[2]
	default:
		return cty.NilVal, fmt.Errorf("range takes a limit, or a start and a limit, or a start, a limit and a step")
	}
	if step == 0 {
		return cty.NilVal, argErrorf(2, "a step of 0 never reaches the limit")
	}
	n := math.Ceil((limit - start) / step * (1 - 1e-15)) // range(0, 1, 0.1) ends at 0.9
	if n > MaxSweep || math.IsNaN(n) {
		return cty.NilVal, fmt.Errorf("there are more than %d numbers in this range", MaxSweep)
	}
	var out []float64
	for i := 0.0; i < n; i++ {
		out = append(out, tidy(start+i*step))
	}
	return numberList(out)
}

// spaced makes n numbers between two ends; f is given the share of the way.
func spaced(args []cty.Value, f func(a, b, t float64) float64) (cty.Value, error) {
	a, _ := float(args[0])
	b, _ := float(args[1])
	n, err := whole(args, 2, 2, MaxSweep)
	if err != nil {
		return cty.NilVal, err
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = tidy(f(a, b, float64(i)/float64(n-1)))
	}
	out[0], out[n-1] = a, b
	return numberList(out)
}

func powersOf2(args []cty.Value) (cty.Value, error) {
	from, err := whole(args, 0, -1022, 1023)
	if err != nil {
		return cty.NilVal, err
	}
	to, err := whole(args, 1, -1022, 1023)
	if err != nil {
		return cty.NilVal, err
	}
	var out []float64
	for e := from; e <= to; e++ {
		out = append(out, math.Ldexp(1, e))
	}
	return numberList(out)
}

// tidy rounds to 14 significant digits, so that 0.1 * 3 and the cube root of
// 1000 come out as people expect of a sweep: 0.3 and 10.
func tidy(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 14, 64), 64)
	if err != nil || math.Trunc(x) == x {
		return x
	}
	return y
}
