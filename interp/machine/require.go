package machine

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"versus/dsl"
)

// Lacks returns what a host requires and this machine does not have, or "". CPUs
// are those to which the host binds; none means all that may be used.
func (m Machine) Lacks(cpus []int, need dsl.Require) string {
	own := m.CPUs()
	if len(own) == 0 && (len(cpus) > 0 || need.Cores > 0 || need.Governor != "") {
		return "certain CPUs, but this machine does not say which ones versus may use"
	}
	for _, cpu := range cpus {
		if !slices.Contains(own, cpu) {
			return fmt.Sprintf("CPU %d, but this machine offers only %d CPUs to versus, and not that one", cpu, len(own))
		}
	}
	if len(own) < need.Cores {
		return fmt.Sprintf("%d cores, but this machine offers only %d CPUs to versus", need.Cores, len(own))
	}
	if len(cpus) == 0 {
		cpus = own
	}
	for _, why := range []string{
		m.lacksKernel(need.Kernel), m.lacksGovernor(cpus, need.Governor), m.lacksMemory(need.Memory), m.lacksBinary(need.Binaries),
	} {
		if why != "" {
			return why
		}
	}
	return ""
}

func (m Machine) lacksGovernor(cpus []int, want string) string {
	if want == "" {
		return ""
	}
	for _, cpu := range cpus {
		switch g := m.governor(cpu); g {
		case want:
		case "":
			return fmt.Sprintf("the governor %q, but this machine does not say which CPU %d has", want, cpu)
		default:
			return fmt.Sprintf("the governor %q, but CPU %d has %q; to change it: sudo cpupower frequency-set -g %s", want, cpu, g, want)
		}
	}
	return ""
}

func (m Machine) lacksMemory(want int64) string {
	if want == 0 {
		return ""
	}
	left := m.memoryFree()
	switch {
	case left == 0:
		return fmt.Sprintf("%s of free memory, but this machine does not say how much it has", size(want))
	case left < want:
		return fmt.Sprintf("%s of free memory, but only %s are free", size(want), size(left))
	}
	return ""
}

// memoryFree is how much memory a program may get without others losing theirs,
// bytes; 0 if it is not known.
func (m Machine) memoryFree() int64 {
	left := m.memory("MemAvailable")
	dirs, v2 := m.cgroups("memory")
	limit, usage := "/memory.limit_in_bytes", "/memory.usage_in_bytes"
	if v2 {
		limit, usage = "/memory.max", "/memory.current"
	}
	for _, dir := range dirs {
		most, ok := m.number(dir + limit)
		used, known := m.number(dir + usage)
		if ok && known && most >= 0 && used >= 0 {
			left = min(left, max(most-used, 1))
		}
	}
	return left
}

func (m Machine) lacksKernel(want string) string {
	if want == "" {
		return ""
	}
	have := m.line("proc/sys/kernel/osrelease")
	switch older, known := olderThan(have, want); {
	case !known:
		return fmt.Sprintf("kernel %s or later, but this machine calls its own %q", want, have)
	case older:
		return fmt.Sprintf("kernel %s or later, but this one is %s", want, have)
	}
	return ""
}

// olderThan compares the numbers at the beginning of the release of a kernel,
// such as 6.1.0-28-amd64, with a version; known is false if it has none.
func olderThan(have, want string) (older, known bool) {
	end := strings.IndexFunc(have, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end >= 0 {
		have = have[:end]
	}
	numbers := func(version string) (list []int) {
		for part := range strings.SplitSeq(version, ".") {
			n, err := strconv.Atoi(part)
			if err != nil {
				break
			}
			list = append(list, n)
		}
		return list
	}
	h, w := numbers(have), numbers(want)
	known = len(h) > 0
	for len(h) < len(w) {
		h = append(h, 0)
	}
	return slices.Compare(h[:len(w)], w) < 0, known
}

func (m Machine) lacksBinary(want []string) string {
	for _, name := range want {
		if !m.hasProgram(name) {
			return fmt.Sprintf("the program %q, which is not here; install it, or put it into the PATH", name)
		}
	}
	return ""
}

// hasProgram looks for a program by its full path, or by its name in the PATH of
// versus, which workers have too.
func (m Machine) hasProgram(name string) bool {
	places := []string{name}
	if !filepath.IsAbs(name) {
		places = nil
		for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
			if filepath.IsAbs(dir) {
				places = append(places, filepath.Join(dir, name))
			}
		}
	}
	return slices.ContainsFunc(places, func(file string) bool {
		info, err := fs.Stat(m.files, strings.TrimPrefix(filepath.Clean(file), "/"))
		return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
	})
}
