package machine

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// governorInUse looks at what sets the clock of the CPUs.
func (m Machine) governorInUse() []Finding {
	groups := group(m.CPUs(), m.governor)
	if len(groups) == 0 {
		if m.hypervisor() != "" {
			return unknown("The frequency governor is the host's, which a virtual machine does not see.")
		}
		return unknown("This kernel has no driver that sets the frequency of the CPUs (there is no cpufreq below /%s).", cpuDir)
	}
	if others := len(groups); groups["performance"] != nil && others == 1 {
		return fine("All CPUs have the governor performance.")
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		parts = append(parts, fmt.Sprintf("%s on %s", name, cpus(groups[name])))
	}
	return found(Warning, "The frequency governor is "+strings.Join(parts, ", ")+".",
		"The clock follows the load, and some time later: a system that waits between messages looks slower than one that is kept busy, and the first runs differ from the rest.",
		"sudo cpupower frequency-set -g performance")
}

// turbo returns "on" or "off", and the file that says so; "" if none does.
func (m Machine) turbo() (state, file string) {
	for _, c := range []struct{ file, on string }{
		{cpuDir + "intel_pstate/no_turbo", "0"},
		{cpuDir + "cpufreq/boost", "1"},
		{cpuDir + "cpu0/cpufreq/boost", "1"},
	} {
		switch m.line(c.file) {
		case "":
		case c.on:
			return "on", c.file
		default:
			return "off", c.file
		}
	}
	return "", ""
}

func (m Machine) turboInUse() []Finding {
	switch state, file := m.turbo(); state {
	case "off":
		return fine("Turbo is off.")
	case "on":
		value := "0"
		if strings.HasSuffix(file, "no_turbo") {
			value = "1"
		}
		return found(Note, "Turbo is on: CPUs clock higher while few of them work and the chip is cool.",
			"What a system reaches depends on what else runs, and on how hot the minutes before were.",
			fmt.Sprintf("echo %s | sudo tee /%s", value, file))
	}
	return unknown("Whether CPUs clock higher for a while (turbo, boost) can't be read here.")
}

// throttling looks for CPUs that were slowed down for their heat.
func (m Machine) throttling() []Finding {
	var hot []int
	known := false
	for _, cpu := range m.CPUs() {
		n, err := strconv.ParseInt(m.ofCPU(cpu, "thermal_throttle/core_throttle_count"), 10, 64)
		known = known || err == nil
		if err == nil && n > 0 {
			hot = append(hot, cpu)
		}
	}
	switch {
	case !known:
		return nil // most machines don't count it
	case len(hot) == 0:
		return fine("No CPU was slowed down for its heat since the machine started.")
	}
	return found(Note, fmt.Sprintf("Since the machine started, heat has slowed down %s.", cpus(hot)),
		"While a CPU is too hot, everything on it is slower.", "Cool the machine, or pause between runs (pause in the methodology).")
}

// smt returns "on" or "off", whether cores run two threads; "" if not known.
func (m Machine) smt() string {
	switch m.line(cpuDir + "smt/active") {
	case "1":
		return "on"
	case "0":
		return "off"
	}
	return ""
}

// siblings looks at CPUs that share a core.
func (m Machine) siblings() []Finding {
	state := m.smt()
	if state != "on" && m.hypervisor() != "" {
		return unknown("Whether CPUs share cores is known to the host of this virtual machine only.")
	}
	switch state {
	case "off":
		return fine("Each CPU is a core of its own.")
	case "":
		return unknown("Whether CPUs share cores can't be read here.")
	}
	var shared []string
	for _, cpu := range m.CPUs() {
		on := list(m.ofCPU(cpu, "topology/thread_siblings_list"))
		if len(on) > 1 && on[0] == cpu {
			shared = append(shared, ranges(on))
		}
	}
	text := "Cores run two threads each: pairs of CPUs share one."
	if n := len(shared); n > 0 {
		more := ""
		if n > 4 {
			shared, more = shared[:4], " and more"
		}
		text = fmt.Sprintf("CPUs share cores: %s%s.", strings.Join(shared, " | "), more)
	}
	return found(Note, text, "Two roles on one core slow each other down, each to as little as half its speed.",
		"Give the hosts of a scenario CPUs of different cores, or: echo off | sudo tee /"+cpuDir+"smt/control")
}

