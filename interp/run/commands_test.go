package run

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

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

// A command that leads elsewhere each time, here to another clock, is run once for all
// runs, and again when the pipe has broken. The clock compared is that of the workers.
func TestCommandThatLeadsElsewhere(t *testing.T) {
	needsAhead(t)
	calls := filepath.Join(t.TempDir(), "calls")
	h := pipe("far")
	h.Command = []string{"sh", "-c", `echo call >>"$0"; [ $(wc -l <"$0") = 1 ] && exec "$@"; exec ` + strings.Join(ahead, " ") + ` "$@"`, calls}
	c := placed("a", h)
	c.Workload.Pattern = drivers.PubSub
	now, number := once(measuring), 0
	runs := watched(t, cells{[]*plan.Cell{c}, 4}, func(at phase, e *executor, _ []*process) {
		if at == starting {
			number++
		}
		if number == 2 && now(at) {
			unix.Kill(e.hosts.Helpers()[0], unix.SIGKILL)
		}
	})
	for i, r := range runs {
		if lost := i == 1; lost != (r.Status == journal.Failed) || lost && !strings.Contains(r.Error, "the connection to its host ended") {
			t.Errorf("run %d: %s %q", i, r.Status, r.Error)
		}
		want := int64(0)
		if i > 1 {
			want = 86400e9
		}
		if o := r.Clocks["far"].Before; r.Status == journal.OK && (o.Offset < want-o.Bound || o.Offset > want+o.Bound) {
			t.Errorf("run %d: the clock is ahead by %+v, not %d", i, o, want)
		} else if got := r.Roles["client"]; r.Status == journal.OK && got.Effective["clock_shift"] != fmt.Sprint(-o.Offset) {
			t.Errorf("run %d: %+v with a clock that is ahead by %d", i, got, o.Offset)
		}
	}
	if text, err := os.ReadFile(calls); err != nil || string(text) != "call\ncall\n" {
		t.Errorf("%q, %v", text, err)
	}
}
