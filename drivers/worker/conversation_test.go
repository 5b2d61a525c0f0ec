package worker_test

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"versus/drivers"
	"versus/drivers/grpc"
	"versus/drivers/protocol"
	"versus/drivers/worker"
)

// talk is the interpreter's end of a conversation with a worker in this process.
type talk struct {
	t      testing.TB
	in     io.WriteCloser
	enc    *protocol.Encoder
	dec    *protocol.Decoder
	status chan int
	stderr string // of a process, once it has ended
}

// begin starts a worker and reads its hello.
func begin(t *testing.T, driver, role string, roles worker.Roles) *talk {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	k := &talk{t: t, in: inW, enc: protocol.NewEncoder(inW), dec: protocol.NewDecoder(outR), status: make(chan int, 1)}
	go func() {
		k.status <- worker.Main(driver, role, roles, inR, outW)
		inR.Close()
		outW.Close()
	}()
	hello := k.read(protocol.TypeHello)
	if hello.Protocol != protocol.Version || hello.Worker != driver+" "+role || hello.PID != os.Getpid() {
		t.Errorf("hello %+v", hello)
	}
	return k
}

func (k *talk) send(m protocol.Message) {
	k.t.Helper()
	if err := k.enc.Encode(m); err != nil {
		k.t.Fatal(err)
	}
}

// read reads a message of the given type.
func (k *talk) read(want string) protocol.Message {
	k.t.Helper()
	m, err := k.dec.Decode()
	if err != nil {
		k.t.Fatal(err)
	}
	if m.Type != want {
		k.t.Fatalf("got %q (%s), want %q", m.Type, m.Error, want)
	}
	if m.Result != nil {
		if err := m.Result.Validate(); err != nil {
			k.t.Errorf("the result is refused: %v", err)
		}
	}
	return m
}

func (k *talk) ask(m protocol.Message, want string) protocol.Message {
	k.t.Helper()
	k.send(m)
	return k.read(want)
}

func (k *talk) say(typ, want string) protocol.Message {
	k.t.Helper()
	return k.ask(protocol.Message{Type: typ}, want)
}

func (k *talk) prepare(w drivers.Workload, peers map[string]map[string]string) protocol.Message {
	k.t.Helper()
	return k.ask(protocol.Message{Type: protocol.TypePrepare, Workload: &w, Peers: peers}, protocol.TypeReady)
}

// stop ends the worker and checks its status.
func (k *talk) stop() {
	k.t.Helper()
	k.send(protocol.Message{Type: protocol.TypeStop})
	if s := <-k.status; s != 0 {
		k.t.Errorf("status %d after stop", s)
	}
}

func workload(mod func(*drivers.Workload)) drivers.Workload {
	w := drivers.Workload{
		Driver: "test", Pattern: drivers.RPC, Concurrency: 1, Call: "twoway",
		Payload: drivers.Payload{Kind: "bytes", Bytes: 100},
		Warmup:  drivers.Extent{Calls: 3}, Measure: drivers.Extent{Calls: 20},
	}
	if mod != nil {
		mod(&w)
	}
	return w
}