// hybrid looks for cores of more than one kind.
func (m Machine) hybrid() []Finding {
	const effect, change = "The same role is faster on one kind than on the other, and the kernel may move it.", "Bind the hosts of a scenario to CPUs of one kind (cpus)."
	if fast, slow := m.line("sys/devices/cpu_core/cpus"), m.line("sys/devices/cpu_atom/cpus"); fast != "" && slow != "" {
		return found(Note, fmt.Sprintf("CPUs %s are performance cores, CPUs %s efficient ones.", fast, slow), effect, change)
	}
	kinds := group(m.CPUs(), func(cpu int) string { return m.ofCPU(cpu, "cpu_capacity") })
	if len(kinds) < 2 {
		return nil
	}
	var parts []string
	for _, capacity := range slices.Sorted(maps.Keys(kinds)) {
		parts = append(parts, fmt.Sprintf("%s: %s", cpus(kinds[capacity]), capacity))
	}
	return found(Note, "Cores differ in capacity: "+strings.Join(parts, ", ")+".", effect, change)
}

// longWake is how long a CPU may take to wake up before it is a finding,
// microseconds: about what a message over loopback takes.
const longWake = 10

// idleStates looks at how deep CPUs sleep.
func (m Machine) idleStates() []Finding {
	if m.hypervisor() != "" {
		return found(Note, "How deep an idle CPU sleeps is the host's to decide, for this is a virtual machine: waking it up takes the host some time.",
			"At a low rate, latencies are mostly the time that it takes to wake a CPU up; they fall as the rate rises.", "")
	}
	cpu, deepest, name, known := 0, int64(0), "", false
	if own := m.CPUs(); len(own) > 0 {
		cpu = own[0]
	}
	for i := range 16 {
		dir := fmt.Sprintf("cpuidle/state%d/", i)
		wake, err := strconv.ParseInt(m.ofCPU(cpu, dir+"latency"), 10, 64)
		if err != nil {
			break
		}
		known = true
		if wake > deepest && m.ofCPU(cpu, dir+"disable") != "1" {
			deepest, name = wake, m.ofCPU(cpu, dir+"name")
		}
	}
	switch {
	case !known:
		return unknown("How deep idle CPUs sleep can't be read here.")
	case deepest <= longWake:
		return fine("An idle CPU is awake within %d us.", deepest)
	}
	return found(Note, fmt.Sprintf("An idle CPU sleeps so deep (%s) that it takes %d us to wake up.", name, deepest),
		"At a low rate, latencies are mostly the time that it takes to wake a CPU up; they fall as the rate rises.",
		fmt.Sprintf("sudo cpupower idle-set -D %d", longWake))
}

// nodes looks for memory that is nearer to some CPUs than to others.
func (m Machine) nodes() []Finding {
	online := list(m.line("sys/devices/system/node/online"))
	if len(online) == 0 {
		return nil
	}
	if len(online) == 1 {
		return fine("All CPUs are equally near to all memory.")
	}
	var parts []string
	for _, node := range online[:min(len(online), 8)] {
		parts = append(parts, fmt.Sprintf("node %d has CPUs %s", node, m.line(fmt.Sprintf("sys/devices/system/node/node%d/cpulist", node))))
	}
	return found(Note, "Memory has "+strconv.Itoa(len(online))+" nodes: "+strings.Join(parts, ", ")+".",
		"Two roles on different nodes reach each other's memory more slowly, and where they land changes from run to run.",
		"Bind the hosts of a scenario to CPUs of one node (cpus).")
}

// affinity looks at which CPUs versus may use.
func (m Machine) affinity() []Finding {
	own := m.CPUs()
	if len(own) == 0 {
		return unknown("Which CPUs versus may use can't be read (/proc/self/status).")
	}
	online := list(m.line(cpuDir + "online"))
	if len(online) <= len(own) {
		return fine("versus may use %s, all that there are.", cpus(own))
	}
	return found(Note, fmt.Sprintf("versus may use %s only, of CPUs %s.", cpus(own), ranges(online)),
		"Roles share these; what runs on the others shares caches, memory and heat with them.",
		"Start versus with more: taskset, or the cpuset of its container.")
}

// isolated looks for CPUs that the kernel keeps free.
func (m Machine) isolated() []Finding {
	if _, err := m.read(cpuDir + "isolated"); err != nil {
		return unknown("Whether CPUs are kept free for measurements (isolcpus) can't be read.")
	}
	free := list(m.line(cpuDir + "isolated"))
	if len(free) == 0 {
		return fine("No CPUs are kept free for measurements (isolcpus).")
	}
	own := m.CPUs()
	free = slices.DeleteFunc(free, func(cpu int) bool { return !slices.Contains(own, cpu) })
	if len(free) == 0 {
		return fine("CPUs are kept free from the scheduler, but not of those that versus may use.")
	}
	return found(Note, fmt.Sprintf("The kernel puts nothing onto %s by itself (isolcpus).", cpus(free)),
		"They are the quietest for a role that is bound to one of them; a role bound to several stays on the first, with all its threads.",
		"Bind a host of the scenario to each (cpus).")
}
