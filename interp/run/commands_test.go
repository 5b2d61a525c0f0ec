package run

import (
	"bufio"
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

func TestCommandsThatGiveNone(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"a terminal":    {`"$@" | sed -u 's/$/\r/'`, "there is a terminal in between"},
		"another one":   {`echo versus -placed 1; exec cat`, `the versus there is of another version: it says "versus -placed 1"`},
		"endless words": {`exec yes "Welcome to box 7!"`, "no versus answers in the first 65536 bytes"},
		"no versus":     {`exec /no/such/versus "$@"`, "not found"},
		"silence":       {`exit 0`, "sh ended"},
		"garbage":       {`printf '\n` + greeting + `\n{"clock":-1,"machine":'; head -c 2000000 /dev/zero; exec cat >/dev/null`, "longer than"},
		"no JSON":       {`printf '\n` + greeting + `\nhello\n'; exec cat >/dev/null`, `it answers "hello"`},
		"no machine":    {`printf '\n` + greeting + `\n{}\n'; exec cat >/dev/null`, "does not say what the machine is"},
		"other build":   {`printf '\n` + greeting + `\n{"machine":{"versus":"0123456789abcdef01"}}\n'; exec cat >/dev/null`, "has another build of versus (SHA-256 0123456789abcdef, here "},
	} {
		t.Run(name, func(t *testing.T) {
			h := pipe("far")
			h.Command = []string{"sh", "-c", c.script, "sh"}
			for _, r := range records(t, cells{[]*plan.Cell{placed("a", h), cell("good")}, 1}, Options{}) {
				if r.Cell == "good" {
					if r.Status != journal.OK {
						t.Errorf("the next run: %s", r.Error)
					}
				} else if r.Status == journal.OK || !strings.Contains(r.Error, c.want) || len(r.Error) > 2000 {
					t.Errorf("%s %q, want %q", r.Status, r.Error, c.want)
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

// FuzzGreeting feeds what a host may say before versus does: it is skipped, or an
// error, and never held whole.
func FuzzGreeting(f *testing.F) {
	f.Add("Welcome!\n\n" + greeting + "\nrest")
	f.Add(strings.Repeat("x", maxNoise+10))
	f.Add(greeting + "\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := bufio.NewReader(strings.NewReader(text))
		noise, err := skipToGreeting(r)
		if len(noise) > 4<<10+200 {
			t.Errorf("%d bytes of noise", len(noise))
		}
		if before, _, ok := strings.Cut("\n"+text, "\n"+greeting+"\n"); err == nil && (!ok || len(before) > maxNoise+4096) {
			t.Errorf("a greeting in %.100q", text)
		}
	})
}
