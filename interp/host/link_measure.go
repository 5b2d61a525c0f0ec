package host

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
	"gonum.org/v1/gonum/stat/distuv"

	"versus/dsl"
	"versus/interp/journal"
)

// How far a link may be off.
const (
	tolerance = 0.05   // as a share
	ownTime   = 100e-6 // seconds: what the machine itself takes comes on top of delays
	rare      = 0.0005 // a loss that is less likely than this, at either side, is not the one asked for
)

// How a link is measured.
const (
	fewProbes   = 20   // where only the delay is to be known
	manyProbes  = 400  // where jitter is
	mostProbes  = 5000 // where loss is
	wantedLost  = 30   // of these
	probeBudget = 5.0  // seconds for either of them, if that is enough for fewProbes
	probeFrame  = frameHeader + 8
)

// measureUntilRight measures the link. Other work on this machine can make it be
// late for a moment: it is off if it always is.
func (k *link) measureUntilRight(ctx context.Context) error {
	// The kernel begins to note when frames arrive a moment after the first socket
	// asks for it, and does so as long as one does.
	stamped, err := k.ends[0].socket()
	if err != nil {
		return err
	}
	defer stamped.Close()
	if err := option(stamped, unix.SO_TIMESTAMPNS, 1); err != nil {
		return err
	}
	const tries = 3
	var off error
	for range tries {
		if off = k.measure(ctx); off != nil {
			off = fmt.Errorf("can't be measured: %w", off)
		} else {
			off = k.check()
		}
		if off == nil || ctx.Err() != nil {
			break
		}
	}
	return off
}

// check returns how the link is off what was asked for.
func (k *link) check() error {
	var found []string
	off := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	asked, is := k.asked, &k.is
	for i, rate := range is.Rate {
		if asked.Rate > 0 && math.Abs(rate-asked.Rate) > tolerance*asked.Rate {
			off("carries %.4g bit/s from %s to %s instead of %.4g: it is off by more than 5%%", rate, asked.Between[i], asked.Between[1-i], asked.Rate)
		}
	}
	// Chance moves what is estimated from samples: three standard errors of the
	// estimates in crossing.ends, of values that are equally likely, are no fault.
	slack, wanted := ownTime, 2*asked.Delay
	for i, jitter := range is.Jitter {
		if asked.Jitter == 0 {
			continue
		}
		n := math.Sqrt(float64(k.timed[i]))
		slack += 3 * 0.316 * asked.Jitter / n
		if math.Abs(jitter-asked.Jitter) > asked.Jitter*(tolerance+3*0.333/n)+ownTime {
			off("has a jitter of %.4g s from %s to %s instead of %.4g: it is off by more than 5%%", jitter, asked.Between[i], asked.Between[1-i], asked.Jitter)
		}
	}
	if wanted > 0 && (is.RoundTrip < wanted*(1-tolerance)-(slack-ownTime) || is.RoundTrip > wanted*(1+tolerance)+slack) {
		off("has a round trip of %.4g s instead of %.4g: it is off by more than 5%%", is.RoundTrip, wanted)
	}
	for i, loss := range is.Loss {
		if n := is.Probes[i]; unlikely(n, int(math.Round(loss*float64(n))), asked.Loss) {
			off("loses %.4g of %d frames from %s to %s instead of %.4g: chance does not explain it", loss, n, asked.Between[i], asked.Between[1-i], asked.Loss)
		}
	}
	if len(found) == 0 {
		return nil
	}
	// In one line: it becomes the reason of a cell.
	return errors.New(strings.Join(found, "; it "))
}

// unlikely reports whether k of n is outside of the central interval of the
// binomial distribution with probability p, which leaves out rare at either side.
func unlikely(n, k int, p float64) bool {
	if n == 0 || p == 0 {
		return k > 0
	}
	d := distuv.Binomial{N: float64(n), P: p}
	return d.CDF(float64(k)) < rare || k > 0 && 1-d.CDF(float64(k-1)) < rare
}

