package stats

import (
	"errors"
	"fmt"
	"math"
)

// Levels is what KaliberaJones finds in repetitions that are nested: windows
// in processes in builds. Slices are from the lowest level up.
type Levels struct {
	Mean Estimate // grand mean, with its t interval over the top level
	// S2 are the biased variances of the means at each level, T2 the unbiased
	// parts of the variance that each level adds. A T2 below 0 is noise:
	// read it as 0.
	S2, T2 []float64
}

// KaliberaJones splits the variation of nested repetitions over their levels
// (Kalibera and Jones 2013, with the correction of their libkalibera). reps
// are the numbers of repetitions from the highest level down, each at least 2;
// values lists them in that nesting, the lowest level varying fastest.
func KaliberaJones(values []float64, reps []int, level float64) (Levels, error) {
	if err := errors.Join(checkMeasured(values), checkLevel(level)); err != nil {
		return Levels{}, err
	}
	n := 1
	for _, r := range reps {
		if r < 2 || r > len(values) {
			return Levels{}, fmt.Errorf("each level needs 2 repetitions at least, and they are %v", reps)
		}
		if n *= r; n > len(values) {
			break
		}
	}
	if len(reps) == 0 || n != len(values) {
		return Levels{}, fmt.Errorf("there are %d values, and the repetitions %v don't make as many", len(values), reps)
	}
	var out Levels
	means, below := values, 0.0
	for i := len(reps) - 1; i >= 0; i-- {
		r := reps[i]
		next := make([]float64, len(means)/r)
		s2 := 0.0
		for j := range next {
			group := means[j*r : (j+1)*r]
			next[j] = Mean(group)
			s2 += Variance(group) / float64(len(next))
		}
		out.S2 = append(out.S2, s2)
		out.T2 = append(out.T2, s2-below)
		means, below = next, s2/float64(r)
	}
	half := tQuantile(float64(reps[0]-1), level) * math.Sqrt(below)
	out.Mean = Estimate{means[0], Interval{means[0] - half, means[0] + half, level}}
	return out, nil
}

// Repetitions is the number of repetitions of each level but the highest that
// makes the mean most certain for the time spent, from the lowest up, not
// rounded: sqrt(c[i+1]/c[i] T2[i]/T2[i+1]), for costs c of one repetition at
// each level from the lowest up, above 0. A level whose T2 is not above 0
// needs one; +Inf says that only this level varies, the one above it not.
func (l Levels) Repetitions(costs []float64) ([]float64, error) {
	if len(costs) != len(l.T2) {
		return nil, fmt.Errorf("there are %d levels and %d costs", len(l.T2), len(costs))
	}
	if err := checkPositive(costs); err != nil {
		return nil, err
	}
	var out []float64
	for i := range len(l.T2) - 1 {
		low, high := l.T2[i], l.T2[i+1]
		switch {
		case low <= 0:
			out = append(out, 1)
		case high <= 0:
			out = append(out, math.Inf(1))
		default:
			out = append(out, math.Sqrt(costs[i+1]/costs[i]*low/high))
		}
	}
	return out, nil
}
