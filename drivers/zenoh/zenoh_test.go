package zenoh

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/drivers/protocol"
	"versus/drivers/workertest"
)

// need builds the worker, or skips the test where that can't be done.
func need(tb testing.TB) {
	tb.Helper()
	workertest.Need(tb, Worker.Lacks())
	if _, err := Worker.Build(tb.Context()); err != nil {
		tb.Fatal(err)
	}
}

func prepare(tb testing.TB, w drivers.Workload) *workertest.Run {
	tb.Helper()
	need(tb)
	w.Driver = "zenoh"
	if err := Driver.Verify(w); err != nil {
		tb.Fatal(err)
	}
	roles, err := Driver.Roles(w)
	if err != nil {
		tb.Fatal(err)
	}
	return workertest.Prepare(tb, w, roles)
}

func pubsub(bytes int, options map[string]any) drivers.Workload {
	return drivers.Workload{Pattern: drivers.PubSub, Topics: 2, Options: options, Payload: drivers.Payload{Kind: "bytes", Bytes: bytes},
		Warmup: drivers.Extent{Calls: 20}, Measure: drivers.Extent{Calls: 301}}
}

func rpc(bytes int, options map[string]any) drivers.Workload {
	return drivers.Workload{Pattern: drivers.RPC, Concurrency: 2, Options: options, Payload: drivers.Payload{Kind: "bytes", Bytes: bytes},
		Warmup: drivers.Extent{Calls: 20}, Measure: drivers.Extent{Calls: 301}}
}

// settings are options, and what the roles say of them.
var settings = []struct {
	options map[string]any
	bytes   int
	want    map[string]string
}{
	{nil, 512, map[string]string{"mode": "peer", "batching": "true", "express": "false", "shared_memory": "false", "congestion": "block"}},
	{map[string]any{"express": true, "batching": false}, 100_000, map[string]string{"batching": "false", "express": "true"}},
	{map[string]any{"congestion": "drop"}, 64, map[string]string{"congestion": "drop"}},
	{map[string]any{"mode": "router"}, 4096, map[string]string{"mode": "client"}},
	{map[string]any{"shared_memory": true}, 64,
		map[string]string{"shared_memory": "true", "shared_memory_pool": "4194304 bytes", "shared_memory_transports": "1 of 1"}},
	{map[string]any{"shared_memory": true, "mode": "router"}, 100_000, map[string]string{"shared_memory": "true", "mode": "client"}},
}

func TestPublishSubscribe(t *testing.T) {
	for _, c := range settings {
		for _, rate := range []float64{0, 1000} {
			t.Run(fmt.Sprint(c.options, rate), func(t *testing.T) {
				w := pubsub(c.bytes, c.options)
				if w.Rate = rate; c.options["congestion"] == "drop" && rate == 0 {
					w.Rate = 100 // without a pause it would lose some
				}
				run := prepare(t, w)
				effective(t, run.Effective["publisher"], c.want)
				results := run.Measure(t)
				received(t, results)
			})
		}
	}
}

// received checks that all messages have arrived, by the way that was asked for.
func received(t *testing.T, results map[string]*protocol.Result) {
	t.Helper()
	got, sent := results["subscriber"], results["publisher"]
	if sent.Sent != 301 || got.Received != 301 || got.Lost+got.Duplicated+got.Reordered+got.Negative != 0 {
		t.Errorf("sent %d, received %d, lost %d, duplicated %d, reordered %d, negative %d; want 301, all in order",
			sent.Sent, got.Received, got.Lost, got.Duplicated, got.Reordered, got.Negative)
	}
	for role, r := range results {
		if len(r.Flags) > 0 {
			t.Errorf("%s: %q", role, r.Flags)
		}
	}
}

func effective(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %q, want %q; all: %v", name, got[name], value, got)
		}
	}
}

func TestLoan(t *testing.T) {
	if !alone(t) {
		return
	}
	w := pubsub(1<<20, map[string]any{"shared_memory": true})
	w.Transfer = "loan"
	received(t, prepare(t, w).Measure(t))
	clean(t)
}

func TestCalls(t *testing.T) {
	for _, request := range []string{"query", "publication"} {
		t.Run(request, func(t *testing.T) { testCalls(t, request) })
	}
}

