package analyze

import (
	"math"
	"testing"
)

// Quartiles as NumPy gives them; whiskers end at values, and leave out what is
// far off.
func TestSpreadOf(t *testing.T) {
	s := SpreadOf([]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 100})
	if s.N != 10 || s.Median != 5.5 || *s.Quartiles != (Interval{3.25, 7.75}) || *s.Whiskers != (Interval{1, 9}) {
		t.Errorf("%+v, quartiles %v, whiskers %v", s, *s.Quartiles, *s.Whiskers)
	}
	if s.NoInterval != "" || s.Interval != (Interval{2, 9}) { // the second and the ninth of ten
		t.Errorf("%+v", s)
	}
	if few := SpreadOf([]float64{1, 2, 3}); few.Quartiles != nil || few.Whiskers != nil || few.NoInterval == "" || few.Median != 2 {
		t.Errorf("%+v", few)
	}
}

// Trends are tested together: what is certain alone is not among many series.
func TestTrends(t *testing.T) {
	rising := []float64{100, 101, 102, 103, 104, 105, 106, 107}
	flat := []float64{100, 102, 99, 101, 100.5, 99.5, 101.5, 98}
	got := Trends([][]float64{flat, rising, {1, 2}, nil})
	if got[0] != nil || got[2] != nil || got[3] != nil {
		t.Errorf("trends where there are none: %+v", got)
	}
	if got[1] == nil || math.Abs(got[1].Slope-1) > 1e-12 || got[1].P > 0.001 {
		t.Errorf("%+v", got[1])
	}
	short := []float64{1, 2, 3, 4, 5} // p = 2/120
	if Trends([][]float64{short})[0] == nil {
		t.Error("one series alone drifts")
	}
	many := [][]float64{short, flat, flat, flat}
	if Trends(many)[0] != nil {
		t.Error("p = 0.067 over four series is no drift")
	}
}
