package run

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"versus/drivers/all"
	"versus/drivers/workertest"
	"versus/dsl"
	"versus/interp/host"
	"versus/interp/journal"
	"versus/interp/plan"
)

// server is a real sshd on loopback, with two unprivileged users that only it
// sees: lab, and full, whose disk is.
type server struct {
	config string // of clients
	home   string // of lab
	daemon int    // process ID of sshd
	mu     sync.Mutex
	logins int
}

const labUser, fullUser = 64911, 64912

// startServer skips the test where there is no sshd, or not root to switch users.
func startServer(t testing.TB) *server {
	t.Helper()
	needsRoot(t)
	program := "/usr/sbin/sshd"
	if _, err := os.Stat(program); err != nil {
		workertest.Need(t, errors.New("sshd is missing; to get it: apt-get install openssh-server"))
	}
	for _, client := range []string{"ssh", "ssh-keygen"} {
		_, err := exec.LookPath(client)
		workertest.Need(t, err)
	}
	dir := t.TempDir()
	s := &server{config: filepath.Join(dir, "client"), home: filepath.Join(dir, "home")}
	full := filepath.Join(dir, "full")
	for _, key := range []string{"host", "user"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", filepath.Join(dir, key)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	write := func(name, format string, args ...any) {
		if err := os.WriteFile(filepath.Join(dir, name), fmt.Appendf(nil, format, args...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	port := keptPort(t)
	write("passwd", "%slab:*:%d:%d::%s:/bin/sh\nfull:*:%d:%d::%s:/bin/sh\n", read("/etc/passwd"), labUser, labUser, s.home, fullUser, fullUser, full)
	write("group", "%slab:x:%d:\nfull:x:%d:\n", read("/etc/group"), labUser, fullUser)
	write("sshd", "ListenAddress 127.0.0.1\nPort %d\nHostKey %s/host\nAuthorizedKeysFile %s/user.pub\nStrictModes no\nUsePAM no\nPidFile none\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n", port, dir, dir)
	write("known", "[127.0.0.1]:%d %s", port, read(filepath.Join(dir, "host.pub")))
	write("client", "Host lab full nobody stranger\n  HostName 127.0.0.1\n  Port %d\n  IdentityFile %s/user\n  IdentitiesOnly yes\n  IdentityAgent none\n  UserKnownHostsFile %s/known\n  GlobalKnownHostsFile /dev/null\n  StrictHostKeyChecking yes\nHost lab\n  User lab\nHost full\n  User full\nHost nobody\n  User nobody\nHost stranger\n  User stranger\nHost gone\n  HostName 127.0.0.1\n  Port 1\n", port, dir, dir)
	os.Chmod(filepath.Dir(dir), 0o755)
	os.Chmod(filepath.Join(dir, "user.pub"), 0o644)
	if err := errors.Join(os.Mkdir(s.home, 0o700), os.Chown(s.home, labUser, labUser), os.Mkdir(full, 0o700)); err != nil {
		t.Fatal(err)
	}
	os.Chmod(filepath.Join(dir, "passwd"), 0o644)
	os.Chmod(filepath.Join(dir, "group"), 0o644)
	// The users are in a mount namespace, so that nothing is left behind.
	inside := exec.Command("sh", "-c", fmt.Sprintf(`cd "$1" && mount --bind passwd /etc/passwd && mount --bind group /etc/group &&
		mount -t tmpfs -o size=1m,mode=0700,uid=%d,gid=%d tmpfs full &&
		mount -t tmpfs -o size=1m,mode=0755 tmpfs /run && mkdir /run/sshd && exec "$2" -D -e -f "$1/sshd"`, fullUser, fullUser), "sh", dir, program)
	inside.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Unshareflags: unix.CLONE_NEWNS}
	s.start(t, inside)
	return s
}

// keptPort is a port of loopback that only a server can have who asks for it by its
// number: until the test ends, the kernel gives it to nobody who asks for any. A port
// that was merely free a moment ago may be another test's by now.
func keptPort(t testing.TB) int {
	t.Helper()
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	err = errors.Join(unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1), // bound, it does not bar a listener
		unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}))
	if err != nil {
		t.Fatal(err)
	}
	at, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	return at.(*unix.SockaddrInet4).Port
}

func (s *server) start(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	// The death signal comes when the thread ends that forked.
	started, done := make(chan error), make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		started <- cmd.Start()
		<-done
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	s.daemon = cmd.Process.Pid
	ready, ended := make(chan bool), make(chan struct{})
	go func() {
		defer close(ended)
		var words []string
		for lines := bufio.NewScanner(log); lines.Scan(); {
			words = append(words, lines.Text())
			if strings.Contains(lines.Text(), "Server listening") {
				close(ready)
			}
			if strings.Contains(lines.Text(), "Accepted publickey") {
				s.mu.Lock()
				s.logins++
				s.mu.Unlock()
			}
		}
		if t.Failed() {
			t.Log(strings.Join(words, "\n"))
		}
	}()
	t.Cleanup(func() {
		s.awaitNobody(t)
		cmd.Process.Kill()
		cmd.Wait()
		<-ended
		close(done)
	})
	select {
	case <-ready:
	case <-ended:
		t.Fatal("sshd does not start")
	}
}

// awaitNobody waits until nothing is left of what the users started.
func (s *server) awaitNobody(t testing.TB) {
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		var left []string
		for _, pid := range s.processes(t) {
			text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
			left = append(left, string(text))
		}
		if left == nil {
			return
		}
		if time.Now().After(end) {
			t.Errorf("processes left on the host: %q", left)
			return
		}
	}
}

