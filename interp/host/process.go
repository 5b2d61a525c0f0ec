package host

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/drivers/protocol"
)

// Place is where a role of a cell runs.
type Place struct {
	// Host is the name of the host; empty where the scenario names none.
	Host string
	// Listen is the address at which roles on other hosts reach it; empty is
	// loopback.
	Listen string

	launcher    *launcher
	remote      *remote // nil on this machine
	cpus        []int
	environment map[string]string
}

// Machine is the host whose machine it is; empty is this machine.
func (at Place) Machine() string {
	if at.remote == nil {
		return ""
	}
	return at.remote.host.Name
}

// Process plays one role, on this machine or on another. On its machine it is the
// leader of a process group of its own, and reaped only after that was killed, so that
// the number of the group can't belong to anybody else by then.
type Process interface {
	// Send gives it a line, with its end, and returns an error if that can't be done
	// before ctx is. On another machine the line waits there until each of after
	// holds, and Send for nothing but the pipe.
	Send(ctx context.Context, line []byte, after ...After) error
	// Exited is closed when the process has ended.
	Exited() <-chan struct{}
	// Kill ends the process and all that it started, as far as they stayed in its
	// group. It must not be called after Reap.
	Kill()
	// Reap waits for the end of a process that was killed.
	Reap()
	// State is how it ended. It must be asked for only after Reap.
	State() State
	// Words are the last words on its standard error, fit to be printed, 4 KiB at
	// most. On another machine they are known when it has ended.
	Words() string
	// Close frees what is left of a reaped process. What it started was killed with
	// it, and ends a moment later: the pipe that it inherited tells when. One that
	// left the group may hold that on, so that ctx ends the wait.
	Close(ctx context.Context)
	// Pid is its process ID, and that of its group; 0 on another machine.
	Pid() int
}

// After holds when a process on the same machine has said so many lines or, if it is
// to be none, has ended.
type After struct {
	Process Process
	Lines   int
}

// State is how a process ended.
type State interface {
	Success() bool
	String() string
}

// Ear is told what a process says and what becomes of it, in this order. Those of all
// processes on another machine are told by one goroutine, in the order in which it
// happened there.
type Ear interface {
	// Said takes a line of its standard output, valid until it returns, without its
	// end. If it returns false, no other is wanted.
	Said(line []byte) bool
	// Silent says why no other line comes; io.EOF where that is all.
	Silent(why error)
	// Ended is the last.
	Ended()
}

// child is a process of this machine.
type child struct {
	cmd    *exec.Cmd
	in     *os.File // its standard input
	out    *os.File // its standard output
	stderr *os.File
	words  tail
	exited chan struct{} // closed when it has ended, but is not reaped
	silent chan struct{} // closed when nothing more comes from its standard output
	quiet  chan struct{} // closed when nothing more comes from stderr
	tasks  sync.WaitGroup
}

// inherited are the variables that a worker takes over from this process.
// Others, such as GOGC or GODEBUG, would change what is measured unseen.
var inherited = []string{
	"PATH", "HOME", "USER", "TMPDIR", "LANG", "LC_ALL", "TZ",
	"LD_LIBRARY_PATH", "XDG_RUNTIME_DIR",
	"GOCOVERDIR", "GORACE", // these mean something to test builds only
}

// environ returns the variables of a worker, and those to record: what the
// driver asked for, as it is in force. The variables of a host may overrule it,
// but are not recorded for themselves, since they may hold secrets.
func environ(role []string, host map[string]string) (all, record []string) {
	for _, name := range inherited {
		if v, ok := os.LookupEnv(name); ok {
			all = append(all, name+"="+v)
		}
	}
	for _, entry := range role {
		name, _, _ := strings.Cut(entry, "=")
		if v, ok := host[name]; ok {
			entry = name + "=" + v
		}
		record = append(record, entry)
	}
	all = append(all, record...)
	names := make([]string, 0, len(host))
	for name := range host {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		all = append(all, name+"="+host[name])
	}
	return all, record
}

// Env are the variables of a role to record: those that the driver asks for, as they
// are in force.
func (at Place) Env(role drivers.Role) []string {
	_, record := environ(role.Env, at.environment)
	return record
}

