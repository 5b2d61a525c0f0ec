package host

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"versus/drivers"
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

// Process plays one role. It is the leader of a process group of its own, and
// reaped only after that was killed, so that the number of the group can't belong
// to anybody else by then. On another machine it is what gives the pipe to the worker.
type Process struct {
	// In is its standard input.
	In *os.File
	// Env are the variables to record: those that the driver asks for, as they
	// are in force.
	Env []string

	cmd    *exec.Cmd
	remote bool
	out    *os.File // its standard output
	stderr *os.File
	words  tail
	exited chan struct{} // closed when it has ended, but is not reaped
	quiet  chan struct{} // closed when nothing more comes from stderr
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

// Start starts the worker of a role, `versus worker DRIVER ROLE` unless the role has
// a command of its own. The process dies with versus, and when its Hosts are closed.
func (at Place) Start(driver string, role drivers.Role) (*Process, error) {
	command := role.Command
	if len(command) == 0 {
		command = []string{self(), "worker", driver, role.Name}
	}
	all, record := environ(role.Env, at.environment)
	cpus := at.cpus
	var order []byte
	if at.remote != nil {
		// Here is only what gives the pipe; CPUs and environment are for there.
		var err error
		if order, err = at.remote.order(role); err != nil {
			return nil, err
		}
		command, all, cpus = at.remote.command(driver, role.Name), os.Environ(), nil
	}
	if command[0] == "" {
		return nil, errors.New("the driver names no command to start")
	}
	p := &Process{Env: record, cmd: exec.Command(command[0], command[1:]...), remote: at.remote != nil,
		exited: make(chan struct{}), quiet: make(chan struct{})}
	p.cmd.Env = all
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	ours, err := startPiped(at.launcher, p.cmd, cpus)
	if err != nil {
		return nil, err
	}
	p.In, p.out, p.stderr = ours[0], ours[1], ours[2]
	p.In.Write(order) // what is wrong with the pipe is found when it is used next
	go p.awaitExit()
	go func() {
		defer close(p.quiet)
		io.Copy(&p.words, p.stderr)
	}()
	return p, nil
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
func (p *Process) awaitExit() {
	defer close(p.exited)
	for {
		err := unix.Waitid(unix.P_PID, p.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}

// Pid is its process ID, and that of its group.
func (p *Process) Pid() int { return p.cmd.Process.Pid }

// Output returns its standard output. It waits for what a shell on another machine
// may say before the worker does, and leaves that out; the error says that no
// worker came after it.
func (p *Process) Output() (*bufio.Reader, error) {
	out := bufio.NewReaderSize(p.out, 64<<10)
	if !p.remote {
		return out, nil
	}
	_, err := skipToGreeting(out)
	return out, err
}

// Exited is closed when the process has ended.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Words are the last words on its standard error, fit to be printed, 4 KiB at most.
func (p *Process) Words() string { return p.words.String() }

// State is how it ended; nil before Reap.
func (p *Process) State() *os.ProcessState { return p.cmd.ProcessState }

// Kill ends the process and all that it started, as far as they stayed in its
// group. It must not be called after Reap.
func (p *Process) Kill() { unix.Kill(-p.cmd.Process.Pid, unix.SIGKILL) }

// Reap waits for the end of a process that was killed.
func (p *Process) Reap() {
	<-p.exited
	p.cmd.Wait() // how it ended is in ProcessState
}

// Close frees what is left of a reaped process. What it started was killed with it,
// and ends a moment later: the pipe that it inherited tells when. One that left the
// group may hold that on, so that ctx ends the wait.
func (p *Process) Close(ctx context.Context) {
	select {
	case <-p.quiet:
	case <-ctx.Done():
	}
	closeAll([3]*os.File{p.In, p.out, p.stderr})
}
