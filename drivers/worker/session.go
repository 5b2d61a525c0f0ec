package worker

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"strconv"
	"time"

	"versus/drivers"
	"versus/drivers/protocol"
)

// session is the part of one role in one run: what each message of the
// conversation makes it do.
type session struct {
	role any // as in Roles
	ctx  context.Context
	end  context.CancelFunc // of ctx

	workload     drivers.Workload
	load         load          // of an active role
	subscription *subscription // of a subscriber
	meter        meter
	closeRole    func() error
	remarks      func() []string // of the driver, on the result; may be nil
	last         string          // type of the last message handled, or "error"
}

func newSession(role any) *session {
	s := &session{role: role}
	s.ctx, s.end = context.WithCancel(context.Background())
	return s
}

// handle does what a message asks and returns the answer. A message out of
// order is an error, and so is every message after an error.
func (s *session) handle(m protocol.Message) (answer protocol.Message, err error) {
	after := s.last
	s.last = "error"
	err = guard(func() error {
		answer, err = s.step(m, after)
		return err
	})
	if err == nil {
		s.last = m.Type
	}
	return answer, err
}

func (s *session) step(m protocol.Message, after string) (protocol.Message, error) {
	switch {
	case m.Type == protocol.TypePrepare && after == "":
		return s.prepare(m)
	case m.Type == protocol.TypeWarmUp && after == protocol.TypePrepare && s.load != nil:
		return protocol.Message{Type: protocol.TypeWarm}, s.warmUp()
	case m.Type == protocol.TypeMeasure && (after == protocol.TypePrepare || after == protocol.TypeWarmUp):
		return s.measure()
	case m.Type == protocol.TypeFinish && after == protocol.TypeMeasure && s.load == nil:
		return s.finish(m)
	}
	if after == "" {
		after = "hello"
	}
	return protocol.Message{}, fmt.Errorf("message %q is out of order here, after %q", m.Type, after)
}

func (s *session) prepare(m protocol.Message) (protocol.Message, error) {
	calibrateClock()
	clock.shift = m.ClockShift
	s.workload = *m.Workload
	if err := checkWorkload(s.workload); err != nil {
		return protocol.Message{}, err
	}
	ready, err := s.open(Setup{Workload: s.workload, Peers: m.Peers, Listen: m.Listen})
	if err != nil {
		return protocol.Message{}, err
	}
	s.meter.pid, s.remarks = ready.PID, ready.Remarks
	effective := map[string]string{"cpus": affinity(ready.PID)}
	if ready.PID == 0 {
		effective["go"] = runtime.Version()
		effective["gomaxprocs"] = strconv.Itoa(runtime.GOMAXPROCS(0))
	}
	if s.workload.Rate > 0 && s.workload.Pattern == drivers.RPC && s.load != nil {
		effective["in_flight"] = strconv.Itoa(inFlight(s.workload))
	}
	if s.workload.Pattern == drivers.PubSub {
		effective["clock"] = fmt.Sprintf("CLOCK_MONOTONIC within %d ns", clock.bound)
		if m.ClockShift != 0 {
			effective["clock"] += fmt.Sprintf(", shifted by %d ns", m.ClockShift)
		}
	}
	maps.Copy(effective, ready.Effective)
	return protocol.Message{Type: protocol.TypeReady, Addresses: ready.Addresses, Effective: effective, ClockShift: m.ClockShift}, nil
}

// open starts the driver's role, and what the kit runs on top of it.
func (s *session) open(setup Setup) (ready Ready, err error) {
	w := setup.Workload
	switch open := s.role.(type) {
	case ServerFunc:
		ready, s.closeRole, err = open(s.ctx, setup)
	case ClientFunc:
		schedules := max(w.Concurrency, 1)
		n := schedules * inFlight(w)
		var callers []Caller
		if callers, ready, s.closeRole, err = open(s.ctx, setup, n); err != nil {
			break
		}
		if len(callers) != n {
			return ready, fmt.Errorf("the driver opened %d callers instead of %d", len(callers), n)
		}
		err = s.drive(callers, schedules)
	case PublisherFunc:
		var publish PublishFunc
		if publish, ready, s.closeRole, err = open(s.ctx, setup); err == nil {
			err = s.publish(publish)
		}
	case SubscriberFunc:
		s.subscription = newSubscription(w)
		ready, s.closeRole, err = open(s.ctx, setup, s.subscription.receive)
	case LoggerFunc:
		var logger Logger
		var batch int
		if logger, batch, ready, s.closeRole, err = open(s.ctx, setup); err == nil {
			err = s.log(logger, batch)
		}
	default:
		err = fmt.Errorf("the driver gives a %T as role; it must be a worker.ServerFunc, ClientFunc, PublisherFunc, SubscriberFunc or LoggerFunc", open)
	}
	return ready, err
}

