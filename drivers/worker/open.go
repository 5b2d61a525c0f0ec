package worker

import (
	"math"
	"sync"
	"sync/atomic"
	"time"

	"versus/drivers"
	"versus/drivers/protocol"
)

// defaultInFlight is how many calls of one caller may wait for their answers
// in an open loop, unless the workload says otherwise.
const defaultInFlight = 16

// lead is the time from the start of an open loop until its first slot: its
// goroutines need some to get ready.
const lead = int64(2 * time.Millisecond)

// openLoop has each caller make its calls at fixed points in time, its slots,
// whatever the answers take. A slot is never skipped: when it can't be sent in
// time it is sent late, and its latency counts from when it was due.
type openLoop struct {
	callers []*openCaller
	rate    float64 // of each caller, per second
	start   int64   // of the last run
	end     int64   // of its schedule
	halted  atomic.Bool
}

// openCaller has one schedule and, as followers, as many Callers as it may
// have calls in flight. One idle follower holds the token: it leads, waits
// until the next slot is due, passes the token on and makes the call itself,
// so that no call has to be handed to another goroutine when it is due.
type openCaller struct {
	followers []Caller
	pacer     *pacer
	token     chan struct{}
	slots     int64   // in this run
	next      int64   // slot; owned by who holds the token
	begin     float64 // of slot 0, ns on the monotonic clock
	period    float64 // ns

	mu                 sync.Mutex // of the followers of this caller, for what follows
	latency, lag       *recorder
	service            *recorder
	windows            *windows
	sent, late, lastAt int64
	failures           failures
}

// newOpenLoop shares the Callers out to n schedules, in order.
func newOpenLoop(callers []Caller, n int, rate float64) (*openLoop, error) {
	l := &openLoop{rate: rate}
	each := len(callers) / n
	for i := range n {
		p, err := newPacer(n, rate)
		if err != nil {
			l.close()
			return nil, err
		}
		l.callers = append(l.callers, &openCaller{
			followers: callers[i*each : (i+1)*each], pacer: p, token: make(chan struct{}, 1), period: 1e9 / rate,
			latency: newRecorder(n), service: newRecorder(n), lag: newRecorder(n), windows: newWindows(),
		})
	}
	return l, nil
}

func (l *openLoop) run(x drivers.Extent, measured bool) error {
	crew := crew{stop: l.stopSending}
	for _, c := range l.callers {
		c.reset()
	}
	if l.halted.Load() {
		return errHalted
	}
	l.start, l.end = now()+lead, 0
	for i, c := range l.callers {
		// The callers' slots are spread evenly over the period.
		phase := float64(i) / float64(len(l.callers))
		if x.Calls > 0 {
			c.slots = share(x.Calls, i, len(l.callers))
		} else {
			c.slots = slotsWithin(x.Seconds*l.rate, phase)
		}
		c.begin = float64(l.start) + phase*c.period
		length := x.Seconds * 1e9
		if x.Calls > 0 {
			length = float64(c.slots) * c.period
		}
		c.windows.begin(windowsIn(x, len(l.callers)), int64(c.begin), length)
		l.end = max(l.end, l.start+int64(float64(c.slots)*c.period))
		for _, f := range c.followers {
			crew.start(func() error { return c.follow(f) })
		}
		c.token <- struct{}{}
	}
	if x.Calls == 0 {
		l.end = l.start + int64(x.Seconds*1e9)
	}
	if err := crew.wait(l.end + int64(drain)); err != nil {
		return err
	}
	if l.halted.Load() {
		return errHalted
	}
	return nil
}

// stopSending leaves the slots that are not sent yet.
func (l *openLoop) stopSending() {
	for _, c := range l.callers {
		c.pacer.halt()
	}
}

func (l *openLoop) halt() {
	l.halted.Store(true)
	l.stopSending()
}

func (l *openLoop) close() {
	for _, c := range l.callers {
		c.pacer.close()
	}
}

// slotsWithin returns how many of the points phase, phase+1, ... lie below periods.
func slotsWithin(periods, phase float64) int64 {
	return max(int64(math.Ceil(periods-phase-1e-9)), 0)
}

func (c *openCaller) reset() {
	for _, r := range []*recorder{c.latency, c.service, c.lag} {
		r.reset()
	}
	c.pacer.reset()
	c.next, c.sent, c.late, c.lastAt, c.failures = 0, 0, 0, 0, failures{}
	select {
	case <-c.token:
	default:
	}
}

// follow takes slots until none is left or the pacer is halted.
func (c *openCaller) follow(f Caller) error {
	for {
		<-c.token
		if c.next == c.slots {
			c.token <- struct{}{}
			return nil
		}
		due := int64(c.begin + float64(c.next)*c.period)
		if c.pacer.wait(due) != nil {
			c.token <- struct{}{}
			return nil
		}
		c.next++
		c.token <- struct{}{}
		sent := now()
		err := f.Call()
		if err := c.record(due, sent, now(), err); err != nil {
			return err
		}
	}
}

func (c *openCaller) record(due, sent, end int64, err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent++
	c.lastAt = max(c.lastAt, sent)
	c.lag.record(sent - due)
	if float64(sent-due) > c.period {
		c.late++
	}
	if err != nil {
		return c.failures.add(err)
	}
	c.failures.inARow = 0
	c.latency.record(end - due)
	c.windows.record(due, end-due)
	c.service.record(end - sent)
	return nil
}

func (l *openLoop) report(r *protocol.Result) (err error) {
	var latency, service, lag []*recorder
	var ws []*windows
	var unsent, last int64
	for _, c := range l.callers {
		latency, service, lag = append(latency, c.latency), append(service, c.service), append(lag, c.lag)
		ws = append(ws, c.windows)
		r.Sent += c.sent
		r.Received += c.latency.count
		r.Late += c.late
		unsent += c.slots - c.next
		last = max(last, c.lastAt)
		c.failures.report(r)
	}
	reportUnsent(r, unsent)
	r.Offered = l.rate * float64(len(l.callers))
	// The window lasts until its last slot was sent, if that is later than the schedule's end.
	r.Elapsed = seconds(max(l.end, last) - l.start)
	r.Windows = addWindows(ws...)
	if r.Latency, err = distribution(latency...); err != nil {
		return err
	}
	if r.Service, err = distribution(service...); err != nil {
		return err
	}
	r.SendLag, err = distribution(lag...)
	return err
}
