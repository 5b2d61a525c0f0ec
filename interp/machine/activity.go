package machine

import (
	"io/fs"
	"strconv"
	"strings"
)

// tick is the unit in which Linux tells CPU times to programs, seconds (USER_HZ).
const tick = 0.01

// cpuTime is what CPUs did since the machine started, seconds.
type cpuTime struct{ busy, idle, stolen float64 }

func (t cpuTime) total() float64 { return t.busy + t.idle + t.stolen }

func (t cpuTime) minus(u cpuTime) cpuTime {
	return cpuTime{t.busy - u.busy, t.idle - u.idle, t.stolen - u.stolen}
}

func (t cpuTime) plus(u cpuTime) cpuTime {
	return cpuTime{t.busy + u.busy, t.idle + u.idle, t.stolen + u.stolen}
}

// cpuTime adds up what the given CPUs did, as far as the machine tells.
func (m Machine) cpuTime(cpus []int) (sum cpuTime) {
	all := m.cpuTimes()
	for _, cpu := range cpus {
		sum = sum.plus(all[cpu])
	}
	return sum
}

// cpuTimes are what each CPU did.
func (m Machine) cpuTimes() map[int]cpuTime {
	text, _ := m.read("proc/stat")
	all := map[int]cpuTime{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		name, ok := "", false
		if len(fields) >= 5 {
			name, ok = strings.CutPrefix(fields[0], "cpu")
		}
		cpu, err := strconv.Atoi(name)
		if !ok || err != nil {
			continue
		}
		var t cpuTime
		// user nice system idle iowait irq softirq steal; guests are in user
		for i, field := range fields[1:min(len(fields), 9)] {
			n, err := strconv.ParseUint(field, 10, 63)
			switch seconds := float64(n) * tick; {
			case err != nil:
			case i == 3 || i == 4:
				t.idle += seconds
			case i == 7:
				t.stolen += seconds
			default:
				t.busy += seconds
			}
		}
		all[cpu] = t
	}
	return all
}

// pids are the numbers of all processes that can be seen.
func (m Machine) pids() []int {
	entries, _ := fs.ReadDir(m.files, "proc")
	var pids []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil && pid > 0 {
			pids = append(pids, pid)
		}
	}
	return pids
}

// usage is the CPU time of a process so far.
type usage struct {
	name    string
	seconds float64
}

// usages are the CPU times of all processes that can be seen, by number.
func (m Machine) usages() map[int]usage {
	found := map[int]usage{}
	for _, pid := range m.pids() {
		if u := m.usage(pid); u != (usage{}) {
			found[pid] = u
		}
	}
	return found
}

// usage is the CPU time of a process; none if it can't be seen.
func (m Machine) usage(pid int) usage {
	text, err := m.read("proc/" + strconv.Itoa(pid) + "/stat")
	if u, ok := parseUsage(text); ok && err == nil {
		return u
	}
	return usage{}
}

// family is the CPU time of a process, of those that it started and waited for, and of
// those that it started and still has, with theirs for so many generations; seconds.
func (m Machine) family(pid, generations int) float64 {
	dir := "proc/" + strconv.Itoa(pid)
	text, _ := m.read(dir + "/stat")
	own, _ := parseUsage(text)
	sum := own.seconds + childTime(text)
	if generations == 0 {
		return sum
	}
	threads, _ := fs.Glob(m.files, dir+"/task/*/children")
	for _, thread := range threads {
		text, _ := m.read(thread)
		for _, child := range strings.Fields(text) {
			if n, err := strconv.Atoi(child); err == nil {
				sum += m.family(n, generations-1)
			}
		}
	}
	return sum
}

// childTime reads the two numbers after those of parseUsage: of the children that were
// waited for.
func childTime(text string) float64 {
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 15 {
		return 0
	}
	user, err1 := strconv.ParseUint(fields[13], 10, 63)
	system, err2 := strconv.ParseUint(fields[14], 10, 63)
	if err1 != nil || err2 != nil {
		return 0
	}
	return (float64(user) + float64(system)) * tick
}

// parseUsage reads /proc/PID/stat: PID (NAME) STATE and numbers, of which utime
// is the 14th field and stime the 15th. A name may have parentheses and spaces.
func parseUsage(text string) (usage, bool) {
	open, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return usage{}, false
	}
	fields := strings.Fields(text[end+1:])
	if len(fields) < 13 {
		return usage{}, false
	}
	user, err1 := strconv.ParseUint(fields[11], 10, 63)
	system, err2 := strconv.ParseUint(fields[12], 10, 63)
	return usage{printable(text[open+1 : end]), (float64(user) + float64(system)) * tick}, err1 == nil && err2 == nil
}

// interruptsServed is how many interrupts each CPU has served since the machine
// started, by what raised them: "38: virtio0-input.0", "LOC: Local timer interrupts".
func (m Machine) interruptsServed() map[int]map[string]float64 {
	text, _ := m.read("proc/interrupts")
	var columns []int
	served := map[int]map[string]float64{}
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if columns == nil {
			// The first line names the CPUs of the columns.
			for _, f := range fields {
				cpu, err := strconv.Atoi(strings.TrimPrefix(f, "CPU"))
				if err != nil {
					return nil
				}
				columns = append(columns, cpu)
				served[cpu] = map[string]float64{}
			}
			continue
		}
		if len(fields) <= len(columns) {
			continue // errors, which are counted for all CPUs together
		}
		source := printable(fields[0] + " " + strings.Join(fields[1+len(columns):], " "))
		for i, cpu := range columns {
			if n, err := strconv.ParseUint(fields[1+i], 10, 63); err == nil {
				served[cpu][source] += float64(n)
			}
		}
	}
	return served
}
