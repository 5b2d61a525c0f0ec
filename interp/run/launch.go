package run

import (
	"fmt"
	"os/exec"
	"runtime"
	"sync"

	"golang.org/x/sys/unix"
)

// launch asks for the start of a process bound to CPUs; none means all.
type launch struct {
	cmd  *exec.Cmd
	cpus []int
	done chan<- error
}

// launches goes to the one goroutine that starts all workers. Linux sends a
// process its death signal when the thread that forked it ends, so that thread
// must live as long as the program: the goroutine is locked to it and never
// returns.
var launches = sync.OnceValue(func() chan<- launch {
	c := make(chan launch)
	go func() {
		runtime.LockOSThread()
		for l := range c {
			l.done <- startBound(l.cmd, l.cpus)
		}
	}()
	return c
})

// start starts the command, bound to the CPUs from its first instruction on.
func start(cmd *exec.Cmd, cpus []int) error {
	done := make(chan error, 1)
	launches() <- launch{cmd, cpus, done}
	return <-done
}

// startBound starts the command from a thread that has the wanted affinity, which
// a child inherits. It sets the affinity each time, so that none is left over
// from the process before.
func startBound(cmd *exec.Cmd, cpus []int) error {
	want, got := *ownCPUs(), unix.CPUSet{}
	if len(cpus) > 0 {
		want.Zero()
		for _, c := range cpus {
			want.Set(c)
		}
	}
	if err := unix.SchedSetaffinity(0, &want); err != nil {
		return fmt.Errorf("it can't be bound to CPUs %v: %w", cpus, err)
	}
	// The kernel leaves out CPUs that it does not have, without a word.
	if err := unix.SchedGetaffinity(0, &got); err != nil || got != want {
		return fmt.Errorf("it can't be bound to CPUs %v: not all of them can be used", cpus)
	}
	return cmd.Start()
}
