// Package workertest has the conversation of the interpreter with workers, for
// the tests of drivers: it starts the programs of their roles and carries one
// run. It measures nothing by itself and survives nothing; interp/run does.
package workertest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/drivers/protocol"
	"versus/drivers/worker"
)

// Role is one end of a conversation. Its worker ends with the test at the latest.
type Role struct {
	Name    string
	Encoder *protocol.Encoder
	Decoder *protocol.Decoder
	Input   io.Closer // its end ends the worker
	// Command is the worker's process, nil for one that Go plays in this process.
	Command *exec.Cmd
	// Wait returns how the process ended.
	Wait  func() error
	words words
}

// Start starts the command of a role, in a process group of its own, and takes
// its hello.
func Start(tb testing.TB, role drivers.Role) *Role {
	tb.Helper()
	cmd := exec.Command(role.Command[0], role.Command[1:]...)
	cmd.Env = append(os.Environ(), role.Env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	r := &Role{Name: role.Name, Encoder: protocol.NewEncoder(in), Decoder: protocol.NewDecoder(out), Input: in, Command: cmd}
	cmd.Stderr = &r.words
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	r.Wait = sync.OnceValue(cmd.Wait)
	tb.Cleanup(func() {
		in.Close()
		_ = r.Wait()
		if tb.Failed() {
			tb.Logf("%s wrote: %s", role.Name, &r.words)
		}
	})
	r.Expect(tb, protocol.TypeHello)
	return r
}

// Play has the Go kit play a role in this process.
func Play(tb testing.TB, driver, name string, roles worker.Roles) *Role {
	tb.Helper()
	inRead, in := io.Pipe()
	out, outWrite := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		worker.Main(driver, name, roles, inRead, outWrite)
		outWrite.Close()
	}()
	tb.Cleanup(func() {
		in.Close()
		<-ended
	})
	r := &Role{Name: name, Encoder: protocol.NewEncoder(in), Decoder: protocol.NewDecoder(out), Input: in}
	r.Expect(tb, protocol.TypeHello)
	return r
}

// Expect takes the next message, which must be of this type. A result must be
// one that the interpreter would take.
func (r *Role) Expect(tb testing.TB, kind string) protocol.Message {
	tb.Helper()
	m, err := r.Decoder.Decode()
	if err != nil || m.Type != kind {
		tb.Fatalf("%s: got %q %s, %v; want %q; it wrote: %s", r.Name, m.Type, m.Error, err, kind, &r.words)
	}
	if m.Result != nil {
		if err := m.Result.Validate(); err != nil {
			tb.Fatalf("%s: %v", r.Name, err)
		}
	}
	return m
}

// Send sends a message.
func (r *Role) Send(tb testing.TB, m protocol.Message) {
	tb.Helper()
	if err := r.Encoder.Encode(m); err != nil {
		tb.Fatalf("%s: %v; it wrote: %s", r.Name, err, &r.words)
	}
}

// Ask sends a message and takes the answer, which must be of this type.
func (r *Role) Ask(tb testing.TB, m protocol.Message, answer string) protocol.Message {
	tb.Helper()
	r.Send(tb, m)
	return r.Expect(tb, answer)
}

// Stop ends the worker, which must end well.
func (r *Role) Stop(tb testing.TB) {
	tb.Helper()
	r.Send(tb, protocol.Message{Type: protocol.TypeStop})
	if r.Wait == nil {
		return
	}
	if err := r.Wait(); err != nil {
		tb.Errorf("%s: %v; it wrote: %s", r.Name, err, &r.words)
	}
}

// Kill ends the worker and all that it started with -9, as the interpreter does.
func (r *Role) Kill() {
	_ = syscall.Kill(-r.Command.Process.Pid, syscall.SIGKILL)
	_ = r.Wait()
}

// Run is one run: the roles in the order in which they become ready.
type Run struct {
	Workload drivers.Workload
	Roles    map[string]*Role
	// Effective are the settings that each role reported.
	Effective map[string]map[string]string
	// Drain is how long a subscriber waits for messages that are still on their
	// way, in seconds.
	Drain float64
	order []drivers.Role
	peers map[string]map[string]string
	// ClockShift is what roles are told of their clocks, nanoseconds; set before they are added.
	ClockShift map[string]int64
}

