package mqtt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"versus/drivers"
	"versus/drivers/worker"
	"versus/drivers/workertest"
)

func workload(pattern drivers.Pattern, broker string, qos, size int) drivers.Workload {
	return drivers.Workload{
		Driver: "mqtt", Pattern: pattern, Concurrency: 1, Topics: 3,
		Options: map[string]any{"qos": float64(qos), "broker": map[string]any{"kind": broker}},
		Payload: drivers.Payload{Kind: "bytes", Bytes: size},
	}
}

// versions are those of the protocol.
var versions = []string{"3.1.1", "5"}

// in returns the workload with a version of the protocol.
func in(version string, w drivers.Workload) drivers.Workload {
	w.Options["version"] = version
	return w
}

// start runs a broker until the test ends, and returns the setup of the other
// roles and the broker.
func start(t *testing.T, w drivers.Workload) (worker.Setup, worker.Ready, func() error) {
	t.Helper()
	if err := Driver.Verify(w); err != nil {
		t.Fatal(err)
	}
	ready, stop, err := serveBroker(t.Context(), worker.Setup{Workload: w})
	if err != nil {
		t.Fatal(err)
	}
	stopped := false
	once := func() error {
		if stopped {
			return nil
		}
		stopped = true
		return stop()
	}
	t.Cleanup(func() { _ = once() })
	return worker.Setup{Workload: w, Peers: map[string]map[string]string{"broker": ready.Addresses}}, ready, once
}

// brokers are those that this machine has.
func brokers(t *testing.T) []string {
	if _, err := findMosquitto(); err != nil {
		t.Run("mosquitto", func(t *testing.T) { workertest.Need(t, err) })
		return []string{"embedded"}
	}
	return []string{"embedded", "mosquitto"}
}

func TestRequestResponse(t *testing.T) {
	for _, broker := range brokers(t) {
		for qos := range 3 {
			for _, size := range []int{0, 512, 200_000} {
				for _, version := range versions {
					t.Run(fmt.Sprintf("%s/%s/qos %d/%d", broker, version, qos, size), func(t *testing.T) {
						setup, _, stop := start(t, in(version, workload(drivers.RPC, broker, qos, size)))
						server, closeServer, err := serve(t.Context(), setup)
						if err != nil {
							t.Fatal(err)
						}
						if e := server.Effective; e["qos"] != fmt.Sprint(qos) || e["protocol"] != "MQTT "+version {
							t.Errorf("effective %v, want QoS %d of MQTT %s", e, qos, version)
						}
						callers, _, closeClient, err := connect(t.Context(), setup, 3)
						if err != nil {
							t.Fatal(err)
						}
						failed := make(chan error, len(callers))
						for _, c := range callers {
							go func() {
								var err error
								for range 10 {
									err = errors.Join(err, c.Call())
								}
								failed <- err
							}()
						}
						for range callers {
							if err := <-failed; err != nil {
								t.Error(err)
							}
						}
						if err := errors.Join(closeClient(), closeServer(), stop()); err != nil {
							t.Error(err)
						}
					})
				}
			}
		}
	}
}

func TestPublishSubscribe(t *testing.T) {
	const each = 200
	for _, broker := range brokers(t) {
		for qos := range 3 {
			for _, version := range versions {
				t.Run(fmt.Sprintf("%s/%s/qos %d", broker, version, qos), func(t *testing.T) {
					setup, _, stop := start(t, in(version, workload(drivers.PubSub, broker, qos, 512)))
					type arrival struct {
						topic int
						text  string
					}
					arrivals := make(chan arrival, 3*each)
					_, closeSubscriber, err := subscribe(t.Context(), setup, func(topic int, message []byte) {
						arrivals <- arrival{topic, string(message)}
					})
					if err != nil {
						t.Fatal(err)
					}
					send, _, closePublisher, err := publish(t.Context(), setup)
					if err != nil {
						t.Fatal(err)
					}
					buffer := make([]byte, 0, 16)
					for i := range each {
						for topic := range 3 {
							buffer = fmt.Appendf(buffer[:0], "%d of %d", i, topic) // the one buffer: it must not be kept
							if err := send(topic, buffer); err != nil {
								t.Fatal(err)
							}
						}
					}
					next := [3]int{}
					for range 3 * each {
						select {
						case a := <-arrivals:
							if want := fmt.Sprintf("%d of %d", next[a.topic], a.topic); a.text != want {
								t.Fatalf("topic %d: got %q, want %q", a.topic, a.text, want)
							}
							next[a.topic]++
						case <-time.After(30 * time.Second):
							t.Fatalf("messages missing: %v of %d arrived", next, each)
						}
					}
					if err := errors.Join(closePublisher(), closeSubscriber(), stop()); err != nil {
						t.Error(err)
					}
				})
			}
		}
	}
}

