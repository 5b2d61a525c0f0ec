package plan

import (
	"math"
	"strings"
	"testing"

	"versus/dsl"
)

func TestEnough(t *testing.T) {
	rule := &dsl.Until{RelativeInterval: 0.02, Min: 6, Max: 30}
	for _, c := range []struct {
		name   string
		values []float64
		want   bool
	}{
		{"none", nil, false},
		{"too few", []float64{1, 1, 1, 1, 1}, false},
		{"equal", []float64{1, 1, 1, 1, 1, 1}, true},
		{"just narrow enough", []float64{0.985, 1, 1, 1, 1, 1.015}, true},
		{"too wide", []float64{0.97, 1, 1, 1, 1, 1.02}, false},
		{"one outlier of eight", []float64{1, 1, 1, 1, 1, 1, 1, 9}, false},
		{"two outliers of ten", []float64{0.1, 1, 1, 1, 1, 1, 1, 1, 1, 9}, true},
		{"zero", []float64{0, 0, 0, 0, 0, 0}, false},
		{"NaN", []float64{1, 1, 1, 1, 1, math.NaN()}, false},
	} {
		if got := Enough(rule, c.values); got != c.want {
			t.Errorf("%s: %v (precision %v)", c.name, got, Precision(c.values))
		}
	}
}

func TestUntilInThePlan(t *testing.T) {
	src := strings.Replace(twinned("noise_floor = true"), "repeat { runs = 2 }", "until {\n relative_interval = 0.02\n max = 10\n }", 1)
	p := mustPlan(t, src)
	s := p.Summary()
	if !s.AtMost || s.Runs != 60 || s.Tests[0].RunsPerCell != 10 || s.Tests[0].AtLeast != 6 {
		t.Errorf("%+v", s)
	}
	lines := strings.Join(Methodology(load(t, head+src)), "\n")
	if !strings.Contains(lines, "test.t.methodology.until = relative_interval 0.02, from 6 runs\n") || !strings.Contains(lines, "methodology.runs = 10\n") {
		t.Errorf("%s", lines)
	}
	got := problemsOf(t, `
methodology "until" {
  until {
    relative_interval = 0.02
    max               = 10
  }
}
test "replay" "t" {
  methodology = methodology.until
  backend     = backend.old
}
`)
	if !strings.Contains(got, "replays recorded results") {
		t.Errorf("%q", got)
	}
}
