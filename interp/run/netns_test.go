package run

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/drivers/all"
	"versus/drivers/workertest"
	"versus/dsl"
	"versus/interp/host"
	"versus/interp/host/relay"
	"versus/interp/journal"
	"versus/interp/plan"
)

// needsRoot skips a test where no namespace can be made, or fails it where tests
// against the system must run.
func needsRoot(t testing.TB) {
	t.Helper()
	_, err := exec.LookPath("ip")
	workertest.Need(t, err)
	cmd := exec.Command("true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET | unix.CLONE_NEWNS}
	workertest.Need(t, cmd.Run())
}

// needsTUN is needsRoot where a link by a relay can be made.
func needsTUN(t *testing.T) {
	t.Helper()
	needsRoot(t)
	_, err := exec.LookPath("tc")
	workertest.Need(t, err)
	f, err := relay.NewTUN("")
	workertest.Need(t, err)
	f.Close()
}

// cutCable removes the device by which a process in a namespace reaches the one other
// host.
func cutCable(t *testing.T, p *process) {
	t.Helper()
	out, err := exec.Command("nsenter", "--net", "--target", fmt.Sprint(p.Pid()),
		"sh", "-c", `ip link del "$(ip -o link show | sed -n 's/^[0-9]*: \(to[0-9-]*\).*/\1/p')"`).CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

var (
	near = &dsl.Host{Kind: "netns", Name: "near"}
	far  = &dsl.Host{Kind: "netns", Name: "far"}
)

// apart returns a cell of the fake driver, whose client is on another host than
// all others.
func apart(key string, links ...*dsl.Link) *plan.Cell {
	c := cell(key)
	c.Place, c.Links = map[string]*dsl.Host{"": far, "client": near}, links
	return c
}

// network of a process or thread, as the kernel numbers it. Until the test ends the
// number is of no other network, such as one that another test makes.
func networkOf(t *testing.T, of string) string {
	t.Helper()
	f, err := os.Open("/proc/" + of + "/ns/net")
	if err != nil {
		t.Error(err)
		return ""
	}
	t.Cleanup(func() { f.Close() })
	name, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		t.Error(err)
	}
	return name
}

// awaitGone waits until nobody is in one of the networks.
func awaitGone(t *testing.T, networks []string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		var left []string
		threads, _ := filepath.Glob("/proc/[0-9]*/task/*/ns/net")
		for _, name := range threads {
			if n, err := os.Readlink(name); err == nil && slices.Contains(networks, n) {
				left = append(left, name)
			}
		}
		mounts, err := os.ReadFile("/proc/mounts")
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(mounts), "versus /dev/shm") {
			left = append(left, "a mount")
		}
		if left == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("left behind: %v", left)
		}
	}
}

func TestHostsInNamespaces(t *testing.T) {
	needsRoot(t)
	p := placedPlan(t)
	var networks []string
	dir, j := newJournal(t)
	err := Run(t.Context(), p, j, Options{Drivers: all.Registry(), probe: probes{reached: func(at phase, ps []*process) {
		if at != warming {
			return
		}
		for _, p := range ps {
			if n := networkOf(t, fmt.Sprint(p.Pid())); !slices.Contains(networks, n) {
				networks = append(networks, n)
			}
		}
	}}})
	if err != nil {
		t.Fatal(err)
	}
	c, err := journal.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range c.Runs {
		if r.Status != journal.OK {
			t.Errorf("%s: %s", r.Cell, r.Error)
			continue
		}
		for name, role := range r.Roles {
			want := map[string][2]string{"client": {"near", "198.18.0."}, "publisher": {"near", "198.18.0."}}[name]
			if want[0] == "" {
				want = [2]string{"far", "198.18.0."}
			}
			if role.Host != want[0] || !strings.HasPrefix(role.Listen, want[1]) {
				t.Errorf("%s: %s is on %q at %q", r.Cell, name, role.Host, role.Listen)
			}
		}
	}
	if len(c.Runs) != 5 || len(networks) != 2 || slices.Contains(networks, networkOf(t, "self")) {
		t.Errorf("%d runs, networks %v", len(c.Runs), networks)
	}
	awaitGone(t, networks)
}

