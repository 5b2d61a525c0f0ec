package worker

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"versus/drivers"
	"versus/drivers/protocol"
)

// publishLoop publishes on each topic, at a rate or as fast as it goes.
type publishLoop struct {
	topics  []*topicLoop
	rate    float64 // of each topic, per second; 0 is as fast as it goes
	start   int64
	end     int64       // of the schedule
	stopped atomic.Bool // for this run: too many failures, or its time is over
	halted  atomic.Bool // for all runs
}

// topicLoop publishes on one topic, from one goroutine.
type topicLoop struct {
	topic    int
	publish  PublishFunc
	message  []byte
	pacer    *pacer // nil without a rate
	lag      *recorder
	failures failures
	slots    int64 // due in this run; as many as possible without a rate
	taken    int64 // of these, tried to send
	sent     int64
	late     int64
	lastAt   int64
}

func newPublishLoop(publish PublishFunc, w drivers.Workload) (*publishLoop, error) {
	content := w.Payload.Content()
	if len(content) < StampSize {
		return nil, fmt.Errorf("a payload of %d bytes can't carry the %d bytes of a message's sequence number and times",
			len(content), StampSize)
	}
	l := &publishLoop{rate: w.Rate}
	for i := range max(w.Topics, 1) {
		t := &topicLoop{topic: i, publish: publish, message: slices.Clone(content)}
		if w.Rate > 0 {
			var err error
			if t.pacer, err = newPacer(max(w.Topics, 1), w.Rate); err != nil {
				l.close()
				return nil, err
			}
			t.lag = newRecorder(w.Topics)
		}
		l.topics = append(l.topics, t)
	}
	return l, nil
}

func (l *publishLoop) run(x drivers.Extent, measured bool) error {
	crew := crew{stop: l.stopSending}
	l.stopped.Store(false)
	for _, t := range l.topics {
		t.reset()
	}
	if l.halted.Load() {
		return errHalted
	}
	if l.rate > 0 {
		l.schedule(x, measured, &crew)
	} else {
		l.flood(x, measured, &crew)
	}
	last := l.end + int64(drain)
	if l.rate == 0 && x.Calls > 0 {
		last = 0 // nobody knows how long that takes
	}
	if err := crew.wait(last); err != nil {
		return err
	}
	if l.halted.Load() {
		return errHalted
	}
	return nil
}

// schedule starts the topics at the rate, their slots spread evenly over the period.
func (l *publishLoop) schedule(x drivers.Extent, measured bool, crew *crew) {
	l.start = now() + lead
	l.end = l.start + int64(x.Seconds*1e9)
	period := 1e9 / l.rate
	for i, t := range l.topics {
		phase := float64(i) / float64(len(l.topics))
		if x.Calls > 0 {
			t.slots = share(x.Calls, i, len(l.topics))
			l.end = max(l.end, l.start+int64(float64(t.slots)*period))
		} else {
			t.slots = slotsWithin(x.Seconds*l.rate, phase)
		}
		begin := float64(l.start) + phase*period
		crew.start(func() error { return t.paced(begin, period, measured) })
	}
}

// flood starts the topics as fast as they go.
func (l *publishLoop) flood(x drivers.Extent, measured bool, crew *crew) {
	l.start = now()
	l.end = l.start + int64(x.Seconds*1e9)
	for i, t := range l.topics {
		deadline := l.end
		t.slots = math.MaxInt64
		if x.Calls > 0 {
			deadline, t.slots = math.MaxInt64, share(x.Calls, i, len(l.topics))
		}
		crew.start(func() error { return t.flood(deadline, measured, &l.stopped) })
	}
}

func (t *topicLoop) reset() {
	if t.pacer != nil {
		t.pacer.reset()
		t.lag.reset()
	}
	t.failures, t.taken, t.sent, t.late, t.lastAt = failures{}, 0, 0, 0, 0
}

// paced publishes each message when it is due, or late if it must be, but
// never skips one.
func (t *topicLoop) paced(begin, period float64, measured bool) error {
	for t.taken < t.slots {
		due := int64(begin + float64(t.taken)*period)
		if t.pacer.wait(due) != nil {
			return nil
		}
		t.taken++
		at := now()
		t.lag.record(at - due)
		if float64(at-due) > period {
			t.late++
		}
		if err := t.send(due, at, measured); err != nil {
			return err
		}
	}
	return nil
}

// flood publishes one message after the other until the deadline.
func (t *topicLoop) flood(deadline int64, measured bool, stopped *atomic.Bool) error {
	at := now()
	for t.taken < t.slots && at < deadline && !stopped.Load() {
		t.taken++
		if err := t.send(at, at, measured); err != nil {
			return err
		}
		at = now()
	}
	t.lastAt = at
	return nil
}

// send stamps and publishes one message. One that could not be published gives
// its sequence number to the next: the subscriber must not count it as lost.
func (t *topicLoop) send(due, at int64, measured bool) error {
	stamp{measured, uint16(t.topic), uint64(t.sent), shared(due), shared(at)}.write(t.message)
	t.lastAt = at
	if err := t.publish(t.topic, t.message); err != nil {
		return t.failures.add(err)
	}
	t.failures.inARow = 0
	t.sent++
	return nil
}

func (l *publishLoop) report(r *protocol.Result) (err error) {
	var lags []*recorder
	var unsent, last int64
	for _, t := range l.topics {
		r.Sent += t.sent
		r.Late += t.late
		last = max(last, t.lastAt)
		t.failures.report(r)
		if t.pacer != nil {
			lags = append(lags, t.lag)
			unsent += t.slots - t.taken
		}
	}
	reportUnsent(r, unsent)
	r.Offered = l.rate * float64(len(l.topics))
	r.Elapsed = seconds(max(l.end, last) - l.start)
	if l.rate == 0 {
		r.Elapsed = seconds(last - l.start)
		return nil
	}
	r.SendLag, err = distribution(lags...)
	return err
}

func (l *publishLoop) stopSending() {
	l.stopped.Store(true)
	for _, t := range l.topics {
		if t.pacer != nil {
			t.pacer.halt()
		}
	}
}

func (l *publishLoop) halt() {
	l.halted.Store(true)
	l.stopSending()
}

func (l *publishLoop) close() {
	for _, t := range l.topics {
		if t.pacer != nil {
			t.pacer.close()
		}
	}
}
