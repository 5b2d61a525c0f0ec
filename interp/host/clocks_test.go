package host

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"versus/interp/journal"
)

// However the two ways differ, the offset is right within its bound.
func TestOffsetIsWithinItsBound(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		truth := random.Int64N(1e12) - 5e11
		var samples []sample
		for range 1 + random.IntN(60) {
			there, back := 1000+random.Int64N(1e5), 1000+random.Int64N(1e5)
			// The host's clock is read after `there`.
			samples = append(samples, sample{truth + there - (there+back)/2, there + back})
		}
		o := offsetOf(samples)
		if off := o.Offset - truth; off > o.Bound || -off > o.Bound {
			t.Fatalf("off by %d, bound %d", off, o.Bound)
		}
	}
}

func TestStepped(t *testing.T) {
	is := func(before, after int64) journal.Clock {
		return journal.Clock{Before: journal.ClockOffset{Offset: before, Bound: 1000}, After: journal.ClockOffset{Offset: after, Bound: 500}}
	}
	for _, c := range []struct {
		clock   journal.Clock
		between time.Duration
		want    bool
	}{
		{is(0, 0), 0, false},
		{is(5000, 6500), 0, false}, // within the bounds
		{is(5000, 6501), 0, true},
		{is(5000, 3499), 0, true},
		{is(0, 1_001_500), time.Second, false}, // within what clocks drift
		{is(0, 1_001_501), time.Second, true},
		{is(math.MaxInt64, math.MinInt64), time.Second, true},
	} {
		if got := Stepped(c.clock, c.between); got != c.want {
			t.Errorf("%+v after %v: %v", c.clock, c.between, got)
		}
	}
}
