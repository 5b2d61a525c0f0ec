package native_test

import (
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"versus/drivers"
	"versus/drivers/protocol"
	"versus/drivers/worker"
)

// role is one end of a conversation: with a worker in C++, or with a role in Go
// in this process.
type role struct {
	name string
	enc  *protocol.Encoder
	dec  *protocol.Decoder
	in   io.Closer
	cmd  *exec.Cmd // of a worker in C++
	end  func() error
}

// startCpp starts testdata/echo.cpp in a role.
func startCpp(tb testing.TB, name string) *role {
	tb.Helper()
	cmd := exec.Command(build(tb, "echo"), name)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	r := &role{name: name, enc: protocol.NewEncoder(in), dec: protocol.NewDecoder(out), in: in, cmd: cmd, end: sync.OnceValue(cmd.Wait)}
	tb.Cleanup(func() {
		in.Close()
		_ = r.end()
	})
	r.expect(tb, protocol.TypeHello)
	return r
}

// startGo has the Go kit play a role in this process.
func startGo(tb testing.TB, name string, roles worker.Roles) *role {
	tb.Helper()
	inRead, in := io.Pipe()
	out, outWrite := io.Pipe()
	ended := make(chan int, 1)
	go func() { ended <- worker.Main("echo", name, roles, inRead, outWrite) }()
	tb.Cleanup(func() {
		in.Close()
		<-ended
	})
	r := &role{name: name, enc: protocol.NewEncoder(in), dec: protocol.NewDecoder(out), in: in}
	r.expect(tb, protocol.TypeHello)
	return r
}

func (r *role) expect(tb testing.TB, kind string) protocol.Message {
	tb.Helper()
	m, err := r.dec.Decode()
	if err != nil || m.Type != kind {
		tb.Fatalf("%s: got %q %s, %v; want %q", r.name, m.Type, m.Error, err, kind)
	}
	if m.Result != nil {
		if err := m.Result.Validate(); err != nil {
			tb.Fatalf("%s: %v", r.name, err)
		}
	}
	return m
}

func (r *role) ask(tb testing.TB, m protocol.Message, answer string) protocol.Message {
	tb.Helper()
	if err := r.enc.Encode(m); err != nil {
		tb.Fatalf("%s: %v", r.name, err)
	}
	return r.expect(tb, answer)
}

// stop ends a worker in C++, which must end well.
func (r *role) stop(tb testing.TB) {
	tb.Helper()
	if err := r.enc.Encode(protocol.Message{Type: protocol.TypeStop}); err != nil {
		tb.Fatal(err)
	}
	if r.cmd == nil {
		return
	}
	if err := r.end(); err != nil {
		tb.Errorf("%s: %v", r.name, err)
	}
}

// carry has two roles carry a workload, and returns both results.
func carry(tb testing.TB, w drivers.Workload, passive, active *role) (p, a *protocol.Result) {
	tb.Helper()
	peers := map[string]map[string]string{}
	for _, r := range []*role{passive, active} {
		ready := r.ask(tb, protocol.Message{Type: protocol.TypePrepare, Workload: &w, Peers: peers}, protocol.TypeReady)
		peers[r.name] = ready.Addresses
		if ready.Effective["cpus"] == "" {
			tb.Errorf("%s: effective are %v", r.name, ready.Effective)
		}
	}
	active.ask(tb, protocol.Message{Type: protocol.TypeWarmUp}, protocol.TypeWarm)
	passive.ask(tb, protocol.Message{Type: protocol.TypeMeasure}, protocol.TypeMeasuring)
	a = active.ask(tb, protocol.Message{Type: protocol.TypeMeasure}, protocol.TypeResult).Result
	p = passive.ask(tb, protocol.Message{Type: protocol.TypeFinish, Sent: a.Sent, Drain: 30}, protocol.TypeResult).Result
	active.stop(tb)
	passive.stop(tb)
	return p, a
}

