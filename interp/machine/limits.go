package machine

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// thp returns whether the kernel makes huge pages by itself: "always",
// "madvise", "never"; "" if it does not say.
func (m Machine) thp() string {
	for _, word := range strings.Fields(m.line("sys/kernel/mm/transparent_hugepage/enabled")) {
		if inner, ok := strings.CutPrefix(word, "["); ok {
			return strings.TrimSuffix(inner, "]")
		}
	}
	return ""
}

// hugePages looks at pages of more than the usual size.
func (m Machine) hugePages() []Finding {
	var out []Finding
	switch state := m.thp(); state {
	case "":
		out = unknown("Whether the kernel makes huge pages by itself can't be read here.")
	case "always":
		out = found(Note, "The kernel makes huge pages by itself, for every process (transparent huge pages: always).",
			"A process may stop while one is made, has more memory than it uses, and may be faster in one run than in the next.",
			"echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled")
	default:
		out = fine("The kernel makes huge pages only for those who ask (transparent huge pages: %s).", state)
	}
	if reserved := m.memory("Hugetlb"); reserved > 0 {
		out = append(out, fine("%s of memory are reserved for huge pages.", size(reserved))...)
	}
	return out
}

// fewShared is the size of /dev/shm below which systems on shared memory may
// not start, bytes. Docker gives 64 MiB.
const fewShared = 256 << 20

// sharedMemory looks at the room for shared memory.
func (m Machine) sharedMemory() []Finding {
	free, total, err := m.room("/dev/shm")
	switch {
	case err != nil:
		return unknown("How much shared memory there is can't be asked (/dev/shm: %v).", err)
	case free >= fewShared:
		return fine("%s of shared memory are free, of %s (/dev/shm).", size(free), size(total))
	}
	return found(Warning, fmt.Sprintf("Only %s of shared memory are free, of %s (/dev/shm).", size(free), size(total)),
		"Systems on shared memory fail, or fall back to a slower way.",
		"sudo mount -o remount,size=2G /dev/shm, or docker run --shm-size=2g")
}

// fewDisk is the room for results below which a long plan may not fit, bytes.
const fewDisk = 1 << 30

// Disk looks at the room for results in a folder.
func (m Machine) Disk(dir string) Finding {
	f := Finding{Topic: "disk", Level: Fine}
	free, _, err := m.room(dir)
	switch {
	case err != nil:
		f.Level, f.Found = Unknown, fmt.Sprintf("How much room there is for results can't be asked (%s: %v).", dir, err)
	case free < fewDisk:
		f.Level, f.Found = Warning, fmt.Sprintf("Only %s are free for results in %s.", size(free), dir)
		f.Effect, f.Change = "A run whose record can't be written ends the whole plan; it can be resumed.", "Write to another disk: versus run --out FOLDER."
	default:
		f.Found = fmt.Sprintf("%s are free for results.", size(free))
	}
	return f
}

// room returns the free and the total bytes of the file system of a path.
func (m Machine) room(path string) (free, total int64, err error) {
	if m.statfs == nil {
		return 0, 0, unix.ENOSYS
	}
	var s unix.Statfs_t
	if err := m.statfs(path, &s); err != nil {
		return 0, 0, err
	}
	return int64(s.Bavail) * s.Bsize, int64(s.Blocks) * s.Bsize, nil
}

// smallBuffer is the largest socket buffer that a kernel allows by itself, bytes.
const smallBuffer = 1 << 20

// socketBuffers looks at how much a socket may hold.
func (m Machine) socketBuffers() []Finding {
	var small []string
	for _, name := range []string{"rmem_max", "wmem_max"} {
		n, ok := m.number("proc/sys/net/core/" + name)
		if !ok {
			return unknown("How much a socket may hold can't be read (/proc/sys/net/core).")
		}
		if n < smallBuffer {
			small = append(small, fmt.Sprintf("%s is %s", name, size(n)))
		}
	}
	if len(small) == 0 {
		return fine("A socket may ask for buffers of 1 MiB and more.")
	}
	return found(Note, "A socket gets no larger buffer than the kernel's usual one: "+strings.Join(small, ", ")+".",
		"Messages over UDP that come faster than they are read are lost beyond that: loss is then a setting, not a property of a system. TCP has limits of its own (tcp_rmem).",
		"sudo sysctl -w net.core.rmem_max=4194304 net.core.wmem_max=4194304")
}

// ports looks at how many connections can be made to one address.
func (m Machine) ports() []Finding {
	fields := strings.Fields(m.line("proc/sys/net/ipv4/ip_local_port_range"))
	if len(fields) != 2 {
		return unknown("How many connections can be made can't be read (ip_local_port_range).")
	}
	low, err1 := strconv.Atoi(fields[0])
	high, err2 := strconv.Atoi(fields[1])
	n := high - low + 1
	if err1 != nil || err2 != nil || n < 1 || n > 1<<16 {
		return unknown("How many connections can be made can't be read (ip_local_port_range).")
	}
	if n >= 10_000 {
		return fine("%d connections can be made to one address at once.", n)
	}
	return found(Note, fmt.Sprintf("Only %d connections can be made to one address at once.", n),
		"Closed ones count for a minute: many short runs may find none left.", "sudo sysctl -w net.ipv4.ip_local_port_range=\"32768 60999\"")
}

// openFiles looks at how many files and connections a process may have.
func (m Machine) openFiles() []Finding {
	text, _ := m.read("proc/self/limits")
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, "Max open files")
		fields := strings.Fields(rest)
		if !ok || len(fields) < 2 {
			continue
		}
		// Go programs raise their limit to the hard one, the second.
		const few = 10_000
		hard := fields[1]
		n, err := strconv.Atoi(hard)
		switch {
		case hard == "unlimited" || err == nil && n >= few:
			return fine("A process may have %s files and connections open.", hard)
		case err != nil:
			return unknown("How many files a process may have open can't be read (/proc/self/limits).")
		}
		return found(Note, fmt.Sprintf("A process may have only %d files and connections open.", n),
			"Systems with a connection for each caller or topic fail beyond that.", "ulimit -n 65536, or docker run --ulimit nofile=65536")
	}
	return unknown("How many files a process may have open can't be read (/proc/self/limits).")
}
