package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// slurm is a Slurm in the namespaces of this process.
type slurm struct{ dir string }

// startSlurm returns when all nodes are idle. Its processes end with their
// namespace.
func startSlurm(t *testing.T, dir string) *slurm {
	t.Helper()
	s := &slurm{dir}
	s.prepare(t)
	s.write(t, "munge.key", strings.Repeat("only this test knows it; ", 8), 0o600)
	s.write(t, "slurm.conf", s.config(), 0o644)
	// Not only safe places: the folder above may be anybody's.
	s.daemon(t, "", "munged", "--foreground", "--force", "--key-file", s.path("munge.key"), "--socket", s.path("munge.sock"),
		"--pid-file", s.path("munge.pid"), "--log-file", s.path("munge.log"), "--seed-file", s.path("munge.seed"))
	s.await(t, "munged answers", func() bool {
		return exec.CommandContext(t.Context(), "munge", "--no-input", "--socket", s.path("munge.sock")).Run() == nil
	})
	os.Setenv("SLURM_CONF", s.path("slurm.conf")) // for this process and all below it
	s.daemon(t, "", "slurmctld", "-D")
	for name := range nodes {
		s.daemon(t, name, "slurmd", "-D", "-N", name)
	}
	s.await(t, "all nodes are idle", func() bool {
		out, err := exec.CommandContext(t.Context(), "sinfo", "--noheader", "--Node", "--format=%T").Output()
		return err == nil && string(out) == strings.Repeat("idle\n", len(nodes))
	})
	return s
}

func (s *slurm) path(name string) string { return filepath.Join(s.dir, name) }

func (s *slurm) write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(s.path(name), []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// prepare makes the namespaces ready: processes see only each other, and the
// addresses of the nodes are there.
func (s *slurm) prepare(t *testing.T) {
	t.Helper()
	err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	if err == nil {
		err = unix.Mount("proc", "/proc", "proc", 0, "")
	}
	if err == nil {
		err = unix.Sethostname([]byte("controller"))
	}
	if err != nil {
		t.Fatal(err)
	}
	s.command(t, s.dir, "ip", "link", "set", "lo", "up")
	// One that is not 127.0.0.1 must be there: without it, getaddrinfo finds
	// nothing to listen at.
	for _, address := range append(slices.Sorted(maps.Values(nodes)), controller) {
		s.command(t, s.dir, "ip", "address", "add", address+"/32", "dev", "lo")
	}
}

// config is slurm.conf, for a machine without systemd and cgroups.
func (s *slurm) config() string {
	var b strings.Builder
	fmt.Fprintf(&b, `ClusterName=versus
SlurmctldHost=controller(%s)
AuthType=auth/munge
AuthInfo=socket=%s
SlurmUser=root
SlurmdUser=root
StateSaveLocation=%[3]s/state
SlurmdSpoolDir=%[3]s/spool.%%n
SlurmctldPidFile=%[3]s/slurmctld.pid
SlurmdPidFile=%[3]s/slurmd.%%n.pid
SlurmctldLogFile=%[3]s/slurmctld.log
SlurmdLogFile=%[3]s/slurmd.%%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
ReturnToService=2
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
MessageTimeout=60
SlurmdTimeout=0
`, controller, s.path("munge.sock"), s.dir)
	for i, name := range slices.Sorted(maps.Keys(nodes)) {
		fmt.Fprintf(&b, "NodeName=%s NodeHostname=controller NodeAddr=%s Port=%d CPUs=2 RealMemory=1\n", name, nodes[name], 7001+i)
	}
	b.WriteString("PartitionName=all Nodes=ALL Default=YES State=UP\n")
	return b.String()
}

// daemon starts a process that stays; node is its hostname, if it has its own.
func (s *slurm) daemon(t *testing.T, node string, args ...string) {
	t.Helper()
	if node != "" {
		args = append([]string{"sh", "-c", `hostname "$0" && exec "$@"`, node}, args...)
	}
	log, err := os.Create(s.path(args[0] + node + ".err"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdout, cmd.Stderr = log, log
	if node != "" {
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUTS}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go cmd.Wait()
}

// await asks until something is so, at longer and longer intervals.
func (s *slurm) await(t *testing.T, what string, so func() bool) {
	t.Helper()
	pause := 20 * time.Millisecond
	for waited := time.Duration(0); !so(); waited += pause {
		if waited > 2*time.Minute {
			s.fail(t, "after two minutes it is not so that "+what)
		}
		time.Sleep(pause)
		pause = min(2*pause, 2*time.Second)
	}
}

// command runs a command that must succeed.
func (s *slurm) command(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		s.fail(t, fmt.Sprintf("%s: %v\n%s", strings.Join(args, " "), err, out))
	}
}

// fail ends the test, with the last words of all who have any.
func (s *slurm) fail(t *testing.T, why string) {
	t.Helper()
	for _, pattern := range []string{"*.log", "*.err", "work/*.out"} {
		names, _ := filepath.Glob(s.path(pattern))
		for _, name := range names {
			text, _ := os.ReadFile(name)
			t.Logf("%s:\n%s", filepath.Base(name), text[max(0, len(text)-2000):])
		}
	}
	t.Fatal(why)
}
