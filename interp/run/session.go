package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"versus/drivers"
	"versus/drivers/protocol"
	"versus/interp/host"
)

// session is one run: the processes of its roles and what they say.
type session struct {
	ps     []*process // in the order in which they become ready
	phase  phase
	events chan event
	quit   chan struct{} // closed when nobody takes events any more
	tasks  sync.WaitGroup
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
func (s *session) launch(driver string, role drivers.Role, at host.Place, shift int64) error {
	p, err := startProcess(driver, role, at, shift)
	if err != nil {
		return &fault{roles: []string{role.Name}, phase: s.phase, text: fmt.Sprintf("it can't be started: %v", err)}
	}
	s.ps = append(s.ps, p)
	s.tasks.Go(func() { s.listen(p) })
	s.tasks.Go(func() { s.watch(p) })
	return nil
}

// listen passes on what the process says.
func (s *session) listen(p *process) {
	defer close(p.silent)
	out, unheard := p.Output()
	d := protocol.NewDecoder(out)
	for {
		m, err := protocol.Message{}, unheard
		if err == nil {
			m, err = d.Decode()
		}
		if err == io.EOF {
			break
		}
		if !s.post(event{p, m, err}) || err != nil {
			return
		}
	}
	// Usually it has ended, which watch reports.
	select {
	case <-p.Exited():
	case <-s.quit:
	case <-time.After(grace):
		s.tasks.Go(func() { s.post(event{p: p, err: errors.New("it closed its standard output")}) })
	}
}

// watch reports the end of the process, after all that it said.
func (s *session) watch(p *process) {
	<-p.Exited()
	select {
	case <-p.silent:
	case <-s.quit:
	case <-time.After(grace): // a process that it started holds the pipe
	}
	s.post(event{p: p, err: errGone})
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

// send sends a message to a process, which must read it before ctx is done.
func (s *session) send(ctx context.Context, p *process, m protocol.Message) error {
	stop := context.AfterFunc(ctx, func() { p.In.SetWriteDeadline(time.Unix(1, 0)) })
	defer stop()
	err := p.enc.Encode(m)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return s.late(ctx, fmt.Sprintf("it did not read the message %q in time", m.Type), p)
	case errors.Is(err, syscall.EPIPE):
		return s.blame(p, fmt.Sprintf("it no longer reads its standard input; %q could not be sent", m.Type))
	}
	return s.blame(p, fmt.Sprintf("%q could not be sent: %v", m.Type, err))
}

// await waits for one message of the given type from each of the processes,
// and takes no other message from anybody.
func (s *session) await(ctx context.Context, want string, from ...*process) (map[*process]protocol.Message, error) {
	allowed := time.Duration(0)
	if end, ok := ctx.Deadline(); ok {
		allowed = time.Until(end).Round(10 * time.Millisecond)
	}
	got := make(map[*process]protocol.Message, len(from))
	for len(got) < len(from) {
		select {
		case e := <-s.events:
			if err := s.accept(e, want, got, from); err != nil {
				return nil, err
			}
		case <-ctx.Done():
			var missing []*process
			for _, p := range from {
				if _, ok := got[p]; !ok {
					missing = append(missing, p)
				}
			}
			return nil, s.late(ctx, fmt.Sprintf("no message %q came within %v", want, allowed), missing...)
		}
	}
	return got, nil
}

// accept takes one event into got, or returns what is wrong with it.
func (s *session) accept(e event, want string, got map[*process]protocol.Message, from []*process) error {
	switch {
	case e.err == errGone:
		return s.blame(e.p, "")
	case e.err != nil:
		return s.blame(e.p, e.err.Error())
	case e.m.Type == protocol.TypeError:
		f := s.blame(e.p, e.m.Error)
		f.said = true
		return f
	}
	asked := false
	for _, p := range from {
		asked = asked || p == e.p
	}
	if _, again := got[e.p]; !asked || again {
		return s.blame(e.p, fmt.Sprintf("it sent %q when nothing was asked of it", e.m.Type))
	}
	if e.m.Type != want {
		return s.blame(e.p, fmt.Sprintf("it sent %q where %q was due", e.m.Type, want))
	}
	got[e.p] = e.m
	return nil
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

// blame returns the fault of a process. Whether it, or another one, has died is
// known a moment later than its effects.
func (s *session) blame(p *process, text string) *fault {
	if text != "" {
		s.awaitDeath()
	}
	return &fault{roles: []string{p.role.Name}, phase: s.phase, text: text, died: s.dead()}
}

// awaitDeath waits until a process ends, but not for long.
func (s *session) awaitDeath() {
	quit := make(chan struct{})
	defer close(quit)
	any := make(chan struct{}, len(s.ps))
	for _, p := range s.ps {
		if p.leaving {
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
	select {
	case <-any:
	case <-time.After(grace):
	}
}

// dead returns the processes that ended though nobody asked them to.
func (s *session) dead() []*process {
	var ps []*process
	for _, p := range s.ps {
		if !p.leaving && p.hasExited() {
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
