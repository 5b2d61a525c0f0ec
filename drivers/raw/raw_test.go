package raw

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/drivers/protocol"
	"versus/drivers/worker"
	"versus/drivers/workertest"
)

// all are the drivers of this package with their workers.
var all = []struct {
	drivers.Driver
	roles worker.Roles
}{{TCP, TCPRoles}, {Unix, UnixRoles}, {SHM, SHMRoles}}

// playRole has this program be the worker of "DRIVER ROLE".
const playRole = "VERSUS_TEST_ROLE"

func TestMain(m *testing.M) {
	if name, role, ok := strings.Cut(os.Getenv(playRole), " "); ok {
		for _, d := range all {
			if d.Name == name {
				os.Exit(worker.Main(name, role, d.roles, os.Stdin, os.Stdout))
			}
		}
	}
	os.Exit(m.Run())
}

func workload(driver string, p drivers.Pattern, size int) drivers.Workload {
	return drivers.Workload{Driver: driver, Pattern: p, Concurrency: 1, Topics: 1, Options: map[string]any{},
		Payload: drivers.Payload{Kind: "bytes", Bytes: size},
		Warmup:  drivers.Extent{Calls: 10}, Measure: drivers.Extent{Calls: 300}}
}

// processes returns the roles of a workload, each a process of this program.
func processes(t testing.TB, d drivers.Driver, w drivers.Workload) []drivers.Role {
	t.Helper()
	if err := d.Verify(w); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	rs, err := d.Roles(w)
	if err != nil {
		t.Fatal(err)
	}
	for i := range rs {
		rs[i].Command = []string{self}
		// The race detector would wait for a second at the end of each.
		rs[i].Env = append(rs[i].Env, playRole+"="+d.Name+" "+rs[i].Name, "GORACE=atexit_sleep_ms=0")
	}
	return rs
}

func TestCalls(t *testing.T) {
	for _, d := range all {
		for _, c := range []struct {
			name string
			mod  func(*drivers.Workload)
		}{
			{"one caller", func(*drivers.Workload) {}},
			{"nothing in it", func(w *drivers.Workload) { w.Payload.Bytes = 0 }},
			{"large", func(w *drivers.Workload) { w.Payload.Bytes, w.Measure.Calls = 1<<20, 20 }},
			{"more callers than CPUs", func(w *drivers.Workload) { w.Concurrency = 5 }},
			{"at a rate", func(w *drivers.Workload) { w.Concurrency, w.Rate, w.InFlight = 2, 1000, 3 }},
			{"through the poller", func(w *drivers.Workload) { w.Options["wait"], w.Concurrency = "poller", 3 }},
			{"spinning first", func(w *drivers.Workload) { w.Options["spin"] = 5e-6 }},
			{"two threads", func(w *drivers.Workload) { w.Options["gomaxprocs"], w.Concurrency = 2.0, 3 }},
		} {
			t.Run(d.Name+"/"+c.name, func(t *testing.T) {
				w := workload(d.Name, drivers.RPC, 512)
				c.mod(&w)
				run := workertest.Prepare(t, w, processes(t, d.Driver, w))
				r := run.Measure(t)["client"]
				if r.Sent != w.Measure.Calls || r.Received != w.Measure.Calls || len(r.Errors)+len(r.Flags) > 0 {
					t.Errorf("sent %d, received %d, errors %v, flags %v", r.Sent, r.Received, r.Errors, r.Flags)
				}
				if e := run.Effective["client"]; e["transport"] == "" || e["transport"] != run.Effective["server"]["transport"] {
					t.Errorf("effective %v", run.Effective)
				}
			})
		}
	}
}

func TestMessages(t *testing.T) {
	for _, d := range all {
		for _, c := range []struct {
			name string
			mod  func(*drivers.Workload)
		}{
			{"flood", func(*drivers.Workload) {}},
			{"flood through few slots", func(w *drivers.Workload) { w.Options["queue"] = 3.0 }},
			{"large", func(w *drivers.Workload) { w.Payload.Bytes, w.Measure.Calls = 1<<20, 20 }},
			{"through the poller", func(w *drivers.Workload) { w.Options["wait"], w.Topics = "poller", 3 }},
			{"topics at a rate", func(w *drivers.Workload) { w.Topics, w.Rate = 5, 500 }},
		} {
			t.Run(d.Name+"/"+c.name, func(t *testing.T) {
				w := workload(d.Name, drivers.PubSub, 512)
				c.mod(&w)
				results := workertest.Prepare(t, w, processes(t, d.Driver, w)).Measure(t)
				sent, got := results["publisher"], results["subscriber"]
				if sent.Sent != w.Measure.Calls || got.Received != w.Measure.Calls || got.Lost+got.Duplicated+got.Reordered+got.Negative != 0 {
					t.Errorf("sent %d, received %d, lost %d, duplicated %d, reordered %d, negative %d",
						sent.Sent, got.Received, got.Lost, got.Duplicated, got.Reordered, got.Negative)
				}
			})
		}
	}
}

