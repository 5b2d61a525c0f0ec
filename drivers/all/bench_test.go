package all_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"syscall"
	"testing"

	"versus/drivers"
	"versus/drivers/all"
	"versus/drivers/protocol"
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

// system is a driver with its passive roles running.
type system struct {
	workload drivers.Workload
	client   drivers.Role
	peers    map[string]map[string]string
	passive  map[string]*process
}

// serve starts the passive roles of request/response.
func serve(tb testing.TB, driver string, options map[string]any, callers int) *system {
	tb.Helper()
	w := drivers.Workload{
		Driver: driver, Pattern: drivers.RPC, Call: "twoway", Concurrency: callers, Options: map[string]any{"gomaxprocs": 1.0},
		Payload: drivers.Payload{Kind: "bytes", Bytes: size},
		Warmup:  drivers.Extent{Seconds: 0.1}, Measure: drivers.Extent{Seconds: 0.5},
	}
	maps.Copy(w.Options, options)
	return carry(tb, w)
}

// carry starts the passive roles of a workload.
func carry(tb testing.TB, w drivers.Workload) *system {
	tb.Helper()
	d, ok := all.Registry().Find(w.Driver)
	if !ok {
		tb.Fatalf("no driver %q", w.Driver)
	}
	if err := d.Verify(w); err != nil {
		tb.Fatal(err)
	}
	roles, err := d.Roles(w)
	if err != nil {
		tb.Fatal(err)
	}
	s := &system{workload: w, peers: map[string]map[string]string{}, passive: map[string]*process{}}
	for _, role := range roles {
		if role.Active {
			s.client = role
			break
		}
		p := start(tb, w, role)
		ready := p.ask(tb, protocol.Message{Type: protocol.TypePrepare, Workload: &w, Peers: s.peers}, protocol.TypeReady)
		s.peers[role.Name] = ready.Addresses
		s.passive[role.Name] = p
	}
	return s
}

// measure runs a fresh client to its end and returns its result.
func (s *system) measure(tb testing.TB) *protocol.Result {
	tb.Helper()
	p, r := s.load(tb)
	p.stop()
	return r
}

// load runs a fresh client until it has measured.
func (s *system) load(tb testing.TB) (*process, *protocol.Result) {
	tb.Helper()
	p := start(tb, s.workload, s.client)
	p.ask(tb, protocol.Message{Type: protocol.TypePrepare, Workload: &s.workload, Peers: s.peers}, protocol.TypeReady)
	p.ask(tb, protocol.Message{Type: protocol.TypeWarmUp}, protocol.TypeWarm)
	r := p.ask(tb, protocol.Message{Type: protocol.TypeMeasure}, protocol.TypeResult).Result
	if len(r.Errors) > 0 || r.Sent == 0 {
		tb.Fatalf("%d sent, errors %v: %v", r.Sent, r.Errors, r.Flags)
	}
	return p, r
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
