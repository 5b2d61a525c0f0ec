package host

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"versus/drivers/workertest"
	"versus/dsl"
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

// Without the right to, there is a reason to skip.
func TestNamespacesNeedRoot(t *testing.T) {
	l, err := newLauncher(giveUpRights)
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	if err := l.do(isolate); err != errNotRoot {
		t.Errorf("error %v", err)
	}
}

// What a machine lacks for the network of a scenario is known before it runs.
func TestTryNetwork(t *testing.T) {
	needsLinks(t)
	urgent := -20
	hosts := []*dsl.Host{near, {Kind: "netns", Name: "far", Priority: dsl.Priority{Nice: &urgent}}, {Kind: "local", Name: "here"}}
	links := []*dsl.Link{between("a", 1e6, 0), between("b", 1e6, 0.1)}
	for _, c := range []struct {
		programs []string
		want     string
	}{
		{nil, `[host "near": the program ip is missing; to get it: apt-get install iproute2]`},
		{[]string{"ip"}, `[link "a" takes the program tc; to get it: apt-get install iproute2 link "b" takes the program tc; to get it: apt-get install iproute2]`},
	} {
		dir := t.TempDir()
		for _, name := range c.programs {
			path, err := exec.LookPath(name)
			if err := errors.Join(err, os.Symlink(path, filepath.Join(dir, name))); err != nil {
				t.Fatal(err)
			}
		}
		t.Run(fmt.Sprint(c.programs), func(t *testing.T) {
			t.Setenv("PATH", dir)
			if got := fmt.Sprint(TryNetwork(hosts, links)); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
	if errs := TryNetwork(hosts, links[:1]); errs != nil {
		t.Error(errs)
	}
}
