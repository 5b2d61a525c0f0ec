package worker

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"versus/drivers/protocol"
)

// meter measures the CPU time and peak memory of one process over the window.
type meter struct {
	pid   int // 0 is this process
	start cpu
	at    int64
	flags []string
}

// open begins the window.
func (m *meter) open() error {
	m.flags = nil
	if err := resetPeak(m.pid); err != nil {
		m.flags = append(m.flags, fmt.Sprintf("peak memory counts from the start of the process: %v", err))
	}
	c, err := readCPU(m.pid)
	if err != nil {
		return err
	}
	m.start, m.at = c, now()
	return nil
}

// close ends the window and writes what was used into the result, with
// Elapsed unless that is known already.
func (m *meter) close(r *protocol.Result) error {
	c, err := readCPU(m.pid)
	if err != nil {
		return err
	}
	if r.Elapsed == 0 {
		r.Elapsed = seconds(now() - m.at)
	}
	r.CPUUser, r.CPUSystem = max(c.user-m.start.user, 0), max(c.system-m.start.system, 0)
	if r.PeakMemory, err = peakMemory(m.pid); err != nil {
		m.flags = append(m.flags, fmt.Sprintf("no peak memory: %v", err))
	}
	r.Flags = append(r.Flags, m.flags...)
	return nil
}

// cpu is the CPU time of a process since its start, seconds. The sum is exact.
type cpu struct{ user, system float64 }

func readCPU(pid int) (cpu, error) {
	if pid == 0 {
		var ru unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_SELF, &ru); err != nil {
			return cpu{}, fmt.Errorf("CPU time: %w", err)
		}
		return cpu{seconds(ru.Utime.Nano()), seconds(ru.Stime.Nano())}, nil
	}
	// The CPU clock of any process, see clock_getcpuclockid(3): exact, where
	// /proc/PID/stat counts in steps of 10 ms. That file only gives the split.
	var ts unix.Timespec
	if err := unix.ClockGettime(int32(^pid)<<3|2, &ts); err != nil {
		return cpu{}, fmt.Errorf("CPU time of process %d: %w", pid, err)
	}
	total := seconds(ts.Nano())
	user, system, err := ticks(pid)
	if err != nil {
		return cpu{}, fmt.Errorf("CPU time of process %d: %w", pid, err)
	}
	if user+system == 0 {
		return cpu{user: total}, nil
	}
	share := user / (user + system)
	return cpu{total * share, total * (1 - share)}, nil
}

// ticks reads utime and stime of /proc/PID/stat.
func ticks(pid int) (user, system float64, err error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, err
	}
	// The name in parentheses may contain anything; the fields follow it.
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(f) < 13 {
		return 0, 0, fmt.Errorf("unexpected /proc/%d/stat", pid)
	}
	if user, err = strconv.ParseFloat(f[11], 64); err != nil {
		return 0, 0, err
	}
	system, err = strconv.ParseFloat(f[12], 64)
	return user, system, err
}

func proc(pid int, file string) string {
	if pid == 0 {
		return "/proc/self/" + file
	}
	return fmt.Sprintf("/proc/%d/%s", pid, file)
}

// resetPeak has the kernel count the peak of the resident set anew. The peak
// of getrusage would not do: a new process inherits that of its parent.
func resetPeak(pid int) error {
	return os.WriteFile(proc(pid, "clear_refs"), []byte("5"), 0)
}

// peakMemory returns the peak of the resident set since resetPeak, bytes.
func peakMemory(pid int) (int64, error) {
	b, err := os.ReadFile(proc(pid, "status"))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(b)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kib * 1024, err
		}
	}
	return 0, fmt.Errorf("no VmHWM in %s", proc(pid, "status"))
}

// affinity returns the CPUs that a process may run on, as "0-3,8".
func affinity(pid int) string {
	var set unix.CPUSet
	if unix.SchedGetaffinity(pid, &set) != nil {
		return "unknown"
	}
	var parts []string
	for cpu, size := 0, len(set)*64; cpu < size; cpu++ {
		if !set.IsSet(cpu) {
			continue
		}
		first := cpu
		for cpu+1 < size && set.IsSet(cpu+1) {
			cpu++
		}
		if first == cpu {
			parts = append(parts, strconv.Itoa(cpu))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", first, cpu))
		}
	}
	return strings.Join(parts, ",")
}