// placedPlan runs every driver that can across hosts.
func placedPlan(t *testing.T, set ...dsl.Setting) *plan.Plan {
	t.Helper()
	const hosts = `
host "netns" "near" {}
host "netns" "far" {}
`

	src := strings.ReplaceAll(realScenario, "runs = 2", "runs = 1")
	src = strings.Replace(src, `test "rpc" "echo" {`, hosts+`test "rpc" "echo" {
  host  = host.far
  place = { client = host.near }`, 1)
	src = strings.Replace(src, `test "pubsub" "feed" {`, `test "pubsub" "feed" {
  host  = host.far
  place = { publisher = host.near }`, 1)
	src = strings.Replace(src, "[backend.grpc, backend.http, backend.mqtt]", "[backend.grpc, backend.http, backend.mqtt, backend.h2]", 1)
	src = strings.Replace(src, `backend "http" "http" {}`, "backend \"http\" \"http\" {}\nbackend \"http\" \"h2\" { version = \"2\" }", 1)
	return planOf(t, src, set...)
}

// interpretApart is a versus with two namespaces, linked as asked for, that stays
// in the measurement.
func interpretApart(links ...*dsl.Link) int {
	dir := os.Getenv("VERSUS_TEST_DIR")
	j, err := journal.Create(filepath.Join(dir, "result"), journal.Header{Fingerprint: "x"}, journal.Environment{})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	c := apart("stuck", links...)
	c.Workload.Options["client"] = "measure:hang"
	err = Run(context.Background(), cells{[]*plan.Cell{c}, 1}, j, Options{
		Drivers: drivers.Registry{fake},
		probe: probes{reached: func(at phase, ps []*process) {
			if at == measuring {
				for _, p := range ps {
					fmt.Print(p.Pid(), " ")
				}
				fmt.Println()
			}
		}},
	})
	fmt.Println(err)
	return 1
}

func TestKilledInterpreterLeavesNoNamespace(t *testing.T) {
	needsRoot(t)
	awaitGone(t, killApart(t, "apart", func(int) {}))
}

// A relay holds devices in the namespaces, but does not live on either.
func TestKilledInterpreterLeavesNoRelay(t *testing.T) {
	needsTUN(t)
	relays := map[int]int{} // the descriptor of each, by its process ID
	networks := killApart(t, "linked", func(versus int) {
		var children []byte
		tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", versus))
		for _, task := range tasks {
			more, _ := os.ReadFile(task)
			children = append(append(children, more...), ' ')
		}
		for _, pid := range strings.Fields(string(children)) {
			command, _ := os.ReadFile("/proc/" + pid + "/cmdline")
			if strings.Contains(string(command), host.RelayFlag) {
				number, _ := strconv.Atoi(pid)
				if relays[number], err = unix.PidfdOpen(number, 0); err != nil {
					t.Error(err)
				}
			}
		}
		if err != nil || len(relays) == 0 {
			t.Errorf("relays %v of children %s, %v", relays, children, err)
		}
	})
	awaitGone(t, networks)
	for pid, fd := range relays {
		awaitFD(t, fd, pid)
		unix.Close(fd)
	}
}

// killApart starts a versus with namespaces, lets look at it in its measurement,
// kills it, and returns its networks.
func killApart(t *testing.T, which string, look func(versus int)) []string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), interpreterEnv+"="+which, "VERSUS_TEST_DIR="+t.TempDir())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	var networks []string
	for _, pid := range strings.Fields(line) {
		networks = append(networks, networkOf(t, pid))
	}
	look(cmd.Process.Pid)
	cmd.Process.Kill()
	cmd.Wait()
	if err != nil || len(networks) != 3 || networks[0] == networks[2] {
		t.Fatalf("networks %q, %v", line, err)
	}
	return networks
}

// A host whose network is taken away in the middle of a run: that run alone fails.
func TestCableCut(t *testing.T) {
	needsRoot(t)
	p := placedPlan(t)
	cut := false
	dir, j := newJournal(t)
	e := newExecutor(p.Runs(), Options{Drivers: all.Registry()})
	e.opts.probe.reached = func(at phase, ps []*process) {
		if at == preparing && !cut {
			cut = true
			cutCable(t, ps[0])
		}
	}
	if err := e.walk(t.Context(), p, j); err != nil {
		t.Fatal(err)
	}
	c, err := journal.Read(dir)
	if err != nil || len(c.Runs) == 0 {
		t.Fatal(c, err)
	}
	for i, r := range c.Runs {
		if i == 0 && (r.Status != journal.Failed || !strings.Contains(r.Error, "client")) || i > 0 && r.Status != journal.OK {
			t.Errorf("run %d: %+v", i, r)
		}
	}
}
