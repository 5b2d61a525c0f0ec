package machine

import (
	"fmt"
	"path"
	"strconv"
	"strings"
)

// cgroups returns the folders of the control groups of this process that may
// limit what a controller counts, "cpu" or "memory", from its own to the
// outermost that it sees, and whether they are of version 2.
func (m Machine) cgroups(controller string) (dirs []string, v2 bool) {
	one, two, err := m.ownGroups(controller)
	if err != nil {
		return nil, false
	}
	mounts, _ := m.read("proc/self/mountinfo")
	for line := range strings.Lines(mounts) {
		// 31 23 0:28 ROOT MOUNTPOINT options - TYPE SOURCE SUPEROPTIONS
		left, right, ok := strings.Cut(line, " - ")
		at, is := strings.Fields(left), strings.Fields(right)
		if !ok || len(at) < 5 || len(is) < 3 {
			continue
		}
		own := ""
		switch {
		case is[0] == "cgroup2" && one == "":
			own, v2 = two, true
		case is[0] == "cgroup" && hasWord(is[2], controller):
			own, v2 = one, false
		default:
			continue
		}
		return below(at[4], at[3], own), v2
	}
	return nil, false
}

// ownGroups returns the group of this process in the hierarchy of version 1 that
// has the controller, empty if there is none, and in that of version 2.
func (m Machine) ownGroups(controller string) (one, two string, err error) {
	text, err := m.read("proc/self/cgroup")
	for line := range strings.Lines(text) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(parts) < 3:
		case parts[1] == "":
			two = parts[2]
		case hasWord(parts[1], controller):
			one = parts[2]
		}
	}
	return one, two, err
}

// hasWord reports whether a word is in a list with commas.
func hasWord(list, word string) bool {
	return strings.Contains(","+list+",", ","+word+",")
}

// below returns the folder of a group and those above it, up to the mount point.
// root is the group that the mount point shows.
func below(mount, root, own string) []string {
	const deepest = 64
	own = path.Clean("/" + own)
	if in, shown := strings.CutPrefix(own, strings.TrimSuffix(root, "/")); shown && (in == "" || in[0] == '/') {
		own = in
	}
	mount = strings.Trim(path.Clean("/"+mount), "/")
	var dirs []string
	for range deepest {
		dirs = append(dirs, path.Join(mount, own))
		if own == "" || own == "/" || own == "." {
			break
		}
		own = path.Dir(own)
	}
	return dirs
}

// cpuLimit returns how many CPUs' time this process may use at most, and how
// long the periods are in which that is counted, in seconds; 0 if nothing
// limits it. known is false where control groups can't be read.
func (m Machine) cpuLimit() (cpus, period float64, known bool) {
	dirs, v2 := m.cgroups("cpu")
	for _, dir := range dirs {
		var quota, per float64
		if v2 {
			q, p, _ := strings.Cut(m.line(dir+"/cpu.max"), " ")
			quota, per = positive(q), positive(p)
		} else {
			quota, per = positive(m.line(dir+"/cpu.cfs_quota_us")), positive(m.line(dir+"/cpu.cfs_period_us"))
		}
		if quota > 0 && per > 0 && (cpus == 0 || quota/per < cpus) {
			cpus, period = quota/per, per/1e6
		}
	}
	return cpus, period, len(dirs) > 0
}

// positive returns a number of microseconds, 0 if there is none ("max", "-1").
func positive(text string) float64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > 1e12 {
		return 0
	}
	return float64(n)
}

// throttled returns how long control groups have stopped this process and those
// beside it until the next period, in seconds. Each group counts what its own
// limit did, which may be that of one above.
func (m Machine) throttled() float64 {
	dirs, v2 := m.cgroups("cpu")
	name, unit := "throttled_time", 1e-9
	if v2 {
		name, unit = "throttled_usec", 1e-6
	}
	sum := 0.0
	for _, dir := range dirs {
		// An odd text is no time, and no NaN either.
		n, err := strconv.ParseUint(m.entry(dir+"/cpu.stat", " ", name), 10, 63)
		if err == nil {
			sum += float64(n) * unit
		}
	}
	return sum
}

// quota looks for a limit of CPU time.
func (m Machine) quota() []Finding {
	limit, period, known := m.cpuLimit()
	switch {
	case !known:
		return unknown("Whether the CPU time of versus is limited can't be read: it sees no control groups.")
	case limit == 0:
		return fine("Nothing limits the CPU time of versus.")
	}
	return found(Warning, fmt.Sprintf("A control group limits versus and all that it starts to the time of %.4g CPUs in each %.4g ms.", limit, period*1e3),
		fmt.Sprintf("When they have used it, all of them stop until the next period: latencies of up to %.4g ms that are no system's fault.", period*1e3),
		"Give the container whole CPUs instead of a share: docker run --cpuset-cpus=0-3, without --cpus; in Kubernetes the static CPU manager.")
}
