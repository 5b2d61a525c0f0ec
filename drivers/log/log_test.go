package log

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	stdlog "log"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/drivers/worker"
	"versus/drivers/workertest"
)

func workload(size int, options map[string]any) drivers.Workload {
	return drivers.Workload{Driver: "log", Pattern: drivers.Log, Options: options, Concurrency: 1,
		Payload: drivers.Payload{Kind: "bytes", Bytes: size}, Measure: drivers.Extent{Calls: 100}}
}

// started opens a logger as the worker does.
func started(t *testing.T, w drivers.Workload) (worker.Logger, worker.Ready) {
	t.Helper()
	if err := Driver.Verify(w); err != nil {
		t.Fatal(err)
	}
	l, _, ready, end, err := open(t.Context(), worker.Setup{Workload: w})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	})
	return l, ready
}

// combinations are all settings that the libraries of this process have.
func combinations() (all []map[string]any) {
	for _, library := range []string{"slog", "zap", "zerolog"} {
		for _, mode := range []string{"sync", "async"} {
			for _, sink := range []string{"file", "null", "pipe"} {
				for _, flush := range []any{"each", "end", 7.0} {
					o := map[string]any{"library": library, "mode": mode, "sink": sink, "flush": flush}
					if check(workload(64, o)) == nil {
						all = append(all, o)
					}
				}
			}
		}
	}
	return all
}

func name(o map[string]any) string {
	return fmt.Sprintf("%v/%v/%v/%v", o["library"], o["mode"], o["sink"], o["flush"])
}

