package host

import (
	"fmt"

	"golang.org/x/sys/unix"

	"versus/dsl"
)

// prioritise gives the calling thread a priority, which what it starts inherits.
// The error says what is not granted and who grants it.
func prioritise(p dsl.Priority) error {
	if p.Nice != nil {
		if err := setNice(*p.Nice); err != nil {
			return fmt.Errorf("nice %d, which the system does not grant (%w); root gets it, and who is allowed to: ulimit -e %d, or docker run --cap-add SYS_NICE",
				*p.Nice, err, 20-*p.Nice)
		}
	}
	if p.Realtime > 0 {
		if err := setRealtime(p.Realtime); err != nil {
			return fmt.Errorf("realtime %d, which the system does not grant (%w); root gets it, and who is allowed to: ulimit -r %d, or docker run --cap-add SYS_NICE; a control group may have none to give (cpu.rt_runtime_us)",
				p.Realtime, err, p.Realtime)
		}
	}
	return nil
}

func setNice(nice int) error {
	if err := unix.Setpriority(unix.PRIO_PROCESS, unix.Gettid(), nice); err != nil {
		return err
	}
	// The system call returns 20 less the value, so that no value is below zero.
	if got, err := unix.Getpriority(unix.PRIO_PROCESS, unix.Gettid()); err != nil || 20-got != nice {
		return fmt.Errorf("it is %d instead", 20-got)
	}
	return nil
}

func setRealtime(priority int) error {
	a := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: uint32(priority)}
	if err := unix.SchedSetAttr(0, &a, 0); err != nil {
		return err
	}
	got, err := unix.SchedGetAttr(0, 0)
	if err == nil && (got.Policy != unix.SCHED_FIFO || got.Priority != uint32(priority)) {
		err = fmt.Errorf("it is %d with policy %d instead", got.Priority, got.Policy)
	}
	return err
}

// granted returns why this machine does not grant a priority, or nil. A thread
// tries, since what a thread gave up it may not get back, and then ends.
func granted(p dsl.Priority) error {
	if p == (dsl.Priority{}) {
		return nil
	}
	l, err := newLauncher(func() error { return prioritise(p) })
	if err == nil {
		l.close()
	}
	return err
}