// TestTwoAtOnce has two brokers side by side, with clients of the same names and topics,
// beside whatever broker this machine runs anyway.
func TestTwoAtOnce(t *testing.T) {
	for _, broker := range brokers(t) {
		t.Run(broker, func(t *testing.T) {
			type run struct {
				send     worker.PublishFunc
				arrivals chan string
			}
			var runs []run
			for range 2 {
				setup, _, _ := start(t, workload(drivers.PubSub, broker, 1, 64))
				r := run{arrivals: make(chan string, 10)}
				_, closeSubscriber, err := subscribe(t.Context(), setup, func(_ int, message []byte) { r.arrivals <- string(message) })
				if err != nil {
					t.Fatal(err)
				}
				defer closeSubscriber()
				send, _, closePublisher, err := publish(t.Context(), setup)
				if err != nil {
					t.Fatal(err)
				}
				defer closePublisher()
				r.send = send
				runs = append(runs, r)
			}
			for i, r := range runs {
				for _, text := range []string{"first", "last"} {
					if err := r.send(0, fmt.Appendf(nil, "%s of %d", text, i)); err != nil {
						t.Fatal(err)
					}
				}
			}
			for i, r := range runs {
				for _, text := range []string{"first", "last"} {
					if got, want := <-r.arrivals, fmt.Sprintf("%s of %d", text, i); got != want {
						t.Errorf("run %d got %q, want %q", i, got, want)
					}
				}
			}
		})
	}
}

// TestBrokerKilled ends mosquitto in the middle: once the loss is known, every
// call and publication fails at once, and nothing connects again.
func TestBrokerKilled(t *testing.T) {
	if _, err := findMosquitto(); err != nil {
		workertest.Need(t, err)
	}
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			setup, ready, stop := start(t, in(version, workload(drivers.RPC, "mosquitto", 1, 64)))
			_, closeServer, err := serve(t.Context(), setup)
			if err != nil {
				t.Fatal(err)
			}
			callers, _, closeClient, err := connect(t.Context(), setup, 2)
			if err != nil {
				t.Fatal(err)
			}
			if err := callers[0].Call(); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(ready.PID, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			l := callers[0].(*caller).link
			<-l.lost
			for _, c := range callers {
				if err := c.Call(); err == nil || !strings.Contains(err.Error(), "connection to the broker was lost") {
					t.Errorf("call: error %v", err)
				}
			}
			publisher := sender{link: l, topic: topics + "0"}
			var sendErr error
			for range 2 * window {
				sendErr = errors.Join(sendErr, publisher.send([]byte("x")))
			}
			if sendErr == nil {
				t.Error("messages were published without a broker")
			}
			if err := closeClient(); err == nil {
				t.Error("the client closed without an error")
			}
			_ = closeServer() // may not have noticed yet
			workertest.Ended(t, ready.PID)
			if err := stop(); err == nil || !strings.Contains(err.Error(), "ended during the run (signal: killed)") {
				t.Errorf("the broker says %v, want that it was killed", err)
			}
			setup, _, _ = start(t, setup.Workload) // the next run works
			_, closeServer, err = serve(t.Context(), setup)
			if err != nil {
				t.Fatal(err)
			}
			defer closeServer()
			callers, _, closeClient, err = connect(t.Context(), setup, 1)
			if err != nil {
				t.Fatal(err)
			}
			defer closeClient()
			if err := callers[0].Call(); err != nil {
				t.Errorf("the run after it: %v", err)
			}
		})
	}
}