// measure finds out what the link really is. The rate comes first, while no frame
// is lost and all are equally late, so that a train of frames shows it.
func (k *link) measure(ctx context.Context) error {
	is := journal.Link{Via: k.is.Via}
	var both errgroup.Group
	if k.asked.Rate > 0 {
		if err := k.disturb(false); err != nil {
			return err
		}
		for i := range k.ends {
			both.Go(func() (err error) {
				is.Rate[i], err = rate(ctx, k.ends[i], k.ends[1-i], k.asked)
				return err
			})
		}
		if err := both.Wait(); err != nil {
			return err
		}
	}
	if err := k.disturb(true); err != nil {
		return err
	}
	var middle [2]float64
	both = errgroup.Group{}
	for i := range k.ends {
		both.Go(func() error {
			p, err := explore(ctx, k.ends[i], k.ends[1-i], k.asked)
			if err != nil {
				return err
			}
			middle[i], is.Jitter[i] = p.ends(k.asked.Jitter)
			k.timed[i] = len(p.delays)
			is.Probes[i], is.Loss[i] = p.sent, p.loss()
			return nil
		})
	}
	err := both.Wait()
	is.RoundTrip = middle[0] + middle[1]
	k.is = is
	return err
}

// crossing is what came of frames of the smallest size, sent one by one.
type crossing struct {
	sent, arrived int
	delays        []float64 // seconds, sorted
}

func (p *crossing) loss() float64 { return float64(p.sent-p.arrived) / float64(p.sent) }

// ends returns the delay of the fastest probe; with jitter the middle of the
// delays, and how far they are from it. Both come from the 5th and 95th
// percentiles of delays that are equally likely, which few late ones do not move.
func (p *crossing) ends(jitter float64) (middle, around float64) {
	if jitter == 0 {
		return p.delays[0], 0
	}
	at := func(q float64) float64 { return p.delays[int(q*float64(len(p.delays)-1)+0.5)] }
	low, high := at(0.05), at(0.95)
	return (low + high) / 2, (high - low) / 2 / 0.9
}

// probes are small frames, sent one by one with a gap of seconds between them.
type probes struct {
	n   int
	gap float64
}

func (p probes) seconds() float64 { return float64(p.n) * p.gap }

// probesOf are those that a link takes: for its delay and jitter as far apart as it
// takes for jitter to move each by itself; for its loss, if it has any, as fast as they
// don't wait.
func probesOf(l *dsl.Link) (late, lost probes) {
	gap := 200e-6
	if l.Rate > 0 {
		gap = max(gap, 2*8*probeFrame/l.Rate)
	}
	affordable := func(wanted int, gap float64) probes {
		return probes{max(fewProbes, min(wanted, int(probeBudget/gap))), gap}
	}
	late = probes{fewProbes, max(gap, 2.1*l.Jitter)}
	if l.Jitter > 0 {
		late = affordable(manyProbes, late.gap)
	}
	if l.Loss > 0 {
		lost = affordable(min(mostProbes, int(wantedLost/l.Loss)), gap)
	}
	return late, lost
}

// MeasuringTime is how long it takes to measure a link, if it is right at once; three
// times as long if it is not.
func MeasuringTime(l *dsl.Link) time.Duration {
	late, lost := probesOf(l)
	trains, total := 1.0, late.seconds()+lost.seconds()
	if lost.n > 0 {
		trains++
	}
	if l.Rate > 0 {
		_, frames := trainOf(l.Rate)
		trains++
		total += float64(frames*frame) * 8 / l.Rate
	}
	return seconds(total + trains*l.Delay)
}

// explore sends probes from one host to another.
func explore(ctx context.Context, from, to *namespace, l *dsl.Link) (*crossing, error) {
	late, lost := probesOf(l)
	p, err := train(ctx, from, to, late, l)
	if err != nil || lost.n == 0 {
		return p, err
	}
	q, err := train(ctx, from, to, lost, l)
	if err != nil {
		return nil, err
	}
	p.sent, p.arrived = p.sent+q.sent, p.arrived+q.arrived
	return p, nil
}

// seconds converts. What is to be measured bounds it: the delays of links, and how
// long a train of frames is under way.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
