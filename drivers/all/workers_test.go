package all_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	"versus/drivers"
	"versus/drivers/protocol"
	"versus/drivers/workertest"
)

// TestWorkers has every driver carry one short run between processes, through
// the worker kit.
func TestWorkers(t *testing.T) {
	for _, c := range []struct {
		driver  string
		options map[string]any
	}{
		{"grpc", nil},
		{"http", map[string]any{"version": "1.1", "client": "nethttp", "server": "nethttp"}},
		{"http", map[string]any{"version": "1.1", "client": "fasthttp", "server": "fasthttp"}},
		{"http", map[string]any{"version": "2", "client": "nethttp", "server": "nethttp"}},
		{"mqtt", map[string]any{"qos": 0.0}},
		{"mqtt", map[string]any{"qos": 1.0, "gomaxprocs": 2.0}},
	} {
		t.Run(fmt.Sprint(c.driver, c.options), func(t *testing.T) {
			s := serve(t, c.driver, c.options, 2)
			s.workload.Warmup, s.workload.Measure = drivers.Extent{Calls: 10}, drivers.Extent{Calls: 101}
			r := s.measure(t)
			if r.Sent != 101 || r.Received != 101 || r.Latency.Count != 101 {
				t.Errorf("sent %d, received %d, %d latencies; want 101 of each", r.Sent, r.Received, r.Latency.Count)
			}
		})
	}
}

// TestOpenLoop has calls at a fixed rate, of which several may be under way.
func TestOpenLoop(t *testing.T) {
	for _, driver := range []string{"grpc", "http", "mqtt"} {
		t.Run(driver, func(t *testing.T) {
			s := serve(t, driver, nil, 2)
			s.workload.Rate, s.workload.InFlight = 2000, 4
			s.workload.Warmup, s.workload.Measure = drivers.Extent{Calls: 10}, drivers.Extent{Calls: 100}
			if r := s.measure(t); r.Received != 100 || r.Offered != 4000 {
				t.Errorf("received %d, offered %v/s; want 100 and 4000/s", r.Received, r.Offered)
			}
		})
	}
}

func brokers(t *testing.T) []string {
	if !hasMosquitto() {
		t.Run("mosquitto", func(t *testing.T) { workertest.Need(t, errNoMosquitto) })
		return []string{"embedded"}
	}
	return []string{"embedded", "mosquitto"}
}

var errNoMosquitto = errors.New("mosquitto is not installed: apt-get install mosquitto")

func hasMosquitto() bool {
	_, err := exec.LookPath("mosquitto")
	if err != nil {
		_, err = exec.LookPath("/usr/sbin/mosquitto")
	}
	return err == nil
}

func TestPublishSubscribe(t *testing.T) {
	for _, broker := range brokers(t) {
		for qos := range 3 {
			t.Run(fmt.Sprintf("%s/qos %d", broker, qos), func(t *testing.T) {
				s := carry(t, drivers.Workload{
					Driver: "mqtt", Pattern: drivers.PubSub, Topics: 3, Rate: 500,
					Options: map[string]any{"qos": float64(qos), "broker": map[string]any{"kind": broker}},
					Payload: drivers.Payload{Kind: "bytes", Bytes: size},
					Warmup:  drivers.Extent{Calls: 30}, Measure: drivers.Extent{Calls: 300},
				})
				for _, p := range s.passive {
					p.ask(t, protocol.Message{Type: protocol.TypeMeasure}, protocol.TypeMeasuring)
				}
				_, published := s.load(t) // and stays: what it sent may still be on its way
				sent := published.Sent
				finish := protocol.Message{Type: protocol.TypeFinish, Sent: sent, Drain: 30}
				r := s.passive["subscriber"].ask(t, finish, protocol.TypeResult).Result
				if sent != 300 || r.Received != 300 || r.Lost+r.Duplicated+r.Reordered != 0 {
					t.Errorf("sent %d, received %d, lost %d, duplicated %d, reordered %d; want 300, all in order",
						sent, r.Received, r.Lost, r.Duplicated, r.Reordered)
				}
				used := s.passive["broker"].ask(t, finish, protocol.TypeResult).Result
				if used.CPUUser+used.CPUSystem <= 0 || used.PeakMemory <= 0 {
					t.Errorf("the broker used %v+%v s and %d bytes", used.CPUUser, used.CPUSystem, used.PeakMemory)
				}
			})
		}
	}
}

// TestRoleKilled ends a passive role with -9 while the client measures: the
// client says so, instead of waiting or of measuring nothing.
func TestRoleKilled(t *testing.T) {
	for _, c := range []struct{ driver, role string }{{"grpc", "server"}, {"http", "server"}, {"mqtt", "broker"}} {
		t.Run(c.driver, func(t *testing.T) {
			s := serve(t, c.driver, nil, 1)
			client := start(t, s.workload, s.client)
			w := s.workload
			w.Measure = drivers.Extent{Calls: 1 << 40}
			client.ask(t, protocol.Message{Type: protocol.TypePrepare, Workload: &w, Peers: s.peers}, protocol.TypeReady)
			if err := client.encoder.Encode(protocol.Message{Type: protocol.TypeMeasure}); err != nil {
				t.Fatal(err)
			}
			if err := s.passive[c.role].command.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			if m := client.expect(t, protocol.TypeError); m.Error == "" {
				t.Error("an error without a text")
			}
		})
	}
}

// TestMosquittoDiesWithItsWorker ends the broker's worker with -9: mosquitto,
// its child, is gone too.
func TestMosquittoDiesWithItsWorker(t *testing.T) {
	if !hasMosquitto() {
		workertest.Need(t, errNoMosquitto)
	}
	s := serve(t, "mqtt", map[string]any{"broker": map[string]any{"kind": "mosquitto"}}, 1)
	address := s.peers["broker"]["address"]
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := s.passive["broker"].command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	// The connection ends when the process does.
	if err := conn.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(conn); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatal("mosquitto lives on without its worker")
	}
}