// TestNoAnswer has no server at first: the call fails in time, and the answer
// that comes after all is not taken for the next call's.
func TestNoAnswer(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			setup, _, _ := start(t, in(version, workload(drivers.RPC, "embedded", 0, 64)))
			callers, _, closeClient, err := connect(t.Context(), setup, 1)
			if err != nil {
				t.Fatal(err)
			}
			defer closeClient()
			c := callers[0].(*caller)
			old := c.box.Load()
			c.timeout = time.Millisecond
			if err := c.Call(); !errors.Is(err, errTimeout) {
				t.Fatalf("error %v, want a timeout", err)
			}
			c.timeout = callTimeout
			deliver([]*caller{c}, old.response, 1)
			_, closeServer, err := serve(t.Context(), setup)
			if err != nil {
				t.Fatal(err)
			}
			defer closeServer()
			if err := c.Call(); err != nil {
				t.Errorf("the call after the one without an answer: %v", err)
			}
		})
	}
}

func TestDeliver(t *testing.T) {
	c := &caller{payload: make([]byte, 3)}
	c.newGeneration()
	for _, topic := range []string{"", responses, responses + "-1.0", responses + "1.0", responses + "x", responses + "0.1", requests + "0.0"} {
		deliver([]*caller{c}, topic, 3)
		if n := len(c.box.Load().sizes); n != 0 {
			t.Errorf("an answer on %q was delivered", topic)
		}
	}
	deliver([]*caller{c}, responses+"0.0", 3)
	deliver([]*caller{c}, responses+"0.0", 4) // must not block
	if n := <-c.box.Load().sizes; n != 3 {
		t.Errorf("got an answer of %d bytes, want the first, of 3", n)
	}
}

// TestSlowSubscriber has one that takes no message: what the embedded broker drops then, it says.
func TestSlowSubscriber(t *testing.T) {
	setup, broker, _ := start(t, workload(drivers.PubSub, "embedded", 0, 4096))
	if got := broker.Remarks(); got != nil {
		t.Fatalf("remarks on nothing: %q", got)
	}
	block := make(chan struct{})
	_, closeSubscriber, err := subscribe(t.Context(), setup, func(int, []byte) { <-block })
	if err != nil {
		t.Fatal(err)
	}
	send, _, closePublisher, err := publish(t.Context(), setup)
	if err != nil {
		t.Fatal(err)
	}
	message := setup.Workload.Payload.Content()
	for range 20 * queue { // the connection holds some as well
		if err := send(0, message); err != nil {
			t.Fatal(err)
		}
		if broker.Remarks() != nil {
			break
		}
	}
	if got := strings.Join(broker.Remarks(), ""); !strings.Contains(got, "the embedded broker dropped ") {
		t.Errorf("remarks %q", got)
	}
	close(block)
	if err := errors.Join(closePublisher(), closeSubscriber()); err != nil {
		t.Error(err)
	}
}

func TestShortAnswer(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			setup, _, _ := start(t, in(version, workload(drivers.RPC, "embedded", 0, 64)))
			l, err := dial(t.Context(), setup, "server", func(l *link, m message) {
				m.payload = m.payload[1:]
				if version == "5" {
					l.answer5(m)
					return
				}
				l.client.Publish(responses+strings.TrimPrefix(m.topic, requests), 0, false, m.payload)
			})
			if err != nil {
				t.Fatal(err)
			}
			defer l.close()
			if err := l.subscribe(t.Context(), map[string]string{"3.1.1": requests + "+", "5": requests5}[version]); err != nil {
				t.Fatal(err)
			}
			callers, _, closeClient, err := connect(t.Context(), setup, 1)
			if err != nil {
				t.Fatal(err)
			}
			defer closeClient()
			if err := callers[0].Call(); !errors.Is(err, errLength) {
				t.Errorf("error %v, want %v", err, errLength)
			}
		})
	}
}

