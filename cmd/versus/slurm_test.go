package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"versus/drivers/workertest"
	"versus/interp/journal"
)

// slurmEnv says that this is the process inside, and which folder is its own.
const slurmEnv = "VERSUS_TEST_SLURM"

// nodes of the test's Slurm, each with an address of its own.
var nodes = map[string]string{"n1": "192.0.2.1", "n2": "192.0.2.2", "n3": "192.0.2.3"}

const controller = "192.0.2.9"

// TestSlurm runs the recipes of docs/cluster.md as they stand there, on a Slurm
// of three nodes. All of it is in namespaces: ports can't be taken, nobody else
// is reached, and the kernel ends every process with the first one.
func TestSlurm(t *testing.T) {
	if dir := os.Getenv(slurmEnv); dir != "" {
		inside(t, dir)
		return
	}
	workertest.Need(t, slurmMissing())
	t.Parallel() // it mostly waits for Slurm
	dir := t.TempDir()
	ctx := t.Context()
	if end, ok := t.Deadline(); ok { // before go test gives up, what was said inside is shown
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, end.Add(-time.Minute))
		defer cancel()
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// The first process of a namespace inherits orphans. This one buries them:
	// for Slurm, a job with one that is dead and not buried is not over.
	cmd := exec.CommandContext(ctx, "sh", "-c", `"$@" & wait $!`, "sh", self, "-test.run=^TestSlurm$", "-test.v")
	// With the race detector, each of some 300 processes would sleep a second at its end.
	cmd.Env = append(os.Environ(), slurmEnv+"="+dir, "TMPDIR="+dir, "GORACE=atexit_sleep_ms=0")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWNS | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC,
		Pdeathsig:  unix.SIGKILL,
	}
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Error(err)
	}
}

func slurmMissing() error {
	for _, program := range []string{"slurmctld", "slurmd", "sbatch", "srun", "scontrol", "munged", "munge", "ip"} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("Slurm can't be started: %w; to get it: apt-get install slurm-wlm munge iproute2", err)
		}
	}
	if os.Getuid() != 0 {
		return errors.New("namespaces for a Slurm of its own need root")
	}
	return nil
}

// inside is the test in its namespaces.
func inside(t *testing.T, dir string) {
	s := startSlurm(t, dir)
	work := filepath.Join(dir, "work")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	recipes(t, work)
	t.Run("array", func(t *testing.T) { s.array(t, work) })
	t.Run("missing", func(t *testing.T) { s.missing(t, work) })
	t.Run("pair", func(t *testing.T) { s.pair(t, work) })
}

// recipes writes the files that docs/cluster.md shows, and scenario.hcl.
func recipes(t *testing.T, dir string) {
	t.Helper()
	text, err := os.ReadFile("../../docs/cluster.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```(?:bash|hcl)\n((?:#!/bin/bash\n)?# ([a-z_]+\\.(?:sh|hcl)).*?)```").FindAllStringSubmatch(string(text), -1)
	var names []string
	for _, b := range blocks {
		names = append(names, b[2])
		if err := os.WriteFile(filepath.Join(dir, b[2]), []byte(b[1]), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if want := []string{"measure.sh", "merge.sh", "submit.sh", "two_nodes.hcl", "pair.sh"}; !slices.Equal(names, want) {
		t.Fatalf("docs/cluster.md has the files %q, want %q", names, want)
	}
	if err := os.WriteFile(filepath.Join(dir, "scenario.hcl"), []byte(sixty), 0o644); err != nil {
		t.Fatal(err)
	}
}

// sixty has 60 cells, in 30 pairs.
const sixty = `scenario "sixty" {}
backend "tcp" "tcp" {}
backend "unix" "unix" {}
test "rpc" "echo" {
  payload     = bytes(each.size)
  concurrency = each.callers
  measure { calls = 100 }
  repeat { runs = 1 }
  sweep {
    backend = [backend.tcp, backend.unix]
    size    = [16, 64, 256, 1024, 4096, 16384]
    callers = [1, 2, 3, 4, 5]
  }
}
comparison "c" {
  baseline = { backend = backend.tcp }
  value    = baseline.time_per_call / candidate.time_per_call
}
`

func (s *slurm) array(t *testing.T, work string) {
	s.command(t, work, "bash", "-e", "submit.sh")
	c := okRuns(t, filepath.Join(work, "result"), 60)
	if len(c.Environment.Machines) != len(nodes) {
		t.Errorf("machines: %v, want all %d nodes", c.Environment.Machines, len(nodes))
	}
	cells, place := map[string]bool{}, map[string]string{}
	for _, r := range c.Runs {
		cells[r.Cell] = true
		pair := strings.NewReplacer("backend=tcp", "", "backend=unix", "").Replace(r.Cell)
		if was := place[pair]; was != "" && was != r.Machine {
			t.Errorf("%s is compared between %s and %s", pair, was, r.Machine)
		}
		place[pair] = r.Machine
	}
	if len(cells) != 60 || len(place) != 30 {
		t.Errorf("%d cells in %d pairs", len(cells), len(place))
	}
	out, _ := filepath.Glob(filepath.Join(work, "slurm-*.out"))
	report := ""
	for _, name := range out {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "result: 60 of 60 cells, 60 of 60 runs, of 3 machines") {
			report = string(text)
		}
	}
	if !strings.Contains(report, "The runs were made on 3 machines") || strings.Contains(report, "different machines") {
		t.Errorf("the report of the merged result: %q", report)
	}
}

// missing leaves a shard out, and measures its cells on a node of the others.
func (s *slurm) missing(t *testing.T, work string) {
	s.command(t, work, "bash", "-c", "versus merge part shards/[2-8]")
	before, err := journal.Read(filepath.Join(work, "part"))
	if err != nil {
		t.Fatal(err)
	}
	resume := exec.CommandContext(t.Context(), "versus", "run", "--resume", "part")
	resume.Dir = work
	if out, err := resume.CombinedOutput(); err == nil || !strings.Contains(string(out), "this is none of them") {
		t.Errorf("continued on a machine that made no run of it: %v\n%s", err, out)
	}
	s.command(t, work, "srun", "--nodelist=n2", "versus", "run", "--quiet", "--resume", "part")
	for i, r := range okRuns(t, filepath.Join(work, "part"), 60).Runs {
		if i >= len(before.Runs) && r.Machine != "n2" {
			t.Errorf("%s was measured on n2, not on %q", r.Cell, r.Machine)
		}
	}
}

func (s *slurm) pair(t *testing.T, work string) {
	s.command(t, work, "sbatch", "--wait", "pair.sh")
	for _, r := range okRuns(t, filepath.Join(work, "pair"), 6).Runs {
		client, server := r.Machines["client"], r.Machines["server"]
		if client == nil || server == nil || client.Host == server.Host || nodes[client.Host] == "" || nodes[server.Host] == "" {
			t.Errorf("%s: client on %+v, server on %+v", r.Cell, client, server)
		}
		if at := r.Roles["server"].Listen; server != nil && at != nodes[server.Host] {
			t.Errorf("%s: the server listens at %s", r.Cell, at)
		}
	}
}

// okRuns reads a result that must have so many runs, none of which failed.
func okRuns(t *testing.T, dir string, runs int) *journal.Content {
	t.Helper()
	c, err := journal.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Runs) != runs {
		t.Errorf("%s has %d runs, want %d", dir, len(c.Runs), runs)
	}
	for _, r := range c.Runs {
		if r.Status != journal.OK {
			t.Errorf("%s: %s", r.Cell, r.Error)
		}
	}
	return c
}
