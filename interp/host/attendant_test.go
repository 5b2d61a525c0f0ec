package host

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/drivers/protocol"
	"versus/drivers/workertest"
)

// act is a worker for the tests: it says its process, and then does what its role says.
func act(role string) int {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGPIPE)
	fmt.Println(os.Getpid())
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, protocol.MaxLine+1)
	switch role {
	case "echo": // until it is told to end
		for in.Scan() && in.Text() != "end" {
			fmt.Println(in.Text())
		}
		return 0
	case "flood":
		for {
			if _, err := fmt.Println(strings.Repeat("x", 1000)); err != nil {
				return 1
			}
		}
	case "torrent": // a line without an end
		for {
			if _, err := fmt.Print(strings.Repeat("x", 64<<10)); err != nil {
				return 1
			}
		}
	case "shut":
		os.Stdout.Close()
	case "deaf":
		os.Stdin.Close()
		fmt.Println("deaf")
	case "dead":
		fmt.Fprintln(os.Stderr, "out of luck")
		return 3
	}
	r, w, _ := os.Pipe() // it hears nothing, not even the end
	r.Read(make([]byte, 1))
	w.Close()
	return 1
}

// news is what an ear is told.
type news struct {
	line   string
	silent error
	ended  bool
}

// listener is an ear.
type listener chan news

func (l listener) Said(line []byte) bool { l <- news{line: string(line)}; return true }
func (l listener) Silent(why error)      { l <- news{silent: why} }
func (l listener) Ended()                { l <- news{ended: true} }

// next is what comes next.
func (l listener) next(t *testing.T) news {
	t.Helper()
	select {
	case n := <-l:
		return n
	case <-time.After(time.Minute):
		t.Fatal("nothing more is told")
		return news{}
	}
}

