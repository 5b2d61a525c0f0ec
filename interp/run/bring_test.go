package run

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"versus/drivers"
	"versus/drivers/workertest"
	"versus/dsl"
	"versus/interp/journal"
	"versus/interp/plan"
)

// ownWorker is a driver whose worker is a program of its own.
func ownWorker(program string, needs ...drivers.Need) drivers.Driver {
	return drivers.Driver{
		Name:  "fake",
		Probe: func(context.Context) drivers.Availability { return drivers.Availability{OK: true} },
		Roles: func(w drivers.Workload) ([]drivers.Role, error) {
			return []drivers.Role{
				{Name: "server", Command: []string{program, "server"}, Env: []string{scriptEnv + "="}},
				{Name: "client", Active: true, Command: []string{program, "client"}, Env: []string{scriptEnv + "="}, Needs: needs},
			}, nil
		},
	}
}

// ownProgram is a program that speaks the worker protocol: a copy of this one.
func ownProgram(t *testing.T) string {
	t.Helper()
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	return fileOf(t, self)
}

func fileOf(t *testing.T, text []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "own-worker")
	if err := os.WriteFile(path, text, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// all on one host.
func everything(key string, h *dsl.Host) *plan.Cell {
	c := cell(key)
	c.Place = map[string]*dsl.Host{"": h}
	return c
}

// farCache gives hosts of kind exec a cache folder of their own.
func farCache(t *testing.T) (dir string) {
	dir = t.TempDir()
	t.Setenv("XDG_CACHE_HOME", dir)
	return filepath.Join(dir, "versus")
}

func TestWorkersAreBroughtOnce(t *testing.T) {
	folder, path := farCache(t), ownProgram(t)
	h := pipe("far")
	h.Environment = map[string]string{"GOMAXPROCS": "3"}
	var first os.FileInfo
	for range 2 { // the second time over another connection
		for i, r := range records(t, cells{[]*plan.Cell{everything("a", h)}, 2}, Options{Drivers: drivers.Registry{ownWorker(path)}}) {
			if r.Status != journal.OK {
				t.Fatalf("run %d: %s", i, r.Error)
			}
			if c := r.Roles["client"]; c.Host != "far" || c.Effective["gomaxprocs"] != "3" {
				t.Errorf("run %d: %+v", i, c)
			}
		}
		entries, err := os.ReadDir(folder)
		if err != nil || len(entries) != 1 {
			t.Fatalf("in the cache: %v, %v", entries, err)
		}
		info, err := entries[0].Info()
		if err != nil || first != nil && !os.SameFile(first, info) {
			t.Errorf("it was brought again: %v", err)
		}
		first = info
	}
}

func TestWorkersThatCantBeBrought(t *testing.T) {
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	foreign := append([]byte{}, self...)
	foreign[18], foreign[19] = 0xb7, 0 // e_machine: that of ARM
	if self[18] == 0xb7 {
		foreign[18] = 62 // that of x86-64
	}
	daemon := drivers.Need{Package: "no-such-package", Command: "no-such-daemon"}
	for _, c := range []struct {
		name   string
		driver drivers.Driver
		host   *dsl.Host
		status journal.Status
		want   string
	}{
		{"another machine", ownWorker(fileOf(t, foreign)), pipe("far"), journal.Skipped, `own-worker does not run on host "far": the worker is for machines of another kind: EM_`},
		{"no program", ownWorker(fileOf(t, []byte("#!/bin/sh\n"))), pipe("far"), journal.Skipped, "the worker is no program"},
		{"gone", ownWorker("/no/such/worker"), pipe("far"), journal.Failed, "no such file"},
		{"a daemon there", ownWorker(ownProgram(t), daemon), pipe("far"), journal.Skipped,
			`host "far" lacks no-such-daemon, which the role client needs; to get it there: apt-get install no-such-package`},
		{"a daemon here", ownWorker(ownProgram(t), daemon), &dsl.Host{Kind: "local", Name: "here"}, journal.Skipped, `this machine lacks no-such-daemon`},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := farCache(t)
			for _, r := range records(t, cells{[]*plan.Cell{everything("a", c.host)}, 2}, Options{Drivers: drivers.Registry{c.driver}}) {
				if r.Status != c.status || !strings.Contains(r.Error, c.want) {
					t.Errorf("%s %q, want %s %q", r.Status, r.Error, c.status, c.want)
				}
			}
			if half, _ := filepath.Glob(filepath.Join(folder, "new.*")); half != nil {
				t.Errorf("left behind: %v", half)
			}
		})
	}
}

// A library that this machine has and the host has not.
func TestLibraryIsMissingThere(t *testing.T) {
	farCache(t)
	dir := t.TempDir()
	source := filepath.Join(dir, "a.c")
	if err := os.WriteFile(source, []byte("int f(void) { return 0; }\n#ifdef MAIN\nint main(void) { return f(); }\n#endif\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := exec.LookPath("cc")
	workertest.Need(t, err)
	for _, args := range [][]string{
		{"-shared", "-fPIC", "-o", filepath.Join(dir, "libversustest.so.1"), source},
		{"-DMAIN", "-Wl,--no-as-needed", "-o", filepath.Join(dir, "own-worker"), source, filepath.Join(dir, "libversustest.so.1")},
	} {
		cmd := exec.Command("cc", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if err := os.Rename(filepath.Join(dir, "libversustest.so.1"), filepath.Join(t.TempDir(), "x")); err != nil {
		t.Fatal(err)
	}
	for _, r := range records(t, cells{[]*plan.Cell{everything("a", pipe("far"))}, 1}, Options{Drivers: drivers.Registry{ownWorker(filepath.Join(dir, "own-worker"))}}) {
		if want := `host "far" lacks `; r.Status != journal.Skipped || !strings.Contains(r.Error, want) || !strings.Contains(r.Error, "libversustest.so.1, which own-worker needs") {
			t.Errorf("%s %q", r.Status, r.Error)
		}
	}
}
