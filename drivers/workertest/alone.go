package workertest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// alone is set in the environment of a test that has namespaces of its own.
const alone = "VERSUS_TEST_ALONE"

// Alone runs the test once more in a process with namespaces of its own
// (CLONE_NEWNS, CLONE_NEWNET), where it is in nobody's way. It returns whether
// this is that process; the test then goes on, and ends at once where it isn't.
// With CLONE_NEWNS the given folders are empty there, and lie in memory: what others
// have left in the machine's, or do in them meanwhile, is not seen.
func Alone(t *testing.T, namespaces uintptr, empty ...string) bool {
	t.Helper()
	if os.Getenv(alone) != "" {
		for _, folder := range empty {
			if err := unix.Mount("test", folder, "tmpfs", 0, "mode=1777"); err != nil {
				t.Fatal(err)
			}
		}
		return true
	}
	cmd := exec.Command("/proc/self/exe", "-test.run", "^"+t.Name()+"$", "-test.count=1")
	if end, ok := t.Deadline(); ok { // where it hangs it shall say before this process ends
		cmd.Args = append(cmd.Args, "-test.timeout", (time.Until(end) * 9 / 10).String())
	}
	cmd.Env = append(os.Environ(), alone+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: namespaces, Pdeathsig: syscall.SIGKILL}
	if id := os.Geteuid(); id != 0 {
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: id, HostID: id, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	}
	out, err := cmd.CombinedOutput()
	if ended := (*exec.ExitError)(nil); err != nil && !errors.As(err, &ended) {
		Need(t, fmt.Errorf("this machine allows no namespaces: %w", err))
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return false
}
