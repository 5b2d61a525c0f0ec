package iceoryx

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/drivers/protocol"
	"versus/drivers/workertest"
)

// prepared builds the worker, or skips the test where that can't be.
func prepared(tb testing.TB) {
	tb.Helper()
	workertest.Built(tb, Worker)
}

func workload(options map[string]any) drivers.Workload {
	return drivers.Workload{
		Driver: "iceoryx", Pattern: drivers.PubSub, Options: options, Topics: 1, Rate: 1000, Transfer: "copy",
		Payload: drivers.Payload{Kind: "bytes", Bytes: 1000},
		Warmup:  drivers.Extent{Calls: 20}, Measure: drivers.Extent{Calls: 200},
	}
}

// rolesOf returns the roles of a run; private says whether RouDi may have shared
// memory of its own.
func rolesOf(tb testing.TB, w drivers.Workload, private bool) []drivers.Role {
	tb.Helper()
	if err := check(w); err != nil {
		tb.Fatal(err)
	}
	rs, err := roles(w)
	if err != nil {
		tb.Fatal(err)
	}
	if !private {
		rs[0].Command[len(rs[0].Command)-1] = "shared"
	}
	return rs
}

func TestMessagesArrive(t *testing.T) {
	prepared(t)
	for _, receive := range []string{"waitset", "listener", "poll"} {
		for _, transfer := range []string{"copy", "loan"} {
			t.Run(receive+"/"+transfer, func(t *testing.T) {
				// Blocking, because a busy machine may keep the subscriber waiting.
				w := workload(map[string]any{"receive": receive, "full_queue": "block", "queue": 4.0})
				w.Topics, w.Transfer = 3, transfer
				run := workertest.Prepare(t, w, rolesOf(t, w, true))
				if e := run.Effective["subscriber"]; e["receive"] != receive || e["queue"] != "4" || e["transfer"] != transfer ||
					e["full_queue"] != "block" || !strings.HasPrefix(e["iceoryx"], "2.") {
					t.Errorf("the subscriber reports %v", e)
				}
				if e := run.Effective["broker"]; e["memory"] != "24 chunks of 1000 bytes" {
					t.Errorf("the broker reports %v", e)
				}
				results := run.Measure(t)
				sent, got, broker := results["publisher"], results["subscriber"], results["broker"]
				if sent.Sent != 200 || got.Received != 200 || got.Latency.Count != 200 || got.Lost+got.Duplicated+got.Reordered+got.Negative != 0 {
					t.Errorf("sent %d, received %d, lost %d, duplicated %d, reordered %d; want 200, all in order",
						sent.Sent, got.Received, got.Lost, got.Duplicated, got.Reordered)
				}
				if len(sent.Flags)+len(got.Flags) > 0 {
					t.Errorf("flags %v %v", sent.Flags, got.Flags)
				}
				// RouDi's management memory alone has 65 MB. It may well use no CPU time.
				if broker.PeakMemory < 60<<20 {
					t.Errorf("the broker used %d bytes", broker.PeakMemory)
				}
			})
		}
	}
}

// TestFlood has a publisher that doesn't wait for anything: what the queue can't
// hold is lost and counted, and no chunk is missing.
func TestFlood(t *testing.T) {
	prepared(t)
	w := workload(map[string]any{"queue": 1.0})
	w.Rate, w.Transfer, w.Payload.Bytes, w.Measure = 0, "loan", 100_000, drivers.Extent{Calls: 5000}
	run := workertest.Prepare(t, w, rolesOf(t, w, true))
	run.Drain = 0.1 // what is lost doesn't come
	results := run.Measure(t)
	sent, got := results["publisher"], results["subscriber"]
	if sent.Sent != 5000 || got.Received+got.Lost != 5000 || len(sent.Errors) > 0 {
		t.Errorf("sent %d, received %d, lost %d, errors %v", sent.Sent, got.Received, got.Lost, sent.Errors)
	}
}

