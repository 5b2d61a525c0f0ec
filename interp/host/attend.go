package host

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/dsl"
	"versus/interp/journal"
	"versus/interp/machine"
)

// question is a line for the attendant; an empty one asks for the clock alone.
type question struct {
	Machine  bool           `json:"machine,omitempty"`
	Examine  bool           `json:"examine,omitempty"` // its noise too, which takes a second
	CPUs     []int          `json:"cpus,omitempty"`
	Priority dsl.Priority   `json:"priority,omitzero"`
	Require  dsl.Require    `json:"require,omitzero"`
	Needs    []drivers.Need `json:"needs,omitempty"`
	Program  *program       `json:"program,omitempty"`
}

// program is a worker that is to be there.
type program struct {
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"` // bytes
	// Sent says that the program itself follows the line.
	Sent bool `json:"sent,omitempty"`
	// Environment is the host's, which may name folders of libraries.
	Environment map[string]string `json:"environment,omitempty"`
}

// reply is what the attendant says.
type reply struct {
	Clock     int64                `json:"clock"` // CLOCK_MONOTONIC, nanoseconds
	ClockName string               `json:"clock_name,omitempty"`
	Machine   *journal.Environment `json:"machine,omitempty"`
	Lacks     string               `json:"lacks,omitempty"`   // of what the host must have
	Lacking   []drivers.Need       `json:"lacking,omitempty"` // of Needs
	Program   *programState        `json:"program,omitempty"`

	Examination *machine.Examination `json:"examination,omitempty"`
}

// programState is whether a program is there, and runs.
type programState struct {
	Here      bool     `json:"here,omitempty"`
	Libraries []string `json:"libraries,omitempty"` // that it lacks
	Problem   string   `json:"problem,omitempty"`   // why it can't be there, or can't run
}

// attend answers questions about this machine.
func attend(in io.Reader, out io.Writer) error {
	lines := bufio.NewReaderSize(in, maxLine)
	enc := json.NewEncoder(out)
	for {
		line, err := lines.ReadSlice('\n')
		if err == io.EOF && len(line) == 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("the question can't be read: %w", err)
		}
		var q question
		if err := json.Unmarshal(line, &q); err != nil {
			return fmt.Errorf("the question can't be read: %w", err)
		}
		a, err := q.answer(lines)
		if err != nil {
			return err
		}
		a.Clock = monotonic()
		if err := enc.Encode(a); err != nil {
			return err
		}
	}
}

// answer answers the question; rest is what follows it. An error ends the attendant.
func (q question) answer(rest io.Reader) (a reply, err error) {
	if q.Machine {
		m, err := Environment()
		if err != nil {
			return a, err
		}
		a.Machine, a.ClockName = &m, clockName()
		a.Lacks = lacks(q.CPUs, q.Priority, q.Require)
	}
	if q.Examine {
		e, err := machine.This().Examine(context.Background()) // bounded by itself
		if err != nil {
			return a, err
		}
		a.Examination = &e
	}
	a.Lacking = drivers.Lacking(q.Needs)
	if q.Program == nil {
		return a, nil
	}
	if q.Program.SHA256 == "" || q.Program.Size <= 0 || q.Program.Size > maxProgram {
		return a, errors.New("the question is about no program")
	}
	a.Program = q.Program.prepare(rest)
	return a, nil
}

// monotonic reads CLOCK_MONOTONIC, in nanoseconds.
func monotonic() int64 {
	var ts unix.Timespec
	unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) // can't fail for this clock
	return ts.Nano()
}

// clockName tells whose CLOCK_MONOTONIC it is: that of a kernel since it was booted,
// shifted if this process is in a time namespace. Two processes of one name read
// the same clock. It is empty where the kernel does not tell.
func clockName() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	offsets, _ := os.ReadFile("/proc/self/timens_offsets") // none where the kernel has no such namespaces
	shift, _, _ := strings.Cut(string(offsets), "\n")
	name := strings.Fields(string(boot) + " " + shift)
	return strings.Join(name, " ")
}
