package host

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"versus/drivers"
	"versus/interp/journal"
	"versus/interp/plan"
)

// How clocks are compared: by exchanges over the pipe to the host. An exchange
// bounds the offset by half of its length, so that the shortest are the best;
// of these the median, since what delays one way more than the other does so by
// chance. It takes no longer than its time, if the pipe is slow.
const (
	exchanges    = 50
	fewExchanges = 3
	exchangeTime = 30 * time.Millisecond
	maxClock     = int64(1e18) // no host has been up for longer, ns
)

// sample is one exchange, in nanoseconds: what the host's clock showed more than
// this one in the middle of it, and how long it took.
type sample struct{ offset, took int64 }

// offset compares the clock of a host with that of this machine.
func (r *remote) offset(ctx context.Context) (journal.ClockOffset, error) {
	var samples []sample
	for began := time.Now(); len(samples) < exchanges && (len(samples) < fewExchanges || time.Since(began) < exchangeTime); {
		a, err := r.lines.ask(ctx, question{})
		if err == nil && (a.Clock <= 0 || a.Clock > maxClock) {
			err = fmt.Errorf("it shows %d ns", a.Clock)
		}
		if err != nil {
			return journal.ClockOffset{}, fmt.Errorf("the clock of host %q can't be read: %w", r.host.Name, err)
		}
		took := a.arrived - a.asked
		samples = append(samples, sample{a.Clock - a.asked - took/2, took})
	}
	return offsetOf(samples), nil
}

// offsetOf takes the median offset of the shortest tenth of at least one sample.
// The offset of each is right within half of its length, so that the median is
// right within half of the longest of them.
func offsetOf(samples []sample) journal.ClockOffset {
	slices.SortFunc(samples, func(a, b sample) int { return cmp.Compare(a.took, b.took) })
	best := samples[:max(1, len(samples)/10)]
	bound := best[len(best)-1].took/2 + 1
	slices.SortFunc(best, func(a, b sample) int { return cmp.Compare(a.offset, b.offset) })
	return journal.ClockOffset{Offset: best[len(best)/2].offset, Bound: bound}
}

// drift is how far apart two clocks may come in a second, in seconds: the kernel
// corrects each by 500 ppm at most (adjtimex(2)), and what crystals are off is less.
const drift = 1e-3

// Stepped reports whether a clock moved further than clocks drift between two
// comparisons: it was set, or its machine stood still for a while.
func Stepped(c journal.Clock, between time.Duration) bool {
	moved := float64(c.After.Offset) - float64(c.Before.Offset)
	return math.Abs(moved) > float64(c.Before.Bound)+float64(c.After.Bound)+drift*float64(between)
}

// CompareClocks compares the clocks of the hosts of a cell that have one of their
// own, if its latencies depend on them: those of rpc begin and end on one host.
func (w *Hosts) CompareClocks(ctx context.Context, cell *plan.Cell, roles []drivers.Role) (map[string]journal.ClockOffset, error) {
	if cell.Workload.Pattern != drivers.PubSub {
		return nil, nil
	}
	found := map[string]journal.ClockOffset{}
	for _, role := range roles {
		h := cell.Host(role.Name)
		if h == nil || w.remotes[h.Name] == nil {
			continue
		}
		if _, done := found[h.Name]; done {
			continue
		}
		o, err := w.remotes[h.Name].offset(ctx)
		if err != nil {
			return nil, err
		}
		found[h.Name] = o
	}
	return found, nil
}
