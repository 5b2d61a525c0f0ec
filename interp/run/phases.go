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

// step is what happens in one phase.
type step struct {
	phase phase
	extra float64       // seconds that all phases up to this one may take beyond the time-out
	most  time.Duration // what this phase may take at most; 0: no bound of its own
	do    func(context.Context, terms) error
}

func (s *session) steps(t terms) []step {
	warmup, window := t.workload.Warmup.Seconds, t.workload.Measure.Seconds
	return []step{
		{starting, 0, readyTimeout, s.greet},
		{preparing, 0, readyTimeout, s.prepare},
		{warming, warmup, 0, s.warmUp},
		{measuring, warmup + window, 0, s.measure},
		{finishing, warmup + window + t.drain, 0, s.finish},
		{stopping, warmup + window + t.drain, stopTimeout, s.stop},
	}
}

// deadline returns when the step must be over. The whole run, which began at
// the given time, has one budget; it grows by the phases that are reached.
func (st step) deadline(began, now time.Time, timeout float64) time.Time {
	end := began.Add(seconds(timeout + st.extra))
	if own := now.Add(st.most); st.most > 0 && own.Before(end) {
		return own
	}
	return end
}

// conduct leads the processes through all phases of the run, which began at
// the given time. setup is how long it took until all were ready.
func (s *session) conduct(ctx context.Context, began time.Time, t terms) (setup time.Duration, err error) {
	for _, st := range s.steps(t) {
		s.phase = st.phase
		end := st.deadline(began, time.Now(), t.timeout)
		if t.probe.deadline != nil {
			end = t.probe.deadline(st.phase, end)
		}
		if t.probe.reached != nil {
			t.probe.reached(st.phase, s.ps)
		}
		within, cancel := context.WithDeadline(ctx, end)
		err := st.do(within, t)
		cancel()
		if err != nil {
			return 0, err
		}
		if st.phase == preparing {
			setup = time.Since(began)
		}
	}
	return setup, nil
}

// seconds converts, and is sure not to overflow.
func seconds(s float64) time.Duration {
	const most = 1e9
	return time.Duration(min(s, most) * float64(time.Second))
}

// greet takes the hello of every process.
func (s *session) greet(ctx context.Context, _ terms) error {
	hellos, err := s.await(ctx, protocol.TypeHello, s.ps...)
	if err != nil {
		return err
	}
	for _, p := range s.ps {
		if v := hellos[p].Protocol; v != protocol.Version {
			return s.blame(p, fmt.Sprintf("it speaks version %d of the worker protocol; this versus speaks version %d", v, protocol.Version))
		}
	}
	return nil
}

// prepare readies the processes one after the other, each with the addresses of
// those before it.
func (s *session) prepare(ctx context.Context, t terms) error {
	peers := map[string]map[string]string{}
	for _, p := range s.ps {
		m := protocol.Message{Type: protocol.TypePrepare, Workload: &t.workload, Peers: peers, Listen: p.at.Listen, ClockShift: p.shift}
		answers, err := s.ask(ctx, m, protocol.TypeReady, p)
		if err != nil {
			return err
		}
		ready := answers[p]
		if t.workload.Pattern == drivers.PubSub && ready.ClockShift != p.shift {
			return s.blame(p, fmt.Sprintf("its clock is %d ns behind, and it does not say that it counts with that: no one-way time would be right", p.shift))
		}
		if n := size(ready.Addresses) + size(ready.Effective); n > maxSettings {
			return s.blame(p, fmt.Sprintf("its addresses and settings have %d bytes; the limit is %d", n, maxSettings))
		}
		p.effective = ready.Effective
		if len(ready.Addresses) > 0 {
			peers[p.role.Name] = ready.Addresses
		}
	}
	return nil
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

// ask sends one message to all of the processes, and then waits for the answers.
func (s *session) ask(ctx context.Context, m protocol.Message, answer string, ps ...*process) (map[*process]protocol.Message, error) {
	for _, p := range ps {
		if err := s.send(ctx, p, m); err != nil {
			return nil, err
		}
	}
	return s.await(ctx, answer, ps...)
}

// warmUp lets the active roles make load that nobody counts.
func (s *session) warmUp(ctx context.Context, _ terms) error {
	_, err := s.ask(ctx, protocol.Message{Type: protocol.TypeWarmUp}, protocol.TypeWarm, s.roles(true)...)
	return err
}

// measure opens the window of the passive roles, then that of the active ones,
// and takes the results of these.
func (s *session) measure(ctx context.Context, _ terms) error {
	m := protocol.Message{Type: protocol.TypeMeasure}
	if _, err := s.ask(ctx, m, protocol.TypeMeasuring, s.roles(false)...); err != nil {
		return err
	}
	answers, err := s.ask(ctx, m, protocol.TypeResult, s.roles(true)...)
	if err != nil {
		return err
	}
	return s.take(answers)
}

// finish takes the results of the passive roles, the last one to be ready
// first: a subscriber waits for messages that the broker still has to deliver.
func (s *session) finish(ctx context.Context, t terms) error {
	m := protocol.Message{Type: protocol.TypeFinish, Drain: t.drain}
	for _, p := range s.roles(true) {
		if m.Sent += p.result.Sent; m.Sent < 0 {
			return s.blame(p, fmt.Sprintf("it can't have sent %d messages", p.result.Sent))
		}
	}
	passive := s.roles(false)
	slices.Reverse(passive)
	for _, p := range passive {
		answers, err := s.ask(ctx, m, protocol.TypeResult, p)
		if err == nil {
			err = s.take(answers)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// take keeps results, if they can be true.
func (s *session) take(answers map[*process]protocol.Message) error {
	for _, p := range s.ps {
		m, ok := answers[p]
		if !ok {
			continue
		}
		if err := m.Result.Validate(); err != nil {
			return s.blame(p, fmt.Sprintf("its result can't be true: %v", err))
		}
		p.result = m.Result
	}
	return nil
}

// stop ends the processes, the last one to be ready first, so that none loses
// what it still uses.
func (s *session) stop(ctx context.Context, _ terms) error {
	for _, p := range slices.Backward(s.ps) {
		if err := s.send(ctx, p, protocol.Message{Type: protocol.TypeStop}); err != nil {
			return err
		}
		p.leaving = true
		if err := s.awaitExit(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// awaitExit waits for the end of a process that was told to stop. What it still
// says no longer counts.
func (s *session) awaitExit(ctx context.Context, p *process) error {
	for {
		select {
		case <-p.Exited():
			return nil
		case e := <-s.events:
			if !e.p.leaving {
				return s.accept(e, "", nil, nil)
			}
		case <-ctx.Done():
			return s.late(ctx, "it was told to stop, but did not end", p)
		}
	}
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