// TestConversation has a whole run of the real gRPC driver, in each mode.
func TestConversation(t *testing.T) {
	for _, c := range []struct {
		name string
		mod  func(*drivers.Workload)
		want int64 // calls; 0 is any
	}{
		{"closed loop by number", func(w *drivers.Workload) { w.Concurrency = 3; w.Measure.Calls = 100 }, 100},
		{"closed loop by time", func(w *drivers.Workload) { w.Measure = drivers.Extent{Seconds: 0.05} }, 0},
		{"open loop by number", func(w *drivers.Workload) { w.Concurrency = 3; w.Rate = 1000; w.Measure.Calls = 100 }, 100},
		{"open loop by time", func(w *drivers.Workload) {
			w.Concurrency, w.Rate, w.InFlight, w.Measure = 2, 500, 3, drivers.Extent{Seconds: 0.1}
		}, 100},
		{"no warm-up", func(w *drivers.Workload) { w.Warmup = drivers.Extent{} }, 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := workload(c.mod)
			server := begin(t, "grpc", "server", grpc.Roles)
			serverReady := server.prepare(w, nil)
			client := begin(t, "grpc", "client", grpc.Roles)
			ready := client.prepare(w, map[string]map[string]string{"server": serverReady.Addresses})
			for _, key := range []string{"go", "gomaxprocs", "cpus", "transport", "google.golang.org/grpc"} {
				if ready.Effective[key] == "" {
					t.Errorf("the client doesn't report %q", key)
				}
			}
			client.say(protocol.TypeWarmUp, protocol.TypeWarm)
			server.say(protocol.TypeMeasure, protocol.TypeMeasuring)
			r := client.say(protocol.TypeMeasure, protocol.TypeResult).Result
			s := server.say(protocol.TypeFinish, protocol.TypeResult).Result
			client.stop()
			server.stop()

			checkRPC(t, w, r, c.want)
			if s.Elapsed < r.Elapsed {
				t.Errorf("the server's window of %v s is shorter than the client's of %v s", s.Elapsed, r.Elapsed)
			}
			if s.PeakMemory < 1<<20 || r.PeakMemory < 1<<20 {
				t.Errorf("peak memory %d and %d", s.PeakMemory, r.PeakMemory)
			}
		})
	}
}

func checkRPC(t *testing.T, w drivers.Workload, r *protocol.Result, want int64) {
	t.Helper()
	if want != 0 && r.Sent != want || r.Sent == 0 || r.Received != r.Sent || r.Latency.Count != r.Sent {
		t.Errorf("sent %d, received %d, recorded %d; want %d", r.Sent, r.Received, r.Latency.Count, want)
	}
	if len(r.Errors) != 0 {
		t.Errorf("errors %v, flags %q", r.Errors, r.Flags)
	}
	if w.Rate == 0 {
		if r.Service != nil || r.SendLag != nil || r.Offered != 0 {
			t.Error("a closed loop has no service time, send lag or offered rate")
		}
		return
	}
	if r.Service.Count != r.Sent || r.SendLag.Count != r.Sent || r.Offered != w.Rate*float64(w.Concurrency) {
		t.Errorf("service %d, lag %d, offered %v", r.Service.Count, r.SendLag.Count, r.Offered)
	}
	if r.Latency.Sum != r.Service.Sum+r.SendLag.Sum {
		t.Errorf("latency %d is not service %d plus lag %d", r.Latency.Sum, r.Service.Sum, r.SendLag.Sum)
	}
}

// stub makes a client of callers that call f.
func stub(f func() error) worker.Roles {
	return worker.Roles{"client": worker.ClientFunc(
		func(_ context.Context, _ worker.Setup, n int) ([]worker.Caller, worker.Ready, func() error, error) {
			callers := make([]worker.Caller, n)
			for i := range callers {
				callers[i] = callFunc(f)
			}
			return callers, worker.Ready{}, func() error { return nil }, nil
		})}
}

type callFunc func() error

func (f callFunc) Call() error { return f() }

func TestRefusals(t *testing.T) {
	roles := stub(func() error { return nil })
	w := workload(nil)
	prepare := protocol.Message{Type: protocol.TypePrepare, Workload: &w}
	for _, c := range []struct {
		name string
		send []protocol.Message
		want string
	}{
		{"measure first", []protocol.Message{{Type: protocol.TypeMeasure}}, "out of order"},
		{"prepare twice", []protocol.Message{prepare, prepare}, "out of order"},
		{"finish of an active role", []protocol.Message{prepare, {Type: protocol.TypeMeasure}, {Type: protocol.TypeFinish}}, "out of order"},
		{"measure twice", []protocol.Message{prepare, {Type: protocol.TypeMeasure}, {Type: protocol.TypeMeasure}}, "out of order"},
		{"a worker's message", []protocol.Message{{Type: protocol.TypeWarm}}, "out of order"},
		{"after an error", []protocol.Message{{Type: protocol.TypeWarm}, prepare}, "out of order"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := begin(t, "test", "client", roles)
			for i, m := range c.send {
				k.send(m)
				answer, err := k.dec.Decode()
				if err != nil {
					t.Fatal(err)
				}
				if i == len(c.send)-1 && (answer.Type != protocol.TypeError || !strings.Contains(answer.Error, c.want)) {
					t.Errorf("answer %q %q, want an error with %q", answer.Type, answer.Error, c.want)
				}
			}
			k.stop()
		})
	}
}

