package stats

import "math"

// Verdict is what can be said of a candidate against a baseline.
type Verdict string

// The verdicts. "Equal" is not one of them: it takes a margin, see Equivalent.
const (
	Faster       Verdict = "faster"
	Slower       Verdict = "slower"
	NoDifference Verdict = "no difference shown"
	TooFewRuns   Verdict = "too few runs"
)

// Evidence is what a verdict rests on.
type Evidence struct {
	// Ratio says how many times as good the candidate is, above 1 being
	// better, with its interval. Level 0 means that there is no interval.
	Ratio Estimate
	// P is the p value of the test, adjusted for the verdicts shown together,
	// and Alpha the level that it must not exceed.
	P, Alpha float64
	// NoiseFloor is the least ratio that is more than noise, as measured
	// between equal systems (A/A): 1.02 if those differ by 2 %. 0 or 1: not known.
	NoiseFloor float64
}

// Judge returns the verdict: faster or slower only if the adjusted p value is
// at most alpha, the interval excludes 1, and the ratio is beyond the noise
// floor. Evidence without an interval is of too few runs.
func Judge(e Evidence) Verdict {
	r := e.Ratio
	if r.Level == 0 || math.IsNaN(r.Estimate) || math.IsNaN(e.P) {
		return TooFewRuns
	}
	if !(e.P <= e.Alpha) || math.Abs(math.Log(r.Estimate)) <= math.Log(math.Max(1, e.NoiseFloor)) {
		return NoDifference
	}
	switch {
	case r.Low > 1:
		return Faster
	case r.High < 1:
		return Slower
	}
	return NoDifference
}

// Equivalent says whether a ratio is within a margin of 1, either way: its
// interval lies inside 1/(1+margin) .. 1+margin. With an interval of level
// 1-2a this is the test TOST at level a (Schuirmann 1987).
func Equivalent(ratio Estimate, margin float64) bool {
	return ratio.Level > 0 && margin > 0 && ratio.Low >= 1/(1+margin) && ratio.High <= 1+margin
}

// SmallestP is the least two-sided p value that MannWhitney can give for n and
// m values: of 3 and 3 runs no outcome is significant at 5 %.
func SmallestP(n, m int) float64 {
	if n < 1 || m < 1 {
		return 1
	}
	a, _ := math.Lgamma(float64(n + m + 1))
	b, _ := math.Lgamma(float64(n + 1))
	c, _ := math.Lgamma(float64(m + 1))
	return math.Min(1, 2*math.Exp(b+c-a))
}