// TestTwoAtOnce has two runs side by side, which must not see each other.
func TestTwoAtOnce(t *testing.T) {
	for _, d := range all {
		w := workload(d.Name, drivers.PubSub, 64)
		first := workertest.Prepare(t, w, processes(t, d.Driver, w))
		second := workertest.Prepare(t, w, processes(t, d.Driver, w))
		for _, run := range []*workertest.Run{second, first} {
			if r := run.Measure(t)["subscriber"]; r.Received != w.Measure.Calls || r.Lost+r.Duplicated+r.Reordered != 0 || len(r.Flags) > 0 {
				t.Errorf("%s: received %d, lost %d, duplicated %d, %q", d.Name, r.Received, r.Lost, r.Duplicated, r.Flags)
			}
		}
	}
}

// TestPeerKilled: calls fail in time, and say why. The next run works.
func TestPeerKilled(t *testing.T) {
	for _, d := range all {
		t.Run(d.Name, func(t *testing.T) {
			w := workload(d.Name, drivers.RPC, 64)
			w.Measure = drivers.Extent{Seconds: 600}
			run := workertest.Prepare(t, w, processes(t, d.Driver, w))
			client := run.Roles["client"]
			client.Ask(t, protocol.Message{Type: protocol.TypeWarmUp}, protocol.TypeWarm)
			client.Send(t, protocol.Message{Type: protocol.TypeMeasure})
			run.Roles["server"].Kill()
			m := client.Expect(t, protocol.TypeError)
			if !strings.Contains(m.Error, "gave up after") {
				t.Errorf("error %q", m.Error)
			}
			client.Stop(t)
			w.Measure = drivers.Extent{Calls: 100}
			if r := workertest.Prepare(t, w, processes(t, d.Driver, w)).Measure(t)["client"]; r.Received != 100 {
				t.Errorf("the run after it: received %d of 100", r.Received)
			}
		})
	}
}

func TestNobodyThere(t *testing.T) {
	for _, d := range all {
		connect := d.roles["client"].(worker.ClientFunc)
		for _, address := range []string{"", "127.0.0.1:1", "@versus-nobody"} {
			s := worker.Setup{Workload: workload(d.Name, drivers.RPC, 64),
				Peers: map[string]map[string]string{"server": {"address": address, "memory": "/nowhere", "pid": fmt.Sprint(os.Getpid())}}}
			if _, _, _, err := connect(t.Context(), s, 1); err == nil {
				t.Errorf("%s: connected to %q", d.Name, address)
			}
		}
	}
}

