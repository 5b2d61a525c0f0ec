package host

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"versus/drivers/workertest"
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
