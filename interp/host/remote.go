package host

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/dsl"
	"versus/interp/journal"
)

// remote is a host of kind ssh or exec: a command gives a pipe to what is
// started there. Its attendant, a versus that stays there from the first run
// to the last, says what the host is and what its clock shows.
type remote struct {
	host    *dsl.Host
	ssh     *connection // nil for exec
	program []string    // the versus there, and how it is reached
	lines   *attendant
	machine *journal.Environment
	clock   string // name of its clock
	build   string // SHA-256 of this versus

	programs map[string]string // by path here: the SHA-256 of what was brought
	prepared map[string]bool   // what roles need and the host has
}

// answerTimeout is how long a host may take for an answer, also for the first,
// before which it has to start a process.
const answerTimeout = 20 * time.Second

// newRemote reaches a host and asks it what it is.
func newRemote(ctx context.Context, h *dsl.Host) (*remote, error) {
	r, err := dial(ctx, h)
	if err != nil {
		return nil, err
	}
	if err := r.inspect(ctx); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// dial reaches a host.
func dial(ctx context.Context, h *dsl.Host) (r *remote, err error) {
	r = &remote{host: h, programs: map[string]string{}, prepared: map[string]bool{}}
	var size int64
	if r.build, size, err = hashOf(running); err != nil {
		return nil, err
	}
	switch h.Kind {
	case "ssh":
		if r.ssh, err = connectSSH(ctx, h, r.build, size); err != nil {
			return nil, fmt.Errorf("host %q: %w", h.Name, err)
		}
		r.program = append(r.ssh.command(), quoted(r.ssh.program))
	default:
		path, err := os.Executable()
		if err != nil && h.Program == "" {
			return nil, fmt.Errorf("the path of versus itself is not known: %w", err)
		}
		r.program = append(slices.Clone(h.Command), path)
		if h.Program != "" {
			r.program = append(slices.Clone(h.Command), h.Program)
		}
	}
	if r.lines, err = newAttendant(r.command()); err == nil {
		err = r.lines.greet(ctx, answerTimeout)
	}
	if err != nil {
		r.close()
		return nil, fmt.Errorf("host %q can't be reached: %w", h.Name, err)
	}
	return r, nil
}

// command is what runs `versus worker -placed ARGUMENTS` there.
func (r *remote) command(args ...string) []string {
	return append(slices.Clone(r.program), append([]string{"worker", PlacedFlag}, args...)...)
}

// inspect asks what the host is, and whether it is what the scenario requires. The
// versus there must be this one.
func (r *remote) inspect(ctx context.Context) error {
	a, err := r.lines.ask(ctx, question{Machine: true, CPUs: r.host.CPUs, Priority: r.host.Priority, Require: r.host.Require})
	switch {
	case err != nil:
		return fmt.Errorf("host %q: %w", r.host.Name, err)
	case a.Machine == nil:
		return fmt.Errorf("host %q: the versus there does not say what the machine is", r.host.Name)
	case a.Machine.Versus != r.build:
		// Its workers would be measured, and they are another program.
		return Missing{fmt.Errorf("host %q has another build of versus (SHA-256 %.16s, here %.16s): copy this one there, and name it in program",
			r.host.Name, Clip(a.Machine.Versus), r.build)}
	case a.Lacks != "":
		return Missing{fmt.Errorf("host %q requires %s", r.host.Name, Clip(a.Lacks))}
	}
	// It goes into the record of every run.
	const most = 16 << 10
	if text, err := json.Marshal(a.Machine); err != nil || len(text) > most || len(a.ClockName) > most {
		return fmt.Errorf("host %q describes itself in more than %d bytes", r.host.Name, most)
	}
	r.machine, r.clock = a.Machine, a.ClockName
	return nil
}

// order is the first line for a worker there.
func (r *remote) order(role drivers.Role) ([]byte, error) {
	o := order{CPUs: r.host.CPUs, Priority: r.host.Priority, Role: role.Env, Host: r.host.Environment, Clock: r.clock}
	if len(role.Command) > 0 {
		o.Program, o.Args = r.programs[role.Command[0]], role.Command[1:]
	}
	line, err := json.Marshal(o)
	// It must fit into a pipe, since nobody reads it yet.
	const most = 32 << 10
	if err == nil && len(line) > most {
		return nil, fmt.Errorf("the environment of host %q has %d bytes; the limit is %d", r.host.Name, len(line), most)
	}
	return append(line, '\n'), err
}

func (r *remote) close() {
	if r.lines != nil {
		r.lines.close()
	}
	if r.ssh != nil {
		r.ssh.close()
	}
}

// attendant is a process of this machine whose pipe goes to a process of another.
type attendant struct {
	cmd     *exec.Cmd
	in, out *os.File
	stderr  *os.File
	lines   *bufio.Reader
	words   tail
	quiet   chan struct{} // closed when all words are there
}

// newAttendant starts the command.
func newAttendant(command []string) (*attendant, error) {
	t := &attendant{cmd: exec.Command(command[0], command[1:]...), quiet: make(chan struct{})}
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

// ask sends a question and returns the answer.
func (t *attendant) ask(ctx context.Context, q question) (reply, error) {
	line, err := json.Marshal(q)
	if err != nil {
		return reply{}, err
	}
	if err := t.write(ctx, bytes.NewReader(append(line, '\n')), answerTimeout); err != nil {
		return reply{}, err
	}
	return t.read(ctx, answerTimeout)
}

// read reads the answer to a question.
func (t *attendant) read(ctx context.Context, within time.Duration) (reply, error) {
	text, err := t.hear(ctx, within)
	if err != nil {
		return reply{}, err
	}
	var a reply
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return reply{}, fmt.Errorf("it answers %q, which versus does not understand", Clip(text))
	}
	return a, nil
}

// write sends all of what it is given.
func (t *attendant) write(ctx context.Context, from io.Reader, within time.Duration) error {
	t.in.SetDeadline(time.Now().Add(within))
	defer t.stopWith(ctx)()
	if _, err := io.Copy(t.in, from); err != nil {
		return t.lost(ctx, err)
	}
	return nil
}

// greet reads up to the greeting.
func (t *attendant) greet(ctx context.Context, within time.Duration) error {
	t.out.SetDeadline(time.Now().Add(within))
	defer t.stopWith(ctx)()
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
func (t *attendant) hear(ctx context.Context, within time.Duration) (string, error) {
	t.out.SetDeadline(time.Now().Add(within))
	defer t.stopWith(ctx)()
	text, err := t.lines.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		return "", fmt.Errorf("it answers with a line longer than %d bytes", t.lines.Size())
	}
	if err != nil {
		return "", t.lost(ctx, err)
	}
	return strings.TrimSpace(string(text)), nil
}

// stopWith has reading and writing end when ctx is done, until the function that
// it returns is called.
func (t *attendant) stopWith(ctx context.Context) func() bool {
	return context.AfterFunc(ctx, func() {
		t.in.SetDeadline(time.Unix(1, 0))
		t.out.SetDeadline(time.Unix(1, 0))
	})
}

// lost says what became of a process that can't be talked to.
func (t *attendant) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("no answer in time%s", t.said())
	}
	if !errors.Is(err, io.EOF) && !errors.Is(err, syscall.EPIPE) {
		return fmt.Errorf("%w%s", err, t.said())
	}
	select {
	case <-t.quiet: // its last words come before its end
	case <-time.After(time.Second):
	}
	return fmt.Errorf("%s ended%s", t.cmd.Args[0], t.said())
}

// said are its last words, as the end of an error.
func (t *attendant) said() string {
	if words := t.words.String(); words != "" {
		return ": " + words
	}
	return ""
}

// close ends the process: by the end of its input, and by force if it must be.
func (t *attendant) close() {
	t.in.Close()
	t.out.SetReadDeadline(time.Now().Add(time.Second))
	io.Copy(io.Discard, t.out) // until it ends
	unix.Kill(-t.cmd.Process.Pid, unix.SIGKILL)
	t.cmd.Wait()
	t.out.Close()
	// The ssh that all share holds the pipes of the others, also when it is stuck.
	t.stderr.SetReadDeadline(time.Now().Add(time.Second))
	<-t.quiet
}
