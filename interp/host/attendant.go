package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"
)

// attendant is a versus on another host, at the other end of a pipe. It answers one
// question at a time, and has the workers of one run at a time.
type attendant struct {
	*wire
	answers chan reply
	gone    chan struct{} // closed when nothing more is heard
	why     error         // of that; to be read when gone is closed

	mu      sync.Mutex
	workers map[int]*farChild // that have not ended, by number
	number  int               // of the last one
}

// newAttendant greets the attendant behind a pipe, and then listens to it.
func newAttendant(ctx context.Context, p *wire) (*attendant, error) {
	if err := p.greet(ctx, answerTimeout); err != nil {
		return nil, err
	}
	t := &attendant{wire: p, answers: make(chan reply, 1), gone: make(chan struct{}), workers: map[int]*farChild{}}
	go t.listen()
	return t, nil
}

// listen takes what the attendant says until nothing more comes. Then its workers have
// ended for all that can be known.
func (t *attendant) listen() {
	t.why = t.lost(context.Background(), t.take())
	t.mu.Lock()
	close(t.gone)
	left := t.workers
	t.workers = nil
	t.mu.Unlock()
	for _, p := range left {
		p.end(&ending{Problem: t.ended().Error()})
	}
}

// ended says, when gone is closed, why there are no workers any more.
func (t *attendant) ended() error { return fmt.Errorf("the connection to its host ended: %w", t.why) }

// take takes what the attendant says.
func (t *attendant) take() error {
	var buffer []byte
	for {
		a, line, err := readReply(t.lines, buffer)
		if err != nil {
			return err
		}
		buffer = line
		if a.Worker == 0 {
			select {
			case t.answers <- a:
			default:
				return errors.New("it answers what it was not asked")
			}
			continue
		}
		t.mu.Lock()
		p := t.workers[a.Worker]
		if a.Ended != nil {
			delete(t.workers, a.Worker)
		}
		t.mu.Unlock()
		if p == nil {
			return fmt.Errorf("it speaks of a worker %d, which is not there", a.Worker)
		}
		p.hear(a, line)
	}
}

// ask sends a question and returns the answer. After an error the attendant is of no
// more use.
func (t *attendant) ask(ctx context.Context, q question) (reply, error) {
	return t.request(ctx, q, nil, answerTimeout)
}

// request sends a question with what follows it, and returns the answer.
func (t *attendant) request(ctx context.Context, q question, rest io.Reader, within time.Duration) (reply, error) {
	line, err := json.Marshal(q)
	if err != nil {
		return reply{}, err
	}
	asked, err := t.write(ctx, bytes.NewReader(append(line, '\n')), answerTimeout)
	if err != nil {
		return reply{}, err
	}
	if rest != nil {
		if _, err := t.write(ctx, rest, copyTimeout); err != nil {
			return reply{}, err
		}
	}
	limit := time.NewTimer(within)
	defer limit.Stop()
	select {
	case a := <-t.answers:
		a.asked = asked
		return a, nil
	case <-t.gone:
		return reply{}, t.why
	case <-limit.C:
		return reply{}, errors.New("no answer in time" + t.said())
	case <-ctx.Done():
		return reply{}, context.Cause(ctx)
	}
}

// tell sends what is not answered, with a line that belongs to it.
func (t *attendant) tell(ctx context.Context, q question, line []byte) error {
	text, err := json.Marshal(q)
	if err == nil && len(text) >= maxLine {
		err = fmt.Errorf("an order of %d bytes; the limit is %d: its environment is too large", len(text), maxLine)
	}
	if err != nil {
		return err
	}
	_, err = t.write(ctx, bytes.NewReader(append(append(text, '\n'), line...)), answerTimeout)
	return err
}

// start starts a worker there. What becomes of that is told to its ear.
func (t *attendant) start(o order, ear Ear) (Process, error) {
	t.mu.Lock()
	select {
	case <-t.gone:
		t.mu.Unlock()
		return nil, t.ended()
	default:
	}
	t.number++
	p := &farChild{through: t, number: t.number, ear: ear, exited: make(chan struct{})}
	t.workers[p.number] = p
	t.mu.Unlock()
	if err := t.tell(context.Background(), question{Worker: p.number, Start: &o}, nil); err != nil {
		return nil, err
	}
	return p, nil
}

// close ends the connection.
func (t *attendant) close() {
	t.in.Close()
	t.out.SetReadDeadline(time.Now().Add(time.Second))
	<-t.gone
	t.wire.close()
}

// farChild is a worker that an attendant has started.
type farChild struct {
	through *attendant
	number  int
	ear     Ear
	unheard bool // nobody wants to hear more
	exited  chan struct{}
	how     *ending // when exited is closed
}

// hear takes what is said of the worker.
func (p *farChild) hear(a reply, line []byte) {
	switch {
	case a.Ended != nil:
		p.end(a.Ended)
	case p.unheard:
	case a.Said != nil:
		p.unheard = !p.ear.Said(line)
	case a.Silent != nil && *a.Silent == "":
		p.ear.Silent(io.EOF)
	case a.Silent != nil:
		p.ear.Silent(errors.New(Clip(*a.Silent)))
	}
}

// end is the end of the worker. Who waits for it hears of it after its ear.
func (p *farChild) end(how *ending) {
	p.how = how
	p.ear.Ended()
	close(p.exited)
}

func (p *farChild) Pid() int { return 0 }

func (p *farChild) Send(ctx context.Context, line []byte, after ...After) error {
	pass := &pass{Size: len(line)}
	for _, a := range after {
		pass.After = append(pass.After, mark{a.Process.(*farChild).number, a.Lines})
	}
	return p.through.tell(ctx, question{Worker: p.number, Pass: pass}, line)
}

func (p *farChild) Exited() <-chan struct{} { return p.exited }

// Words may be asked for while the worker lives: then there are none yet.
func (p *farChild) Words() string {
	select {
	case <-p.exited:
		var words tail
		words.Write([]byte(p.how.Words))
		return words.String()
	default:
		return ""
	}
}

func (p *farChild) State() State {
	select {
	case <-p.exited:
		return p.how
	default:
		return nil
	}
}

func (p *farChild) Kill() {
	select {
	case <-p.exited:
	default:
		ctx, cancel := context.WithTimeout(context.Background(), leave)
		defer cancel()
		p.through.tell(ctx, question{Worker: p.number, Kill: true}, nil) // Reap finds what is wrong
	}
}

// Reap ends the connection if that does not tell of the end of the worker.
func (p *farChild) Reap() {
	select {
	case <-p.exited:
		return
	case <-time.After(leave):
	}
	p.through.kill()
	<-p.exited
}

func (p *farChild) Close(context.Context) {}

func (e *ending) Success() bool { return e.Problem == "" && e.Status == 0 }

// String is what os.ProcessState says.
func (e *ending) String() string {
	status := syscall.WaitStatus(e.Status)
	switch {
	case e.Problem != "":
		return Clip(e.Problem)
	case status.Exited():
		return fmt.Sprintf("exit status %d", status.ExitStatus())
	case status.Signaled() && status.CoreDump():
		return fmt.Sprintf("signal: %v (core dumped)", status.Signal())
	case status.Signaled():
		return fmt.Sprintf("signal: %v", status.Signal())
	}
	return fmt.Sprintf("status %#x", e.Status)
}
