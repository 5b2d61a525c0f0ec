package machine

import (
	"time"

	"golang.org/x/sys/unix"

	"versus/interp/journal"
)

// Watch is what a machine had done when a run began.
type Watch struct {
	m         Machine
	cpus      []int
	helpers   []int
	times     cpuTime
	throttled float64
	own       float64
}

// Watch begins to look at what disturbs a run. helpers are processes of versus that
// live on after it, and whose children did their part of the run.
func (m Machine) Watch(helpers ...int) Watch {
	w := Watch{m: m, cpus: m.CPUs(), helpers: helpers, throttled: m.throttled()}
	w.own = w.ownTime()
	w.times = m.cpuTime(w.cpus)
	return w
}

// End says what disturbed the run that began with Watch, all of whose processes
// have ended and were waited for. settings are those with which versus began to
// measure. It is nil where the machine does not count CPU time.
func (w Watch) End(settings *journal.Environment) *journal.Conditions {
	t := w.m.cpuTime(w.cpus).minus(w.times)
	if t.total() <= 0 {
		return nil
	}
	now := w.m.Settings()
	return &journal.Conditions{
		Others:    (t.busy - (w.ownTime() - w.own)) / t.total(),
		Stolen:    t.stolen / t.total(),
		Throttled: w.m.throttled() - w.throttled,
		Changed:   settings.SettingChanges(&now),
	}
}

// ownTime is the CPU time that this process has used, its helpers, and those that
// it started and waited for, with all theirs; seconds.
func (w Watch) ownTime() float64 {
	var helpers float64
	for _, pid := range w.helpers {
		helpers += w.m.family(pid, 3) // a shell, what it runs, and the versus of a host
	}
	var sum time.Duration
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var u unix.Rusage
		if unix.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum.Seconds() + helpers
}
