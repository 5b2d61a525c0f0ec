package worker

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"versus/drivers/protocol"
)

// Main has the conversation of one worker that plays the role name of a
// driver, as docs/worker-protocol.md describes it, and returns the exit status
// for the process: 0 when it was told to stop, else 1. It returns soon after
// its input ended, even when the role is busy or stuck; the caller should then
// end the process, goroutines of the role may be left.
//
// If out is os.Stdout, Main takes that over: whatever else the process prints
// goes to standard error from then on, and can't garble the conversation.
func Main(driver, name string, roles Roles, in io.Reader, out io.Writer) int {
	if out == io.Writer(os.Stdout) {
		own, err := takeStdout()
		if err != nil {
			fmt.Fprintln(os.Stderr, "worker:", err)
			return 1
		}
		out = own
	}
	enc := protocol.NewEncoder(out)
	role, ok := roles[name]
	if !ok {
		known := strings.Join(slices.Sorted(maps.Keys(roles)), ", ")
		err := fmt.Errorf("driver %q has no role %q; it has: %s", driver, name, known)
		enc.Encode(protocol.Message{Type: protocol.TypeError, Error: err.Error()})
		return 1
	}
	c := &conversation{enc: enc, session: newSession(role)}
	err := enc.Encode(protocol.Message{
		Type: protocol.TypeHello, Protocol: protocol.Version, Worker: driver + " " + name, PID: os.Getpid(),
	})
	if err == nil {
		err = c.run(protocol.NewDecoder(in))
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "worker %s %s: %v\n", driver, name, err)
		return 1
	}
	return 0
}

// takeStdout returns the present standard output and lets descriptor 1 be
// standard error.
func takeStdout() (*os.File, error) {
	fd, err := unix.FcntlInt(1, unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("standard output: %w", err)
	}
	if err := syscall.Dup3(2, 1, 0); err != nil {
		return nil, fmt.Errorf("standard output: %w", err)
	}
	return os.NewFile(uintptr(fd), "protocol"), nil
}

// conversation reads messages and has the session handle them one at a time,
// while it keeps listening: stop and the end of the input count at any moment.
type conversation struct {
	enc     *protocol.Encoder
	session *session
}

type input struct {
	message protocol.Message
	err     error
}

// run has the conversation until it is told to stop. It returns why it ended otherwise.
func (c *conversation) run(dec *protocol.Decoder) error {
	inputs, quit := make(chan input), make(chan struct{})
	defer close(quit)
	go read(dec, inputs, quit)

	var busy chan struct{} // closed when the answer is there; nil when idle
	var asked string       // type of the message that is being handled
	var answer protocol.Message
	idle := make(chan struct{})
	close(idle)
	stop := func() {
		if busy == nil {
			busy = idle
		}
		c.session.stop(busy, asked == protocol.TypePrepare)
	}
	for {
		select {
		case in := <-inputs:
			switch {
			case errors.Is(in.err, io.EOF):
				stop()
				return errors.New("the input ended before a stop message")
			case in.err != nil:
				c.fail(in.err)
				stop()
				return in.err
			case in.message.Type == protocol.TypeStop:
				stop()
				return nil
			case busy != nil:
				err := fmt.Errorf("message %q while %q is still being done", in.message.Type, asked)
				c.fail(err)
				stop()
				return err
			}
			done := make(chan struct{})
			busy, asked = done, in.message.Type
			go func() {
				defer close(done)
				var err error
				if answer, err = c.session.handle(in.message); err != nil {
					answer = protocol.Message{Type: protocol.TypeError, Error: err.Error()}
				}
			}()
		case <-busy:
			busy, asked = nil, ""
			if err := c.enc.Encode(answer); err != nil {
				c.fail(err)
				stop()
				return err
			}
		}
	}
}

// fail tells the interpreter of an error, if it still listens.
func (c *conversation) fail(err error) {
	c.enc.Encode(protocol.Message{Type: protocol.TypeError, Error: err.Error()})
}

// read decodes messages until the first error.
func read(dec *protocol.Decoder, inputs chan<- input, quit <-chan struct{}) {
	for {
		m, err := dec.Decode()
		select {
		case inputs <- input{m, err}:
		case <-quit:
			return
		}
		if err != nil {
			return
		}
	}
}
