// Package machine looks at the computer on which versus runs: what it is, for
// the record; whether it has what a scenario requires of a host; and what on it
// disturbs measurements, in plain words.
//
// It reads the files in which Linux describes itself, and takes them from a file
// system that a test can make up. What it finds there is of every age and kind
// of machine, and partly written by others: nothing is taken for granted, and
// what can't be read is said to be so, not guessed. It changes nothing on the
// machine, and starts no process.
package machine

import (
	"io"
	"io/fs"
	"os"
	"strings"

	"versus/dsl"
)

// Machine is a computer as its files describe it.
type Machine struct {
	files fs.FS // its root
}

// This is the machine on which the program runs.
func This() Machine { return At(os.DirFS("/")) }

// At is the machine whose root is given.
func At(root fs.FS) Machine { return Machine{root} }

// CPUs are the numbers of the CPUs that this process may use, in order; none if
// the machine does not say.
func (m Machine) CPUs() []int {
	cpus, _ := dsl.CPUList(m.entry("proc/self/status", ":", "Cpus_allowed_list"))
	return cpus
}

// mostRead bounds what is read of one file, in bytes: /proc/interrupts of a
// machine with hundreds of CPUs has some of it.
const mostRead = 16 << 20

// read returns the content of a file, and whether it can be read.
func (m Machine) read(name string) (string, error) {
	f, err := m.files.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostRead))
	return string(text), err
}

// line returns the content of a file of one line, "" if there is none.
func (m Machine) line(name string) string {
	text, err := m.read(name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(text)
}

// entry returns the value behind one of the keys in the lines of a file, those
// of the first key first.
func (m Machine) entry(name, separator string, keys ...string) string {
	text, err := m.read(name)
	if err != nil {
		return ""
	}
	for _, key := range keys {
		for line := range strings.Lines(text) {
			k, v, ok := strings.Cut(line, separator)
			if ok && strings.TrimSpace(k) == key {
				return strings.Trim(v, " \t\n\"")
			}
		}
	}
	return ""
}
