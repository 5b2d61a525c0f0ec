package run

import (
	"context"
	"fmt"
	"slices"
	"time"

	"versus/drivers"
	"versus/drivers/protocol"
)

// What a phase may take at most, however long the time-out of the methodology is.
const (
	readyTimeout = 10 * time.Second // for all to start, and for all to prepare themselves
	stopTimeout  = 10 * time.Second // for all to end
)

// terms are the conditions of one run.
type terms struct {
	workload drivers.Workload
	timeout  float64 // seconds beyond warm-up and measurement
	drain    float64 // seconds to wait for messages under way
	probe    probes
}

// probes let tests see and change how a run goes; each may be nil.
type probes struct {
	reached  func(phase, []*process) // a phase begins
	deadline func(phase, time.Time) time.Time
}

// limits are how long a phase may take.
type limits struct {
	phase phase
	extra float64       // seconds that all phases up to this one may take beyond the time-out
	most  time.Duration // what this phase may take at most; 0: no bound of its own
}

func (t terms) limits() []limits {
	warmup, window := t.workload.Warmup.Seconds, t.workload.Measure.Seconds
	return []limits{
		{starting, 0, readyTimeout},
		{preparing, 0, readyTimeout},
		{warming, warmup, 0},
		{measuring, warmup + window, 0},
		{finishing, warmup + window + t.drain, 0},
		{stopping, warmup + window + t.drain, stopTimeout},
	}
}

// deadline returns when the phase must be over. The whole run, which began at
// the given time, has one budget; it grows by the phases that are reached.
func (l limits) deadline(began, now time.Time, timeout float64) time.Time {
	end := began.Add(seconds(timeout + l.extra))
	if own := now.Add(l.most); l.most > 0 && own.Before(end) {
		return own
	}
	return end
}

// conduct leads the processes through all phases of the run, which began at
// the given time. setup is how long it took until all were ready.
func (s *session) conduct(ctx context.Context, began time.Time, t terms) (setup time.Duration, err error) {
	s.schedule(t)
	for _, l := range t.limits() {
		if l.phase == warming {
			setup = time.Since(began)
		}
		s.phase = l.phase
		end := l.deadline(began, time.Now(), t.timeout)
		if t.probe.deadline != nil {
			end = t.probe.deadline(l.phase, end)
		}
		if t.probe.reached != nil {
			t.probe.reached(l.phase, s.ps)
		}
		within, cancel := context.WithDeadline(ctx, end)
		err := s.pass(within, time.Until(end).Round(10*time.Millisecond))
		cancel()
		if err != nil {
			return 0, err
		}
	}
	return setup, nil
}

// pass does what there is to do until the phase is over.
func (s *session) pass(ctx context.Context, allowed time.Duration) error {
	ofPhase := func(x *exchange) bool { return x.phase == s.phase && !x.over }
	for slices.ContainsFunc(s.exchanges, ofPhase) {
		if err := s.sendReady(ctx); err != nil {
			return err
		}
		if err := s.await(ctx, allowed); err != nil {
			return err
		}
	}
	return nil
}

// seconds converts, and is sure not to overflow.
func seconds(s float64) time.Duration {
	const most = 1e9
	return time.Duration(min(s, most) * float64(time.Second))
}

