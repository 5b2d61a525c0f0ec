package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// workers are those that an attendant has started.
type workers struct {
	saying sync.Mutex
	out    io.Writer

	mu       sync.Mutex      // of what follows, and of all workers
	byNumber map[int]*worker // of the run under way
	living   int
	idle     *sync.Cond // living has become less
}

// worker is one of them. It is the ear of its process.
type worker struct {
	among    *workers
	number   int
	child    *child
	launcher *launcher
	said     int  // lines
	reaped   bool // it can't be killed any more
	ended    bool

	held    []held      // lines that wait for others, in order
	passing chan []byte // lines on their way to its standard input
	waiting int         // lines in held and passing
}

// held is a line that waits.
type held struct {
	line  []byte
	after []mark // what did not happen yet
}

// maxWaiting is how many lines may wait for one worker: more than a run has.
const maxWaiting = 16

// leave is how long workers may take to end when the connection has, before they are
// made to.
const leave = 3 * time.Second

func newWorkers(out io.Writer) *workers {
	w := &workers{out: out, byNumber: map[int]*worker{}}
	w.idle = sync.NewCond(&w.mu)
	return w
}

// say says something, with the line that belongs to it, if one does. If nobody hears it,
// the connection has ended, which its other half will tell. What is said of workers can
// always be written as JSON. Nobody may hold mu meanwhile: what comes in waits for it.
func (w *workers) say(a reply, line []byte) error {
	w.saying.Lock()
	defer w.saying.Unlock()
	if a.Worker == 0 {
		a.Clock = monotonic()
	}
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if a.Said != nil {
		text = append(append(text, line...), '\n')
	}
	w.out.Write(text)
	return nil
}

// do does what the question asks for a worker. An error ends the attendant.
func (w *workers) do(q question, line []byte) error {
	switch {
	case q.Start != nil:
		return w.start(q.Worker, *q.Start)
	case q.Pass != nil:
		return w.pass(q.Worker, held{line, q.Pass.After})
	case q.Kill:
		w.kill(q.Worker)
		return nil
	}
	return fmt.Errorf("nothing is to be done with worker %d", q.Worker)
}

// start starts a worker, or says why it can't.
func (w *workers) start(number int, o order) error {
	c, l, err := o.start()
	if err != nil {
		w.say(reply{Worker: number, Ended: &ending{Problem: fmt.Sprintf("it can't be started: %v", err)}}, nil)
		return nil
	}
	t := &worker{among: w, number: number, child: c, launcher: l, passing: make(chan []byte, maxWaiting)}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.living == 0 { // this run is another one
		clear(w.byNumber)
	}
	w.byNumber[number] = t
	w.living++
	c.hear(t)
	go t.feed()
	go func() { // what it started may hold its pipes
		<-c.exited
		w.kill(number)
	}()
	return nil
}

// start starts what is ordered.
func (o order) start() (*child, *launcher, error) {
	program, args := self(), append([]string{"worker"}, o.Args...)
	if o.Program != "" {
		path, err := brought(o.Program)
		if err != nil {
			return nil, nil, err
		}
		program, args = path, o.Args
	}
	cmd := exec.Command(program, args...)
	cmd.Env, _ = environ(o.Role, o.Host)
	l, err := newLauncher(func() error { return prioritise(o.Priority) })
	if err != nil {
		return nil, nil, err
	}
	c, err := startChild(l, cmd, o.CPUs)
	if err != nil {
		l.close()
		return nil, nil, err
	}
	return c, l, nil
}

// pass gives a line to a worker when it is time. What is for one that has ended is
// forgotten: that it has is said, or on its way.
func (w *workers) pass(number int, h held) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	t := w.byNumber[number]
	if t == nil || t.ended {
		return nil
	}
	if t.waiting == maxWaiting {
		return fmt.Errorf("more than %d lines wait for worker %d", maxWaiting, number)
	}
	t.waiting++
	t.held = append(t.held, h)
	w.release()
	return nil
}

// release passes the lines that have nothing to wait for any more. It is called
// whenever something happened, after that was said, so that the other side hears of
// what a worker did before it hears of what this caused.
func (w *workers) release() {
	for _, t := range w.byNumber {
		for len(t.held) > 0 && !t.ended && w.all(t.held[0].after) {
			t.passing <- t.held[0].line // there is room
			t.held = t.held[1:]
		}
	}
}

// all reports whether all of it has happened. A worker that is not known does nothing.
func (w *workers) all(after []mark) bool {
	for _, m := range after {
		t := w.byNumber[m.Worker]
		if t == nil || m.Lines > 0 && t.said < m.Lines || m.Lines == 0 && !t.ended {
			return false
		}
	}
	return true
}

func (w *workers) kill(number int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t := w.byNumber[number]; t != nil && !t.reaped {
		t.child.Kill()
	}
}

// feed writes what is passed to the worker.
func (t *worker) feed() {
	for line := range t.passing {
		if err := t.child.Send(context.Background(), line); err != nil {
			why := fmt.Sprintf("it can't be told anything: %v", err)
			if errors.Is(err, syscall.EPIPE) {
				why = "it no longer reads its standard input"
			}
			t.among.say(reply{Worker: t.number, Silent: &why}, nil)
			return
		}
		t.among.mu.Lock()
		t.waiting--
		t.among.mu.Unlock()
	}
}

// Said passes a line on. As long as nobody takes it, the worker waits.
func (t *worker) Said(line []byte) bool {
	size := len(line) + 1
	t.among.say(reply{Worker: t.number, Said: &size}, line)
	t.among.mu.Lock()
	defer t.among.mu.Unlock()
	t.said++
	t.among.release()
	return true
}

func (t *worker) Silent(why error) {
	t.among.mu.Lock()
	reaped := t.reaped
	t.among.mu.Unlock()
	if reaped { // its end will be said, and why nothing comes any more is that
		return
	}
	text := ""
	if why != io.EOF {
		text = why.Error()
	}
	t.among.say(reply{Worker: t.number, Silent: &text}, nil)
}

func (t *worker) Ended() { go t.bury() } // who tells it is waited for there

// bury ends what is left of a worker that has ended, and says so.
func (t *worker) bury() {
	w := t.among
	w.mu.Lock()
	t.reaped = true
	w.mu.Unlock()
	t.child.Kill()
	t.child.Reap()
	limit, cancel := context.WithTimeout(context.Background(), linger)
	defer cancel()
	t.child.Close(limit)
	t.launcher.close()
	status, _ := t.child.cmd.ProcessState.Sys().(syscall.WaitStatus)
	w.mu.Lock()
	w.living-- // before it is said, since whoever hears of it may start the next run
	w.idle.Broadcast()
	w.mu.Unlock()
	w.say(reply{Worker: t.number, Ended: &ending{Status: uint32(status), Words: t.child.Words()}}, nil)
	w.mu.Lock()
	defer w.mu.Unlock()
	t.ended = true
	close(t.passing)
	w.release()
}

// leave ends all workers: by the end of their input, and by force if it must be.
func (w *workers) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.byNumber {
		t.child.in.Close()
	}
	force := time.AfterFunc(leave, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, t := range w.byNumber {
			if !t.reaped {
				t.child.Kill()
			}
		}
	})
	defer force.Stop()
	over := false // what is left dies with the attendant
	limit := time.AfterFunc(2*leave, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		over = true
		w.idle.Broadcast()
	})
	defer limit.Stop()
	for w.living > 0 && !over {
		w.idle.Wait()
	}
}