// drive prepares the load of a client with n schedules or loops.
func (s *session) drive(callers []Caller, n int) error {
	if s.workload.Rate == 0 {
		s.load = newClosedLoop(callers)
		return nil
	}
	l, err := newOpenLoop(callers, n, s.workload.Rate)
	if err != nil {
		return err // not s.load = l: a nil pointer is not a nil load
	}
	s.load = l
	return nil
}

func (s *session) publish(publish PublishFunc) error {
	l, err := newPublishLoop(publish, s.workload)
	if err != nil {
		return err
	}
	s.load = l
	return nil
}

func (s *session) warmUp() error {
	if s.workload.Warmup == (drivers.Extent{}) {
		return nil
	}
	return s.load.run(s.workload.Warmup, false)
}

// measure opens the window. An active role also runs until it is over.
func (s *session) measure() (protocol.Message, error) {
	if err := s.meter.open(); err != nil {
		return protocol.Message{}, err
	}
	if s.load == nil {
		return protocol.Message{Type: protocol.TypeMeasuring}, nil
	}
	if err := s.load.run(s.workload.Measure, true); err != nil {
		return protocol.Message{}, err
	}
	// The CPU first: the histograms of the report must not count.
	used := &protocol.Result{}
	if err := s.meter.close(used); err != nil {
		return protocol.Message{}, err
	}
	r := &protocol.Result{CPUUser: used.CPUUser, CPUSystem: used.CPUSystem, PeakMemory: used.PeakMemory, Flags: used.Flags}
	if err := s.load.report(r); err != nil {
		return protocol.Message{}, err
	}
	return s.result(r), nil
}

// finish closes the window of a passive role. A subscriber first waits for
// what is still on its way.
func (s *session) finish(m protocol.Message) (protocol.Message, error) {
	if s.subscription != nil {
		limit := time.Duration(min(max(m.Drain, 0), 3600) * float64(time.Second))
		s.subscription.await(m.Sent, limit, s.ctx.Done())
	}
	r := &protocol.Result{}
	if err := s.meter.close(r); err != nil {
		return protocol.Message{}, err
	}
	if s.subscription != nil {
		if err := s.subscription.report(r, m.Sent); err != nil {
			return protocol.Message{}, err
		}
	}
	return s.result(r), nil
}

// result adds what the driver has to remark.
func (s *session) result(r *protocol.Result) protocol.Message {
	if s.remarks != nil {
		r.Flags = append(r.Flags, s.remarks()...)
	}
	return protocol.Message{Type: protocol.TypeResult, Result: r}
}

// grace is how long a session that is stopped may take to end.
const grace = 500 * time.Millisecond

// stop ends the session. busy is closed when the message that it handles at
// the moment, if any, has been handled, and preparing says that this is the
// first. stop doesn't wait long for that: a worker must end when it is told
// to, whatever its driver does.
func (s *session) stop(busy <-chan struct{}, preparing bool) {
	s.end()
	deadline := time.After(grace)
	idle := false
	if preparing { // there is nothing to close before it is open
		select {
		case <-busy:
			idle = true
		case <-deadline:
			return
		}
	}
	if s.load != nil {
		s.load.halt()
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		if s.closeRole != nil {
			guard(s.closeRole) // nobody is left to hear of an error
		}
	}()
	for !idle || closed != nil {
		select {
		case <-busy:
			idle, busy = true, nil
		case <-closed:
			closed = nil
		case <-deadline:
			return
		}
	}
	if s.load != nil {
		s.load.close()
	}
}