// Start starts the worker of a role, `versus worker DRIVER ROLE` unless the role has
// a command of its own. The process dies with versus, and when its Hosts are closed.
func (at Place) Start(driver string, role drivers.Role, ear Ear) (Process, error) {
	if at.remote != nil {
		return at.remote.start(driver, role, ear)
	}
	command := role.Command
	if len(command) == 0 {
		command = []string{self(), "worker", driver, role.Name}
	}
	if command[0] == "" {
		return nil, errors.New("the driver names no command to start")
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env, _ = environ(role.Env, at.environment)
	c, err := startChild(at.launcher, cmd, at.cpus)
	if err != nil {
		return nil, err // not c: a nil pointer is not a nil Process
	}
	c.hear(ear)
	return c, nil
}

// startChild starts a command.
func startChild(l *launcher, cmd *exec.Cmd, cpus []int) (*child, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	ours, err := startPiped(l, cmd, cpus)
	if err != nil {
		return nil, err
	}
	c := &child{cmd: cmd, in: ours[0], out: ours[1], stderr: ours[2],
		exited: make(chan struct{}), silent: make(chan struct{}), quiet: make(chan struct{})}
	go c.awaitExit()
	go func() {
		defer close(c.quiet)
		io.Copy(&c.words, c.stderr)
	}()
	return c, nil
}

// hear has an ear told what the process does.
func (c *child) hear(ear Ear) {
	c.tasks.Go(func() { c.listen(ear) })
	c.tasks.Go(func() { c.watch(ear) })
}

// listen passes on what the process says.
func (c *child) listen(ear Ear) {
	defer close(c.silent)
	for lines := protocol.NewLines(c.out); ; {
		line, err := lines.Next()
		if err != nil {
			ear.Silent(err)
			return
		}
		if !ear.Said(line) {
			return
		}
	}
}

// linger is how long the end of a process waits for what it said: another one that it
// started may hold the pipe.
const linger = 250 * time.Millisecond

// watch reports the end of the process, after all that it said.
func (c *child) watch(ear Ear) {
	<-c.exited
	select {
	case <-c.silent:
	case <-time.After(linger):
	}
	ear.Ended()
}

// startPiped starts a command with a pipe for each standard stream, and returns this
// end of each. They are files, not interfaces: exec starts no goroutines and Wait waits
// for none.
func startPiped(l *launcher, cmd *exec.Cmd, cpus []int) (ours [3]*os.File, err error) {
	var theirs [3]*os.File
	for i := range theirs {
		read, write, e := os.Pipe()
		err = errors.Join(err, e)
		if ours[i], theirs[i] = read, write; i == 0 {
			ours[i], theirs[i] = write, read
		}
	}
	if err == nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs[0], theirs[1], theirs[2]
		err = l.start(cmd, cpus)
	}
	closeAll(theirs)
	if err != nil {
		closeAll(ours)
	}
	return ours, err
}

// closeAll closes what was opened of three files.
func closeAll(files [3]*os.File) {
	for _, f := range files {
		f.Close() // nil is an error that does not matter
	}
}

// awaitExit closes exited when the process has ended, and leaves it unreaped.
func (c *child) awaitExit() {
	defer close(c.exited)
	for {
		err := unix.Waitid(unix.P_PID, c.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}

func (c *child) Pid() int { return c.cmd.Process.Pid }

// Send does not wait for others: whoever sends here sees what they do.
func (c *child) Send(ctx context.Context, line []byte, _ ...After) error {
	stop := context.AfterFunc(ctx, func() { c.in.SetWriteDeadline(time.Unix(1, 0)) })
	defer stop()
	_, err := c.in.Write(line)
	return err
}

func (c *child) Exited() <-chan struct{} { return c.exited }
func (c *child) Words() string           { return c.words.String() }
func (c *child) Kill()                   { unix.Kill(-c.cmd.Process.Pid, unix.SIGKILL) }

func (c *child) State() State {
	if c.cmd.ProcessState == nil {
		return nil
	}
	return c.cmd.ProcessState
}

func (c *child) Reap() {
	<-c.exited
	c.cmd.Wait() // how it ended is in ProcessState
}

func (c *child) Close(ctx context.Context) {
	select {
	case <-c.quiet:
	case <-ctx.Done():
	}
	closeAll([3]*os.File{c.in, c.out, c.stderr})
	c.tasks.Wait()
}
