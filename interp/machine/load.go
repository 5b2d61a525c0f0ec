package machine

import (
	"fmt"
	"strconv"
	"strings"
)

// Limits above which a machine is busy.
const (
	busyLoad    = 0.5  // processes that run or wait, for each CPU, over a minute
	busyWaiting = 0.10 // share of the last 10 s in which one waited for a CPU
	fullMemory  = 0.01 // share of the last 10 s in which one waited for memory
	fewMemory   = 0.10 // share of the memory that can still be had
)

// load looks at how busy the machine is.
func (m Machine) load() []Finding {
	one, _, _ := strings.Cut(m.line("proc/loadavg"), " ")
	load, err := strconv.ParseFloat(one, 64)
	online := len(list(m.line(cpuDir + "online")))
	if err != nil || online == 0 {
		return unknown("How busy the machine is can't be read (/proc/loadavg, /%sonline).", cpuDir)
	}
	text := fmt.Sprintf("load %.4g over the last minute on %d CPUs", load, online)
	waited, known := m.pressure("cpu")
	if known {
		text += fmt.Sprintf("; in %.0f%% of the last 10 s a process waited for a CPU", waited*100)
	}
	if load < busyLoad*float64(online) && waited < busyWaiting {
		return fine("The machine is quiet: %s.", text)
	}
	return found(Warning, "The machine is busy: "+text+".",
		"Other work takes CPUs and caches from the systems that are measured: tails grow, and runs differ.",
		"Stop what need not run (top shows it), or wait; order = \"interleaved\" spreads what remains over all cells.")
}

// pressure returns the share of the last 10 s in which some process waited for
// a resource: cpu, memory or io. Kernels since 4.20 tell it, if built so.
func (m Machine) pressure(resource string) (share float64, known bool) {
	text, err := m.read("proc/pressure/" + resource)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) < 2 || fields[0] != "some" {
			continue
		}
		value, ok := strings.CutPrefix(fields[1], "avg10=")
		percent, err := strconv.ParseFloat(value, 64)
		if ok && err == nil && percent >= 0 && percent <= 100 {
			return percent / 100, true
		}
	}
	return 0, false
}

// memoryLeft looks at memory and swap.
func (m Machine) memoryLeft() []Finding {
	total, left := m.memory("MemTotal"), m.memory("MemAvailable")
	if total == 0 || left == 0 {
		return unknown("How much memory is left can't be read (/proc/meminfo).")
	}
	var out []Finding
	waited, _ := m.pressure("memory")
	switch text := fmt.Sprintf("%s of %s of memory are left", size(left), size(total)); {
	case waited > fullMemory:
		out = found(Warning, fmt.Sprintf("Memory is short: %s, and in %.0f%% of the last 10 s a process waited for some.", text, waited*100),
			"Processes stop while the kernel finds memory: latencies of milliseconds, in whatever system needs some.", "Stop what need not run.")
	case float64(left) < fewMemory*float64(total):
		out = found(Warning, "Memory is short: "+text+".",
			"What is measured may be slowed down while the kernel finds memory, or be killed.", "Stop what need not run.")
	default:
		out = fine("%s.", upper(text))
	}
	if swapped := m.memory("SwapTotal") - m.memory("SwapFree"); swapped > 0 {
		out = append(out, found(Note, fmt.Sprintf("%s of memory are in swap.", size(swapped)),
			"A page that is fetched from there costs milliseconds; memory figures of a process leave out what is in swap.", "sudo swapoff -a")...)
	}
	return out
}

// size writes bytes for people.
func size(n int64) string {
	switch {
	case n >= 10<<30:
		return fmt.Sprintf("%d GiB", n>>30)
	case n >= 10<<20:
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d KiB", n>>10)
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
