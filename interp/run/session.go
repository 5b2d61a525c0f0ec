package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"versus/drivers"
	"versus/drivers/protocol"
	"versus/interp/host"
)

// session is one run: the processes of its roles and what they say.
type session struct {
	ps        []*process  // in the order in which they become ready
	exchanges []*exchange // with all of them, in order
	phase     phase       // of the first exchange that is not over
	events    chan event
	quit      chan struct{} // closed when nobody takes events any more
	tasks     sync.WaitGroup
}

// exchange is a message to a process and what it does then.
type exchange struct {
	phase   phase
	p       *process
	message func() protocol.Message // nil: it says hello unasked
	// needs are the exchanges whose answers the message is made of, and after those
	// that must be over before the process hears it.
	needs, after []*exchange
	answer       string                                  // type of its answer; "" is its end
	take         func(m protocol.Message) (wrong string) // what is made of the answer; may be nil
	line         int                                     // which line of the process the answer is, from 1; 0 is its end
	sent, over   bool
}

// begun reports whether the process has heard the message, as far as is known here. It
// is known exactly: a process on another machine, where messages wait, does nothing that
// follows from a message before all is known here that the message waited for.
func (x *exchange) begun() bool {
	isOver := func(y *exchange) bool { return y.over }
	return x.sent && every(x.needs, isOver) && every(x.after, isOver)
}

// ready reports whether the message can be sent: where others must be done before, that
// is known, or it waits for them on their machine.
func (x *exchange) ready() bool {
	return every(x.needs, func(y *exchange) bool { return y.over }) &&
		every(x.after, func(y *exchange) bool { return y.over || y.sent && x.waitsThereFor(y) })
}

// waitsThereFor reports whether both are with processes of one machine that is not this
// one: then the message can wait there until the other is over.
func (x *exchange) waitsThereFor(y *exchange) bool {
	machine := x.p.at.Machine()
	return machine != "" && machine == y.p.at.Machine()
}

func every(xs []*exchange, is func(*exchange) bool) bool {
	return !slices.ContainsFunc(xs, func(x *exchange) bool { return !is(x) })
}

// event is a message of a process, or the reason why none will follow.
type event struct {
	p   *process
	m   protocol.Message
	err error
}

// errGone says that a process ended.
var errGone = errors.New("it ended")

func newSession() *session {
	return &session{phase: starting, events: make(chan event), quit: make(chan struct{})}
}

// launch starts the process of one more role.
func (s *session) launch(driver string, role drivers.Role, at host.Place, shift int64) (err error) {
	p := &process{role: role, at: at, shift: shift, session: s}
	if p.Process, err = at.Start(driver, role, p); err != nil {
		return &fault{roles: []string{role.Name}, phase: s.phase, text: fmt.Sprintf("it can't be started: %v", err)}
	}
	s.ps = append(s.ps, p)
	return nil
}

// post hands the event over, unless the session is at its end.
func (s *session) post(e event) bool {
	select {
	case s.events <- e:
		return true
	case <-s.quit:
		return false
	}
}

// add adds an exchange, which also waits for the one before with the same process.
func (s *session) add(x *exchange) *exchange {
	if before := x.p.exchanges; len(before) > 0 {
		x.after = append(slices.Clone(x.after), before[len(before)-1])
	}
	x.p.exchanges = append(x.p.exchanges, x)
	if x.answer != "" {
		x.line = len(x.p.exchanges)
	}
	s.exchanges = append(s.exchanges, x)
	return x
}

// sendReady sends what can be sent.
func (s *session) sendReady(ctx context.Context) error {
	for _, x := range s.exchanges {
		if !x.sent && x.ready() {
			if err := s.send(ctx, x); err != nil {
				return err
			}
		}
	}
	return nil
}

// send sends a message to a process, which must read it before ctx is done.
func (s *session) send(ctx context.Context, x *exchange) error {
	x.sent = true
	if x.message == nil {
		return nil
	}
	m := x.message()
	line, err := protocol.Line(m)
	if err == nil {
		var after []host.After
		for _, y := range x.after {
			if !y.over {
				after = append(after, host.After{Process: y.p.Process, Lines: y.line})
			}
		}
		err = x.p.Send(ctx, line, after...)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded) || ctx.Err() != nil:
		return s.late(ctx, fmt.Sprintf("it did not read the message %q in time", m.Type), x.p)
	case errors.Is(err, syscall.EPIPE):
		return s.blame(x.p, fmt.Sprintf("it no longer reads its standard input; %q could not be sent", m.Type))
	}
	return s.blame(x.p, fmt.Sprintf("%q could not be sent: %v", m.Type, err))
}

