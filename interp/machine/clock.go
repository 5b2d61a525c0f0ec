package machine

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// fastClocks are clock sources that a process reads without a system call.
var fastClocks = []string{"tsc", "kvm-clock", "arch_sys_counter", "hyperv_clocksource_tsc_page", "timebase", "tod", "riscv_clocksource"}

// clockSource looks at what the clock is read from.
func (m Machine) clockSource() []Finding {
	const dir = "sys/devices/system/clocksource/clocksource0/"
	now := m.line(dir + "current_clocksource")
	switch {
	case now == "":
		return unknown("What the clock is read from can't be read here.")
	case slices.Contains(fastClocks, now):
		return fine("The clock is read from %s, without a system call.", now)
	}
	change := "dmesg | grep -i -e tsc -e clocksource says why the kernel does not trust the tsc."
	if slices.Contains(strings.Fields(m.line(dir+"available_clocksource")), "tsc") {
		change = "echo tsc | sudo tee /" + dir + "current_clocksource"
	}
	return found(Warning, fmt.Sprintf("The clock is read from %s, which takes a system call, and up to microseconds.", now),
		"Each time stamp costs that, for every message, in every system: short calls look slower than they are.", change)
}

// timers looks at how late the kernel may wake a sleeper on purpose.
func (m Machine) timers() []Finding {
	slack, ok := m.number("proc/self/timerslack_ns")
	if !ok && m.slack != nil {
		n, err := m.slack()
		slack, ok = int64(n), err == nil
	}
	switch {
	case !ok:
		return unknown("By how much timers may be late on purpose can't be read (/proc/self/timerslack_ns).")
	case slack <= 50_000:
		return fine("The kernel may let timers be up to %g us late, to wake fewer times.", float64(slack)/1e3)
	}
	return found(Note, fmt.Sprintf("The kernel may let timers be up to %g us late, to wake fewer times.", float64(slack)/1e3),
		"What is to be sent at a rate is sent that late, and the latency counts it.",
		"It is inherited from what started versus, such as a service with TimerSlackNSec.")
}

// timerSlack asks the kernel by how much timers of this thread may be late.
func timerSlack() (ns int, err error) { return unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0) }

// timeOfDay looks at whether the wall clock is kept right.
func (m Machine) timeOfDay() []Finding {
	if m.timex == nil {
		return unknown("Whether the wall clock is kept right can't be asked here.")
	}
	t, err := m.timex()
	if err != nil {
		return unknown("Whether the wall clock is kept right can't be asked: %v.", err)
	}
	if t.Status&unix.STA_UNSYNC == 0 {
		return fine("The wall clock is kept right (NTP or PTP), to %.2g ms at most.", float64(t.Maxerror)/1e3)
	}
	return found(Note, "Nothing keeps the wall clock right.",
		"Start times in the journal may be wrong. Measured times are not: they come from the monotonic clock, and versus compares the clocks of hosts itself.",
		"sudo timedatectl set-ntp true")
}

// timex asks the kernel about its clock, and changes nothing.
func timex() (t unix.Timex, err error) {
	_, err = unix.Adjtimex(&t)
	return t, err
}
