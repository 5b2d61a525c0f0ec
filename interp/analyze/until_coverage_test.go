package analyze

import (
	"math/rand/v2"
	"testing"

	"versus/dsl"
	"versus/interp/plan"
	"versus/stdlib/stats"
)

// TestUntilCoverage measures what docs/results.md says of intervals after a stop
// by `until`: how often one of 95 % holds the true median, over all cells and over
// those alone that stopped before they had all runs. Runs are normal.
func TestUntilCoverage(t *testing.T) {
	const times = 1000
	for _, c := range []struct {
		sd           float64
		stop         float64 // the share that stops early, to 3 %
		all, stopped float64 // the shares that hold the median, to 2 % and 4 %
	}{
		{0.02, 1.00, 0.95, 0.95},
		{0.03, 0.92, 0.94, 0.93},
		{0.04, 0.59, 0.93, 0.89},
		{0.06, 0.13, 0.95, 0.77},
	} {
		rng := rand.New(rand.NewPCG(1, 2))
		u := &dsl.Until{RelativeInterval: 0.02, Min: 6, Max: 30}
		var stopped, held, heldStopped float64
		for range times {
			var values []float64
			for len(values) < u.Max && !plan.Enough(u, values) {
				values = append(values, 1+c.sd*rng.NormFloat64())
			}
			in, err := stats.MedianInterval(values, plan.UntilConfidence)
			if err != nil {
				t.Fatal(err)
			}
			holds := 0.0
			if in.Low <= 1 && 1 <= in.High {
				holds = 1
			}
			held += holds
			if len(values) < u.Max {
				stopped++
				heldStopped += holds
			}
		}
		for _, share := range []struct {
			what          string
			got, want, to float64
		}{
			{"stop early", stopped / times, c.stop, 0.03},
			{"hold the median", held / times, c.all, 0.02},
			{"of those that stop hold it", heldStopped / stopped, c.stopped, 0.05},
		} {
			if share.got < share.want-share.to || share.got > share.want+share.to {
				t.Errorf("runs that differ by %v: %.3f %s, want %.2f", c.sd, share.got, share.what, share.want)
			}
		}
	}
}
