package host

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/drivers/protocol"
	"versus/dsl"
	"versus/interp/journal"
	"versus/interp/machine"
)

// What passes between versus and its attendant on a host are lines of JSON, questions
// one way and replies the other, some of them followed by a line that a worker is to
// hear or has said.

// question is what the attendant is asked, or told to do. An empty one asks for the
// clock alone.
type question struct {
	Machine  bool           `json:"machine,omitempty"`
	Examine  bool           `json:"examine,omitempty"` // its noise too, which takes a second
	CPUs     []int          `json:"cpus,omitempty"`
	Priority dsl.Priority   `json:"priority,omitzero"`
	Require  dsl.Require    `json:"require,omitzero"`
	Needs    []drivers.Need `json:"needs,omitempty"`
	Program  *program       `json:"program,omitempty"`

	// Worker is which worker to start, pass a line to or kill, by a number that is
	// not used again, from 1. What follows is then said of it, and nothing answered.
	Worker int    `json:"worker,omitempty"`
	Start  *order `json:"start,omitempty"`
	Pass   *pass  `json:"pass,omitempty"`
	Kill   bool   `json:"kill,omitempty"`
}

// order is what this machine would do before it starts a worker of its own.
type order struct {
	CPUs     []int             `json:"cpus,omitempty"`
	Priority dsl.Priority      `json:"priority,omitzero"`
	Role     []string          `json:"role,omitempty"` // environment that the driver asks for
	Host     map[string]string `json:"host,omitempty"` // environment that the scenario asks for
	// Program is the SHA-256 of the worker; empty is versus itself.
	Program string   `json:"program,omitempty"`
	Args    []string `json:"args,omitempty"`
}

// pass says that a line for a worker follows.
type pass struct {
	Size int `json:"size"` // bytes, with the end of the line
	// After are what has to happen before the worker gets it.
	After []mark `json:"after,omitempty"`
}

// mark is the moment when a worker has said so many lines, or has ended.
type mark struct {
	Worker int `json:"worker"`
	Lines  int `json:"lines,omitempty"` // 0: it has ended
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

// reply is what the attendant says: an answer, or what became of a worker.
type reply struct {
	Clock   int64                `json:"clock,omitempty"` // CLOCK_MONOTONIC, nanoseconds
	Machine *journal.Environment `json:"machine,omitempty"`
	Lacks   string               `json:"lacks,omitempty"`   // of what the host must have
	Lacking []drivers.Need       `json:"lacking,omitempty"` // of Needs
	Program *programState        `json:"program,omitempty"`

	Examination *machine.Examination `json:"examination,omitempty"`

	// Worker is the one that has done what follows; 0 is none, and this an answer.
	Worker int     `json:"worker,omitempty"`
	Said   *int    `json:"said,omitempty"`   // a line, which follows and has so many bytes with its end
	Silent *string `json:"silent,omitempty"` // it says nothing more; why, if not by its own will
	Ended  *ending `json:"ended,omitempty"`

	// When the question was sent and the reply came, by the clock of who asked.
	asked, arrived int64
}

// ending is how a worker ended.
type ending struct {
	Status  uint32 `json:"status,omitempty"`  // as wait(2) has it
	Problem string `json:"problem,omitempty"` // why nothing is known of it, or it could not be started
	Words   string `json:"words,omitempty"`   // the last on its standard error
}

// programState is whether a program is there, and runs.
type programState struct {
	Here      bool     `json:"here,omitempty"`
	Libraries []string `json:"libraries,omitempty"` // that it lacks
	Problem   string   `json:"problem,omitempty"`   // why it can't be there, or can't run
}

// attend does what the lines ask for, until there are no more.
func attend(in io.Reader, out io.Writer) error {
	lines, w := bufio.NewReaderSize(in, maxLine), newWorkers(out)
	defer w.leave()
	for {
		q, line, err := readQuestion(lines)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("what to do can't be read: %w", err)
		}
		if q.Worker != 0 {
			if err := w.do(q, line); err != nil {
				return err
			}
			continue
		}
		a, err := q.answer(lines)
		if err != nil {
			return err
		}
		if err := w.say(a, nil); err != nil {
			return err
		}
	}
}

// readQuestion reads a question, and the line that follows it, if one does.
func readQuestion(r *bufio.Reader) (q question, line []byte, err error) {
	if _, err := readJSON(r, &q); err != nil || q.Pass == nil {
		return q, nil, err
	}
	line, err = readPassed(r, q.Pass.Size, nil)
	return q, line, err
}

// readReply is the same on the other side. The line is valid until buffer is used again,
// and without its end.
func readReply(r *bufio.Reader, buffer []byte) (a reply, line []byte, err error) {
	if a.arrived, err = readJSON(r, &a); err != nil || a.Said == nil {
		return a, nil, err
	}
	line, err = readPassed(r, *a.Said, buffer)
	return a, bytes.TrimSuffix(line, []byte("\n")), err
}

// readJSON reads a line, and tells when it came; the error is io.EOF where there is no other.
func readJSON(r *bufio.Reader, to any) (arrived int64, err error) {
	line, err := readLine(r)
	if err != nil {
		return 0, err
	}
	arrived = monotonic()
	if err := json.Unmarshal(line, to); err != nil {
		return 0, fmt.Errorf("it says %q, which versus does not understand", Clip(strings.TrimSpace(string(line[:min(len(line), 200)]))))
	}
	return arrived, nil
}

// readLine reads a line, no longer than the buffer of r; it is valid until the next is read.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	switch {
	case err == bufio.ErrBufferFull:
		return nil, fmt.Errorf("it says a line longer than %d bytes", r.Size())
	case err == io.EOF && len(line) > 0:
		return nil, io.ErrUnexpectedEOF
	}
	return line, err
}

// readPassed reads a line of so many bytes, which is no longer than workers may be told
// or say, into the buffer if that is large enough.
func readPassed(r io.Reader, size int, buffer []byte) ([]byte, error) {
	if size < 1 || size > protocol.MaxLine+1 {
		return nil, fmt.Errorf("a line of %d bytes; the limit is %d", size, protocol.MaxLine+1)
	}
	line := buffer[:0]
	if cap(line) < size {
		line = make([]byte, size)
	}
	line = line[:size]
	if _, err := io.ReadFull(r, line); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	if line[size-1] != '\n' {
		return nil, errors.New("a line is not as long as it is said to be")
	}
	return line, nil
}

// answer answers the question; rest is what follows it. An error ends the attendant.
func (q question) answer(rest io.Reader) (a reply, err error) {
	if q.Machine {
		m, err := Environment()
		if err != nil {
			return a, err
		}
		a.Machine = &m
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
