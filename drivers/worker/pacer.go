package worker

import (
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pacer waits for points in time, precisely: it sleeps until shortly before,
// and spins for the rest. It sleeps on a timerfd through Go's poller, and so
// keeps no thread: unlike a blocking clock_nanosleep it leaves the processor
// to the other goroutines even with GOMAXPROCS=1, and unlike time.Sleep it
// isn't bound to the poller's milliseconds.
//
// How early it must wake follows what the last sleeps took beyond their time:
// waking an idle CPU takes 5 us on one machine and 70 us on another.
type pacer struct {
	file   *os.File
	raw    syscall.RawConn
	armed  bool
	wake   unix.ItimerSpec
	sleep  func(fd uintptr) bool // arms the timer, then reports that it fired
	err    error
	margin int64 // ns before the due time at which to wake
	most   int64 // ns, of margin
	spun   int64 // ns spent spinning, over all waits
	halted atomic.Bool
}

// The bounds of a pacer's margin, where it begins and how it moves, in nanoseconds.
const (
	minMargin   = 5_000
	maxMargin   = 200_000
	firstMargin = 80_000
	marginStep  = 2_000
)

// newPacer returns a pacer of one of n schedules with that many points in time
// per second each. Together they spin for a third of the time at most: who
// spins on the only processor keeps everybody from the answers.
func newPacer(n int, rate float64) (*pacer, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("timer for the schedule: %w", err)
	}
	p := &pacer{file: os.NewFile(uintptr(fd), "timerfd"), most: int64(min(maxMargin, 1e9/rate/float64(n)/3))}
	p.margin = min(firstMargin, p.most)
	if p.raw, err = p.file.SyscallConn(); err != nil {
		p.file.Close()
		return nil, fmt.Errorf("timer for the schedule: %w", err)
	}
	p.sleep = func(fd uintptr) bool {
		if p.armed {
			return true
		}
		p.armed = true
		p.err = unix.TimerfdSettime(int(fd), unix.TFD_TIMER_ABSTIME, &p.wake, nil)
		return p.err != nil
	}
	return p, nil
}

// wait returns at the point in time due, nanoseconds of the monotonic clock,
// or at once if it is past. It returns an error if the pacer was halted.
func (p *pacer) wait(due int64) error {
	t := now()
	if due-t > p.margin {
		aim := due - p.margin
		p.wake.Value = unix.NsecToTimespec(aim)
		p.armed = false
		if err := p.raw.Read(p.sleep); err != nil {
			return err
		}
		if p.err != nil {
			return p.err
		}
		t = now()
		p.adapt(t - aim)
	}
	from := t
	for t < due {
		t = now()
	}
	p.spun += t - from
	if p.halted.Load() {
		return os.ErrDeadlineExceeded
	}
	return nil
}

// adapt moves the margin towards the 95th percentile of what sleeps take
// beyond their time: one step up weighs as much as 19 steps down.
func (p *pacer) adapt(overshoot int64) {
	if overshoot > p.margin {
		p.margin += marginStep
	} else {
		p.margin -= marginStep / 19
	}
	p.margin = min(max(p.margin, minMargin), p.most)
}

// halt ends the present wait and all later ones. It may be called by another goroutine.
func (p *pacer) halt() {
	p.halted.Store(true)
	p.file.SetReadDeadline(time.Unix(1, 0))
}

// reset allows waiting again after halt.
func (p *pacer) reset() {
	p.halted.Store(false)
	p.file.SetReadDeadline(time.Time{})
}

func (p *pacer) close() { p.file.Close() }