// TestEcho has a client and a server in C++ carry calls, in closed and open
// loops, by number and by time.
func TestEcho(t *testing.T) {
	for _, c := range []struct {
		name string
		w    drivers.Workload
		want int64 // calls; 0: not known
	}{
		{"closed, by calls", drivers.Workload{Concurrency: 3, Warmup: drivers.Extent{Calls: 10}, Measure: drivers.Extent{Calls: 1000}}, 1000},
		{"closed, by time", drivers.Workload{Concurrency: 2, Measure: drivers.Extent{Seconds: 0.1}}, 0},
		{"open, by calls", drivers.Workload{Concurrency: 2, Rate: 1000, InFlight: 4, Warmup: drivers.Extent{Seconds: 0.01}, Measure: drivers.Extent{Calls: 301}}, 301},
		{"open, by time", drivers.Workload{Concurrency: 1, Rate: 2000, Measure: drivers.Extent{Seconds: 0.1}}, 200},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := c.w
			w.Driver, w.Pattern, w.Call, w.Payload = "echo", drivers.RPC, "twoway", drivers.Payload{Kind: "bytes", Bytes: 700}
			server, r := carry(t, w, startCpp(t, "server"), startCpp(t, "client"))
			if r.Sent != r.Received || r.Sent != r.Latency.Count || r.Sent == 0 || c.want != 0 && r.Sent != c.want || len(r.Flags) > 0 {
				t.Errorf("sent %d, received %d, latencies %d of %d calls, %v", r.Sent, r.Received, r.Latency.Count, c.want, r.Flags)
			}
			if open := w.Rate > 0; open != (r.Service != nil) || open != (r.SendLag != nil) || open && r.Offered != w.Rate*float64(w.Concurrency) {
				t.Errorf("offered %v, service %v, lag %v", r.Offered, r.Service, r.SendLag)
			}
			if len(r.Windows) != 100 {
				t.Errorf("%d windows", len(r.Windows))
			}
			for _, r := range []*protocol.Result{server, r} {
				if r.Elapsed <= 0 || r.CPUUser+r.CPUSystem <= 0 || r.PeakMemory < 1<<20 {
					t.Errorf("elapsed %v s, CPU %v+%v s, memory %d", r.Elapsed, r.CPUUser, r.CPUSystem, r.PeakMemory)
				}
			}
		})
	}
}

// TestPublishBetweenKits has every pair of a publisher and a subscriber of the
// two kits carry messages over TCP.
func TestPublishBetweenKits(t *testing.T) {
	starts := map[string]func(testing.TB, string) *role{
		"C++": func(tb testing.TB, name string) *role { return startCpp(tb, name) },
		"Go":  func(tb testing.TB, name string) *role { return startGo(tb, name, tcpRoles) },
	}
	for publisher, startPublisher := range starts {
		for subscriber, startSubscriber := range starts {
			for _, rate := range []float64{0, 2000} {
				name := publisher + " to " + subscriber + map[bool]string{true: ", closed", false: ", open"}[rate == 0]
				t.Run(name, func(t *testing.T) {
					w := drivers.Workload{
						Driver: "echo", Pattern: drivers.PubSub, Topics: 3, Rate: rate, Payload: drivers.Payload{Kind: "bytes", Bytes: 100},
						Warmup: drivers.Extent{Calls: 30}, Measure: drivers.Extent{Calls: 301},
					}
					got, sent := carry(t, w, startSubscriber(t, "subscriber"), startPublisher(t, "publisher"))
					if sent.Sent != 301 || got.Received != 301 || got.Latency.Count != 301 || got.Lost+got.Duplicated+got.Reordered != 0 {
						t.Errorf("sent %d, received %d, lost %d, duplicated %d, reordered %d; want 301, all in order",
							sent.Sent, got.Received, got.Lost, got.Duplicated, got.Reordered)
					}
					if len(got.Windows) != 100 || (rate > 0) != (got.Service != nil) || len(got.Flags) > 0 {
						t.Errorf("%d windows, service %v, flags %v", len(got.Windows), got.Service, got.Flags)
					}
				})
			}
		}
	}
}

// TestLoan has the kit stamp memory that the publisher lends.
func TestLoan(t *testing.T) {
	w := drivers.Workload{
		Driver: "echo", Pattern: drivers.PubSub, Topics: 1, Transfer: "loan", Payload: drivers.Payload{Kind: "bytes", Bytes: 32},
		Measure: drivers.Extent{Calls: 100},
	}
	if got, _ := carry(t, w, startCpp(t, "subscriber"), startCpp(t, "publisher")); got.Received != 100 {
		t.Errorf("received %d of 100", got.Received)
	}
}

// tcpRoles speak as testdata/echo.cpp does.
var tcpRoles = worker.Roles{
	"subscriber": worker.SubscriberFunc(func(ctx context.Context, s worker.Setup, receive func(int, []byte)) (worker.Ready, func() error, error) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return worker.Ready{}, nil, err
		}
		go func() {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			message := make([]byte, s.Workload.Payload.Bytes)
			for {
				if _, err := io.ReadFull(conn, message); err != nil {
					return
				}
				receive(int(message[6]), message)
			}
		}()
		return worker.Ready{Addresses: map[string]string{"address": l.Addr().String()}}, l.Close, nil
	}),
	"publisher": worker.PublisherFunc(func(ctx context.Context, s worker.Setup) (worker.PublishFunc, worker.Ready, func() error, error) {
		conn, err := net.Dial("tcp", s.Peers["subscriber"]["address"])
		if err != nil {
			return nil, worker.Ready{}, nil, err
		}
		var mu sync.Mutex
		return func(topic int, message []byte) error {
			mu.Lock()
			defer mu.Unlock()
			_, err := conn.Write(message)
			return err
		}, worker.Ready{}, conn.Close, nil
	}),
}