// pid is the process of a worker, which it says first.
func (l listener) pid(t *testing.T) int {
	t.Helper()
	pid, err := strconv.Atoi(l.next(t).line)
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// newFar is a host that is this machine.
func newFar(t *testing.T) *remote {
	t.Helper()
	r, err := newRemote(t.Context(), pipe("far"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	return r
}

// begin starts a worker there.
func begin(t *testing.T, r *remote, role string, ear Ear) Process {
	t.Helper()
	p, err := r.start("fake", drivers.Role{Name: role}, ear)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func tell(t *testing.T, p Process, text string, after ...After) {
	t.Helper()
	if err := p.Send(t.Context(), []byte(text+"\n"), after...); err != nil {
		t.Error(err)
	}
}

// Lines wait there for others, also for those that are sent later, and what is told
// comes in the order in which it happened.
func TestLinesWaitForOthers(t *testing.T) {
	r, all := newFar(t), make(listener, 100)
	a, b := begin(t, r, "echo", all), begin(t, r, "echo", all)
	all.pid(t)
	all.pid(t)
	tell(t, b, "b2", After{a, 3})
	tell(t, b, "b3", After{b, 2}, After{a, 0})
	tell(t, a, "a2")
	tell(t, a, "a3")
	tell(t, a, "end", After{b, 2})
	tell(t, b, "end", After{b, 3})
	var got []string
	for ended := 0; ended < 2; {
		switch n := all.next(t); {
		case n.ended:
			got = append(got, "ended")
			ended++
		case n.silent == nil:
			got = append(got, n.line)
		}
	}
	if want := []string{"a2", "a3", "b2", "ended", "b3", "ended"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, p := range []Process{a, b} {
		p.Kill()
		p.Reap()
		if !p.State().Success() {
			t.Error(p.State())
		}
	}
	// Those of another run know nothing of them.
	c := begin(t, r, "echo", all)
	all.pid(t)
	tell(t, c, "never", After{a, 1})
	c.Kill()
	for n := all.next(t); !n.ended; n = all.next(t) {
		if n.line != "" {
			t.Errorf("it says %q", n.line)
		}
	}
}

// A long line passes whole, both ways, and the longest one is the protocol's.
func TestLongLinesThroughAPipe(t *testing.T) {
	ear := make(listener, 10)
	p := begin(t, newFar(t), "echo", ear)
	ear.pid(t)
	for _, size := range []int{1, 64 << 10, maxLine, protocol.MaxLine} {
		text := strings.Repeat("y", size)
		tell(t, p, text)
		if got := ear.next(t).line; got != text {
			t.Errorf("%d bytes of %d", len(got), size)
		}
	}
}

// What a worker does wrong on a host.
func TestWorkersThereThatFail(t *testing.T) {
	r := newFar(t)
	for role, want := range map[string]struct {
		silent, state, words string
	}{
		"shut":    {"EOF", "signal: killed", ""},
		"deaf":    {"it no longer reads its standard input", "signal: killed", ""},
		"torrent": {"a line longer than 8388608 bytes", "signal: killed", ""},
		"dead":    {"EOF", "exit status 3", "out of luck"},
		"":        {"", "signal: killed", ""},
	} {
		t.Run(role, func(t *testing.T) {
			ear := make(listener, 10)
			p := begin(t, r, role, ear)
			pid := ear.pid(t)
			if role == "deaf" {
				if n := ear.next(t); n.line != "deaf" {
					t.Fatalf("%+v", n)
				}
				tell(t, p, "hello?")
			}
			if want.silent != "" {
				if n := ear.next(t); n.silent == nil || !strings.HasPrefix(n.silent.Error(), want.silent) {
					t.Errorf("%+v, want %q", n, want.silent)
				}
			}
			if role != "dead" {
				p.Kill()
			}
			n := ear.next(t)
			for !n.ended {
				n = ear.next(t)
			}
			p.Reap()
			if got := p.State().String(); got != want.state || p.Words() != want.words {
				t.Errorf("%q %q, want %+v", got, p.Words(), want)
			}
			workertest.Ended(t, pid)
		})
	}
}

// A worker that says more than anybody wants to hear waits, and nobody else does for it.
func TestFloodOfAWorker(t *testing.T) {
	r, flood, other := newFar(t), make(listener), make(listener, 10)
	p := begin(t, r, "flood", flood)
	flood.pid(t)
	done := make(chan bool)
	go func() { // as long as there is something to hear
		for n := range flood {
			if n.ended {
				close(done)
				return
			}
		}
	}()
	echo := begin(t, r, "echo", other)
	other.pid(t)
	for i := range 100 {
		tell(t, echo, fmt.Sprint(i))
		if n := other.next(t); n.line != fmt.Sprint(i) {
			t.Errorf("%+v, want %d", n, i)
		}
	}
	p.Kill()
	<-done
	p.Reap()
	if text := p.State().String(); text != "signal: killed" {
		t.Error(text)
	}
}

// Nobody wants to hear the flood: it is stopped all the same.
func TestFloodThatNobodyHears(t *testing.T) {
	r, flood := newFar(t), make(listener)
	p := begin(t, r, "flood", flood)
	pid := flood.pid(t)
	p.Kill() // what was said before its end comes all the same
	for n := flood.next(t); !n.ended; n = flood.next(t) {
	}
	p.Reap()
	workertest.Ended(t, pid)
}

// No worker outlives its connection: that ended, that broke, or whose end here was
// killed, also if it does not hear that its input has ended.
func TestWorkersEndWithTheConnection(t *testing.T) {
	for name, end := range map[string]func(*remote){
		"closed":           (*remote).close,
		"attendant killed": func(r *remote) { unix.Kill(r.lines.cmd.Process.Pid, unix.SIGKILL) },
		"cut":              func(r *remote) { r.lines.in.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			r, err := newRemote(t.Context(), pipe("far"))
			if err != nil {
				t.Fatal(err)
			}
			hard, soft := make(listener, 10), make(listener, 10)
			begin(t, r, "", hard)
			p := begin(t, r, "echo", soft)
			pids := []int{hard.pid(t), soft.pid(t)}
			end(r)
			for _, pid := range pids {
				workertest.Ended(t, pid)
			}
			for n := soft.next(t); !n.ended; n = soft.next(t) {
			}
			p.Reap()
			if name == "attendant killed" {
				if text := p.State().String(); p.State().Success() || text != "the connection to its host ended: env ended" {
					t.Errorf("%q", text)
				}
				if _, err := r.start("fake", drivers.Role{Name: "echo"}, soft); err == nil || err.Error() != "the connection to its host ended: env ended" {
					t.Errorf("another worker: %v", err)
				}
			}
			if name != "closed" {
				r.close()
			}
		})
	}
}

// An attendant that says what can't be is none.
func TestAttendantThatLies(t *testing.T) {
	for text, want := range map[string]string{
		`{"worker":7,"ended":{}}`:               "it speaks of a worker 7, which is not there",
		`{"worker":1,"said":3}\nabc`:            "a line is not as long as it is said to be",
		`{"worker":1,"said":90000000}`:          "a line of 90000000 bytes",
		`{"clock":1}\n{"clock":1}\n{"clock":1}`: "it answers what it was not asked",
		"Segmentation fault":                    `it says "Segmentation fault", which versus does not understand`,
	} {
		wire, err := openWire([]string{"sh", "-c", `printf '\n` + greeting + `\n'; read start; printf '` + text + `\n\n\n'; exec cat >/dev/null`})
		if err != nil {
			t.Fatal(err)
		}
		lines, err := newAttendant(t.Context(), wire)
		if err != nil {
			t.Fatal(err)
		}
		ear := make(listener, 10)
		p, err := lines.start(order{}, ear)
		if err != nil {
			t.Fatal(err)
		}
		if n := ear.next(t); !n.ended {
			t.Errorf("%+v", n)
		}
		p.Reap()
		if got := p.State().String(); !strings.Contains(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
		lines.close()
	}
}

// Both sides read what comes as if anybody could have sent it: no line is longer than it
// may be, and what can't be understood is an error.
func FuzzQuestions(f *testing.F) {
	f.Add([]byte("{}\n{\"worker\":1,\"pass\":{\"size\":3,\"after\":[{\"worker\":2,\"lines\":1}]}}\nab\n"))
	f.Add([]byte("{\"worker\":1,\"pass\":{\"size\":-1}}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for r := bufio.NewReaderSize(bytes.NewReader(text), maxLine); ; {
			q, line, err := readQuestion(r)
			if err != nil {
				return
			}
			if q.Pass != nil && (len(line) != q.Pass.Size || line[len(line)-1] != '\n') || q.Pass == nil && line != nil {
				t.Fatalf("%+v with %q", q, line)
			}
		}
	})
}

func FuzzReplies(f *testing.F) {
	f.Add([]byte("{\"clock\":5}\n{\"worker\":1,\"said\":3}\nab\n{\"worker\":1,\"silent\":\"\"}\n{\"worker\":1,\"ended\":{\"status\":9}}\n"))
	f.Add([]byte("{\"worker\":1,\"said\":99999999}\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var buffer []byte
		for r := bufio.NewReaderSize(bytes.NewReader(text), maxLine); ; {
			a, line, err := readReply(r, buffer)
			if err != nil {
				if len(err.Error()) > 1000 && !errors.Is(err, io.EOF) {
					t.Fatalf("an error of %d bytes", len(err.Error()))
				}
				return
			}
			if a.Said != nil && len(line) != *a.Said-1 || a.Said == nil && line != nil {
				t.Fatalf("%+v with %q", a, line)
			}
			if a.Ended != nil && len(a.Ended.String()) > 2*maxText {
				t.Fatalf("an end in %d bytes", len(a.Ended.String()))
			}
			buffer = line
		}
	})
}