func TestImpossibleWorkloads(t *testing.T) {
	for name, mod := range map[string]func(*drivers.Workload){
		"negative concurrency": func(w *drivers.Workload) { w.Concurrency = -1 },
		"too many callers":     func(w *drivers.Workload) { w.Concurrency, w.InFlight, w.Rate = 1<<31, 1<<33, 1 },
		"too many topics":      func(w *drivers.Workload) { w.Topics = 70000 },
		"negative rate":        func(w *drivers.Workload) { w.Rate = -1 },
		"enormous rate":        func(w *drivers.Workload) { w.Rate = 1e300 },
		"negative payload":     func(w *drivers.Workload) { w.Payload.Bytes = -1 },
		"no window":            func(w *drivers.Workload) { w.Measure = drivers.Extent{} },
		"two extents":          func(w *drivers.Workload) { w.Warmup = drivers.Extent{Seconds: 1, Calls: 1} },
		"negative time":        func(w *drivers.Workload) { w.Measure = drivers.Extent{Seconds: -1} },
		"endless":              func(w *drivers.Workload) { w.Measure = drivers.Extent{Seconds: 1e18} },
	} {
		t.Run(name, func(t *testing.T) {
			k := begin(t, "test", "client", stub(func() error { return nil }))
			w := workload(mod)
			k.ask(protocol.Message{Type: protocol.TypePrepare, Workload: &w}, protocol.TypeError)
			k.stop()
		})
	}
}

func TestUnknownRole(t *testing.T) {
	var out strings.Builder
	if s := worker.Main("grpc", "broker", grpc.Roles, strings.NewReader(""), &out); s != 1 {
		t.Errorf("status %d", s)
	}
	if !strings.Contains(out.String(), `no role \"broker\"; it has: client, server`) {
		t.Error(out.String())
	}
}

func TestRoleOfAWrongType(t *testing.T) {
	k := begin(t, "test", "client", worker.Roles{"client": func() {}})
	w := workload(nil)
	if m := k.ask(protocol.Message{Type: protocol.TypePrepare, Workload: &w}, protocol.TypeError); !strings.Contains(m.Error, "worker.ServerFunc") {
		t.Error(m.Error)
	}
	k.stop()
}

func TestGarbageIn(t *testing.T) {
	k := begin(t, "test", "client", stub(func() error { return nil }))
	io.WriteString(k.in, "GET / HTTP/1.1\r\n")
	if m := k.read(protocol.TypeError); !strings.Contains(m.Error, "GET / HTTP/1.1") {
		t.Error(m.Error)
	}
	if s := <-k.status; s != 1 {
		t.Errorf("status %d", s)
	}
}

func TestPanicIsAnError(t *testing.T) {
	calls := 0
	k := begin(t, "test", "client", stub(func() error {
		if calls++; calls == 5 {
			panic("the driver is broken")
		}
		return nil
	}))
	k.prepare(workload(nil), nil)
	k.say(protocol.TypeWarmUp, protocol.TypeWarm)
	if m := k.say(protocol.TypeMeasure, protocol.TypeError); !strings.Contains(m.Error, "the driver is broken") {
		t.Error(m.Error)
	}
	k.stop()
}