// Prepare starts all roles and readies them.
func Prepare(tb testing.TB, w drivers.Workload, roles []drivers.Role) *Run {
	tb.Helper()
	r := &Run{Workload: w, Roles: map[string]*Role{}, Effective: map[string]map[string]string{}, peers: map[string]map[string]string{}, Drain: 30}
	for _, role := range roles {
		r.Add(tb, role, Start(tb, role))
	}
	return r
}

// Add readies one more role.
func (r *Run) Add(tb testing.TB, role drivers.Role, w *Role) {
	tb.Helper()
	m := w.Ask(tb, protocol.Message{Type: protocol.TypePrepare, Workload: &r.Workload, Peers: r.peers, ClockShift: r.ClockShift[role.Name]}, protocol.TypeReady)
	if m.ClockShift != r.ClockShift[role.Name] {
		tb.Errorf("%s shifts its clock by %d ns, not by %d", role.Name, m.ClockShift, r.ClockShift[role.Name])
	}
	r.Roles[role.Name], r.Effective[role.Name] = w, m.Effective
	r.peers[role.Name] = m.Addresses
	r.order = append(r.order, role)
}

// Peers returns the addresses of the roles that are ready.
func (r *Run) Peers() map[string]map[string]string { return r.peers }

// Measure warms up, measures and stops the roles. It returns the results by role.
func (r *Run) Measure(tb testing.TB) map[string]*protocol.Result {
	tb.Helper()
	results := map[string]*protocol.Result{}
	each := func(active bool, do func(role *Role)) {
		for _, role := range r.order {
			if role.Active == active {
				do(r.Roles[role.Name])
			}
		}
	}
	each(true, func(w *Role) { w.Ask(tb, protocol.Message{Type: protocol.TypeWarmUp}, protocol.TypeWarm) })
	each(false, func(w *Role) { w.Ask(tb, protocol.Message{Type: protocol.TypeMeasure}, protocol.TypeMeasuring) })
	sent := int64(0)
	each(true, func(w *Role) { w.Send(tb, protocol.Message{Type: protocol.TypeMeasure}) })
	each(true, func(w *Role) {
		results[w.Name] = w.Expect(tb, protocol.TypeResult).Result
		sent += results[w.Name].Sent
	})
	for i := len(r.order) - 1; i >= 0; i-- {
		if w := r.Roles[r.order[i].Name]; !r.order[i].Active {
			results[w.Name] = w.Ask(tb, protocol.Message{Type: protocol.TypeFinish, Sent: sent, Drain: r.Drain}, protocol.TypeResult).Result
		}
	}
	for i := len(r.order) - 1; i >= 0; i-- {
		r.Roles[r.order[i].Name].Stop(tb)
	}
	return results
}

// Ended returns when a process that this test may signal has ended, whoever's child it is.
func Ended(tb testing.TB, pid int) {
	tb.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return // ended, and nobody waits for it any more
	}
	if err != nil {
		tb.Fatal(err)
	}
	defer unix.Close(fd)
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 30_000)
		switch {
		case n == 1:
			return
		case errors.Is(err, unix.EINTR):
		default:
			tb.Fatalf("process %d has not ended within 30 s: %v", pid, err)
		}
	}
}

// Freeze stops a child of this process, and returns when all of its threads stand
// still: what is asked of it from then on has no answer until it gets SIGCONT.
func Freeze(tb testing.TB, child *os.Process) {
	tb.Helper()
	if err := child.Signal(unix.SIGSTOP); err != nil {
		tb.Fatal(err)
	}
	for {
		err := unix.Waitid(unix.P_PID, child.Pid, nil, unix.WSTOPPED|unix.WNOWAIT, nil)
		switch {
		case err == nil:
			return
		case !errors.Is(err, unix.EINTR):
			tb.Fatal(err)
		}
	}
}

// Need skips the test because something is missing on this machine, or fails it
// where nothing may be missing: with VERSUS_REQUIRE_NATIVE in the environment.
func Need(tb testing.TB, missing error) {
	tb.Helper()
	if missing == nil {
		return
	}
	if os.Getenv("VERSUS_REQUIRE_NATIVE") != "" {
		tb.Fatal(missing)
	}
	tb.Skip(missing)
}

// words keeps the end of what a worker writes to standard error.
type words struct {
	mu   sync.Mutex
	text string
}

func (w *words) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text += string(b)
	w.text = w.text[max(len(w.text)-4096, 0):]
	return len(b), nil
}

func (w *words) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return fmt.Sprintf("%q", strings.TrimSpace(w.text))
}
