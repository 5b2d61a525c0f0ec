package ice

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"versus/drivers"
	"versus/drivers/protocol"
	"versus/drivers/workertest"
)

// prepared builds the worker, or skips the test where that can't be.
func prepared(tb testing.TB) {
	tb.Helper()
	workertest.Built(tb, Worker)
}

func rpc() drivers.Workload {
	return drivers.Workload{
		Driver: "ice", Pattern: drivers.RPC, Call: "twoway", Options: map[string]any{"thread_pool": 4.0}, Concurrency: 1,
		Payload: drivers.Payload{Kind: "bytes"}, Warmup: drivers.Extent{Calls: 1}, Measure: drivers.Extent{Calls: 500},
	}
}

func pubsub() drivers.Workload {
	w := rpc()
	w.Pattern, w.Call, w.EventService, w.Topics, w.Payload.Bytes = drivers.PubSub, "", true, 1, 40
	return w
}

// prepare readies the roles of a run; the broker's worker is this process.
func prepare(tb testing.TB, w drivers.Workload) *workertest.Run {
	tb.Helper()
	if err := Driver.Verify(w); err != nil {
		tb.Fatal(err)
	}
	roles, err := Driver.Roles(w)
	if err != nil {
		tb.Fatal(err)
	}
	run := workertest.Prepare(tb, w, nil)
	for _, role := range roles {
		if len(role.Command) == 0 {
			run.Add(tb, role, workertest.Play(tb, "ice", role.Name, Roles))
			continue
		}
		run.Add(tb, role, workertest.Start(tb, role))
	}
	return run
}

func TestCalls(t *testing.T) {
	prepared(t)
	payloads := map[string]drivers.Payload{
		"nothing": {Kind: "bytes"},
		"bytes":   {Kind: "bytes", Bytes: 100_000},
		"structs": {Kind: "structs", Count: 1000, Text: "hello", Value: 3.14, Bytes: 13_000},
		"lines":   {Kind: "lines", Text: strings.Repeat("a line\n", 100), Count: 100, Bytes: 700},
	}
	for _, call := range []string{"twoway", "async", "oneway", "batch_oneway"} {
		for name, payload := range payloads {
			for _, compress := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/%v", call, name, compress), func(t *testing.T) {
					w := rpc()
					w.Call, w.Payload, w.Concurrency = call, payload, 3
					w.Options["compress"] = compress
					if compress {
						w.Measure.Calls = 50
					}
					run := prepare(t, w)
					if e := run.Effective["server"]; e["threads"] != "4" || !strings.HasPrefix(e["ice"], "3.7.") {
						t.Errorf("the server reports %v", e)
					}
					if e := run.Effective["client"]; strings.HasPrefix(e["compress"], "bzip2") != compress {
						t.Errorf("the client reports %v", e)
					}
					r := run.Measure(t)["client"]
					if r.Received != w.Measure.Calls || len(r.Errors) > 0 {
						t.Errorf("received %d of %d, errors %v %v", r.Received, w.Measure.Calls, r.Errors, r.Flags)
					}
				})
			}
		}
	}
}

func TestOpenLoop(t *testing.T) {
	prepared(t)
	for _, call := range []string{"twoway", "async"} {
		w := rpc()
		w.Call, w.Rate, w.InFlight, w.Measure.Calls = call, 2000, 8, 200
		if r := prepare(t, w).Measure(t)["client"]; r.Received != 200 {
			t.Errorf("%s: received %d of 200, errors %v %v", call, r.Received, r.Errors, r.Flags)
		}
	}
}

func TestEvents(t *testing.T) {
	prepared(t)
	for _, buffered := range []bool{false, true} {
		for _, topics := range []int{1, 3} {
			t.Run(fmt.Sprintf("%v/%d", buffered, topics), func(t *testing.T) {
				w := pubsub()
				w.Options["buffered"], w.Topics = buffered, topics
				run := prepare(t, w)
				if e := run.Effective["subscriber"]; (e["delivery"] == "batch oneway") != buffered {
					t.Errorf("the subscriber reports %v", e)
				}
				results := run.Measure(t)
				got, broker := results["subscriber"], results["broker"]
				if got.Received != 500 || got.Lost+got.Duplicated+got.Reordered+got.Negative != 0 || len(got.Flags) > 0 {
					t.Errorf("received %d, lost %d, duplicated %d, reordered %d, flags %v; want 500, all in order",
						got.Received, got.Lost, got.Duplicated, got.Reordered, got.Flags)
				}
				if broker.CPUUser+broker.CPUSystem <= 0 || broker.PeakMemory < 1<<20 {
					t.Errorf("the broker used %v+%v s and %d bytes", broker.CPUUser, broker.CPUSystem, broker.PeakMemory)
				}
			})
		}
	}
}

// iceboxes returns the children of this process that are called icebox.
func iceboxes() (found []int) {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, field := range strings.Fields(string(text)) {
			name, _ := os.ReadFile("/proc/" + field + "/comm")
			if pid, err := strconv.Atoi(field); err == nil && strings.TrimSpace(string(name)) == "icebox" {
				found = append(found, pid)
			}
		}
	}
	return found
}