// TestEndOfInput ends the input in each phase; the worker must end too, even
// when its role is busy and never returns.
func TestEndOfInput(t *testing.T) {
	busy, block := make(chan struct{}, 64), make(chan struct{})
	t.Cleanup(func() { close(block) })
	stuck := stub(func() error { busy <- struct{}{}; <-block; return nil })
	stuckPrepare := worker.Roles{"client": worker.ServerFunc(
		func(context.Context, worker.Setup) (worker.Ready, func() error, error) {
			busy <- struct{}{}
			<-block
			return worker.Ready{}, nil, nil
		})}
	ok := stub(func() error { return nil })
	closed := make(chan struct{}, 1)
	passive := worker.Roles{"client": worker.ServerFunc(
		func(context.Context, worker.Setup) (worker.Ready, func() error, error) {
			return worker.Ready{}, func() error { closed <- struct{}{}; return nil }, nil
		})}
	w := workload(nil)
	prepare := protocol.Message{Type: protocol.TypePrepare, Workload: &w}
	open := workload(func(w *drivers.Workload) { w.Rate = 0.001 })

	for _, c := range []struct {
		name  string
		roles worker.Roles
		play  func(k *talk)
	}{
		{"hello", ok, func(k *talk) {}},
		{"preparing", stuckPrepare, func(k *talk) { k.send(prepare); <-busy }},
		{"ready", ok, func(k *talk) { k.prepare(w, nil) }},
		{"warming up", stuck, func(k *talk) { k.prepare(w, nil); k.send(protocol.Message{Type: protocol.TypeWarmUp}); <-busy }},
		{"measuring", stuck, func(k *talk) { k.prepare(w, nil); k.send(protocol.Message{Type: protocol.TypeMeasure}); <-busy }},
		{"waiting for the schedule", ok, func(k *talk) { k.prepare(open, nil); k.send(protocol.Message{Type: protocol.TypeMeasure}) }},
		{"passive window", passive, func(k *talk) { k.prepare(w, nil); k.say(protocol.TypeMeasure, protocol.TypeMeasuring) }},
		{"finished", passive, func(k *talk) {
			k.prepare(w, nil)
			k.say(protocol.TypeMeasure, protocol.TypeMeasuring)
			k.say(protocol.TypeFinish, protocol.TypeResult)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := begin(t, "test", "client", c.roles)
			c.play(k)
			k.in.Close()
			if s := <-k.status; s == 0 {
				t.Error("status 0 without a stop")
			}
			if _, passive := c.roles["client"].(worker.ServerFunc); passive && c.name != "preparing" {
				<-closed
			}
		})
	}
}

func TestStopWhileBusy(t *testing.T) {
	started := make(chan struct{}, 1)
	k := begin(t, "test", "client", stub(func() error {
		select {
		case started <- struct{}{}:
		default:
		}
		return nil
	}))
	k.prepare(workload(func(w *drivers.Workload) { w.Measure = drivers.Extent{Seconds: 3600} }), nil)
	k.send(protocol.Message{Type: protocol.TypeMeasure})
	<-started
	k.stop()
}

// TestFailingCalls: failures are counted by kind, and are in no latency.
func TestFailingCalls(t *testing.T) {
	for _, rate := range []float64{0, 20000} {
		calls := 0
		k := begin(t, "test", "client", stub(func() error {
			switch calls++; calls % 4 {
			case 0:
				return context.DeadlineExceeded
			case 1:
				return worker.Kind("busy", errors.New("try later"))
			case 2:
				return io.ErrUnexpectedEOF
			}
			return nil
		}))
		k.prepare(workload(func(w *drivers.Workload) {
			w.Rate, w.InFlight, w.Warmup, w.Measure.Calls = rate, 1, drivers.Extent{}, 400
		}), nil)
		r := k.say(protocol.TypeMeasure, protocol.TypeResult).Result
		k.stop()
		if r.Sent != 400 || r.Received != 100 || r.Latency.Count != 100 ||
			r.Errors["deadline"] != 100 || r.Errors["busy"] != 100 || r.Errors["connection"] != 100 {
			t.Errorf("rate %v: sent %d, received %d, recorded %d, errors %v", rate, r.Sent, r.Received, r.Latency.Count, r.Errors)
		}
		if text := strings.Join(r.Flags, "\n"); !strings.Contains(text, "error busy: try later") {
			t.Errorf("flags %q", r.Flags)
		}
	}
}

// TestDeadServer: a client whose calls all fail gives up.
func TestDeadServer(t *testing.T) {
	for _, rate := range []float64{0, 20000} {
		k := begin(t, "test", "client", stub(func() error { return errors.New("nobody there") }))
		k.prepare(workload(func(w *drivers.Workload) { w.Rate, w.Measure = rate, drivers.Extent{Seconds: 3600} }), nil)
		k.say(protocol.TypeWarmUp, protocol.TypeWarm)
		m := k.say(protocol.TypeMeasure, protocol.TypeError)
		if !strings.Contains(m.Error, "nobody there") || !strings.Contains(m.Error, "1000 calls in a row") {
			t.Error(m.Error)
		}
		k.stop()
	}
}