func echoWorkload() *drivers.Workload {
	return &drivers.Workload{Driver: "echo", Pattern: drivers.RPC, Concurrency: 1, Payload: drivers.Payload{Kind: "bytes", Bytes: 8},
		Measure: drivers.Extent{Calls: 1 << 40}}
}

// TestServerGone kills the server in mid-run: the client gives up and says why.
func TestServerGone(t *testing.T) {
	server, client := startCpp(t, "server"), startCpp(t, "client")
	w := echoWorkload()
	ready := server.ask(t, protocol.Message{Type: protocol.TypePrepare, Workload: w}, protocol.TypeReady)
	peers := map[string]map[string]string{"server": ready.Addresses}
	client.ask(t, protocol.Message{Type: protocol.TypePrepare, Workload: w, Peers: peers}, protocol.TypeReady)
	if err := client.enc.Encode(protocol.Message{Type: protocol.TypeMeasure}); err != nil {
		t.Fatal(err)
	}
	if err := server.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	m := client.expect(t, protocol.TypeError)
	if !strings.Contains(m.Error, "gave up after 1000 calls") {
		t.Errorf("got %q", m.Error)
	}
	m = client.ask(t, protocol.Message{Type: protocol.TypeMeasure}, protocol.TypeError)
	if !strings.Contains(m.Error, "out of order") {
		t.Errorf("after an error it says %q", m.Error)
	}
	client.stop(t)
}

// TestStopWhileBusy stops a client in the middle of a window without an end.
func TestStopWhileBusy(t *testing.T) {
	for _, rate := range []float64{0, 0.001} {
		server, client := startCpp(t, "server"), startCpp(t, "client")
		w := echoWorkload()
		w.Rate = rate
		ready := server.ask(t, protocol.Message{Type: protocol.TypePrepare, Workload: w}, protocol.TypeReady)
		peers := map[string]map[string]string{"server": ready.Addresses}
		client.ask(t, protocol.Message{Type: protocol.TypePrepare, Workload: w, Peers: peers}, protocol.TypeReady)
		if err := client.enc.Encode(protocol.Message{Type: protocol.TypeMeasure}); err != nil {
			t.Fatal(err)
		}
		client.stop(t)
		server.stop(t)
	}
}

// TestBadConversations are what a worker must refuse, and end for.
func TestBadConversations(t *testing.T) {
	for _, c := range []struct {
		name, input, want string
		status            int
	}{
		{"nothing", "", "", 1},
		{"stop at once", `{"type":"stop"}` + "\n", "", 0},
		{"no message", "hello\n", "not a message of the worker protocol", 1},
		{"half a line", `{"type":`, "in the middle of a line", 1},
		{"unknown", `{"type":"dance"}` + "\n", "unknown type", 1},
		{"a long line", strings.Repeat(" ", protocol.MaxLine+1), "longer than", 1},
		{"out of order", `{"type":"measure"}` + "\n", "out of order", 1},
		{"no window", `{"type":"prepare","workload":{}}` + "\n", "no length", 1},
		{"no peer", `{"type":"prepare","workload":{"measure":{"calls":1},"payload":{"kind":"bytes"}}}` + "\n", "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command(build(t, "echo"), "client")
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			r := &role{name: "client", dec: protocol.NewDecoder(out)}
			r.expect(t, protocol.TypeHello)
			if _, err := io.WriteString(in, c.input); err != nil && !strings.Contains(err.Error(), "broken pipe") {
				t.Fatal(err)
			}
			if c.want != "" && c.name != "half a line" {
				if m := r.expect(t, protocol.TypeError); !strings.Contains(m.Error, c.want) {
					t.Errorf("got %q, want an error with %q", m.Error, c.want)
				}
			}
			in.Close()
			rest, err := io.ReadAll(out)
			if err != nil || c.name == "half a line" && !strings.Contains(string(rest), c.want) {
				t.Errorf("%q, %v", rest, err)
			}
			_ = cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != c.status {
				t.Errorf("exit status %d, want %d", got, c.status)
			}
		})
	}
}

// TestStopped has a worker that can't run come to an end all the same.
func TestStopped(t *testing.T) {
	server := startCpp(t, "server")
	server.ask(t, protocol.Message{Type: protocol.TypePrepare, Workload: echoWorkload()}, protocol.TypeReady)
	server.in.Close()
	ended := make(chan error, 1)
	go func() { ended <- server.end() }()
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		_ = server.cmd.Process.Signal(syscall.SIGKILL)
		t.Error("the worker outlives its input")
	}
}
