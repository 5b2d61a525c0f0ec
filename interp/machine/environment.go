package machine

import (
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"versus/interp/journal"
)

// Environment describes the machine for the record. What it does not tell, such
// as the governor of a virtual one, stays empty, and so does what is not about
// the machine: the versions of programs.
func (m Machine) Environment() journal.Environment {
	e := journal.Environment{
		Host:     m.line("proc/sys/kernel/hostname"),
		OS:       m.osName(),
		CPU:      m.cpuModel(),
		Cores:    len(m.CPUs()),
		Memory:   m.memory("MemTotal"),
		Governor: m.governors(),
		Clock:    m.line("sys/devices/system/clocksource/clocksource0/current_clocksource"),
	}
	if release := m.line("proc/sys/kernel/osrelease"); release != "" {
		e.Kernel = "Linux " + release
	}
	return e
}

func (m Machine) osName() string {
	if name := m.entry("etc/os-release", "=", "PRETTY_NAME"); name != "" {
		return name
	}
	return runtime.GOOS
}

// cpuModel names the CPU; ARM kernels give only a part number.
func (m Machine) cpuModel() string {
	name := m.entry("proc/cpuinfo", ":", "model name", "Model", "cpu model", "uarch")
	if part := m.entry("proc/cpuinfo", ":", "CPU part"); name == "" && part != "" {
		name = "implementer " + m.entry("proc/cpuinfo", ":", "CPU implementer") + " part " + part
	}
	return strings.TrimSpace(name + " (" + runtime.GOARCH + ")")
}

// memory returns a line of /proc/meminfo in bytes, 0 if there is none.
func (m Machine) memory(what string) int64 {
	text, ok := strings.CutSuffix(m.entry("proc/meminfo", ":", what), " kB")
	n, err := strconv.ParseInt(text, 10, 64)
	if !ok || err != nil || n < 0 || n > 1<<50 {
		return 0
	}
	return n << 10
}

// governors names the frequency governors in use, normally one.
func (m Machine) governors() string {
	files, _ := fs.Glob(m.files, "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor")
	var names []string
	for _, f := range files {
		if g := m.line(f); g != "" && !slices.Contains(names, g) {
			names = append(names, g)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// governor names the frequency governor of a CPU, "" if the machine does not say.
func (m Machine) governor(cpu int) string {
	return m.line(fmt.Sprintf("sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", cpu))
}
