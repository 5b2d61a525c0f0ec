package machine

import (
	"cmp"
	"context"
	"maps"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Noise is what was measured of a machine's noise: what others did while versus
// slept, and then how evenly a thread of versus could run.
type Noise struct {
	Watched   float64    `json:"watched"`   // how long versus slept, seconds
	Others    float64    `json:"others"`    // CPUs that were busy meanwhile, of those that versus may use
	Processes []Process  `json:"processes"` // that used most CPU time meanwhile and still ran then, most first
	CPUs      []CPUNoise `json:"cpus"`      // those that versus may use
	Left      int        `json:"left"`      // CPUs for which there was no time
}

// Process is a process that is not versus.
type Process struct {
	PID  int     `json:"pid"`
	Name string  `json:"name"`
	CPU  float64 `json:"cpu"` // CPUs that it kept busy, on average
}

// CPUNoise is the noise of one CPU.
type CPUNoise struct {
	CPU int `json:"cpu"`
	// While versus slept: the share of the time in which others used it, that in
	// which the host of a virtual machine did, and interrupts per second.
	Busy       float64 `json:"busy"`
	Stolen     float64 `json:"stolen"`
	Interrupts float64 `json:"interrupts"`
	Source     string  `json:"source,omitempty"` // of most of the interrupts
	// How late a thread of versus woke up from sleeps of 1 ms, seconds.
	LateMedian float64 `json:"late_median"`
	LateWorst  float64 `json:"late_worst"`
	// How a thread of versus ran that did nothing but read the clock: for how
	// long at most it was stopped, seconds, and for which share of the time.
	Stopped     float64 `json:"stopped"`
	StoppedPart float64 `json:"stopped_part"`
	Error       string  `json:"error,omitempty"` // why the latter could not be measured
}

// How long Measure takes, together at most a second and a little.
const (
	watchTime  = 400 * time.Millisecond
	listenTime = 500 * time.Millisecond // for all CPUs
	oneTime    = 300 * time.Millisecond // for one CPU at most
	leastTime  = 50 * time.Millisecond  // for one CPU at least
)

// Measure watches what others do on this machine for a moment, and then keeps
// each CPU that versus may use busy for up to 0.3 s, to see how evenly a thread
// runs there. It takes about a second. What CPU times say of so short a time is
// right to a few percent: Linux counts them in hundredths of a second.
//
// The first part is known from files alone, so that a machine of files has it
// too; there, nothing changes meanwhile.
func (m Machine) Measure(ctx context.Context) (Noise, error) {
	n := m.watch(ctx)
	// As many CPUs at once as versus may keep busy: all, unless its CPU time is
	// limited, which would stop threads for another reason.
	width := max(1, min(runtime.GOMAXPROCS(0), len(n.CPUs)))
	turns := (len(n.CPUs) + width - 1) / width
	most := int(listenTime / leastTime)
	if turns > most {
		n.Left = len(n.CPUs) - most*width
		n.CPUs, turns = n.CPUs[:most*width], most
	}
	if turns == 0 {
		return n, ctx.Err()
	}
	length := min(oneTime, listenTime/time.Duration(turns))
	for turn := range slices.Chunk(n.CPUs, width) {
		var threads sync.WaitGroup
		for i := range turn {
			threads.Go(func() { turn[i].listen(length) })
		}
		threads.Wait()
		if err := ctx.Err(); err != nil {
			return n, err
		}
	}
	return n, nil
}

// watch sleeps, and says what the CPUs and other processes did meanwhile.
func (m Machine) watch(ctx context.Context) Noise {
	cpus := m.CPUs()
	began, before, served, used := time.Now(), m.cpuTimes(), m.interruptsServed(), m.usages()
	select {
	case <-time.After(watchTime):
	case <-ctx.Done():
	}
	after, servedAfter, usedAfter := m.cpuTimes(), m.interruptsServed(), m.usages()
	n := Noise{Watched: time.Since(began).Seconds(), Processes: []Process{}, CPUs: []CPUNoise{}} // lists in JSON, also without any
	for _, cpu := range cpus {
		c := CPUNoise{CPU: cpu}
		most := 0.0
		for _, source := range slices.Sorted(maps.Keys(servedAfter[cpu])) {
			rate := (servedAfter[cpu][source] - served[cpu][source]) / n.Watched
			if c.Interrupts += rate; rate > most {
				most, c.Source = rate, source
			}
		}
		if t := after[cpu].minus(before[cpu]); t.total() > 0 {
			c.Busy, c.Stolen = t.busy/t.total(), t.stolen/t.total()
		}
		n.Others += c.Busy
		n.CPUs = append(n.CPUs, c)
	}
	const shown = 5
	for _, pid := range slices.Sorted(maps.Keys(usedAfter)) {
		// One that began meanwhile counts from its beginning.
		p := Process{pid, usedAfter[pid].name, (usedAfter[pid].seconds - used[pid].seconds) / n.Watched}
		if pid == os.Getpid() || p.CPU <= 0 {
			continue
		}
		n.Processes = append(n.Processes, p)
	}
	slices.SortStableFunc(n.Processes, func(a, b Process) int { return cmp.Compare(b.CPU, a.CPU) })
	n.Processes = n.Processes[:min(len(n.Processes), shown)]
	return n
}

// listen runs a thread on the CPU alone, for about the given time.
func (c *CPUNoise) listen(length time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var was, one unix.CPUSet
	one.Set(c.CPU)
	err := unix.SchedGetaffinity(0, &was)
	if err == nil {
		err = unix.SchedSetaffinity(0, &one)
	}
	if err != nil {
		c.Error = err.Error()
		return
	}
	defer unix.SchedSetaffinity(0, &was)
	c.sleep(length / 3)
	c.spin(length * 2 / 3)
}

// sleep sleeps for a millisecond again and again, and sees how late it wakes up.
func (c *CPUNoise) sleep(length time.Duration) {
	var late []float64
	for end := time.Now().Add(length); time.Now().Before(end); {
		const nap = time.Millisecond
		t := unix.NsecToTimespec(int64(nap))
		began := time.Now()
		// Not by the runtime of Go, whose own part is not the machine's. A signal
		// would cut the sleep short: such a one tells nothing.
		if err := unix.Nanosleep(&t, nil); err == nil {
			late = append(late, (time.Since(began) - nap).Seconds())
		}
	}
	if len(late) > 0 {
		slices.Sort(late)
		c.LateMedian, c.LateWorst = late[len(late)/2], late[len(late)-1]
	}
}

// spin reads the clock all the time. Where it does not move on for longer than
// an interrupt takes, the thread was stopped.
func (c *CPUNoise) spin(length time.Duration) {
	const (
		slice = 5 * time.Millisecond // shorter than what the runtime of Go lets run
		pause = 5 * time.Microsecond
	)
	var ran, stopped, longest time.Duration
	base := time.Now()
	for ran < length {
		runtime.Gosched()
		began := time.Since(base)
		last, end := began, began+slice
		for last < end {
			now := time.Since(base)
			if gap := now - last; gap > pause {
				stopped += gap
				longest = max(longest, gap)
			}
			last = now
		}
		ran += last - began
	}
	c.Stopped, c.StoppedPart = longest.Seconds(), stopped.Seconds()/ran.Seconds()
}
