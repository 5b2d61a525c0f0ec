package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/mattn/go-runewidth"

	"versus/interp/journal"
	"versus/interp/run"
)

func started(n int) run.Started {
	return run.Started{Position: run.Position{Number: n, Total: 24, Cell: "测试[backend=grpc,payload=8KiB]", Left: 75 * time.Second}}
}

func finished(backend string, latency float64) run.Finished {
	return run.Finished{Position: run.Position{Number: 1, Total: 24, Cell: "c", Left: time.Minute}, Backend: backend, Status: journal.OK, Latency: latency, Took: 1.5}
}

// On a terminal of any width, which may change while it runs, the line is never
// wider than the terminal, and says first what matters most.
func TestProgressFitsTheTerminal(t *testing.T) {
	var out bytes.Buffer
	width := 0
	p := newProgress(&app{err: &out}, false)
	p.width = func() int { return width }
	p.event(finished("grpc", 81e-6))
	out.Reset()
	for _, width = range []int{200, 20, 1, 37, 80, 5, 40} {
		p.event(started(12))
		line := strings.TrimPrefix(out.String(), "\r\x1b[K")
		out.Reset()
		if n := runewidth.StringWidth(line); n > max(width-1, 1) {
			t.Errorf("at %d columns it writes %d: %q", width, n, line)
		}
		if width >= 20 && !strings.Contains(line, " 12/24, 1m15s") {
			t.Errorf("at %d columns: %q", width, line)
		}
		if width >= 40 && !strings.Contains(line, " left | grpc 81us") {
			t.Errorf("at %d columns: %q", width, line)
		}
		if width == 200 && !strings.HasSuffix(line, "测试[backend=grpc,payload=8KiB]") {
			t.Errorf("at %d columns: %q", width, line)
		}
	}
	width = 20
	p.event(run.Measuring{Link: "transatlantic"})
	if got, want := out.String(), "\r\x1b[Kmeasuring link tran"; got != want {
		t.Errorf("a link: %q, want %q", got, want)
	}
	out.Reset()
	width = 80
	p.event(run.Warning{Text: "evil\x1b[2J"})
	if got, want := out.String(), "\r\x1b[Kwarning: evil\\x1b[2J\n"; got != want {
		t.Errorf("a warning: %q, want %q", got, want)
	}
}

// Where no line can be written over, each run has one, without escapes.
func TestProgressInLogs(t *testing.T) {
	var out bytes.Buffer
	p := newProgress(&app{err: &out}, false)
	p.event(started(1))
	p.event(finished("grpc", 81e-6))
	p.end()
	if got, want := out.String(), "[1/24] c run 1: 1.50 s, 1m0s left\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, c := range []struct {
		env  map[string]string
		want bool
	}{
		{nil, true}, {map[string]string{"TERM": "xterm"}, true}, {map[string]string{"TERM": "dumb"}, false},
		{map[string]string{"CI": "true"}, false}, {map[string]string{"CI": "false"}, true}, {map[string]string{"NO_COLOR": "1"}, true},
	} {
		if got := rewritable(func(k string) string { return c.env[k] }); got != c.want {
			t.Errorf("%v: %v", c.env, got)
		}
	}
}
