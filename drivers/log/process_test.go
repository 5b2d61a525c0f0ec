package log

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/drivers/protocol"
	"versus/drivers/workertest"
)

// prepared builds the worker of spdlog, or skips the test where that can't be.
func prepared(tb testing.TB) {
	tb.Helper()
	workertest.Need(tb, Worker.Lacks())
	if _, err := Worker.Build(tb.Context()); err != nil {
		tb.Fatal(err)
	}
}

// run carries one run of the logger: spdlog in a process, the others in this one.
func run(tb testing.TB, w drivers.Workload) (*protocol.Result, map[string]string) {
	tb.Helper()
	if err := Driver.Verify(w); err != nil {
		tb.Fatal(err)
	}
	roles, err := Driver.Roles(w)
	if err != nil || len(roles) != 1 {
		tb.Fatalf("roles %v, %v", roles, err)
	}
	r := &workertest.Run{Workload: w}
	if len(roles[0].Command) > 0 {
		r = workertest.Prepare(tb, w, roles)
	} else {
		r = workertest.Prepare(tb, w, nil)
		r.Add(tb, roles[0], workertest.Play(tb, "log", "logger", Roles))
	}
	return r.Measure(tb)["logger"], r.Effective["logger"]
}

// TestRun has a whole run of each library, mode, sink and flush.
func TestRun(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	all := combinations()
	for _, mode := range []string{"sync", "async"} {
		for _, sink := range []string{"file", "null", "pipe"} {
			for _, flush := range []any{"each", "end", 7.0} {
				all = append(all, map[string]any{"library": "spdlog", "mode": mode, "sink": sink, "flush": flush})
			}
		}
	}
	for _, o := range all {
		t.Run(name(o), func(t *testing.T) {
			if o["library"] == "spdlog" {
				prepared(t)
			}
			w := workload(200, o)
			w.Concurrency, w.Warmup.Calls, w.Measure.Calls = 2, 33, 1000
			r, effective := run(t, w)
			for _, key := range []string{"library", "mode", "sink", "flush", "layout", "batch"} {
				if effective[key] == "" {
					t.Errorf("no %s in %v", key, effective)
				}
			}
			if r.Sent != 1000 || r.Received != 1000 || len(r.Errors) > 0 || r.Latency.Count != 2*(500/16) {
				t.Errorf("result %+v", r)
			}
		})
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

func TestSpdlogAtARate(t *testing.T) {
	prepared(t)
	w := workload(0, map[string]any{"library": "spdlog"})
	w.Rate, w.Measure.Calls = 1000, 50
	r, effective := run(t, w)
	if r.Sent != 50 || r.Offered != 1000 || r.Latency.Count != 50 || r.SendLag == nil || len(r.Errors) > 0 || effective["batch"] != "1" {
		t.Errorf("result %+v, effective %v", r, effective)
	}
}

// TestSpdlogKilled: neither a file nor the program at the pipe stays behind.
func TestSpdlogKilled(t *testing.T) {
	prepared(t)
	for _, sink := range []string{"file", "pipe"} {
		folder := t.TempDir()
		t.Setenv("TMPDIR", folder)
		w := workload(64, map[string]any{"library": "spdlog", "sink": sink})
		w.Measure = drivers.Extent{Seconds: 600}
		roles, err := Driver.Roles(w)
		if err != nil {
			t.Fatal(err)
		}
		r := workertest.Prepare(t, w, roles)
		logger := r.Roles["logger"]
		children := childrenOf(t, logger.Command.Process.Pid)
		if want := map[string]int{"file": 0, "pipe": 1}[sink]; len(children) != want {
			t.Errorf("%s: %d children, want %d", sink, len(children), want)
		}
		logger.Send(t, protocol.Message{Type: protocol.TypeMeasure})
		logger.Kill()
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v %v", left, err)
		}
		for i := range children {
			if n, err := unix.Poll(children[i:i+1], 30_000); n != 1 {
				t.Errorf("the program at the pipe is still there: %v", err)
			}
		}
	}
}

// childrenOf returns the child processes, to be waited for.
func childrenOf(t *testing.T, parent int) (children []unix.PollFd) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		var pid, ppid int
		var state string
		_, after, _ := strings.Cut(string(text), ") ")
		if _, err := fmt.Sscan(after, &state, &ppid); err != nil || ppid != parent {
			continue
		}
		if _, err := fmt.Sscan(string(text), &pid); err != nil {
			t.Fatal(err)
		}
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Close(fd) })
		children = append(children, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
	}
	return children
}