// TestManyTopics has as many as fit into one waitset.
func TestManyTopics(t *testing.T) {
	prepared(t)
	w := workload(map[string]any{"queue": 4.0, "full_queue": "block"})
	w.Topics, w.Rate, w.Measure, w.Payload.Bytes = maxAttached, 20, drivers.Extent{Calls: 2 * maxAttached}, 64
	got := workertest.Prepare(t, w, rolesOf(t, w, true)).Measure(t)["subscriber"]
	if got.Received != w.Measure.Calls {
		t.Errorf("received %d of %d", got.Received, w.Measure.Calls)
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*drivers.Workload)
		want  string // "" is none
	}{
		{"nothing", func(w *drivers.Workload) {}, ""},
		{"structs", func(w *drivers.Workload) { w.Payload = drivers.Payload{Kind: "structs", Bytes: 100} }, "structs"},
		{"small", func(w *drivers.Workload) { w.Payload.Bytes = 31 }, "31 bytes"},
		{"short line", func(w *drivers.Workload) { w.Payload = drivers.Payload{Kind: "lines", Text: "x", Bytes: 1000} }, "1 bytes"},
		{"smallest", func(w *drivers.Workload) { w.Payload.Bytes = 32 }, ""},
		{"topics", func(w *drivers.Workload) { w.Topics = 257 }, "257 topics"},
		{"polled topics", func(w *drivers.Workload) { w.Topics, w.Options = 512, map[string]any{"receive": "poll"} }, ""},
		{"many polled topics", func(w *drivers.Workload) { w.Topics, w.Options = 513, map[string]any{"receive": "poll"} }, "513 topics"},
		{"large", func(w *drivers.Workload) { w.Payload.Bytes = 53_687_000 }, ""},
		{"too large", func(w *drivers.Workload) { w.Payload.Bytes = 53_688_000 }, "a smaller queue needs less"},
		{"enormous", func(w *drivers.Workload) { w.Payload.Bytes = 1 << 60 }, "a smaller queue needs less"},
		{"with a small queue", func(w *drivers.Workload) { w.Payload.Bytes, w.Options = 200_000_000, map[string]any{"queue": 1.0} }, ""},
	} {
		w := workload(nil)
		c.spoil(&w)
		err := Driver.Verify(w)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
	if err := Driver.Verify(drivers.Workload{Pattern: drivers.RPC}); err == nil {
		t.Error("it carries rpc")
	}
}

// roudis returns the processes of iox-roudi whose parent is the process pid.
func roudis(pid int) (found []int) {
	names, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range names {
		text, _ := os.ReadFile(name)
		_, rest, _ := strings.Cut(string(text), "(iox-roudi) ")
		if f := strings.Fields(rest); len(f) > 1 && f[1] == strconv.Itoa(pid) {
			n, _ := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			found = append(found, n)
		}
	}
	return found
}

// killed kills a process and returns when it has ended.
func killed(t *testing.T, pid int) {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0); err != nil {
		t.Fatal(err)
	}
	for { // it is readable from the end of the process on
		if _, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, -1); err != unix.EINTR {
			return
		}
	}
}

// TestRouDiKilled ends RouDi in mid-run: the broker says so.
func TestRouDiKilled(t *testing.T) {
	prepared(t)
	w := workload(nil)
	run := workertest.Prepare(t, w, rolesOf(t, w, true))
	broker := run.Roles["broker"]
	found := roudis(broker.Command.Process.Pid)
	if len(found) != 1 {
		t.Fatalf("RouDi has the processes %v", found)
	}
	broker.Ask(t, protocol.Message{Type: protocol.TypeMeasure}, protocol.TypeMeasuring)
	killed(t, found[0])
	m := broker.Ask(t, protocol.Message{Type: protocol.TypeFinish}, protocol.TypeError)
	if !strings.Contains(m.Error, "signal 9") {
		t.Errorf("the broker says %q", m.Error)
	}
	for _, name := range []string{"publisher", "subscriber", "broker"} {
		run.Roles[name].Kill()
	}
	arrive(t, true)
}

// arrive has a short run go well.
func arrive(t *testing.T, private bool) {
	t.Helper()
	w := workload(map[string]any{"full_queue": "block"})
	if got := workertest.Prepare(t, w, rolesOf(t, w, private)).Measure(t)["subscriber"]; got.Received != 200 {
		t.Errorf("received %d of 200", got.Received)
	}
}

// TestRouDiEndsWithItsWorker kills the broker's worker: RouDi is gone too.
func TestRouDiEndsWithItsWorker(t *testing.T) {
	prepared(t)
	w := workload(nil)
	broker := workertest.Prepare(t, w, rolesOf(t, w, true)[:1]).Roles["broker"]
	pid := broker.Command.Process.Pid
	child := roudis(pid)
	if len(child) != 1 {
		t.Fatalf("RouDi has the processes %v", child)
	}
	if err := broker.Command.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = broker.Wait()
	workertest.Ended(t, child[0])
}