func testCalls(t *testing.T, request string) {
	for _, c := range settings {
		for _, rate := range []float64{0, 500} {
			t.Run(fmt.Sprint(c.options, rate), func(t *testing.T) {
				w := rpc(c.bytes, map[string]any{"request": request})
				maps.Copy(w.Options, c.options)
				w.Rate = rate
				run := prepare(t, w)
				effective(t, run.Effective["client"], c.want)
				effective(t, run.Effective["client"], map[string]string{"request": request})
				results := run.Measure(t)
				if r := results["client"]; r.Sent != 301 || r.Received != 301 || r.Latency.Count != 301 || len(r.Flags) > 0 {
					t.Errorf("sent %d, received %d, %d latencies, %q", r.Sent, r.Received, r.Latency.Count, r.Flags)
				}
				if r := results["server"]; len(r.Flags) > 0 {
					t.Errorf("server: %q", r.Flags)
				}
			})
		}
	}
}

// TestFallback has a subscriber without shared memory: zenoh sends over the network
// and says nothing, but its result must.
func TestFallback(t *testing.T) {
	need(t)
	w := pubsub(512, map[string]any{"shared_memory": true})
	roles, err := Driver.Roles(w)
	if err != nil {
		t.Fatal(err)
	}
	run := workertest.Prepare(t, w, nil)
	for _, role := range roles {
		run.Workload.Options = map[string]any{"shared_memory": role.Name == "subscriber"}
		run.Add(t, role, workertest.Start(t, role))
	}
	r := run.Measure(t)["subscriber"]
	if r.Received != 301 || !strings.Contains(strings.Join(r.Flags, ";"), "fallback: 321 of 321 messages came over the network") {
		t.Errorf("received %d, %q", r.Received, r.Flags)
	}
}

// alone runs the test in a process that has the machine's shared memory for itself:
// every worker of zenoh, of other packages' tests too, removes what nobody uses.
func alone(t *testing.T) bool {
	t.Helper()
	need(t)
	return workertest.Alone(t, unix.CLONE_NEWNS, "/dev/shm")
}