func TestNoBroker(t *testing.T) {
	w := workload(drivers.RPC, "embedded", 0, 64)
	for _, address := range []string{"", "127.0.0.1:1"} {
		s := worker.Setup{Workload: w, Peers: map[string]map[string]string{"broker": {"address": address}}}
		if _, _, err := serve(t.Context(), s); err == nil {
			t.Errorf("address %q: connected to no broker", address)
		}
	}
}

func TestMosquittoAbsent(t *testing.T) {
	old := mosquitto
	mosquitto.Command = "no-mosquitto"
	t.Cleanup(func() { mosquitto = old })
	_, _, err := serveBroker(context.Background(), worker.Setup{Workload: workload(drivers.RPC, "mosquitto", 0, 1)})
	if err == nil || !strings.Contains(err.Error(), "apt-get install mosquitto") {
		t.Errorf("error %v does not name the package", err)
	}
	if a := Driver.Probe(context.Background()); !a.OK || a.Get != "apt-get install mosquitto" {
		t.Errorf("probe %+v: the embedded broker is here, mosquitto is not", a)
	}
}

// fakeMosquitto puts a shell script in PATH in the place of mosquitto.
func fakeMosquitto(t *testing.T, script string) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mosquitto"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

func TestMosquittoFails(t *testing.T) {
	for _, c := range []struct{ name, script, want string }{
		{"bad option", "echo 'Error: Unknown configuration variable.' >&2; exit 3", "Unknown configuration variable"},
		{"no version", "echo 'something running'; exec sleep 600", "version"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fakeMosquitto(t, c.script)
			_, _, err := serveMosquitto(t.Context(), worker.Setup{})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
	t.Run("never ready", func(t *testing.T) {
		fakeMosquitto(t, "exec sleep 600")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, _, err := serveMosquitto(ctx, worker.Setup{}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want %v", err, context.Canceled)
		}
	})
}

// TestMosquittoLeavesNothing: its process ends with the broker role.
func TestMosquittoLeavesNothing(t *testing.T) {
	if _, err := findMosquitto(); err != nil {
		workertest.Need(t, err)
	}
	_, ready, stop := start(t, workload(drivers.RPC, "mosquitto", 0, 1))
	if ready.PID == 0 || ready.PID == os.Getpid() {
		t.Fatalf("pid %d is not mosquitto's", ready.PID)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(fmt.Sprintf("/proc/%d", ready.PID)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("mosquitto is still there: %v", err)
	}
}

func TestCheck(t *testing.T) {
	with := func(change func(*drivers.Workload)) drivers.Workload {
		w := workload(drivers.RPC, "embedded", 0, 512)
		change(&w)
		return w
	}
	for _, c := range []struct {
		name string
		w    drivers.Workload
		want string // "" is accepted
	}{
		{"rpc", with(func(*drivers.Workload) {}), ""},
		{"pubsub", with(func(w *drivers.Workload) { w.Pattern, w.Transfer = drivers.PubSub, "copy" }), ""},
		{"the largest", with(func(w *drivers.Workload) { w.Payload.Bytes = maxPayload }), ""},
		{"too large", with(func(w *drivers.Workload) { w.Payload.Bytes = 256 << 20 }), "does not fit an MQTT packet"},
		{"oneway", with(func(w *drivers.Workload) { w.Call = "oneway" }), `no "oneway" call`},
		{"structs", with(func(w *drivers.Workload) { w.Payload.Kind = "structs" }), `"structs"`},
		{"loan", with(func(w *drivers.Workload) { w.Pattern, w.Transfer = drivers.PubSub, "loan" }), "can't lend"},
		{"log", with(func(w *drivers.Workload) { w.Pattern = drivers.Log }), "can't carry"},
	} {
		err := Driver.Verify(c.w)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}
