package host

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

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
			return noise, fmt.Errorf("the versus there is of another version: it says %q where this one says %q", Clip(line), greeting)
		}
		noise += string(part[:min(len(part), quote-len(noise))])
	}
	return noise, fmt.Errorf("no versus answers in the first %d bytes", maxNoise)
}

// maxLine bounds what both sides read of each other, in bytes.
const maxLine = 1 << 20

// Placed is the part of a host of kind ssh or exec, started there as `versus
// worker -placed ARGUMENTS`. It starts `versus worker ARGUMENTS`, or a program that
// was brought here, with the CPUs, priority and environment that the first line of
// its input says, and sees to it that nothing outlives the connection. Without
// arguments it answers questions about the host until its input ends. It returns
// the exit status.
func Placed(args []string, in, out *os.File) int {
	status := 0
	_, err := io.WriteString(out, "\n"+greeting+"\n")
	switch {
	case err != nil:
	case len(args) == 0:
		err = attend(in, out)
	default:
		var cmd *exec.Cmd
		if cmd, err = startWorker(args, in); err == nil {
			status, err = oversee(cmd, in)
		}
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "versus: on this host: %v\n", err)
		return 1
	}
	return status
}

// startWorker starts what the first line of the input orders, and leaves it the rest.
func startWorker(args []string, in io.Reader) (*exec.Cmd, error) {
	line, err := firstLine(in)
	if err != nil {
		return nil, err
	}
	var o order
	if err := json.Unmarshal(line, &o); err != nil {
		return nil, fmt.Errorf("the order can't be read: %w", err)
	}
	if here := clockName(); o.Clock != here {
		return nil, fmt.Errorf("this is not the machine, or not the clock, that versus talks to on this host (%s, not %s): "+
			"the command of the host must always lead to the same one", here, printable(o.Clock))
	}
	program := self()
	args = append([]string{"worker"}, args...)
	if o.Program != "" {
		program, err = brought(o.Program)
		args = o.Args
	}
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, args...)
	cmd.Env, _ = environ(o.Role, o.Host)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	thread, err := newLauncher(func() error { return prioritise(o.Priority) })
	if err == nil {
		err = thread.start(cmd, o.CPUs)
	}
	return cmd, err
}

// leave is how long a worker may take to end when the connection has, before it is
// made to.
const leave = 3 * time.Second

// oversee waits for the end of a worker, and kills what is left of it: also one
// that hangs, when the connection that is its input has ended.
func oversee(cmd *exec.Cmd, in *os.File) (status int, err error) {
	group := -cmd.Process.Pid
	go func() {
		input := []unix.PollFd{{Fd: int32(in.Fd()), Events: unix.POLLRDHUP}} // nothing is read from it
		for {
			if _, err := unix.Poll(input, -1); err != unix.EINTR {
				break
			}
		}
		time.Sleep(leave)
		unix.Kill(group, unix.SIGKILL)
	}()
	for { // until it has ended, and is not reaped, so that the group can't be another's
		if err := unix.Waitid(unix.P_PID, cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != unix.EINTR {
			break
		}
	}
	unix.Kill(group, unix.SIGKILL)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code >= 0 {
		return code, nil
	}
	return 0, fmt.Errorf("the worker was ended by %v", cmd.ProcessState)
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