// TestBrokerKilled ends icebox in mid-run: publisher and broker say so, and the next run works.
func TestBrokerKilled(t *testing.T) {
	prepared(t)
	w := pubsub()
	w.Measure.Calls = 1 << 40
	run := prepare(t, w)
	found := iceboxes()
	if len(found) != 1 {
		t.Fatalf("icebox has the processes %v", found)
	}
	run.Roles["broker"].Ask(t, protocol.Message{Type: protocol.TypeMeasure}, protocol.TypeMeasuring)
	publisher := run.Roles["publisher"]
	publisher.Send(t, protocol.Message{Type: protocol.TypeMeasure})
	if err := syscall.Kill(found[0], syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if m := publisher.Expect(t, protocol.TypeError); !strings.Contains(m.Error, "1000 calls in a row failed") || !strings.Contains(m.Error, "Connect") {
		t.Errorf("the publisher says %q", m.Error)
	}
	if m := run.Roles["broker"].Ask(t, protocol.Message{Type: protocol.TypeFinish}, protocol.TypeError); m.Error == "" {
		t.Error("the broker says nothing")
	}
	run.Roles["broker"].Stop(t)
	run.Roles["subscriber"].Kill()
	publisher.Kill()
	w.Measure.Calls = 100
	if got := prepare(t, w).Measure(t)["subscriber"]; got.Received != 100 {
		t.Errorf("received %d of 100", got.Received)
	}
}

// TestServerKilled ends the server in mid-run: the client says so, and the next run works.
func TestServerKilled(t *testing.T) {
	prepared(t)
	for _, call := range []string{"twoway", "async", "oneway", "batch_oneway"} {
		w := rpc()
		w.Call, w.Measure.Calls = call, 1<<40
		run := prepare(t, w)
		run.Roles["client"].Send(t, protocol.Message{Type: protocol.TypeMeasure})
		run.Roles["server"].Kill()
		if m := run.Roles["client"].Expect(t, protocol.TypeError); !strings.Contains(m.Error, "::Ice::Connect") {
			t.Errorf("%s: it says %q", call, m.Error)
		}
		run.Roles["client"].Kill()
		w.Measure.Calls = 100
		prepare(t, w).Measure(t)
	}
}

// TestNeverMatched has events without anybody to give them to, or to take them from.
func TestNeverMatched(t *testing.T) {
	prepared(t)
	w := pubsub()
	roles, err := Driver.Roles(w)
	if err != nil {
		t.Fatal(err)
	}
	// The subscriber dies after it has subscribed: publisher and event service go on.
	run := prepare(t, w)
	run.Roles["subscriber"].Kill()
	publisher, broker := run.Roles["publisher"], run.Roles["broker"]
	broker.Ask(t, protocol.Message{Type: protocol.TypeMeasure}, protocol.TypeMeasuring)
	r := publisher.Ask(t, protocol.Message{Type: protocol.TypeMeasure}, protocol.TypeResult).Result
	if r.Sent != w.Measure.Calls || len(r.Errors) > 0 {
		t.Errorf("sent %d of %d, errors %v", r.Sent, w.Measure.Calls, r.Errors)
	}
	broker.Ask(t, protocol.Message{Type: protocol.TypeFinish, Sent: r.Sent}, protocol.TypeResult)
	publisher.Stop(t)
	broker.Stop(t)
	// Without the event service neither side becomes ready.
	for _, role := range roles[1:] {
		one := workertest.Start(t, role)
		m := one.Ask(t, protocol.Message{Type: protocol.TypePrepare, Workload: &w, Peers: run.Peers()}, protocol.TypeError)
		if !strings.Contains(m.Error, "::Ice::ConnectionRefusedException") {
			t.Errorf("%s: %q", role.Name, m.Error)
		}
		one.Stop(t)
	}
}

// TestTwoRuns has two runs at once on one machine.
func TestTwoRuns(t *testing.T) {
	prepared(t)
	for _, run := range []*workertest.Run{prepare(t, pubsub()), prepare(t, pubsub())} {
		if got := run.Measure(t)["subscriber"]; got.Received != 500 || got.Lost > 0 || len(got.Flags) > 0 {
			t.Errorf("received %d of 500, lost %d, flags %v", got.Received, got.Lost, got.Flags)
		}
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*drivers.Workload)
		want  string // "" is none
	}{
		{"nothing", func(w *drivers.Workload) {}, ""},
		{"loan", func(w *drivers.Workload) { *w = pubsub(); w.Transfer = "loan" }, "lend"},
		{"events without a service", func(w *drivers.Workload) { *w = pubsub(); w.EventService = false }, "event_service = true"},
		{"events of structs", func(w *drivers.Workload) { *w = pubsub(); w.Payload.Kind = "structs" }, "carry bytes"},
		{"published structs", func(w *drivers.Workload) {
			w.Payload = drivers.Payload{Kind: "structs", Count: 50_000, Text: "hello", Bytes: 650_000}
		}, ""},
		{"too many structs", func(w *drivers.Workload) {
			w.Payload = drivers.Payload{Kind: "structs", Count: 100_000, Text: "hello", Bytes: 1_300_000}
		}, "takes 1400005 bytes"},
		{"too large", func(w *drivers.Workload) { w.Payload.Bytes = 1 << 20 }, "a message holds"},
	} {
		w := rpc()
		c.spoil(&w)
		err := Driver.Verify(w)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

// TestLargest sends as much as Check allows, in every encoding.
func TestLargest(t *testing.T) {
	prepared(t)
	for _, p := range []drivers.Payload{
		{Kind: "bytes", Bytes: maxMessage - 5},
		{Kind: "structs", Count: (maxMessage - 5) / 14, Text: "hello"},
		{Kind: "lines", Text: strings.Repeat("a line\n", maxMessage/8-1), Count: maxMessage/8 - 1},
	} {
		w := rpc()
		w.Payload, w.Measure.Calls = p, 3
		if r := prepare(t, w).Measure(t)["client"]; r.Received != 3 {
			t.Errorf("%s: received %d of 3: %v", p.Kind, r.Received, r.Flags)
		}
	}
}