// TestServerDies closes the gRPC server in the window: the client reports it
// instead of spinning.
func TestServerDies(t *testing.T) {
	w := workload(func(w *drivers.Workload) { w.Measure = drivers.Extent{Seconds: 3600} })
	server := begin(t, "grpc", "server", grpc.Roles)
	ready := server.prepare(w, nil)
	client := begin(t, "grpc", "client", grpc.Roles)
	client.prepare(w, map[string]map[string]string{"server": ready.Addresses})
	client.send(protocol.Message{Type: protocol.TypeMeasure})
	server.stop()
	if m := client.read(protocol.TypeError); !strings.Contains(m.Error, "in a row failed") {
		t.Error(m.Error)
	}
	client.stop()
}

func TestUnreachableServer(t *testing.T) {
	client := begin(t, "grpc", "client", grpc.Roles)
	w := workload(nil)
	for _, peers := range []map[string]map[string]string{nil, {"server": {"address": "127.0.0.1:1"}}} {
		m := client.ask(protocol.Message{Type: protocol.TypePrepare, Workload: &w, Peers: peers}, protocol.TypeError)
		if !strings.Contains(m.Error, "server") {
			t.Error(m.Error)
		}
		client.stop()
		client = begin(t, "grpc", "client", grpc.Roles)
	}
	client.stop()
}

// TestStall: a server that stalls makes later calls late. Their latency counts
// from when they were due, and none is left out. Sleeping is the stall, not a wait.
func TestStall(t *testing.T) {
	const stall = 50 * time.Millisecond
	until := time.Time{}
	gate := make(chan struct{}, 1) // the server works on one call at a time
	n := 0
	k := begin(t, "test", "client", stub(func() error {
		gate <- struct{}{}
		defer func() { <-gate }()
		if n++; n == 20 {
			until = time.Now().Add(stall)
		}
		time.Sleep(time.Until(until))
		return nil
	}))
	k.prepare(workload(func(w *drivers.Workload) {
		w.Rate, w.InFlight, w.Warmup, w.Measure = 1000, 2, drivers.Extent{}, drivers.Extent{Seconds: 0.2}
	}), nil)
	r := k.say(protocol.TypeMeasure, protocol.TypeResult).Result
	k.stop()
	if r.Sent != 200 || r.Received != 200 || r.Latency.Count != 200 || len(r.Errors) != 0 {
		t.Errorf("sent %d, received %d, errors %v; want all 200 slots", r.Sent, r.Received, r.Errors)
	}
	if r.Latency.Max < stall.Nanoseconds() {
		t.Errorf("the largest latency %d is below the stall", r.Latency.Max)
	}
	// With two calls in flight, slot 3 of the stall is sent when it ends: 2 ms
	// after its start, and so nearly the whole stall late.
	if lateBy := (stall - 4*time.Millisecond).Nanoseconds(); r.SendLag.Max < lateBy || r.Late < 40 {
		t.Errorf("send lag of at most %d with %d late sends", r.SendLag.Max, r.Late)
	}
}

// TestOverload: slots that are never sent are reported, not dropped. A call that
// sleeps is a server too slow for its load.
func TestOverload(t *testing.T) {
	k := begin(t, "test", "client", stub(func() error { time.Sleep(20 * time.Millisecond); return nil }))
	k.prepare(workload(func(w *drivers.Workload) {
		w.Rate, w.InFlight, w.Warmup, w.Measure = 10000, 1, drivers.Extent{}, drivers.Extent{Seconds: 0.1}
	}), nil)
	r := k.say(protocol.TypeMeasure, protocol.TypeResult).Result
	k.stop()
	if r.Sent+r.Errors["unsent"] != 1000 || r.Errors["unsent"] == 0 {
		t.Errorf("sent %d, errors %v; want 1000 together", r.Sent, r.Errors)
	}
	if !strings.Contains(strings.Join(r.Flags, "\n"), "overload") {
		t.Errorf("flags %q", r.Flags)
	}
}