// await waits until something happens, which ctx may end.
func (s *session) await(ctx context.Context, allowed time.Duration) error {
	var end <-chan struct{} // of the process that is to end, whatever holds its pipes
	first := s.exchanges[slices.IndexFunc(s.exchanges, func(x *exchange) bool { return !x.over })]
	if first.answer == "" {
		end = first.p.Exited()
	}
	select {
	case e := <-s.events:
		return s.accept(e)
	case <-end:
		first.over = true
		return nil
	case <-ctx.Done():
	}
	var due *exchange
	var missing []*process
	for _, x := range s.exchanges {
		if x.phase == s.phase && x.begun() && !x.over && (due == nil || x.answer == due.answer) {
			due, missing = x, append(missing, x.p)
		}
	}
	if due.answer == "" {
		return s.late(ctx, "it was told to stop, but did not end", missing...)
	}
	return s.late(ctx, fmt.Sprintf("no message %q came within %v", due.answer, allowed), missing...)
}

// accept takes one event, or returns what is wrong with it.
func (s *session) accept(e event) error {
	if f := s.note(e); f != nil {
		return s.settle(f)
	}
	return nil
}

// note takes one event, and returns the fault in it, if one is.
func (s *session) note(e event) *fault {
	x, leaving := e.p.next(), e.p.leaving()
	wrong := func(text string) *fault {
		return &fault{roles: []string{e.p.role.Name}, phase: s.phaseOf(x), text: text}
	}
	switch {
	case e.err == errGone:
		e.p.gone = true
		if !leaving {
			return wrong("")
		}
		if x != nil {
			x.over = true
		}
	case leaving: // what it still says no longer counts
	case e.err == io.EOF:
		s.tasks.Go(func() { s.expectEnd(e.p) })
	case e.err != nil:
		return wrong(e.err.Error())
	case e.m.Type == protocol.TypeError:
		f := wrong(e.m.Error)
		f.said = true
		return f
	case !x.begun():
		return wrong(fmt.Sprintf("it sent %q when nothing was asked of it", e.m.Type))
	case e.m.Type != x.answer:
		return wrong(fmt.Sprintf("it sent %q where %q was due", e.m.Type, x.answer))
	default:
		f := wrong("")
		x.over = true
		if x.take != nil {
			f.text = x.take(e.m)
		}
		if f.text != "" {
			return f
		}
	}
	return nil
}

// phaseOf is the phase that a process with the next exchange x is in.
func (s *session) phaseOf(x *exchange) phase {
	if x != nil && x.begun() {
		return x.phase
	}
	return s.phase
}

// expectEnd waits for the end of a process that closed its standard output: usually that
// is the reason.
func (s *session) expectEnd(p *process) {
	select {
	case <-p.Exited():
	case <-s.quit:
	case <-time.After(grace):
		s.post(event{p: p, err: errors.New("it closed its standard output")})
	}
}

// late returns the error for processes that took too long, or the reason why
// the whole run is given up.
func (s *session) late(ctx context.Context, text string, ps ...*process) error {
	if cause := context.Cause(ctx); cause != context.DeadlineExceeded {
		return cause
	}
	f := &fault{phase: s.phase, text: text, died: s.dead()}
	for _, p := range ps {
		f.roles = append(f.roles, p.role.Name)
	}
	return f
}

// blame returns the fault of a process.
func (s *session) blame(p *process, text string) error {
	return s.settle(&fault{roles: []string{p.role.Name}, phase: s.phaseOf(p.next()), text: text})
}

// settle adds to a fault which processes have died. Whether one has is known a moment
// later than its effects.
func (s *session) settle(f *fault) *fault {
	if f.text != "" {
		s.awaitDeath()
	}
	f.died = s.dead()
	return f
}

// awaitDeath waits until a process ends, but not for long. Of what else happens nothing
// matters any more but who is done.
func (s *session) awaitDeath() {
	quit := make(chan struct{})
	defer close(quit)
	any := make(chan struct{}, len(s.ps))
	for _, p := range s.ps {
		if p.leaving() {
			continue
		}
		go func() {
			select {
			case <-p.Exited():
				any <- struct{}{}
			case <-quit:
			}
		}()
	}
	for limit := time.After(grace); len(s.dead()) == 0; {
		select {
		case e := <-s.events:
			s.note(e)
		case <-any:
		case <-limit:
			return
		}
	}
}

// dead returns the processes that ended though nobody asked them to.
func (s *session) dead() []*process {
	var ps []*process
	for _, p := range s.ps {
		if !p.leaving() && p.hasExited() {
			ps = append(ps, p)
		}
	}
	return ps
}

// end kills whatever is left of the run and frees everything. It returns when
// every process is reaped.
func (s *session) end() {
	close(s.quit)
	for _, p := range s.ps {
		p.Kill()
	}
	for _, p := range s.ps {
		p.Reap()
	}
	limit, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for _, p := range s.ps {
		p.Close(limit)
	}
	s.tasks.Wait()
}