// segments are what zenoh has in shared memory.
func segments(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("/dev/shm/*.zenoh")
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// clean checks that nothing is left in shared memory.
func clean(t *testing.T) {
	t.Helper()
	if left := segments(t); len(left) > 0 {
		t.Errorf("left in shared memory: %v", left)
	}
}

// TestKilled kills a role in mid-run: the other says so, and the next run removes
// what the killed one has left in shared memory.
func TestKilled(t *testing.T) {
	if !alone(t) {
		return
	}
	for _, options := range []map[string]any{nil, {"mode": "router"}, {"shared_memory": true}, {"request": "publication"}} {
		for _, pattern := range []drivers.Pattern{drivers.RPC, drivers.PubSub} {
			t.Run(fmt.Sprint(pattern, options), func(t *testing.T) {
				w, victim, active := rpc(4096, options), "server", "client"
				if pattern == drivers.PubSub {
					w, victim, active = pubsub(4096, options), "subscriber", "publisher"
				}
				if options["mode"] == "router" {
					victim = "broker"
				}
				w.Warmup, w.Measure = drivers.Extent{}, drivers.Extent{Calls: 1 << 40}
				run := prepare(t, w)
				run.Roles[active].Send(t, protocol.Message{Type: protocol.TypeMeasure})
				run.Roles[victim].Kill()
				if m := run.Roles[active].Expect(t, protocol.TypeError); !strings.Contains(m.Error, "gave up after 1000") {
					t.Errorf("got %q", m.Error)
				}
				for name, role := range run.Roles {
					if name != victim {
						role.Stop(t)
					}
				}
				w.Measure = drivers.Extent{Calls: 301}
				prepare(t, w).Measure(t)
				clean(t)
			})
		}
	}
}

// TestNoAnswer has a server that is stopped: a call ends after its time, and counts as failed.
func TestNoAnswer(t *testing.T) {
	for _, request := range []string{"query", "publication"} {
		t.Run(request, func(t *testing.T) {
			t.Parallel()
			w := rpc(64, map[string]any{"request": request})
			w.Concurrency, w.Measure = 1, drivers.Extent{Calls: 1}
			run := prepare(t, w)
			run.Roles["client"].Ask(t, protocol.Message{Type: protocol.TypeWarmUp}, protocol.TypeWarm)
			server := run.Roles["server"].Command.Process
			workertest.Freeze(t, server)
			r := run.Roles["client"].Ask(t, protocol.Message{Type: protocol.TypeMeasure}, protocol.TypeResult).Result
			if err := server.Signal(unix.SIGCONT); err != nil {
				t.Fatal(err)
			}
			if r.Sent != 1 || r.Received != 0 || r.Errors["deadline"] != 1 || !strings.Contains(strings.Join(r.Flags, ""), "no answer within 5 s") {
				t.Errorf("sent %d, received %d, errors %v, %q", r.Sent, r.Received, r.Errors, r.Flags)
			}
		})
	}
}

// TestParts runs the tests of the worker's parts, in Rust.
func TestParts(t *testing.T) {
	need(t)
	cargo(t, "test", "--package", "zenoh-worker", "--bins")
}

// cargo runs a command of cargo on the crates, beside the workers so that what is built
// already need not be again. It returns the folder of what it builds.
func cargo(tb testing.TB, command string, args ...string) string {
	tb.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		tb.Fatal(err)
	}
	target := filepath.Join(cache, "versus", "workers", "cargo")
	cmd := exec.CommandContext(tb.Context(), "cargo", append([]string{command, "--quiet", "--release", "--locked", "--target-dir", target}, args...)...)
	cmd.Dir = "../native/rust"
	if out, err := cmd.CombinedOutput(); err != nil {
		tb.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(target, "release")
}

// TestAllKilled kills both sides, so that nobody is left to clean up.
func TestAllKilled(t *testing.T) {
	if !alone(t) {
		return
	}
	w := pubsub(4096, map[string]any{"shared_memory": true})
	run := prepare(t, w)
	for _, role := range run.Roles {
		role.Kill()
	}
	if len(segments(t)) == 0 {
		t.Fatal("the killed have left nothing, so this tests nothing")
	}
	w.Options = nil
	received(t, prepare(t, w).Measure(t))
	clean(t)
}

// TestTwoAtOnce has two runs side by side, which must not see each other.
func TestTwoAtOnce(t *testing.T) {
	if !alone(t) {
		return
	}
	for _, options := range []map[string]any{nil, {"shared_memory": true}, {"mode": "router"}} {
		first, second := prepare(t, pubsub(64, options)), prepare(t, pubsub(64, options))
		received(t, second.Measure(t))
		received(t, first.Measure(t))
	}
	clean(t)
}

// TestNobody has a publisher and a client whose other side listens, but is nothing
// of theirs.
func TestNobody(t *testing.T) {
	for active, w := range map[string]drivers.Workload{"client": pubsub(64, nil), "publisher": rpc(64, nil)} {
		t.Run(active, func(t *testing.T) {
			t.Parallel()
			run := prepare(t, w) // a session with the other kind of roles
			role := workertest.Start(t, Worker.Role(active, true))
			role.Send(t, protocol.Message{Type: protocol.TypePrepare, Workload: &w, Peers: run.Peers()})
			if m := role.Expect(t, protocol.TypeError); !strings.Contains(m.Error, "was found through its address within 10 s") {
				t.Errorf("got %q", m.Error)
			}
		})
	}
	t.Run("no address", func(t *testing.T) {
		t.Parallel()
		need(t)
		w := rpc(64, nil)
		role := workertest.Start(t, Worker.Role("client", true))
		peers := map[string]map[string]string{"server": {"address": "tcp/127.0.0.1:1"}}
		role.Send(t, protocol.Message{Type: protocol.TypePrepare, Workload: &w, Peers: peers})
		if m := role.Expect(t, protocol.TypeError); !strings.Contains(m.Error, "can't connect to tcp/127.0.0.1:1") {
			t.Errorf("got %q", m.Error)
		}
	})
}

func TestCheck(t *testing.T) {
	good := func() drivers.Workload { return pubsub(64, map[string]any{"shared_memory": true}) }
	for _, c := range []struct {
		name, want string
		spoil      func(*drivers.Workload)
	}{
		{"kind", "no encoding", func(w *drivers.Workload) { w.Payload.Kind = "structs" }},
		{"size", "1 GiB", func(w *drivers.Workload) { w.Payload.Bytes = 1 << 30 }},
		{"pool", "pool of shared memory", func(w *drivers.Workload) { w.Payload.Bytes = 1 << 29 }},
		{"stamp", "sequence number", func(w *drivers.Workload) { w.Payload.Bytes = 31 }},
		{"loan", "shared_memory = true", func(w *drivers.Workload) { w.Transfer, w.Options = "loan", nil }},
		{"call", "only twoway", func(w *drivers.Workload) { w.Pattern, w.Call = drivers.RPC, "oneway" }},
		{"reliability", "best_effort", func(w *drivers.Workload) {
			w.Pattern, w.Options = drivers.RPC, map[string]any{"reliability": "best_effort"}
		}},
		{"empty", "0 bytes", func(w *drivers.Workload) { w.Pattern, w.Payload.Bytes = drivers.RPC, 0 }},
	} {
		w := good()
		if err := Driver.Verify(w); err != nil {
			t.Fatal(err)
		}
		c.spoil(&w)
		if err := Driver.Verify(w); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want an error with %q", c.name, err, c.want)
		}
	}
}