// TestLines: of all settings every line arrives, in each of two windows, and
// nothing is left behind.
func TestLines(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, o := range combinations() {
		for _, size := range []int{0, 64, 20_000} {
			t.Run(fmt.Sprintf("%s/%d", name(o), size), func(t *testing.T) {
				l, ready := started(t, workload(size, o))
				if ready.Effective["library"] != o["library"] || ready.Effective["sink"] == "" || ready.Effective["flush"] == "" {
					t.Errorf("effective %v", ready.Effective)
				}
				for _, n := range []int64{20, 33} { // neither is a multiple of 7
					for range n {
						l.Log()
					}
					if err := l.Flush(); err != nil {
						t.Fatal(err)
					}
					want := n
					if o["sink"] == "null" {
						want = worker.LinesUnknown
					}
					if got, err := l.Lines(); err != nil || got != want {
						t.Fatalf("%d lines arrived of %d: %v", got, n, err)
					}
				}
			})
		}
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// TestFlush: what has left the process after a number of lines is what the
// setting says.
func TestFlush(t *testing.T) {
	for _, c := range []struct {
		flush any
		want  int64 // of 16 lines, before the end
	}{{"each", 16}, {5.0, 15}, {"end", 0}} {
		for _, library := range []string{"slog", "zap", "zerolog"} {
			l, _ := started(t, workload(64, map[string]any{"library": library, "flush": c.flush}))
			for range 16 {
				l.Log()
			}
			got, _, err := countLines(l.(opened).sink.out)
			if err != nil || got != c.want {
				t.Errorf("%s, flush %v: %d lines of 16 have arrived, want %d: %v", library, c.flush, got, c.want, err)
			}
		}
	}
}

// TestLayout: the line is whole and says what the settings claim.
func TestLayout(t *testing.T) {
	want, err := lineOf(drivers.Payload{Kind: "bytes", Bytes: 200})
	if err != nil || len(want) != 200 {
		t.Fatalf("line %q, %v", want, err)
	}
	for library, key := range map[string]string{"slog": "msg", "zap": "msg", "zerolog": "message"} {
		l, _ := started(t, workload(200, map[string]any{"library": library}))
		l.Log()
		text := make([]byte, 1000)
		n, _ := l.(opened).sink.out.ReadAt(text, 0)
		var got map[string]any
		if err := json.Unmarshal(bytes.TrimSpace(text[:n]), &got); err != nil {
			t.Fatalf("%s wrote %q: %v", library, text[:n], err)
		}
		if got[key] != want || len(got) != 3 {
			t.Errorf("%s wrote %v", library, got)
		}
	}
}

// TestTwoAtOnce has two loggers side by side, each with a sink of its own.
func TestTwoAtOnce(t *testing.T) {
	for _, sink := range []string{"file", "pipe"} {
		first, _ := started(t, workload(64, map[string]any{"library": "zap", "sink": sink}))
		second, _ := started(t, workload(64, map[string]any{"library": "zap", "sink": sink}))
		for i, l := range []worker.Logger{first, second, first} {
			for range i + 1 {
				l.Log()
			}
		}
		for want, l := range map[int64]worker.Logger{4: first, 2: second} {
			if err := l.Flush(); err != nil {
				t.Fatal(err)
			}
			if got, err := l.Lines(); err != nil || got != want {
				t.Errorf("%s: %d lines arrived, want %d: %v", sink, got, want, err)
			}
		}
	}
}

// TestLost: lines that can't be written are missed, by each library.
func TestLost(t *testing.T) {
	for _, flush := range []any{"each", "end"} {
		for _, library := range []string{"slog", "zap", "zerolog"} {
			l, _ := started(t, workload(64, map[string]any{"library": library, "flush": flush}))
			s := l.(opened).sink
			// A file that can't be written to takes the place of the sink's.
			full, err := os.OpenFile(filepath.Join(t.TempDir(), "full"), os.O_RDONLY|os.O_CREATE, 0o600)
			if err != nil {
				t.Fatal(err)
			}
			good := s.out
			s.out = full
			s.buffer.Reset(full)
			for range 10 {
				l.Log()
			}
			if err := l.Flush(); err != nil {
				t.Fatal(err)
			}
			s.out = good
			s.buffer.Reset(good)
			full.Close()
			for range 5 {
				l.Log()
			}
			if err := l.Flush(); err != nil {
				t.Fatal(err)
			}
			if n, err := l.Lines(); err != nil || n != 5 {
				t.Errorf("%s, flush %v: %d lines arrived, want 5: %v", library, flush, n, err)
			}
		}
	}
}

// TestQueueLosesNothing: of a queue that is never full every line arrives, also of
// callers that share too few CPUs with its reader. zerolog's own Close loses some, once in
// some thousand of these rounds.
func TestQueueLosesNothing(t *testing.T) {
	t.Cleanup(func(n int) func() { return func() { runtime.GOMAXPROCS(n) } }(runtime.GOMAXPROCS(8)))
	l, _ := started(t, workload(8, map[string]any{"library": "zerolog", "mode": "async"}))
	for range 2000 {
		var callers sync.WaitGroup
		for range 2 {
			callers.Go(func() {
				for range 3 {
					l.Log()
				}
			})
		}
		callers.Wait()
		if err := l.Flush(); err != nil {
			t.Fatal(err)
		}
		if n, err := l.Lines(); err != nil || n != 6 {
			t.Fatalf("%d lines arrived of 6: %v", n, err)
		}
	}
}

// TestQueueOverwrites: a diode whose reader is kept from reading loses lines; what
// arrives is counted.
func TestQueueOverwrites(t *testing.T) {
	stdlog.SetOutput(io.Discard) // the diode tells of collisions there
	t.Cleanup(func() { stdlog.SetOutput(os.Stderr) })
	l, ready := started(t, workload(64, map[string]any{"library": "zerolog", "mode": "async", "queue": 2.0, "sink": "pipe"}))
	if ready.Effective["queue"] != "2" || !strings.Contains(ready.Effective["mode"], "overwrites") {
		t.Errorf("effective %v", ready.Effective)
	}
	wc := l.(opened).sink.wc.Process
	workertest.Freeze(t, wc)
	const n = 2000 // the pipe itself holds 64 KiB, less than 700
	for range n {
		l.Log()
	}
	if err := wc.Signal(unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if err := l.Flush(); err != nil {
		t.Fatal(err)
	}
	if got, err := l.Lines(); err != nil || got > 1000 {
		t.Errorf("%d lines arrived: %v", got, err)
	}
}

func TestCloseWhileWriting(t *testing.T) {
	for _, sink := range []string{"file", "pipe"} {
		l, _, _, end, err := open(t.Context(), worker.Setup{Workload: workload(64, map[string]any{"library": "zap", "sink": sink})})
		if err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 1000 {
				l.Log()
			}
		}()
		if err := end(); err != nil {
			t.Error(err)
		}
		<-done
		if _, err := l.Lines(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("lines of a closed sink: %v", err)
		}
	}
}

func TestCheck(t *testing.T) {
	with := func(change func(*drivers.Workload)) drivers.Workload {
		w := workload(64, map[string]any{"library": "slog"})
		change(&w)
		return w
	}
	option := func(name string, value any) drivers.Workload {
		return with(func(w *drivers.Workload) { w.Options[name] = value })
	}
	for _, c := range []struct {
		name string
		w    drivers.Workload
		want string // "" is accepted
	}{
		{"plain", with(func(*drivers.Workload) {}), ""},
		{"a line", with(func(w *drivers.Workload) { w.Payload = drivers.Payload{Kind: "lines", Text: "a line\n"} }), ""},
		{"two lines", with(func(w *drivers.Workload) { w.Payload = drivers.Payload{Kind: "lines", Text: "one\ntwo\n"} }), "one line"},
		{"structs", with(func(w *drivers.Workload) { w.Payload.Kind = "structs" }), `"structs"`},
		{"too long", with(func(w *drivers.Workload) { w.Payload.Bytes = MaxLine + 1 }), "limit of 1048576"},
		{"too much", with(func(w *drivers.Workload) { w.Payload.Bytes, w.Measure.Calls = MaxLine, 5000 }), "above 4 GiB"},
		{"asynchronous slog", option("mode", "async"), "no asynchronous mode"},
		{"flush after some", option("flush", 10.0), ""},
		{"flush after none", option("flush", 0.0), "above 0"},
		{"flush after a part", option("flush", 1.5), "whole"},
		{"flush now and then", option("flush", "sometimes"), `"each", "end"`},
		{"flush a list", option("flush", []any{}), "must be"},
		{"zap's buffer", with(func(w *drivers.Workload) { w.Options = map[string]any{"library": "zap", "mode": "async"} }), `flush = "end"`},
		{"rpc", with(func(w *drivers.Workload) { w.Pattern = drivers.RPC }), "can't carry"},
	} {
		err := Driver.Verify(c.w)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

func TestBatch(t *testing.T) {
	for _, c := range []struct {
		rate float64
		want string
	}{{0, "32"}, {1000, "1"}} {
		w := workload(10, map[string]any{"library": "zap", "batch": 32.0})
		w.Rate = c.rate
		_, ready := started(t, w)
		if got := ready.Effective["batch"]; got != c.want {
			t.Errorf("rate %v: %s calls together, want %s", c.rate, got, c.want)
		}
	}
}

func BenchmarkLog(b *testing.B) {
	for _, o := range combinations() {
		if o["sink"] == "pipe" || o["flush"] == 7.0 {
			continue
		}
		b.Run(name(o), func(b *testing.B) {
			l, _, _, end, err := open(b.Context(), worker.Setup{Workload: workload(256, o)})
			if err != nil {
				b.Fatal(err)
			}
			defer end()
			for b.Loop() {
				l.Log()
			}
		})
	}
}
