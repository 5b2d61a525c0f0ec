package daemon_test

import (
	"strings"
	"syscall"
	"testing"

	"versus/drivers/daemon"
)

func TestStart(t *testing.T) {
	d, err := daemon.Start(t.Context(), "ready", "/bin/sh", "-c", "echo is ready; exec sleep 1000")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Stop(); err != nil {
		t.Error(err)
	}
	if err := syscall.Kill(d.PID, 0); err != syscall.ESRCH {
		t.Errorf("the program lives on: %v", err)
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
			_, err := daemon.Start(t.Context(), "ready", c.program, c.args...)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// TestKilled has the program end by somebody else's hand.
func TestKilled(t *testing.T) {
	d, err := daemon.Start(t.Context(), "ready", "/bin/sh", "-c", "echo ready; read line; kill -9 $$")
	if err != nil {
		t.Fatal(err)
	}
	// Its standard input is empty: it kills itself.
	for syscall.Kill(d.PID, 0) == nil {
	}
	if err := d.Stop(); err == nil || !strings.Contains(err.Error(), "ended during the run (signal: killed)") {
		t.Errorf("error %v", err)
	}
}
