package machine

import (
	"fmt"
	"io/fs"
	"path"
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
	e := m.Settings()
	e.Host, e.OS, e.CPU = m.line("proc/sys/kernel/hostname"), m.osName(), m.cpuModel()
	e.Memory = m.memory("MemTotal")
	e.Virtual, e.Mitigations = m.hypervisor(), m.mitigations()
	if release := m.line("proc/sys/kernel/osrelease"); release != "" {
		e.Kernel = "Linux " + release
	}
	return e
}

// Settings are that of the environment which may change while the machine runs.
func (m Machine) Settings() journal.Environment {
	e := journal.Environment{
		Cores:     len(m.CPUs()),
		Governor:  m.governors(),
		SMT:       m.smt(),
		HugePages: m.thp(),
		Clock:     m.line("sys/devices/system/clocksource/clocksource0/current_clocksource"),
	}
	e.Turbo, _ = m.turbo()
	e.CPULimit, _, _ = m.cpuLimit()
	return e
}

// mitigations are what the kernel does against faults of the CPU, by fault:
// "retbleed: none; spectre_v2: Retpolines". Those that the CPU does not have are
// left out.
func (m Machine) mitigations() string {
	files, _ := fs.Glob(m.files, cpuDir+"vulnerabilities/*")
	var all []string
	for _, f := range files {
		text := m.line(f)
		how, mitigated := strings.CutPrefix(text, "Mitigation: ")
		how, _, _ = strings.Cut(how, ";")
		switch {
		case mitigated:
			all = append(all, path.Base(f)+": "+how)
		case strings.HasPrefix(text, "Vulnerable"):
			all = append(all, path.Base(f)+": none")
		}
	}
	return strings.Join(all, "; ")
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
