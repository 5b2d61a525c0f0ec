package daemon_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"versus/drivers/daemon"
	"versus/drivers/workertest"
)

func shell(script string) *exec.Cmd { return exec.Command("/bin/sh", "-c", script) }

func TestStart(t *testing.T) {
	d, err := daemon.Start(t.Context(), "ready", shell("echo is ready; exec sleep 1000"))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Stop(); err != nil {
		t.Error(err)
	}
	if err := syscall.Kill(d.PID, 0); err != syscall.ESRCH {
		t.Errorf("the program lives on: %v", err)
	}
	if d.Words() != "is ready" {
		t.Errorf("it wrote %q", d.Words())
	}
}

// TestPortTaken has another program take the port before ours gets there, some times or always.
func TestPortTaken(t *testing.T) {
	for _, c := range []struct{ taken, attempts int }{{0, 1}, {2, 3}, {5, 5}} {
		attempts, last := 0, 0
		d, port, err := daemon.OnFreePort(t.Context(), "127.0.0.1", "ready", func(port int) *exec.Cmd {
			last = port
			if attempts++; attempts > c.taken {
				return shell("echo ready; exec sleep 1000")
			}
			l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close() })
			return shell("echo address in use; exit 1")
		})
		if attempts != c.attempts || port != last || (err == nil) != (c.taken < 5) {
			t.Errorf("taken %d times: %d attempts, port %d of %d, %v", c.taken, attempts, port, last, err)
		}
		if err == nil {
			if err := d.Stop(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name, program string
		args          []string
		want          string
	}{
		{"missing", "/no/such/program", nil, "does not start"},
		{"ends at once", "/bin/sh", []string{"-c", "echo port taken >&2; exit 3"}, "ended at once (exit status 3): port taken"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := daemon.Start(t.Context(), "ready", exec.Command(c.program, c.args...))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// TestKilled has the program end by somebody else's hand.
func TestKilled(t *testing.T) {
	d, err := daemon.Start(t.Context(), "ready", shell("echo ready; kill -9 $$"))
	if err != nil {
		t.Fatal(err)
	}
	workertest.Ended(t, d.PID)
	if err := d.Stop(); err == nil || !strings.Contains(err.Error(), "ended during the run (signal: killed)") {
		t.Errorf("error %v", err)
	}
}

// TestDiesWithItsWorker kills a process that started a program: the program ends too.
func TestDiesWithItsWorker(t *testing.T) {
	worker := exec.Command(os.Args[0], "-test.run=^$")
	worker.Env = append(os.Environ(), "VERSUS_TEST_DAEMON=1")
	out, err := worker.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	if err := worker.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = worker.Wait()
	workertest.Ended(t, pid)
}

func TestMain(m *testing.M) {
	if os.Getenv("VERSUS_TEST_DAEMON") == "" {
		os.Exit(m.Run())
	}
	d, err := daemon.Start(context.Background(), "ready", shell("echo ready; exec sleep 1000"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(d.PID)
	select {}
}