// TestForeignFrames: a length that is too large, a short frame and an answer of
// another size are errors.
func TestForeignFrames(t *testing.T) {
	frame := func(claim, size int) []byte {
		b := make([]byte, headerSize+size)
		binary.LittleEndian.PutUint32(b, uint32(claim))
		return b
	}
	for _, c := range []struct {
		name   string
		answer []byte
		want   string
	}{
		{"too large", frame(MaxPayload+1, 0), "none of ours"},
		{"short", frame(10, 5), io.ErrUnexpectedEOF.Error()},
		{"other size", frame(9, 9), "9 bytes instead of 10"},
		{"nothing", nil, "EOF"},
	} {
		here, there := net.Pipe()
		go func() {
			_, _ = io.ReadFull(there, make([]byte, headerSize+10))
			_, _ = there.Write(c.answer)
			there.Close()
		}()
		caller := &caller{here, newFrame(0, 10), newFrames(here)}
		if err := caller.Call(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// newRing returns both ends of a ring.
func newRing(t testing.TB, slots, size int, spin time.Duration) (in, out *ring) {
	t.Helper()
	m, err := createMemory(ringSize(slots, size))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.close() })
	end := func() *ring { return ringAt(m.bytes, slots, size, spin, func() error { return nil }) }
	return end(), end()
}

// TestRing: whatever the number of slots and the way to wait, all messages
// arrive whole and in order, also where the counts overflow.
func TestRing(t *testing.T) {
	for _, slots := range []int{1, 2, 16} {
		for _, spin := range []time.Duration{0, 20 * time.Microsecond} {
			in, out := newRing(t, slots, 100, spin)
			start := uint32(1<<32 - 100)
			in.written.Store(start)
			in.read.Store(start)
			const n = 1000
			var writing sync.WaitGroup
			writing.Go(func() {
				for i := range n {
					if err := in.put(fmt.Appendf(nil, "%0*d", i%90+4, i)); err != nil {
						t.Error(err)
					}
				}
			})
			for i := range n {
				got, err := out.peek()
				if want := fmt.Sprintf("%0*d", i%90+4, i); err != nil || string(got) != want {
					t.Fatalf("%d slots: got %q, want %q: %v", slots, got, want, err)
				}
				out.take()
			}
			writing.Wait()
		}
	}
}

func TestRingRefuses(t *testing.T) {
	in, out := newRing(t, 1, 100, 0)
	if err := in.put(make([]byte, 100)); err != nil {
		t.Fatal(err)
	}
	out.data[1] = 1 // a length that another process has spoilt
	if _, err := out.peek(); err == nil || !strings.Contains(err.Error(), "in a slot of") {
		t.Errorf("error %v", err)
	}
	broken := errors.New("broken")
	in.broken = func() error { return broken }
	for range 2 {
		if err := in.put(nil); !errors.Is(err, broken) {
			t.Errorf("a full ring: error %v", err)
		}
	}
	m, err := createMemory(8192)
	if err != nil {
		t.Fatal(err)
	}
	defer m.close()
	if _, err := openMemory(m.path(), 4096); err == nil || !strings.Contains(err.Error(), "4096 bytes") {
		t.Errorf("memory of another size: %v", err)
	}
	unix.Munmap(m.bytes)
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name string
		mod  func(*drivers.Workload)
		want map[string]string // by driver; "" is accepted
	}{
		{"oneway", func(w *drivers.Workload) { w.Call = "oneway" }, map[string]string{"tcp": `"oneway"`, "unix": `"oneway"`, "shm": `"oneway"`}},
		{"structs", func(w *drivers.Workload) { w.Payload.Kind = "structs" }, map[string]string{"tcp": "structs", "unix": "structs", "shm": "structs"}},
		{"too large", func(w *drivers.Workload) { w.Payload.Bytes = MaxPayload + 1 }, map[string]string{"tcp": "64 MiB", "unix": "64 MiB", "shm": "64 MiB"}},
		{"no room for the stamp", func(w *drivers.Workload) { w.Pattern, w.Payload.Bytes = drivers.PubSub, 31 }, map[string]string{"tcp": "31 bytes", "unix": "31 bytes", "shm": "31 bytes"}},
		{"loan", func(w *drivers.Workload) { w.Pattern, w.Transfer = drivers.PubSub, "loan" }, map[string]string{"tcp": "copies", "unix": "copies", "shm": "copies"}},
		{"many callers", func(w *drivers.Workload) { w.Concurrency = 300 }, map[string]string{"tcp": "", "unix": "", "shm": "256 at most"}},
		{"many in flight", func(w *drivers.Workload) { w.Concurrency, w.Rate = 17, 10 }, map[string]string{"tcp": "", "unix": "", "shm": "272 callers"}},
		{"too many threads", func(w *drivers.Workload) { w.Concurrency = 1001 }, map[string]string{"tcp": "1000 at most", "unix": "1000 at most", "shm": "256 at most"}},
		{"many connections", func(w *drivers.Workload) { w.Concurrency, w.Options["wait"] = 1001, "poller" }, map[string]string{"tcp": "", "unix": "", "shm": "256 at most"}},
		{"much memory", func(w *drivers.Workload) { w.Concurrency, w.Payload.Bytes = 20, MaxPayload }, map[string]string{"tcp": "", "unix": "", "shm": "1 GiB"}},
		{"log", func(w *drivers.Workload) { w.Pattern = drivers.Log }, map[string]string{"tcp": "can't carry", "unix": "can't carry", "shm": "can't carry"}},
	} {
		for _, d := range all {
			w := workload(d.Name, drivers.RPC, 64)
			c.mod(&w)
			err := d.Verify(w)
			if want := c.want[d.Name]; (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %s: error %v, want %q", d.Name, c.name, err, want)
			}
		}
	}
}
