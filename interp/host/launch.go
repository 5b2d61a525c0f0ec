package host

import (
	"fmt"
	"os/exec"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"

	"versus/interp/machine"
)

// launcher is a thread of its own that starts processes. They are born with
// what the thread has: its CPUs, and its namespaces. Linux sends a process its
// death signal when the thread that forked it ends, so the thread must live as
// long as what it started.
type launcher struct {
	calls chan func()
	tid   int // of the thread
}

// newLauncher starts a thread, and lets it enter where its processes are to be.
func newLauncher(enter func() error) (*launcher, error) {
	l := &launcher{calls: make(chan func())}
	entered := make(chan error)
	go l.live(enter, entered)
	if err := <-entered; err != nil {
		return nil, err
	}
	return l, nil
}

func (l *launcher) live(enter func() error, entered chan<- error) {
	// Locked and never unlocked: the thread ends with this goroutine.
	runtime.LockOSThread()
	if l.tid = unix.Gettid(); l.tid == unix.Getpid() {
		// The first thread of a program can't end before the program. Whoever
		// starts while this goroutine is bound to it gets another one.
		sub := make(chan error)
		go l.live(enter, sub)
		entered <- <-sub
		runtime.UnlockOSThread()
		return
	}
	err := enter()
	entered <- err
	if err != nil {
		return
	}
	for call := range l.calls {
		call()
	}
}

// do calls f on the thread.
func (l *launcher) do(f func() error) (err error) {
	done := make(chan struct{})
	l.calls <- func() {
		defer close(done)
		err = f()
	}
	<-done
	return err
}

// close ends the thread, and with it what it started and what only it has.
func (l *launcher) close() { close(l.calls) }

// start starts the command, bound to the CPUs from its first instruction on;
// no CPUs means all.
func (l *launcher) start(cmd *exec.Cmd, cpus []int) error {
	return l.do(func() error { return startBound(cmd, cpus) })
}

// here starts processes on this machine as versus itself runs on it. It lives
// as long as the program.
var here = sync.OnceValues(func() (*launcher, error) {
	return newLauncher(func() error { return nil })
})

// startBound starts the command from a thread that has the wanted affinity, which
// a child inherits. It sets the affinity each time, so that none is left over
// from the process before.
func startBound(cmd *exec.Cmd, cpus []int) error {
	if err := bind(cpus); err != nil {
		return err
	}
	return cmd.Start()
}

// ownCPUs are the CPUs that this process may use.
var ownCPUs = sync.OnceValue(machine.This().CPUs)

// bind binds the calling thread to CPUs; none means all that this process has.
func bind(cpus []int) error {
	if len(cpus) == 0 {
		cpus = ownCPUs()
	}
	var want, got unix.CPUSet
	for _, c := range cpus {
		want.Set(c)
	}
	if err := unix.SchedSetaffinity(0, &want); err != nil {
		return fmt.Errorf("it can't be bound to CPUs %v: %w", cpus, err)
	}
	// The kernel leaves out CPUs that it does not have, without a word.
	if err := unix.SchedGetaffinity(0, &got); err != nil || got != want {
		return fmt.Errorf("it can't be bound to CPUs %v: not all of them can be used", cpus)
	}
	return nil
}
