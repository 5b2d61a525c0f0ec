// Package daemon runs a program that a worker needs for one run, a broker for
// example, as its child: until the worker stops it, or ends in whatever way. It
// knows no middleware, and keeps nothing on disk.
package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// startTimeout bounds waiting for a program to be ready.
const startTimeout = 10 * time.Second

// Daemon is a running program.
type Daemon struct {
	PID   int
	name  string
	log   *log
	ended chan error // gets what Wait returned
}

// OnFreePort starts a program that listens on a port which nobody else has, and returns
// the port. By the time that the program gets there another one may have taken it: then it
// tries again with the next one, five times in all.
func OnFreePort(ctx context.Context, host, ready string, command func(port int) *exec.Cmd) (*Daemon, int, error) {
	for attempt := 1; ; attempt++ {
		port, err := freePort(host)
		if err != nil {
			return nil, 0, err
		}
		d, err := Start(ctx, ready, command(port))
		if err == nil || attempt == 5 || !taken(host, port) {
			return d, port, err
		}
	}
}

// Start runs the command and returns when it has written the text ready, on standard
// output or error, which are the daemon's from here on. It is an error if it ends before that.
func Start(ctx context.Context, ready string, cmd *exec.Cmd) (*Daemon, error) {
	program := cmd.Path
	d := &Daemon{name: program, log: newLog(ready), ended: make(chan error, 1)}
	cmd.Stdout, cmd.Stderr = d.log, d.log
	cmd.WaitDelay = time.Second // for the pipes, should a child of its own hold them
	// The kernel ends the child with this process, also after a kill -9.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error, 1)
	go func() {
		// "With this process" means with the thread that forked: it must live as
		// long as the child. The thread ends with this goroutine.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			d.ended <- cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("%s does not start: %w", program, err)
	}
	d.PID = cmd.Process.Pid

	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	select {
	case <-d.log.ready:
		return d, nil
	case err := <-d.ended:
		select {
		case <-d.log.ready: // it was, and Stop will say that it ended
			d.ended <- err
			return d, nil
		default:
		}
		return nil, fmt.Errorf("%s ended at once (%v): %s", program, err, d.log)
	case <-ctx.Done():
		return nil, errors.Join(fmt.Errorf("%s is not ready: %w: %s", program, ctx.Err(), d.log), d.Stop())
	}
}

// Stop ends the program. It is an error if it had ended before. It gets no time
// to end politely: it keeps nothing that it would have to save.
func (d *Daemon) Stop() error {
	// Not reaped here, so that the number stays this child's until Wait returns.
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, d.PID, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	if err == nil && info.Signo == 0 { // it runs
		_ = unix.Kill(d.PID, unix.SIGKILL)
		<-d.ended
		return nil
	}
	return fmt.Errorf("%s ended during the run (%v): %s", d.name, <-d.ended, d.log)
}

// Words returns the end of what the program has written.
func (d *Daemon) Words() string { return d.log.String() }

// freePort returns a port of the address that nobody listens on at this moment.
func freePort(host string) (int, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return 0, fmt.Errorf("no free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// taken reports whether somebody listens on the port.
func taken(host string, port int) bool {
	c, err := net.DialTimeout("tcp", net.JoinHostPort(host, strconv.Itoa(port)), time.Second)
	if err != nil {
		return false
	}
	c.Close()
	return true
}

// log keeps the end of what the program writes, and tells when it is ready.
type log struct {
	ready chan struct{} // closed
	text  []byte        // that says so

	mu   sync.Mutex
	tail []byte
	seen bool
}

const maxLog = 4 << 10

func newLog(ready string) *log { return &log{ready: make(chan struct{}), text: []byte(ready)} }

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tail = append(l.tail, p...)
	if !l.seen && bytes.Contains(l.tail, l.text) {
		l.seen = true
		close(l.ready)
	}
	if over := len(l.tail) - maxLog; over > 0 {
		l.tail = append(l.tail[:0], l.tail[over:]...)
	}
	return len(p), nil
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.TrimSpace(string(l.tail))
}
