package run

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/dsl"
	"versus/interp/journal"
	"versus/interp/plan"
)

// spoilt does the runs of a cell, of which the first must fail with the given words,
// and no other; then it resumes, after which all are there.
func spoilt(t *testing.T, c *plan.Cell, opts Options, want string) {
	t.Helper()
	if opts.Drivers == nil {
		opts.Drivers = drivers.Registry{fake}
	}
	dir, j := newJournal(t)
	p := cells{[]*plan.Cell{c}, 3}
	if err := Run(t.Context(), p, j, opts); err != nil {
		t.Fatal(err)
	}
	j.Close()
	content, err := journal.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range content.Runs {
		if i == 0 && (r.Status != journal.Failed || !strings.Contains(r.Error, want)) || i > 0 && r.Status != journal.OK {
			t.Errorf("run %d: %s %q, want %q in the first", i, r.Status, r.Error, want)
		}
	}
	resumed(t, dir, p, opts)
}

// resumed continues a result, after which all runs must be there.
func resumed(t *testing.T, dir string, p cells, opts Options) {
	t.Helper()
	j, content, err := journal.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	opts.Before, opts.probe = content.Runs, probes{}
	if err := Run(t.Context(), p, j, opts); err != nil {
		t.Fatal(err)
	}
	for _, c := range p.list {
		for run := range p.runs {
			if !j.OK(c.Key, run) {
				t.Errorf("run %d of %s is missing after the resume", run, c.Key)
			}
		}
	}
}

// sessions are the processes of sshd that serve lab.
func (s *server) sessions(t *testing.T) (pids []int) {
	t.Helper()
	for _, pid := range s.processes(t) {
		if text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); strings.HasPrefix(string(text), "sshd") {
			pids = append(pids, pid)
		}
	}
	if pids == nil {
		t.Error("sshd serves nobody")
	}
	return pids
}

// The connection ends on the side of the host: at once, or by silence.
func TestSSHServerGoes(t *testing.T) {
	s := startServer(t)
	t.Run("killed", func(t *testing.T) {
		once := false
		spoilt(t, placed("a", s.host("lab")), Options{probe: probes{reached: func(at phase, _ []*process) {
			if at == measuring && !once {
				once = true
				for _, pid := range s.sessions(t) {
					unix.Kill(pid, unix.SIGKILL)
				}
			}
		}}}, "client died in the measurement")
	})
	t.Run("silent", func(t *testing.T) {
		var silent []int
		once := false
		spoilt(t, placed("a", s.host("lab")), Options{probe: probes{deadline: func(at phase, end time.Time) time.Time {
			if at != measuring || once {
				return end
			}
			once = true
			silent = s.sessions(t)
			for _, pid := range silent {
				unix.Kill(pid, unix.SIGSTOP)
			}
			return time.Now().Add(2 * time.Second) // as in hurry: the roles here must answer
		}}}, "no message \"result\" came within")
		for _, pid := range silent {
			unix.Kill(pid, unix.SIGKILL)
		}
	})
}

// The disk of a host is full when a worker is brought there; then it is not.
func TestDiskOfTheHostIsFull(t *testing.T) {
	needsRoot(t)
	folder, h := farCache(t), pipe("far")
	opts := Options{Drivers: drivers.Registry{ownWorker(ownProgram(t))}}
	p := cells{[]*plan.Cell{everything("a", h)}, 2}
	empty := h.Command
	h.Command = []string{"unshare", "--mount", "sh", "-c", `mount -t tmpfs -o size=1m none "$XDG_CACHE_HOME" && exec "$@"`, "sh"}
	dir, j := newJournal(t)
	if err := Run(t.Context(), p, j, opts); err != nil {
		t.Fatal(err)
	}
	j.Close()
	content, err := journal.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range content.Runs {
		if r.Status != journal.Failed || !strings.Contains(r.Error, `own-worker can't be brought to host "far": write `) || !strings.Contains(r.Error, "no space left on device") {
			t.Errorf("%s %q", r.Status, r.Error)
		}
	}
	h.Command = empty
	resumed(t, dir, p, opts)
	if half, _ := filepath.Glob(filepath.Join(folder, "new.*")); half != nil {
		t.Errorf("left behind: %v", half)
	}
}

// A host that is another machine than for the runs before.
func TestHostIsAnotherMachine(t *testing.T) {
	needsRoot(t)
	h := pipe("far")
	dir, j := newJournal(t)
	p := cells{[]*plan.Cell{placed("a", h), placed("b", h)}, 1}
	if err := Run(t.Context(), cells{p.list[:1], 1}, j, Options{Drivers: drivers.Registry{fake}}); err != nil {
		t.Fatal(err)
	}
	j.Close()
	mine := h.Command
	h.Command = []string{"unshare", "--uts", "sh", "-c", `hostname another; exec "$@"`, "sh"}
	j, content, err := journal.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := Run(t.Context(), p, j, Options{Drivers: drivers.Registry{fake}, Before: content.Runs}); err != nil {
		t.Fatal(err)
	}
	j.Close()
	if content, err = journal.Read(dir); err != nil || len(content.Runs) != 2 {
		t.Fatal(content, err)
	}
	if r := content.Runs[1]; r.Status != journal.Failed || !strings.Contains(r.Error, `host "far" is not what it was in this result`) || !strings.Contains(r.Error, "-> another") {
		t.Errorf("%s %q", r.Status, r.Error)
	}
	h.Command = mine
	resumed(t, dir, p, Options{Drivers: drivers.Registry{fake}})
}

// interpretFar is a versus with a worker on a host of kind ssh, that stays in the
// measurement.
func interpretFar() int {
	j, err := journal.Create(filepath.Join(os.Getenv("VERSUS_TEST_DIR"), "result"), journal.Header{Fingerprint: "x"}, journal.Environment{})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	c := placed("a", &dsl.Host{Kind: "ssh", Name: "lab", Address: "lab", Options: []string{"-F", os.Getenv("VERSUS_TEST_SSH")}, Listen: "127.0.0.1"})
	c.Workload.Options["client"] = "measure:hang"
	err = Run(context.Background(), cells{[]*plan.Cell{c}, 1}, j, Options{
		Drivers: drivers.Registry{fake},
		probe: probes{reached: func(at phase, _ []*process) {
			if at == measuring {
				fmt.Println("measures")
			}
		}},
	})
	fmt.Println(err)
	return 1
}

// A versus that is killed leaves nothing on its hosts.
func TestKilledInterpreterLeavesHosts(t *testing.T) {
	s := startServer(t)
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), interpreterEnv+"=far", "VERSUS_TEST_DIR="+dir, "VERSUS_TEST_SSH="+s.config)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	cmd.Process.Kill()
	cmd.Wait()
	if err != nil || line != "measures\n" {
		t.Fatalf("%q, %v", line, err)
	}
	s.awaitNobody(t)
	resumed(t, filepath.Join(dir, "result"), cells{[]*plan.Cell{placed("a", s.host("lab"))}, 1}, Options{Drivers: drivers.Registry{fake}})
}
