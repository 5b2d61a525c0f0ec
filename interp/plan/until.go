package plan

import (
	"math"

	"versus/dsl"
	"versus/stdlib/stats"
)

// UntilConfidence is the confidence of the interval that a stop rule looks at.
const UntilConfidence = 0.95

// Enough is the stop rule of `until`: whether these values of the valid runs of
// a cell, made so far, are precise enough. It looks at their precision alone,
// never at a difference to other cells (Laaber et al. 2020). Whoever decides
// during a run and whoever reads the journal later ask this one function, after
// each run from the first on, so that both know where a cell stopped.
func Enough(u *dsl.Until, values []float64) bool {
	return len(values) >= u.Min && Precision(values) <= u.RelativeInterval
}

// Precision is half the width of the exact interval of the median (order
// statistics) over the median: 0.02 for plus or minus 2 %. It is infinite where
// there is none: of fewer than six values, or with a median that is not above 0.
func Precision(values []float64) float64 {
	in, err := stats.MedianInterval(values, UntilConfidence)
	median := stats.Median(values)
	if err != nil || !(median > 0) {
		return math.Inf(1)
	}
	return (in.High - in.Low) / 2 / median
}
