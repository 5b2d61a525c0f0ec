package run

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/drivers/protocol"
)

// process is the worker that plays one role, the leader of a process group of
// its own. It is reaped only after its group was killed, so that the number of
// the group can't belong to anybody else by then.
type process struct {
	role   drivers.Role
	at     place
	env    []string // the variables to record
	cmd    *exec.Cmd
	in     *os.File // its standard input
	out    *os.File // its standard output
	stderr *os.File
	enc    *protocol.Encoder
	words  tail

	exited  chan struct{} // closed when it has ended, but is not reaped
	silent  chan struct{} // closed when nothing more comes from out
	quiet   chan struct{} // closed when nothing more comes from stderr
	leaving bool          // was told to stop

	effective map[string]string
	result    *protocol.Result
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

// startProcess starts the command of a role in a place.
func startProcess(role drivers.Role, command []string, at place) (*process, error) {
	if len(command) == 0 || command[0] == "" {
		return nil, errors.New("the driver names no command to start")
	}
	all, record := environ(role.Env, at.environment)
	p := &process{
		role: role, at: at, env: record, cmd: exec.Command(command[0], command[1:]...),
		exited: make(chan struct{}), silent: make(chan struct{}), quiet: make(chan struct{}),
	}
	cpus := at.cpus
	p.cmd.Env = all
	var order []byte
	if at.remote != nil {
		// Here is only what gives the pipe; CPUs and environment are for there.
		var err error
		if order, err = at.remote.order(role); err != nil {
			return nil, err
		}
		p.cmd.Env, cpus = os.Environ(), nil
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	theirs, err := p.pipes()
	if err == nil {
		err = at.launcher.start(p.cmd, cpus)
	}
	for _, f := range theirs {
		f.Close()
	}
	if err != nil {
		p.closePipes()
		return nil, err
	}
	p.in.Write(order) // what is wrong with the pipe is found when it is used next
	go p.awaitExit()
	go func() {
		defer close(p.quiet)
		io.Copy(&p.words, p.stderr)
	}()
	return p, nil
}

// pipes connects the three standard streams, and returns the ends of the child.
func (p *process) pipes() (theirs []*os.File, err error) {
	pipe := func(ours **os.File, childReads bool) *os.File {
		r, w, e := os.Pipe()
		if e != nil {
			err = errors.Join(err, e)
			return nil
		}
		if childReads {
			r, w = w, r
		}
		*ours = r
		theirs = append(theirs, w)
		return w
	}
	// Files, not interfaces: exec starts no goroutines and Wait waits for none.
	if f := pipe(&p.in, true); f != nil {
		p.cmd.Stdin = f
	}
	if f := pipe(&p.out, false); f != nil {
		p.cmd.Stdout = f
	}
	if f := pipe(&p.stderr, false); f != nil {
		p.cmd.Stderr = f
	}
	p.enc = protocol.NewEncoder(p.in)
	return theirs, err
}

func (p *process) closePipes() {
	for _, f := range []*os.File{p.in, p.out, p.stderr} {
		if f != nil {
			f.Close()
		}
	}
}

// awaitExit closes exited when the process has ended, and leaves it unreaped.
func (p *process) awaitExit() {
	defer close(p.exited)
	for {
		err := unix.Waitid(unix.P_PID, p.cmd.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if err != unix.EINTR {
			return
		}
	}
}

// hasExited reports whether the process has ended.
func (p *process) hasExited() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// kill ends the process and all that it started, as far as they stayed in its
// group. It must not be called after reap.
func (p *process) kill() { unix.Kill(-p.cmd.Process.Pid, unix.SIGKILL) }

// reap waits for the end of a process that was killed.
func (p *process) reap() {
	<-p.exited
	p.cmd.Wait() // how it ended is in ProcessState
}

// tail keeps the last bytes written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
	cut bool
}

// tailSize is how much of what a worker wrote to its standard error goes into
// an error, in bytes.
const tailSize = 4 << 10

// Write never fails.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if extra := len(t.buf) - tailSize; extra > 0 {
		t.buf = append(t.buf[:0], t.buf[extra:]...)
		t.cut = true
	}
	return len(b), nil
}

// String returns the last words, fit to be printed.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := printable(string(t.buf))
	if t.cut {
		text = "..." + text
	}
	return strings.TrimSpace(text)
}

// printable replaces what could disturb a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if r == '\r' {
			return -1
		}
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == 0xfffd {
			return '?'
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
}
