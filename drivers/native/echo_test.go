package native_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"

	"versus/drivers"
	"versus/drivers/protocol"
	"versus/drivers/worker"
	"versus/drivers/workertest"
)

// echo returns a role of testdata/echo.cpp, or of rust/kit/examples/echo.rs.
type echo func(name string, active bool) drivers.Role

// echoes are the workers that are written with the kit of each language.
var echoes = map[string]func(testing.TB) string{
	"C++":  func(tb testing.TB) string { return build(tb, "echo") },
	"Rust": func(tb testing.TB) string { return example(tb, "echo") },
}

// eachEcho runs the test for the worker of each language.
func eachEcho(t *testing.T, test func(*testing.T, echo)) {
	for language, program := range echoes {
		t.Run(language, func(t *testing.T) {
			path := program(t)
			test(t, func(name string, active bool) drivers.Role {
				return drivers.Role{Name: name, Active: active, Command: []string{path, name}}
			})
		})
	}
}

// TestEcho has a client and a server carry calls, in closed and open
// loops, by number and by time.
func TestEcho(t *testing.T) { eachEcho(t, testEcho) }

func testEcho(t *testing.T, role echo) {
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
			run := workertest.Prepare(t, w, []drivers.Role{role("server", false), role("client", true)})
			results := run.Measure(t)
			r := results["client"]
			if r.Sent != r.Received || r.Sent != r.Latency.Count || r.Sent == 0 || c.want != 0 && r.Sent != c.want || len(r.Flags) > 0 {
				t.Errorf("sent %d, received %d, latencies %d of %d calls, %v", r.Sent, r.Received, r.Latency.Count, c.want, r.Flags)
			}
			if open := w.Rate > 0; open != (r.Service != nil) || open != (r.SendLag != nil) || open && r.Offered != w.Rate*float64(w.Concurrency) {
				t.Errorf("offered %v, service %v, lag %v", r.Offered, r.Service, r.SendLag)
			}
			if len(r.Windows) != 100 {
				t.Errorf("%d windows", len(r.Windows))
			}
			for _, r := range results {
				if r.Elapsed <= 0 || r.CPUUser+r.CPUSystem <= 0 || r.PeakMemory < 1<<20 {
					t.Errorf("elapsed %v s, CPU %v+%v s, memory %d", r.Elapsed, r.CPUUser, r.CPUSystem, r.PeakMemory)
				}
			}
		})
	}
}

