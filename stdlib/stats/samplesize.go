package stats

import (
	"errors"
	"fmt"
	"math"
)

// RunsFor is how many runs the interval of the mean needs to reach a relative
// half-width (0.02: plus or minus 2 %), judged by a pilot:
// ceil((t s / (e mean))²), t with the pilot's degrees of freedom (Hoefler and
// Belli 2015, section 4.2.2). Condition: about normal run values. It needs two
// values and a mean that is not 0; the answer is at least 1.
func RunsFor(pilot []float64, relative, level float64) (int, error) {
	if err := errors.Join(checkAtLeast(2, pilot), checkLevel(level)); err != nil {
		return 0, err
	}
	m := math.Abs(Mean(pilot))
	if !(relative > 0) || math.IsInf(relative, 0) || m == 0 {
		return 0, errors.New("a relative width must be above 0, and so must the mean that it relates to")
	}
	n := tQuantile(float64(len(pilot)-1), level) * StdDev(pilot) / (relative * m)
	if n*n > 1e9 {
		return 0, fmt.Errorf("more than a billion runs would be needed for %v %%", 100*relative)
	}
	return max(1, int(math.Ceil(n*n))), nil
}