// processes are those of the users of this server: they are in its mount namespace,
// which those of another test's are not.
func (s *server) processes(t testing.TB) (pids []int) {
	mounts := func(pid string) string {
		name, _ := os.Readlink("/proc/" + pid + "/ns/mnt")
		return name
	}
	ours := mounts(fmt.Sprint(s.daemon))
	if ours == "" {
		t.Error("sshd has ended")
	}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		var st unix.Stat_t
		pid, _ := strconv.Atoi(filepath.Base(dir))
		if unix.Stat(dir, &st) == nil && (st.Uid == labUser || st.Uid == fullUser) && mounts(filepath.Base(dir)) == ours {
			pids = append(pids, pid)
		}
	}
	return pids
}

func (s *server) host(name string) *dsl.Host {
	return &dsl.Host{Kind: "ssh", Name: name, Address: name, Options: []string{"-F", s.config}, Listen: "127.0.0.1"}
}

// count is the number of logins so far.
func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.logins
}

// copies are the programs in the cache of lab.
func (s *server) copies(t *testing.T) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(s.home, ".cache/versus/*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestRunsOverSSH(t *testing.T) {
	s := startServer(t)
	old, unused := filepath.Join(s.home, ".cache/versus/versus-old"), time.Now().AddDate(0, 0, -40)
	if err := errors.Join(os.MkdirAll(filepath.Dir(old), 0o700), os.WriteFile(old, nil, 0o700), os.Chtimes(old, unused, unused),
		exec.Command("chown", "-R", fmt.Sprint(labUser), filepath.Join(s.home, ".cache")).Run()); err != nil {
		t.Fatal(err)
	}
	src := strings.Replace(realScenario, `test "rpc" "echo" {`, fmt.Sprintf(`
host "local" "here" {}
host "ssh" "lab" {
  address = "lab"
  options = ["-F", %q]
  listen  = "127.0.0.1"
}
test "rpc" "echo" {
  host  = host.lab
  place = { client = host.here }`, s.config), 1)
	src = strings.Replace(src, `test "pubsub" "feed" {`, "test \"pubsub\" \"feed\" {\n  host = host.lab", 1)
	runs := records(t, planOf(t, src), Options{Drivers: all.Registry()})
	for _, r := range runs {
		if r.Status != journal.OK {
			t.Errorf("%s: %s", r.Cell, r.Error)
		} else if r.Machines["lab"] == nil {
			t.Errorf("%s: no word about the machine", r.Cell)
		}
		t.Logf("%s: ready after %.0f ms, %.0f ms in all", r.Cell, r.Setup*1e3, r.Total*1e3)
	}
	if len(runs) != 8 || s.count() != 1 {
		t.Errorf("%d runs with %d logins", len(runs), s.count())
	}
	first := s.copies(t)
	if len(first) != 1 {
		t.Fatalf("copies %v", first)
	}
	was, err := os.Stat(first[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records(t, cells{[]*plan.Cell{placed("a", s.host("lab"))}, 1}, Options{}) {
		if r.Status != journal.OK {
			t.Error(r.Error)
		}
	}
	if now, err := os.Stat(first[0]); err != nil || !os.SameFile(was, now) || len(s.copies(t)) != 1 {
		t.Errorf("versus was copied again: %v, %v", s.copies(t), err)
	}
	// The user there may not come first.
	urgent := s.host("lab")
	urgent.Priority.Nice = nice(-20)
	found, lacks, err := host.Examine(t.Context(), urgent)
	if err != nil || !strings.Contains(lacks, "nice -20, which the system does not grant") || len(found.Noise.CPUs) == 0 {
		t.Errorf("%q, %v, %+v", lacks, err, found)
	}
	for _, r := range records(t, cells{[]*plan.Cell{placed("b", urgent)}, 1}, Options{}) {
		if r.Status != journal.Skipped || !strings.Contains(r.Error, `host "lab" requires nice -20`) {
			t.Errorf("%+v", r)
		}
	}
}

func TestSSHThatFails(t *testing.T) {
	s := startServer(t)
	list := []*plan.Cell{placed("gone", s.host("gone")), placed("nobody", s.host("nobody")), placed("stranger", s.host("stranger")), placed("full", s.host("full")), cell("good")}
	want := map[string]string{
		"gone":     `host "gone": gone can't be reached by ssh: ssh ended: ssh: connect to host 127.0.0.1 port 1: Connection refused`,
		"nobody":   `it says "This account`,
		"stranger": "Permission denied (publickey)",
		"full":     `versus can't be copied to full: `,
	}
	for _, r := range records(t, cells{list, 1}, Options{}) {
		text, bad := want[r.Cell]
		if bad != (r.Status == journal.Failed) || !strings.Contains(r.Error, text) || r.Cell == "full" && !strings.Contains(r.Error, "No space left on device") {
			t.Errorf("%s: %s %q, want %q", r.Cell, r.Status, r.Error, text)
		}
	}
}

// The connection breaks in the middle of a run: that run alone is lost, and
// nothing of it stays on the host.
func TestSSHConnectionBreaks(t *testing.T) {
	s := startServer(t)
	now := once(measuring)
	runs := watched(t, cells{[]*plan.Cell{placed("a", s.host("lab"))}, 3}, func(at phase, e *executor, _ []*process) {
		if now(at) {
			for _, pid := range e.hosts.Helpers() {
				unix.Kill(pid, unix.SIGKILL)
			}
		}
	})
	wantFirstLost(t, runs, "client died in the measurement: the connection to its host ended: ssh ended")
	if len(runs) != 3 || s.count() != 2 {
		t.Errorf("%d runs with %d logins", len(runs), s.count())
	}
}