// TestPublishBetweenKits has every pair of a publisher and a subscriber of the
// three kits carry messages over TCP.
func TestPublishBetweenKits(t *testing.T) {
	starts := map[string]func(testing.TB, string) *workertest.Role{
		"Go": func(tb testing.TB, name string) *workertest.Role { return workertest.Play(tb, "echo", name, tcpRoles) },
	}
	for language, program := range echoes {
		starts[language] = func(tb testing.TB, name string) *workertest.Role {
			return workertest.Start(tb, drivers.Role{Name: name, Command: []string{program(tb), name}})
		}
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
					run := workertest.Prepare(t, w, nil)
					run.Add(t, drivers.Role{Name: "subscriber"}, startSubscriber(t, "subscriber"))
					run.Add(t, drivers.Role{Name: "publisher", Active: true}, startPublisher(t, "publisher"))
					results := run.Measure(t)
					got, sent := results["subscriber"], results["publisher"]
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

// TestClockShift tells each side in turn that its clock is an hour off, which it is
// not: that hour must be in the latencies, whichever kits the two are written with.
func TestClockShift(t *testing.T) {
	const hour = 3600e9
	eachEcho(t, func(t *testing.T, role echo) {
		for _, shifts := range []map[string]int64{
			{"publisher": -hour},
			{"subscriber": hour},
			{"publisher": -2 * hour, "subscriber": -hour},
		} {
			w := drivers.Workload{
				Driver: "echo", Pattern: drivers.PubSub, Topics: 1, Rate: 2000, Payload: drivers.Payload{Kind: "bytes", Bytes: 100},
				Measure: drivers.Extent{Calls: 100},
			}
			run := workertest.Prepare(t, w, nil)
			run.ClockShift = shifts
			for _, r := range []drivers.Role{role("subscriber", false), role("publisher", true)} {
				run.Add(t, r, workertest.Start(t, r))
			}
			got := run.Measure(t)["subscriber"]
			if got.Latency.Count != 100 || got.Latency.Min < hour || got.Service.Min < hour || got.Latency.Max > 2*hour {
				t.Errorf("with %v: %d latencies from %d to %d ns", shifts, got.Latency.Count, got.Latency.Min, got.Latency.Max)
			}
			if shift := shifts["subscriber"]; shift != 0 && !strings.Contains(run.Effective["subscriber"]["clock"], fmt.Sprint(shift)) {
				t.Errorf("the subscriber says of its clock %q", run.Effective["subscriber"]["clock"])
			}
		}
	})
}

// TestLoan has the kit stamp memory that the publisher lends.
func TestLoan(t *testing.T) { eachEcho(t, testLoan) }

func testLoan(t *testing.T, role echo) {
	w := drivers.Workload{
		Driver: "echo", Pattern: drivers.PubSub, Topics: 1, Transfer: "loan", Payload: drivers.Payload{Kind: "bytes", Bytes: 32},
		Measure: drivers.Extent{Calls: 100},
	}
	run := workertest.Prepare(t, w, []drivers.Role{role("subscriber", false), role("publisher", true)})
	if got := run.Measure(t)["subscriber"]; got.Received != 100 {
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

// endless are calls without an end.
var endless = drivers.Workload{Driver: "echo", Pattern: drivers.RPC, Concurrency: 1,
	Payload: drivers.Payload{Kind: "bytes", Bytes: 8}, Measure: drivers.Extent{Calls: 1 << 40}}

// TestServerGone kills the server in mid-run: the client gives up and says why.
func TestServerGone(t *testing.T) { eachEcho(t, testServerGone) }

func testServerGone(t *testing.T, role echo) {
	run := workertest.Prepare(t, endless, []drivers.Role{role("server", false), role("client", true)})
	client := run.Roles["client"]
	client.Send(t, protocol.Message{Type: protocol.TypeMeasure})
	run.Roles["server"].Kill()
	if m := client.Expect(t, protocol.TypeError); !strings.Contains(m.Error, "gave up after 1000 calls") {
		t.Errorf("got %q", m.Error)
	}
	m := client.Ask(t, protocol.Message{Type: protocol.TypeMeasure}, protocol.TypeError)
	if !strings.Contains(m.Error, "out of order") {
		t.Errorf("after an error it says %q", m.Error)
	}
	client.Stop(t)
}

// TestStopWhileBusy stops a client in the middle of a window without an end.
func TestStopWhileBusy(t *testing.T) { eachEcho(t, testStopWhileBusy) }

func testStopWhileBusy(t *testing.T, role echo) {
	for _, rate := range []float64{0, 0.001} {
		w := endless
		w.Rate = rate
		run := workertest.Prepare(t, w, []drivers.Role{role("server", false), role("client", true)})
		run.Roles["client"].Send(t, protocol.Message{Type: protocol.TypeMeasure})
		run.Roles["client"].Stop(t)
		run.Roles["server"].Stop(t)
	}
}

// TestInputEnds has a worker end when the interpreter is gone.
func TestInputEnds(t *testing.T) { eachEcho(t, testInputEnds) }

func testInputEnds(t *testing.T, role echo) {
	server := workertest.Prepare(t, endless, []drivers.Role{role("server", false)}).Roles["server"]
	server.Input.Close()
	_ = server.Wait()
	if got := server.Command.ProcessState.ExitCode(); got != 1 {
		t.Errorf("exit status %d, want 1", got)
	}
}

// TestBadConversations are what a worker must refuse, and end for.
func TestBadConversations(t *testing.T) { eachEcho(t, testBadConversations) }

func testBadConversations(t *testing.T, role echo) {
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
			r := workertest.Start(t, role("client", true))
			// The worker may have ended before it has read all.
			if _, err := io.WriteString(r.Input.(io.Writer), c.input); err != nil && !errors.Is(err, syscall.EPIPE) {
				t.Fatal(err)
			}
			if c.name == "half a line" {
				r.Input.Close()
			}
			if c.want != "" {
				if m := r.Expect(t, protocol.TypeError); !strings.Contains(m.Error, c.want) {
					t.Errorf("got %q, want an error with %q", m.Error, c.want)
				}
			}
			r.Input.Close()
			_ = r.Wait()
			if got := r.Command.ProcessState.ExitCode(); got != c.status {
				t.Errorf("exit status %d, want %d", got, c.status)
			}
		})
	}
}
