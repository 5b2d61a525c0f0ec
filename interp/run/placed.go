package run

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"versus/dsl"
	"versus/interp/journal"
	"versus/interp/machine"
)

// PlacedFlag is the first argument of `versus worker` on a host of kind ssh or
// exec: with a driver and a role it is a worker, alone it is the attendant.
const PlacedFlag = "-placed"

// order is the first line on the standard input of a worker on another host:
// what this machine would do before it starts a worker of its own.
type order struct {
	CPUs     []int             `json:"cpus,omitempty"`
	Priority dsl.Priority      `json:"priority,omitzero"`
	Role     []string          `json:"role,omitempty"` // environment that the driver asks for
	Host     map[string]string `json:"host,omitempty"` // environment that the scenario asks for
}

// maxLine bounds what both sides read of each other, in bytes.
const maxLine = 1 << 20

// Placed is the part of a host of kind ssh or exec, started there as `versus
// worker -placed ARGUMENTS`. As a worker it becomes `versus worker ARGUMENTS`,
// with the CPUs, priority and environment that the first line of its input says. Without
// arguments it answers questions about the host until its input ends. It returns
// the exit status.
func Placed(args []string, in io.Reader, out io.Writer) int {
	var err error
	if len(args) == 0 {
		err = attend(in, out)
	} else {
		err = becomeWorker(args, in)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "versus: on this host: %v\n", err)
		return 1
	}
	return 0
}

// becomeWorker returns only if that can't be done.
func becomeWorker(args []string, in io.Reader) error {
	line, err := firstLine(in)
	if err != nil {
		return err
	}
	var o order
	if err := json.Unmarshal(line, &o); err != nil {
		return fmt.Errorf("the order can't be read: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	// A program that another replaces inherits the CPUs of the thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := errors.Join(bind(o.CPUs), prioritise(o.Priority)); err != nil {
		return err
	}
	all, _ := environ(o.Role, o.Host)
	err = syscall.Exec(self, append([]string{self, "worker"}, args...), all)
	return fmt.Errorf("%s does not start: %w", self, err)
}

// firstLine reads no further than the line: the rest is the worker's.
func firstLine(in io.Reader) ([]byte, error) {
	var line []byte
	b := make([]byte, 1)
	for len(line) <= maxLine {
		if _, err := io.ReadFull(in, b); err != nil {
			return nil, fmt.Errorf("no order came: %w", err)
		}
		if b[0] == '\n' {
			return line, nil
		}
		line = append(line, b[0])
	}
	return nil, errors.New("the order is too long")
}

// question is a line for the attendant; an empty one asks for the clock alone.
type question struct {
	Machine  bool         `json:"machine,omitempty"`
	Examine  bool         `json:"examine,omitempty"` // its noise too, which takes a second
	CPUs     []int        `json:"cpus,omitempty"`
	Priority dsl.Priority `json:"priority,omitzero"`
	Require  dsl.Require  `json:"require,omitzero"`
}

// reply is what the attendant says.
type reply struct {
	Clock   int64                `json:"clock"` // CLOCK_MONOTONIC, nanoseconds
	Machine *journal.Environment `json:"machine,omitempty"`
	Lacks   string               `json:"lacks,omitempty"` // of what the host must have

	Examination *machine.Examination `json:"examination,omitempty"`
}

// attend answers questions about this machine.
func attend(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxLine)
	enc := json.NewEncoder(out)
	for lines.Scan() {
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return fmt.Errorf("the question can't be read: %w", err)
		}
		var a reply
		if q.Machine {
			m := machine.This().Environment()
			m.Go = runtime.Version()
			var err error
			if m.Versus, err = programHash(); err != nil {
				return err
			}
			a.Machine = &m
			a.Lacks = lacks(q.CPUs, q.Priority, q.Require)
		}
		if q.Examine {
			e, err := machine.This().Examine(context.Background()) // bounded by itself
			if err != nil {
				return err
			}
			a.Examination = &e
		}
		a.Clock = monotonic()
		if err := enc.Encode(a); err != nil {
			return err
		}
	}
	return lines.Err()
}

// monotonic reads CLOCK_MONOTONIC, in nanoseconds.
func monotonic() int64 {
	var ts unix.Timespec
	unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) // can't fail for this clock
	return ts.Nano()
}