// schedule plans all exchanges of the run. A process hears nothing before it has
// answered what it heard before.
func (s *session) schedule(t terms) {
	hellos := map[string][]*exchange{} // by machine
	for _, p := range s.ps {
		x := s.add(&exchange{phase: starting, p: p, answer: protocol.TypeHello, take: p.greet})
		hellos[p.at.Machine()] = append(hellos[p.at.Machine()], x)
	}
	// Each is prepared with the addresses of those before it, and no process of a
	// machine before all of them run.
	var stage []*exchange
	for _, p := range s.ps {
		ready := s.add(&exchange{phase: preparing, p: p, answer: protocol.TypeReady, needs: slices.Clone(stage), after: hellos[p.at.Machine()],
			message: func() protocol.Message { return s.prepare(p, t) },
			take:    func(m protocol.Message) string { return p.prepared(m, t) },
		})
		stage = append(stage, ready)
	}
	// The active roles make load that nobody counts. Then the window of the passive
	// ones opens, and after it that of the active ones.
	just := func(kind string) func() protocol.Message {
		return func() protocol.Message { return protocol.Message{Type: kind} }
	}
	next := func(at phase, kind, answer string, ps []*process, take func(*process, protocol.Message) string) {
		var all []*exchange
		for _, p := range ps {
			x := &exchange{phase: at, p: p, answer: answer, after: stage, message: just(kind)}
			if take != nil {
				x.take = func(m protocol.Message) string { return take(p, m) }
			}
			all = append(all, s.add(x))
		}
		if len(all) > 0 {
			stage = all
		}
	}
	next(warming, protocol.TypeWarmUp, protocol.TypeWarm, s.roles(true), nil)
	next(measuring, protocol.TypeMeasure, protocol.TypeMeasuring, s.roles(false), nil)
	next(measuring, protocol.TypeMeasure, protocol.TypeResult, s.roles(true), (*process).takeResult)
	// The windows of the passive roles are closed, the last one to be ready first: a
	// subscriber waits for messages that the broker still has to deliver.
	results := stage
	for _, p := range slices.Backward(s.roles(false)) {
		x := s.add(&exchange{phase: finishing, p: p, answer: protocol.TypeResult, needs: results, after: stage,
			message: func() protocol.Message { return s.finish(t) },
			take:    p.takeResult,
		})
		stage = []*exchange{x}
	}
	// All end, the last one to be ready first, so that none loses what it still uses.
	for _, p := range slices.Backward(s.ps) {
		x := s.add(&exchange{phase: stopping, p: p, after: stage, message: just(protocol.TypeStop)})
		stage = []*exchange{x}
	}
}

// greet looks at the hello of a process.
func (p *process) greet(m protocol.Message) (wrong string) {
	if m.Protocol != protocol.Version {
		return fmt.Sprintf("it speaks version %d of the worker protocol; this versus speaks version %d", m.Protocol, protocol.Version)
	}
	return ""
}

// prepare readies a process, with the addresses of those before it.
func (s *session) prepare(p *process, t terms) protocol.Message {
	peers := map[string]map[string]string{}
	for _, before := range s.ps {
		if before == p {
			break
		}
		if len(before.addresses) > 0 {
			peers[before.role.Name] = before.addresses
		}
	}
	return protocol.Message{Type: protocol.TypePrepare, Workload: &t.workload, Peers: peers, Listen: p.at.Listen, ClockShift: p.shift}
}

// prepared takes what a process says of itself when it is ready.
func (p *process) prepared(m protocol.Message, t terms) (wrong string) {
	if t.workload.Pattern == drivers.PubSub && m.ClockShift != p.shift {
		return fmt.Sprintf("its clock is %d ns behind, and it does not say that it counts with that: no one-way time would be right", p.shift)
	}
	if n := size(m.Addresses) + size(m.Effective); n > maxSettings {
		return fmt.Sprintf("its addresses and settings have %d bytes; the limit is %d", n, maxSettings)
	}
	p.effective, p.addresses = m.Effective, m.Addresses
	return ""
}

// maxSettings bounds what a worker may report when it is ready, in bytes.
const maxSettings = 64 << 10

// size returns the length of all texts in a map.
func size(m map[string]string) int {
	n := 0
	for k, v := range m {
		n += len(k) + len(v)
	}
	return n
}

// roles returns the processes that are active, or those that are not.
func (s *session) roles(active bool) []*process {
	return slices.DeleteFunc(slices.Clone(s.ps), func(p *process) bool { return p.role.Active != active })
}

// finish closes the window of a passive role.
func (s *session) finish(t terms) protocol.Message {
	m := protocol.Message{Type: protocol.TypeFinish, Drain: t.drain}
	for _, p := range s.roles(true) {
		m.Sent += p.result.Sent
	}
	return m
}

// takeResult keeps the result of a process, if it can be true.
func (p *process) takeResult(m protocol.Message) (wrong string) {
	if err := m.Result.Validate(); err != nil {
		return fmt.Sprintf("its result can't be true: %v", err)
	}
	p.result = m.Result
	sent := int64(0)
	for _, active := range p.session.roles(true) {
		if active.result != nil {
			sent += active.result.Sent
		}
	}
	if sent < 0 {
		return fmt.Sprintf("it can't have sent %d messages", m.Result.Sent)
	}
	return ""
}

// exits returns the fault of a process that ended badly after it was told to
// stop. It must only be called after end.
func (s *session) exits() error {
	for _, p := range s.ps {
		if !p.State().Success() {
			return &fault{phase: stopping, died: []*process{p}}
		}
	}
	return nil
}
