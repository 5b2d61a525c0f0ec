package run

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/drivers/all"
	"versus/drivers/workertest"
	"versus/dsl"
	"versus/interp/journal"
	"versus/interp/plan"
)

// needsRoot skips a test where no namespace can be made, or fails it where tests
// against the system must run.
func needsRoot(t testing.TB) {
	t.Helper()
	n, err := newNamespace("try", 1)
	if err == nil {
		n.close()
	}
	workertest.Need(t, err)
}

// needsLinks is needsRoot where also tc is needed.
func needsLinks(t *testing.T) {
	t.Helper()
	needsRoot(t)
	_, err := exec.LookPath("tc")
	workertest.Need(t, err)
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

// network of a process or thread, as the kernel numbers it.
func networkOf(t *testing.T, of string) string {
	t.Helper()
	name, err := os.Readlink("/proc/" + of + "/ns/net")
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
			if n := networkOf(t, fmt.Sprint(p.cmd.Process.Pid)); !slices.Contains(networks, n) {
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
func placedPlan(t *testing.T) *plan.Plan {
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
	return planOf(t, src)
}

// A place in memory that two roles of one machine could share.
func TestNamespacesShareNoMemory(t *testing.T) {
	needsRoot(t)
	n, err := newNamespace("near", 1)
	if err != nil {
		t.Fatal(err)
	}
	defer n.close()
	name := fmt.Sprintf("/dev/shm/versus-test-%d", os.Getpid())
	if err := n.tool("touch", name); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) {
		os.Remove(name)
		t.Errorf("the file of the namespace is seen outside: %v", err)
	}
	if err := n.tool("test", "-e", name); err != nil {
		t.Error(err)
	}
}

// Without the right to, cells are skipped and say why.
func TestNamespacesNeedRoot(t *testing.T) {
	l, err := newLauncher(func() error {
		head := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var none [2]unix.CapUserData
		return unix.Capset(&head, &none[0]) // of this thread
	})
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	if err := l.do(isolate); err != errNotRoot {
		t.Errorf("error %v", err)
	}

	p := cells{[]*plan.Cell{apart("a"), cell("b")}, 1}
	dir, j := newJournal(t)
	e, err := newExecutor(2, Options{Drivers: drivers.Registry{fake}})
	if err != nil {
		t.Fatal(err)
	}
	e.network.failed["host far"] = missing{fmt.Errorf("host %q: %w", "far", errNotRoot)}
	if err := e.walk(t.Context(), p, j); err != nil {
		t.Fatal(err)
	}
	c, err := journal.Read(dir)
	if err != nil || len(c.Runs) != 2 {
		t.Fatal(c, err)
	}
	if r := c.Runs[0]; r.Status != journal.Skipped || !strings.Contains(r.Error, `host "far": only root may make a network namespace`) {
		t.Errorf("%+v", r)
	}
	if r := c.Runs[1]; r.Status != journal.OK {
		t.Errorf("%+v", r)
	}
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
					n, _ := os.Readlink(fmt.Sprintf("/proc/%d/ns/net", p.cmd.Process.Pid))
					fmt.Print(n, " ")
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
	var relays []int
	networks := killApart(t, "linked", func(versus int) {
		var children []byte
		tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", versus))
		for _, task := range tasks {
			more, _ := os.ReadFile(task)
			children = append(append(children, more...), ' ')
		}
		for _, pid := range strings.Fields(string(children)) {
			command, _ := os.ReadFile("/proc/" + pid + "/cmdline")
			if strings.Contains(string(command), RelayFlag) {
				number, _ := strconv.Atoi(pid)
				relays = append(relays, number)
			}
		}
		if err != nil || len(relays) == 0 {
			t.Errorf("relays %v of children %s, %v", relays, children, err)
		}
	})
	awaitGone(t, networks)
	for _, pid := range relays {
		for end := time.Now().Add(20 * time.Second); unix.Kill(pid, 0) == nil; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("relay %d lives on", pid)
			}
		}
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
	look(cmd.Process.Pid)
	cmd.Process.Kill()
	cmd.Wait()
	networks := strings.Fields(line)
	if err != nil || len(networks) != 3 || networks[0] == networks[2] {
		t.Fatalf("networks %q, %v", line, err)
	}
	return networks
}

// A host whose network is taken away in the middle of a run: that run alone fails.
func TestCableCut(t *testing.T) {
	needsRoot(t)
	p := placedPlan(t)
	cut := ""
	dir, j := newJournal(t)
	e, err := newExecutor(p.Runs(), Options{Drivers: all.Registry()})
	if err != nil {
		t.Fatal(err)
	}
	e.opts.probe.reached = func(at phase, _ []*process) {
		if at == preparing && cut == "" {
			n := e.network.hosts["near"]
			cut = n.device(e.network.hosts["far"])
			if err := n.tool("ip", "link", "del", cut); err != nil {
				t.Error(err)
			}
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
