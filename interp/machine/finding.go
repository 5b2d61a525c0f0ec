package machine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Level says how much a finding matters.
type Level string

// The levels of findings, those that matter most first.
const (
	Warning Level = "warning" // it moves numbers
	Note    Level = "note"    // it moves numbers of some systems, or in some tests
	Unknown Level = "unknown" // it can't be read
	Fine    Level = "fine"
)

// Finding is something about a machine that whoever measures on it should know.
type Finding struct {
	Topic  string `json:"topic"`            // what it is about: "governor"
	Level  Level  `json:"level"`            //
	Found  string `json:"found"`            // what is so, as a sentence
	Effect string `json:"effect,omitempty"` // what it does to numbers; empty if it is fine or not known
	Change string `json:"change,omitempty"` // how to change it, a command if one does
}

// checks are what is looked at, in the order in which it is reported.
var checks = []struct {
	topic string
	look  func(Machine) []Finding
}{
	{"load", Machine.load},
	{"memory", Machine.memoryLeft},
	{"limit of CPU time", Machine.quota},
	{"CPUs", Machine.affinity},
	{"isolated CPUs", Machine.isolated},
	{"governor", Machine.governorInUse},
	{"turbo", Machine.turboInUse},
	{"throttling", Machine.throttling},
	{"hyper-threading", Machine.siblings},
	{"kinds of cores", Machine.hybrid},
	{"idle states", Machine.idleStates},
	{"memory nodes", Machine.nodes},
	{"virtual machine", Machine.virtualisation},
	{"container", Machine.container},
	{"clock source", Machine.clockSource},
	{"timers", Machine.timers},
	{"scheduler ticks", Machine.ticks},
	{"time of day", Machine.timeOfDay},
	{"irqbalance", Machine.balancing},
	{"huge pages", Machine.hugePages},
	{"shared memory", Machine.sharedMemory},
	{"socket buffers", Machine.socketBuffers},
	{"ports", Machine.ports},
	{"open files", Machine.openFiles},
	{"network namespaces", Machine.namespaces},
	{"limited links", Machine.shaping},
}

// Findings are what the machine's files say about how well it measures. They
// are read in some milliseconds, and nothing is measured.
func (m Machine) Findings() []Finding {
	var found []Finding
	for _, c := range checks {
		for _, f := range c.look(m) {
			f.Topic, f.Found = c.topic, printable(f.Found)
			found = append(found, f)
		}
	}
	return found
}

// Warnings are the findings that move numbers.
func Warnings(found []Finding) []Finding {
	return slices.DeleteFunc(slices.Clone(found), func(f Finding) bool { return f.Level != Warning })
}

// fine, unknown, and found make the findings of a check.
func fine(format string, args ...any) []Finding {
	return []Finding{{Level: Fine, Found: fmt.Sprintf(format, args...)}}
}

func unknown(format string, args ...any) []Finding {
	return []Finding{{Level: Unknown, Found: fmt.Sprintf(format, args...)}}
}

func found(l Level, what, effect, change string) []Finding {
	return []Finding{{Level: l, Found: what, Effect: effect, Change: change}}
}

// cpuDir is where Linux describes its CPUs.
const cpuDir = "sys/devices/system/cpu/"

// ofCPU returns the line of a file of a CPU.
func (m Machine) ofCPU(cpu int, file string) string {
	return m.line(cpuDir + "cpu" + strconv.Itoa(cpu) + "/" + file)
}

// number returns the whole number in a file, and whether there is one.
func (m Machine) number(name string) (int64, bool) {
	n, err := strconv.ParseInt(m.line(name), 10, 64)
	return n, err == nil
}

// cpus writes numbers of CPUs as a person does: "CPU 3", "CPUs 0-3,6".
func cpus(list []int) string {
	if len(list) == 1 {
		return fmt.Sprintf("CPU %d", list[0])
	}
	return "CPUs " + ranges(list)
}

// ranges writes numbers as Linux does: "0-3,6".
func ranges(list []int) string {
	var parts []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		part := strconv.Itoa(list[i])
		if j > i {
			part += "-" + strconv.Itoa(list[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// group sorts CPUs by what f says of them. Those of which it says "" are left out.
func group(list []int, f func(cpu int) string) map[string][]int {
	groups := map[string][]int{}
	for _, cpu := range list {
		if name := f(cpu); name != "" {
			groups[name] = append(groups[name], cpu)
		}
	}
	return groups
}
