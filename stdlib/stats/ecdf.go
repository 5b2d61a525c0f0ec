package stats

import (
	"fmt"
	"math"
)

// DKW is half the width of the band around the empirical distribution function
// of n independent values that holds the whole true one with the confidence
// asked for: sqrt(ln(2/(1-level)) / (2n)) (Dvoretzky, Kiefer and Wolfowitz 1956,
// with the constant of Massart 1990). It is a share, at most 1. It holds for any
// distribution, but says little of tails: where fewer than that share of the
// values lie beyond, the band reaches 0. It needs n >= 1.
func DKW(n int, level float64) (float64, error) {
	if err := checkLevel(level); err != nil {
		return 0, err
	}
	if n < 1 {
		return 0, fmt.Errorf("a band needs at least one value, not %d", n)
	}
	return math.Min(1, math.Sqrt(math.Log(2/(1-level))/(2*float64(n)))), nil
}

// RuleOfThree is the upper bound of a proportion of which no event was seen in
// n trials: 3/n, at most 1 (Hanley and Lippman-Hand 1983; -ln(0.05) is 3.0, so
// that its confidence is 95 %). It needs n >= 1; NaN otherwise.
func RuleOfThree(n int64) float64 {
	if n < 1 {
		return math.NaN()
	}
	return math.Min(1, 3/float64(n))
}
