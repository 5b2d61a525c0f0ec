package host

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// wire is a pipe that goes through a process of this machine to one of another.
type wire struct {
	cmd     *exec.Cmd
	writing sync.Mutex
	in, out *os.File
	stderr  *os.File
	lines   *bufio.Reader
	words   tail
	quiet   chan struct{} // closed when all words are there
}

// openWire starts the command that gives it.
func openWire(command []string) (*wire, error) {
	t := &wire{cmd: exec.Command(command[0], command[1:]...), quiet: make(chan struct{})}
	// Not as a worker: what gives the pipe may need an agent, or a configuration.
	t.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
	l, err := here()
	if err != nil {
		return nil, err
	}
	ours, err := startPiped(l, t.cmd, nil)
	if err != nil {
		return nil, err
	}
	t.in, t.out, t.stderr = ours[0], ours[1], ours[2]
	go func() {
		defer close(t.quiet)
		defer t.stderr.Close()
		io.Copy(&t.words, t.stderr)
	}()
	t.lines = bufio.NewReaderSize(t.out, maxLine)
	return t, nil
}

// write sends all of what it is given, with nothing of others in between, and returns when
// it began. If only a part could be sent, which can't be taken back, the process is killed.
func (t *wire) write(ctx context.Context, from io.Reader, within time.Duration) (began int64, err error) {
	t.writing.Lock()
	defer t.writing.Unlock()
	t.in.SetDeadline(time.Now().Add(within))
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		t.in.SetDeadline(time.Unix(1, 0))
		close(ended)
	})
	began = monotonic()
	n, err := io.Copy(t.in, from)
	if !stop() {
		<-ended // else it would end the next one
	}
	if err != nil && n > 0 {
		t.kill()
	}
	if err != nil {
		return 0, t.lost(ctx, err)
	}
	return began, nil
}

// send sends a file.
func (t *wire) send(ctx context.Context, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = t.write(ctx, f, copyTimeout)
	return err
}

// greet reads up to the greeting.
func (t *wire) greet(ctx context.Context, within time.Duration) error {
	defer t.readWithin(ctx, within)()
	noise, err := skipToGreeting(t.lines)
	if err != nil && noise != "" {
		return fmt.Errorf("%w; it says %q", t.lost(ctx, err), Clip(noise))
	}
	if err != nil {
		return t.lost(ctx, err)
	}
	return nil
}

// hear returns the next line that comes.
func (t *wire) hear(ctx context.Context, within time.Duration) (string, error) {
	defer t.readWithin(ctx, within)()
	text, err := readLine(t.lines)
	if err != nil {
		return "", t.lost(ctx, err)
	}
	return strings.TrimSpace(string(text)), nil
}

// readWithin has reading end after a while or when ctx is done, until the function
// that it returns is called.
func (t *wire) readWithin(ctx context.Context, within time.Duration) func() {
	t.out.SetDeadline(time.Now().Add(within))
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		t.out.SetDeadline(time.Unix(1, 0))
		close(ended)
	})
	return func() {
		if !stop() {
			<-ended
		}
		t.out.SetDeadline(time.Time{})
	}
}

// lost says what became of a process that can't be talked to.
func (t *wire) lost(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errors.New("no answer in time" + t.said())
	case !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, syscall.EPIPE):
		return fmt.Errorf("%w%s", err, t.said())
	}
	select {
	case <-t.quiet: // its last words come before its end
	case <-time.After(time.Second):
	}
	return fmt.Errorf("%s ended%s", t.cmd.Args[0], t.said())
}

// said are its last words, as the end of an error.
func (t *wire) said() string {
	if words := t.words.String(); words != "" {
		return ": " + words
	}
	return ""
}

// kill ends the process at once.
func (t *wire) kill() { unix.Kill(-t.cmd.Process.Pid, unix.SIGKILL) }

// close ends the process: by the end of its input, and by force if it must be.
// Nobody else may read from it any more.
func (t *wire) close() {
	t.in.Close()
	t.out.SetReadDeadline(time.Now().Add(time.Second))
	io.Copy(io.Discard, t.out) // until it ends
	t.kill()
	t.cmd.Wait()
	t.out.Close()
	// What it started may hold the pipe, also when it is stuck.
	t.stderr.SetReadDeadline(time.Now().Add(time.Second))
	<-t.quiet
}
