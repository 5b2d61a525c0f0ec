package run

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"versus/drivers"
	"versus/drivers/workertest"
	"versus/interp/journal"
	"versus/interp/plan"
)

// Commands that give a pipe, as people write them.
func TestCommandsThatGiveAPipe(t *testing.T) {
	needsRoot(t)
	farCache(t)
	path := ownProgram(t)
	for name, command := range map[string][]string{
		"no environment":    {"env", "-i"},
		"a loud shell":      {"sh", "-c", `echo "Welcome to box 7!"; echo; printf "You have mail."; exec "$@"`, "sh"},
		"a shell at length": {"sh", "-c", `i=0; while [ $i -lt 1000 ]; do echo "Welcome to box 7!"; i=$((i+1)); done; exec "$@"`, "sh"},
		"a mount namespace": {"unshare", "--mount"},
		"a PID namespace":   {"unshare", "--pid", "--fork", "--kill-child", "--mount-proc"},
		"a container":       {"nsenter", "--target", fmt.Sprint(os.Getpid()), "--mount", "--net", "--ipc"},
		"other words":       {"sh", "-c", `echo "no banner on stderr either" >&2; exec "$@"`, "sh"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := exec.LookPath(command[0])
			workertest.Need(t, err)
			h := pipe("far")
			h.Command = command
			for _, r := range records(t, cells{[]*plan.Cell{everything("a", h)}, 1}, Options{Drivers: drivers.Registry{ownWorker(path)}}) {
				if r.Status != journal.OK {
					t.Errorf("%s %s", r.Status, r.Error)
				}
			}
			for _, r := range records(t, cells{[]*plan.Cell{placed("a", h)}, 1}, Options{}) {
				if r.Status != journal.OK {
					t.Errorf("in Go: %s %s", r.Status, r.Error)
				}
			}
		})
	}
}

// A command that leads to another machine each time, here to another clock.
func TestCommandThatLeadsElsewhere(t *testing.T) {
	h := pipe("far")
	h.Command = []string{"sh", "-c", `[ $# -gt 3 ] || exec "$@"; exec unshare --time --monotonic 86400 --fork --kill-child "$@"`, "sh"}
	if out, err := exec.Command("unshare", "--time", "--monotonic", "86400", "--fork", "true").CombinedOutput(); err != nil {
		workertest.Need(t, fmt.Errorf("no time namespaces here: %w: %s", err, out))
	}
	for _, r := range records(t, cells{[]*plan.Cell{placed("a", h)}, 1}, Options{}) {
		if r.Status != journal.Failed || !strings.Contains(r.Error, "must always lead to the same one") {
			t.Errorf("%s %q", r.Status, r.Error)
		}
	}
}
