package run

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// guard is a process that outlives this one for a moment, and then kills the
// process groups of the run under way. The death signal of a worker reaches the
// worker alone; a broker that it started would live on.
type guard struct {
	cmd *exec.Cmd
	in  *os.File
}

// guardScript keeps the last line that it reads, and at the end of its input,
// that is, when this process is gone, kills the groups listed in it.
const guardScript = `while read -r line; do groups=$line; done; for g in $groups; do kill -s KILL -- "-$g"; done`

// newGuard starts the guard.
func newGuard() (*guard, error) {
	in, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	cmd := exec.Command("sh", "-c", guardScript)
	cmd.Stdin = in
	cmd.Dir = "/"
	cmd.Env = []string{}
	// A group of its own: Ctrl-C is for the interpreter.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		out.Close()
		return nil, fmt.Errorf("what workers start will be left behind if versus is killed, since no guard can be started: %w", err)
	}
	return &guard{cmd, out}, nil
}

// protect names the process groups of the run under way. A guard that was
// killed protects nothing; the workers still have their death signal.
func (g *guard) protect(ps []*process) {
	if g == nil {
		return
	}
	var groups []string
	for _, p := range ps {
		if pid := p.Pid(); pid != 0 { // on another machine its attendant sees to it
			groups = append(groups, fmt.Sprint(pid))
		}
	}
	g.in.SetWriteDeadline(time.Now().Add(time.Second))
	fmt.Fprintln(g.in, strings.Join(groups, " "))
}

// close ends the guard without letting it act.
func (g *guard) close() {
	if g == nil {
		return
	}
	g.cmd.Process.Kill()
	g.cmd.Wait()
	g.in.Close()
}
