package run

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"

	"versus/dsl"
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
	// Clock is the one that the attendant of the host reads.
	Clock string `json:"clock,omitempty"`
	// Program is the SHA-256 of the worker, if it is not versus itself, and Args
	// its arguments.
	Program string   `json:"program,omitempty"`
	Args    []string `json:"args,omitempty"`
}

// greeting is the first line of what is started on another host. What comes
// before it is from a shell, which may say good morning. The number changes with
// what is said after it.
const greeting = "versus -placed 2"

// maxNoise bounds what may come before the greeting, in bytes.
const maxNoise = 64 << 10

// skipToGreeting reads up to the greeting, and returns the beginning of what came
// before it. It is an error if there is none, or that of another versus.
func skipToGreeting(r *bufio.Reader) (noise string, err error) {
	const quote = 200
	word, _, _ := strings.Cut(greeting, " ")
	for total := 0; total <= maxNoise; {
		part, err := r.ReadSlice('\n')
		if err != nil && err != bufio.ErrBufferFull {
			return strings.TrimSpace(noise + string(part)), err
		}
		total += len(part)
		switch line := strings.TrimSuffix(string(part), "\n"); {
		case line == greeting:
			return noise, nil
		case line == greeting+"\r":
			return noise, errors.New("there is a terminal in between, which changes what passes: leave out what asks for one, such as -t")
		case strings.HasPrefix(line, word+" "+PlacedFlag+" ") && len(line) < 2*len(greeting):
			return noise, fmt.Errorf("the versus there is of another version: it says %q where this one says %q", clip(line), greeting)
		}
		noise += string(part[:min(len(part), quote-len(noise))])
	}
	return noise, fmt.Errorf("no versus answers in the first %d bytes", maxNoise)
}

// maxLine bounds what both sides read of each other, in bytes.
const maxLine = 1 << 20

// Placed is the part of a host of kind ssh or exec, started there as `versus
// worker -placed ARGUMENTS`. As a worker it becomes `versus worker ARGUMENTS`,
// with the CPUs, priority and environment that the first line of its input says. Without
// arguments it answers questions about the host until its input ends. It returns
// the exit status.
func Placed(args []string, in io.Reader, out io.Writer) int {
	_, err := io.WriteString(out, "\n"+greeting+"\n")
	switch {
	case err != nil:
	case len(args) == 0:
		err = attend(in, out)
	default:
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
	if here := clockName(); o.Clock != here {
		return fmt.Errorf("this is not the machine, or not the clock, that versus talks to on this host (%s, not %s): "+
			"the command of the host must always lead to the same one", here, printable(o.Clock))
	}
	program, err := os.Executable()
	args = append([]string{"worker"}, args...)
	if o.Program != "" {
		program, err = brought(o.Program)
		args = o.Args
	}
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
	err = syscall.Exec(program, append([]string{program}, args...), all)
	return fmt.Errorf("%s does not start: %w", program, err)
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
