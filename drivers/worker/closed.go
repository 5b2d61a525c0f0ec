package worker

import (
	"math"
	"sync/atomic"
	"time"

	"versus/drivers"
	"versus/drivers/protocol"
)

// closedLoop has each caller make one call after the other, without a pause.
type closedLoop struct {
	callers []*closedCaller
	stopped atomic.Bool // for this run: too many failures, or its time is over
	halted  atomic.Bool // for all runs
}

type closedCaller struct {
	call     Caller
	latency  *recorder
	windows  *windows
	byCall   bool // windows are cut by calls, not by time
	failures failures
	sent     int64
	start    int64 // of its first call
	end      int64 // of its last call
}

func newClosedLoop(callers []Caller) *closedLoop {
	l := &closedLoop{}
	for _, c := range callers {
		l.callers = append(l.callers, &closedCaller{call: c, latency: newRecorder(len(callers)), windows: newWindows()})
	}
	return l
}

func (l *closedLoop) run(x drivers.Extent, measured bool) error {
	gate := make(chan int64)
	cut := windowsIn(x, len(l.callers))
	crew := crew{stop: func() { l.stopped.Store(true) }}
	l.stopped.Store(false)
	if l.halted.Load() {
		return errHalted
	}
	for i, c := range l.callers {
		calls := int64(math.MaxInt64)
		if x.Calls > 0 {
			calls = share(x.Calls, i, len(l.callers))
		}
		c.reset()
		c.byCall = x.Calls > 0
		if c.byCall {
			c.windows.begin(cut, 0, float64(calls))
		}
		crew.start(func() error { return c.loop(<-gate, calls, &l.stopped) })
	}
	deadline, last := int64(math.MaxInt64), int64(0)
	if x.Calls == 0 {
		start := now()
		deadline = start + int64(x.Seconds*1e9)
		last = deadline + int64(drain)
		for _, c := range l.callers {
			c.windows.begin(cut, start, x.Seconds*1e9)
		}
	}
	for range l.callers {
		gate <- deadline
	}
	if err := crew.wait(last); err != nil {
		return err
	}
	if l.halted.Load() {
		return errHalted
	}
	return nil
}

func (c *closedCaller) reset() {
	c.latency.reset()
	c.failures, c.sent = failures{}, 0
}

// loop makes calls until the deadline or their number is reached. The end of
// one call is the start of the next: there is one reading of the clock a call,
// and no time between calls that no latency accounts for. A failed call takes
// part in the elapsed time, but not in the latencies.
func (c *closedCaller) loop(deadline, calls int64, stopped *atomic.Bool) error {
	t := now()
	c.start, c.end = t, t
	for c.sent < calls && t < deadline && !stopped.Load() {
		err := c.call.Call()
		end := now()
		c.sent++
		if err == nil {
			c.latency.record(end - t)
			if c.byCall {
				c.windows.record(c.sent-1, end-t)
			} else {
				c.windows.record(t, end-t)
			}
			c.failures.inARow = 0
		} else if err := c.failures.add(err); err != nil {
			return err
		}
		t = end
	}
	c.end = t
	return nil
}

func (l *closedLoop) report(r *protocol.Result) (err error) {
	start, end := int64(math.MaxInt64), int64(0)
	recorders, ws := make([]*recorder, len(l.callers)), make([]*windows, len(l.callers))
	for i, c := range l.callers {
		recorders[i], ws[i] = c.latency, c.windows
		r.Sent += c.sent
		r.Received += c.latency.count
		c.failures.report(r)
		start, end = min(start, c.start), max(end, c.end)
	}
	r.Elapsed = time.Duration(end - start).Seconds()
	r.Windows = addWindows(ws...)
	r.Latency, err = distribution(recorders...)
	return err
}

func (l *closedLoop) halt() {
	l.halted.Store(true)
	l.stopped.Store(true)
}

func (l *closedLoop) close() {}