// TestNoBroker has roles without what they need.
func TestNoBroker(t *testing.T) {
	prepared(t)
	w := workload(nil)
	rs := rolesOf(t, w, true)
	broker := workertest.Prepare(t, w, rs[:1]).Roles["broker"]
	gone := map[string]map[string]string{"broker": {"pid": strconv.Itoa(broker.Command.Process.Pid)}}
	for _, c := range []struct {
		name  string
		peers map[string]map[string]string
		want  string
	}{
		{"never there", nil, ""},
		{"gone", gone, "gone"},
		{"a process without RouDi", map[string]map[string]string{"broker": {"pid": strconv.Itoa(os.Getpid())}}, "no iox-roudi answers"},
	} {
		if c.name == "gone" {
			broker.Kill()
		}
		subscriber := workertest.Start(t, rs[1])
		m := subscriber.Ask(t, protocol.Message{Type: protocol.TypePrepare, Workload: &w, Peers: c.peers}, protocol.TypeError)
		if !strings.Contains(m.Error, c.want) {
			t.Errorf("%s: %q", c.name, m.Error)
		}
		subscriber.Stop(t)
	}
}

// TestNoProgram has no iox-roudi in PATH.
func TestNoProgram(t *testing.T) {
	prepared(t)
	w := workload(nil)
	role := rolesOf(t, w, true)[0]
	role.Env = append(role.Env, "PATH=/nowhere")
	m := workertest.Start(t, role).Ask(t, protocol.Message{Type: protocol.TypePrepare, Workload: &w}, protocol.TypeError)
	if !strings.Contains(m.Error, "apt-get install iceoryx") {
		t.Errorf("got %q", m.Error)
	}
}

// TestNoSubscriber has a publisher that nobody listens to.
func TestNoSubscriber(t *testing.T) {
	prepared(t)
	w := workload(nil)
	rs := rolesOf(t, w, true)
	run := workertest.Prepare(t, w, rs[:1])
	publisher := workertest.Start(t, rs[2])
	m := publisher.Ask(t, protocol.Message{Type: protocol.TypePrepare, Workload: &w, Peers: run.Peers()}, protocol.TypeError)
	if !strings.Contains(m.Error, "no subscriber") {
		t.Errorf("got %q", m.Error)
	}
	publisher.Stop(t)
	run.Roles["broker"].Stop(t)
}

// TestTwoAtOnce has two runs at the same time, with different payloads.
func TestTwoAtOnce(t *testing.T) {
	prepared(t)
	first, second := workload(map[string]any{"full_queue": "block"}), workload(map[string]any{"full_queue": "block"})
	second.Payload.Bytes = 50_000
	a := workertest.Prepare(t, first, rolesOf(t, first, true))
	if got := a.Effective["broker"]["domain"]; got != "private mount namespace" {
		workertest.Need(t, fmt.Errorf("this machine allows no private mount namespace, so that there can be only one run: the domain is %s", got))
	}
	b := workertest.Prepare(t, second, rolesOf(t, second, true))
	for _, run := range []*workertest.Run{b, a} {
		if got := run.Measure(t)["subscriber"]; got.Received != 200 {
			t.Errorf("received %d of 200", got.Received)
		}
	}
}

// left are the files that RouDi or our clients have made in the folders that they
// share with the machine.
func left() []string {
	var all []string
	for _, pattern := range []string{"/dev/shm/iceoryx_mgmt", filepath.Join(os.TempDir(), "roudi"), filepath.Join(os.TempDir(), "versus-*er-[0-9]*")} {
		found, _ := filepath.Glob(pattern)
		all = append(all, found...)
	}
	return all
}

// TestMachinesMemory has RouDi use the machine's shared memory, as it must where
// nothing private is allowed: one at a time, which leaves nothing behind, and
// starts although the one before left everything behind.
func TestMachinesMemory(t *testing.T) {
	prepared(t)
	if !workertest.Alone(t, unix.CLONE_NEWNS, os.TempDir(), "/dev/shm") {
		return
	}
	w := workload(nil)
	rs := rolesOf(t, w, false)
	run := workertest.Prepare(t, w, rs)
	if got := run.Effective["broker"]["domain"]; got != "the machine's" {
		t.Errorf("the domain is %q", got)
	}
	other := workertest.Start(t, rs[0])
	m := other.Ask(t, protocol.Message{Type: protocol.TypePrepare, Workload: &w}, protocol.TypeError)
	if !strings.Contains(m.Error, "another iox-roudi is running") {
		t.Errorf("a second RouDi says %q", m.Error)
	}
	other.Stop(t)
	arrive(t, true) // with a private one nobody is in the way
	mine := roudis(run.Roles["broker"].Command.Process.Pid)
	if len(mine) != 1 {
		t.Fatalf("RouDi has the processes %v", mine)
	}
	for _, name := range []string{"publisher", "subscriber", "broker"} {
		run.Roles[name].Kill()
	}
	workertest.Ended(t, mine[0]) // until then it is one that is running
	if len(left()) == 0 {
		t.Error("a crash has left nothing behind; this tests nothing")
	}
	arrive(t, false)
	if files := left(); len(files) > 0 {
		t.Errorf("left behind: %v", files)
	}
}
