package all_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"versus/drivers"
	"versus/drivers/all"
	"versus/drivers/protocol"
	"versus/drivers/worker"
)

// The benchmarks run each driver's real client against its real server, each
// a process of its own, and beside it a peer: another program that loads the
// same server. Both take turns, and the best round of each counts, so that
// what else the machine does in between counts for neither.
//
//	go test -bench . ./drivers/all
//
// docs/performance.md says how to get the peers, and what was seen.

// rounds is how often each side is measured.
const rounds = 5

// size is the payload of a call, in bytes.
const size = 512

// workerEnv makes this test program a worker: its value is "DRIVER ROLE".
const workerEnv = "VERSUS_TEST_WORKER"

func TestMain(m *testing.M) {
	if name, ok := os.LookupEnv(workerEnv); ok {
		driver, role, _ := strings.Cut(name, " ")
		roles, err := all.Worker(driver, role)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		os.Exit(worker.Main(driver, role, roles, os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// process is one role, a process.
type process struct {
	name    string
	command *exec.Cmd
	input   io.Closer
	encoder *protocol.Encoder
	decoder *protocol.Decoder
}

func start(tb testing.TB, w drivers.Workload, role drivers.Role) *process {
	tb.Helper()
	p := &process{name: role.Name, command: exec.Command(os.Args[0])}
	p.command.Env = append(append(os.Environ(), role.Env...), workerEnv+"="+w.Driver+" "+role.Name)
	p.command.Stderr = os.Stderr
	in, err := p.command.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := p.command.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { p.stop() }) // the end of its input ends it in any case
	p.input, p.encoder, p.decoder = in, protocol.NewEncoder(in), protocol.NewDecoder(out)
	p.expect(tb, protocol.TypeHello)
	return p
}

func (p *process) expect(tb testing.TB, kind string) protocol.Message {
	tb.Helper()
	m, err := p.decoder.Decode()
	if err != nil || m.Type != kind {
		tb.Fatalf("%s: got %q %s, %v; want %q", p.name, m.Type, m.Error, err, kind)
	}
	return m
}

func (p *process) ask(tb testing.TB, m protocol.Message, answer string) protocol.Message {
	tb.Helper()
	if err := p.encoder.Encode(m); err != nil {
		tb.Fatalf("%s: %v", p.name, err)
	}
	return p.expect(tb, answer)
}

func (p *process) stop() {
	_ = p.encoder.Encode(protocol.Message{Type: protocol.TypeStop})
	p.input.Close()
	_ = p.command.Wait()
}

// system is a driver with its passive roles running.
type system struct {
	workload drivers.Workload
	client   drivers.Role
	peers    map[string]map[string]string
	pids     map[string]int
}

func serve(tb testing.TB, driver string, options map[string]any, callers int) *system {
	tb.Helper()
	w := drivers.Workload{
		Driver: driver, Pattern: drivers.RPC, Call: "twoway", Concurrency: callers, Options: map[string]any{"gomaxprocs": 1.0},
		Payload: drivers.Payload{Kind: "bytes", Bytes: size},
		Warmup:  drivers.Extent{Seconds: 0.1}, Measure: drivers.Extent{Seconds: 0.5},
	}
	maps.Copy(w.Options, options)
	d, ok := all.Registry().Find(driver)
	if !ok {
		tb.Fatalf("no driver %q", driver)
	}
	if err := d.Verify(w); err != nil {
		tb.Fatal(err)
	}
	roles, err := d.Roles(w)
	if err != nil {
		tb.Fatal(err)
	}
	s := &system{workload: w, peers: map[string]map[string]string{}, pids: map[string]int{}}
	for _, role := range roles {
		if role.Active {
			s.client = role
			break
		}
		p := start(tb, w, role)
		ready := p.ask(tb, protocol.Message{Type: protocol.TypePrepare, Workload: &w, Peers: s.peers}, protocol.TypeReady)
		s.peers[role.Name] = ready.Addresses
		s.pids[role.Name] = p.command.Process.Pid
	}
	return s
}

// measure runs a fresh client and returns its result.
func (s *system) measure(tb testing.TB) *protocol.Result {
	tb.Helper()
	p := start(tb, s.workload, s.client)
	defer p.stop()
	p.ask(tb, protocol.Message{Type: protocol.TypePrepare, Workload: &s.workload, Peers: s.peers}, protocol.TypeReady)
	p.ask(tb, protocol.Message{Type: protocol.TypeWarmUp}, protocol.TypeWarm)
	r := p.ask(tb, protocol.Message{Type: protocol.TypeMeasure}, protocol.TypeResult).Result
	if len(r.Errors) > 0 || r.Received == 0 {
		tb.Fatalf("%d calls, errors %v: %v", r.Received, r.Errors, r.Flags)
	}
	return r
}

// compare measures the driver and the peer in turns. It reports the rate of
// each in calls per second, the ratio, and for the driver the CPU time of the
// client per call and the time per call that no latency accounts for.
func (s *system) compare(b *testing.B, peer string, rate func() (float64, error)) {
	var best *protocol.Result
	var ours, theirs float64
	for range rounds {
		r := s.measure(b)
		if v := float64(r.Received) / r.Elapsed; v > ours {
			ours, best = v, r
		}
		if rate == nil {
			continue
		}
		v, err := rate()
		if err != nil {
			b.Fatalf("%s: %v", peer, err)
		}
		theirs = max(theirs, v)
	}
	calls := float64(best.Received)
	b.ReportMetric(0, "ns/op") // of all rounds together: means nothing
	b.ReportMetric(ours, "calls/s")
	b.ReportMetric((best.CPUUser+best.CPUSystem)/calls*1e6, "client-us/call")
	b.ReportMetric((best.Elapsed*float64(s.workload.Concurrency)-float64(best.Latency.Sum)/1e9)/calls*1e9, "unaccounted-ns/call")
	if rate != nil {
		b.ReportMetric(theirs, peer+"-calls/s")
		b.ReportMetric(ours/theirs, "x-"+peer)
	}
}

// need skips the benchmark if a program is missing.
func need(b *testing.B, program, get string) string {
	b.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		b.Skipf("%s is not installed: %s", program, get)
	}
	return path
}

// output runs a program to its end and returns what it printed.
func output(program string, args ...string) (string, error) {
	c := exec.Command(program, args...)
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := c.Output()
	if exit, ok := err.(*exec.ExitError); ok {
		return "", fmt.Errorf("%w: %s%s", err, exit.Stderr, out)
	}
	return string(out), err
}

// decode runs a program that prints JSON.
func decode(into any, program string, args ...string) error {
	out, err := output(program, args...)
	if err == nil {
		err = json.Unmarshal([]byte(out), into)
	}
	return err
}

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
