package run

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/interp/journal"
	"versus/interp/plan"
)

var phases = []phase{starting, preparing, warming, measuring, finishing, stopping}

// scripts make one role hang in each of the phases.
var scripts = map[phase][2]string{
	starting:  {"client", "hello:hang"},
	preparing: {"server", "prepare:hang"},
	warming:   {"client", "warm_up:hang"},
	measuring: {"client", "measure:hang"},
	finishing: {"server", "finish:hang"},
	stopping:  {"client", "stop:hang"},
}

func TestInterrupt(t *testing.T) {
	for _, at := range phases {
		t.Run(string(at), func(t *testing.T) {
			dir, j := newJournal(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var pids []int
			s := scripts[at]
			p := cells{[]*plan.Cell{cell("good"), cell("stuck", s[0], s[1]), cell("never")}, 1}
			var now string
			err := Run(ctx, p, j, Options{
				Drivers: drivers.Registry{fake},
				Progress: func(e Event) {
					if s, ok := e.(Started); ok {
						now = s.Cell
					}
				},
				probe: probes{reached: func(p phase, ps []*process) {
					if p == at && now == "stuck" {
						for _, p := range ps {
							pids = append(pids, p.Pid())
						}
						cancel()
					}
				}},
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			if len(pids) != 3 {
				t.Fatalf("processes %v", pids)
			}
			for _, pid := range pids {
				if err := unix.Kill(pid, 0); err != unix.ESRCH {
					t.Errorf("process %d was left behind (%v)", pid, err)
				}
			}
			c, err := journal.Read(dir)
			if err != nil || len(c.Runs) != 1 || c.Runs[0].Cell != "good" {
				t.Errorf("journal: %+v, %v", c, err)
			}
		})
	}
}

// interpret is a versus that stays in a phase until it is killed. It prints the
// phase's processes.
func interpret(at phase) int {
	dir := os.Getenv("VERSUS_TEST_DIR")
	j, err := journal.Create(filepath.Join(dir, "result"), journal.Header{Fingerprint: "x"}, journal.Environment{})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	s := scripts[at]
	child := filepath.Join(dir, "child")
	stuck := cell("stuck", s[0], s[1], "broker", "hello:child="+child)
	err = Run(context.Background(), cells{[]*plan.Cell{cell("good"), stuck}, 1}, j, Options{
		Drivers: drivers.Registry{fake},
		probe: probes{reached: func(p phase, ps []*process) {
			text, err := os.ReadFile(child)
			if p != at || err != nil && (at != starting || !j.OK("good", 0)) {
				return
			}
			for _, p := range ps {
				fmt.Print(p.Pid(), " ")
			}
			fmt.Println(string(text))
		}},
	})
	fmt.Println(err)
	return 1
}

// The interpreter is killed without a chance to clean up. Neither a worker nor
// what a worker started may outlive it, and the journal resumes.
func TestKilledInterpreter(t *testing.T) {
	for _, at := range phases {
		t.Run(string(at), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), interpreterEnv+"="+string(at), "VERSUS_TEST_DIR="+dir)
			cmd.Stderr = os.Stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			fds := map[int]int{}
			for _, text := range strings.Fields(line) {
				pid, err := strconv.Atoi(text)
				if err != nil {
					t.Errorf("the interpreter says %q", line)
					break
				}
				if fds[pid], err = unix.PidfdOpen(pid, 0); err != nil {
					t.Errorf("process %d: %v", pid, err)
				}
			}
			cmd.Process.Kill()
			cmd.Wait()
			if err != nil || len(fds) < 3 {
				t.Fatalf("processes %q, %v", line, err)
			}
			for pid, fd := range fds {
				awaitFD(t, fd, pid)
				unix.Close(fd)
			}
			resume(t, filepath.Join(dir, "result"))
		})
	}
}

// resume completes the plan of interpret.
func resume(t *testing.T, dir string) {
	t.Helper()
	j, c, err := journal.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if len(c.Runs) != 1 || c.Warnings != nil {
		t.Errorf("after the kill: %+v", c)
	}
	if err := Run(t.Context(), cells{[]*plan.Cell{cell("good"), cell("stuck")}, 1}, j, Options{Drivers: drivers.Registry{fake}}); err != nil {
		t.Fatal(err)
	}
	if c, err = journal.Read(dir); err != nil || len(c.Runs) != 2 || c.Runs[1].Status != journal.OK || c.Retried != nil {
		t.Errorf("after the resume: %+v, %v", c, err)
	}
}
