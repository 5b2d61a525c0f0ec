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

	"golang.org/x/sys/unix"

	"versus/dsl"
)

// Machine is a computer as its files describe it.
type Machine struct {
	files fs.FS // its root
	// What no file says; nil where only files are known.
	statfs func(path string, s *unix.Statfs_t) error
	timex  func() (unix.Timex, error)
	slack  func() (ns int, err error) // of timers; only root may read the file
}

// This is the machine on which the program runs.
func This() Machine { return Machine{os.DirFS("/"), unix.Statfs, timex, timerSlack} }

// At is a machine of which only the files are known; root is where they begin.
func At(root fs.FS) Machine { return Machine{files: root} }

// CPUs are the numbers of the CPUs that this process may use, in order; none if
// the machine does not say.
func (m Machine) CPUs() []int {
	return list(m.entry("proc/self/status", ":", "Cpus_allowed_list"))
}

// list reads numbers as in "0-3,6"; none if the text is something else.
func list(text string) []int {
	numbers, _ := dsl.CPUList(text)
	return numbers
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
	return printable(text)
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
				return strings.Trim(printable(v), "\"")
			}
		}
	}
	return ""
}

// printable makes a text fit for a terminal and a record: it is one line of
// bounded length, without what controls a terminal.
func printable(text string) string {
	const most = 4 << 10
	text = strings.TrimSpace(text)
	text = strings.ToValidUTF8(text[:min(len(text), most)], "?")
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return '?'
		}
		return r
	}, text)
}
