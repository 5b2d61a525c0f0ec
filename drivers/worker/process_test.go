package worker_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	ggrpc "google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"versus/drivers"
	"versus/drivers/grpc"
	"versus/drivers/protocol"
	"versus/drivers/worker"
)

// roleVar makes the test program a worker that plays that role.
const roleVar = "VERSUS_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVar); role != "" {
		os.Exit(worker.Main("test", role, processRoles, os.Stdin, os.Stdout))
	}
	os.Exit(m.Run())
}

// processRoles are roles that tests and benchmarks run in processes of their own.
var processRoles = worker.Roles{
	"server":  grpc.Roles["server"],
	"client":  grpc.Roles["client"],
	"arrival": worker.ServerFunc(arrivalServer),
	"noisy": worker.ServerFunc(func(context.Context, worker.Setup) (worker.Ready, func() error, error) {
		fmt.Println("a library prints to standard output")
		os.Stdout.WriteString("and again")
		return worker.Ready{}, func() error { return nil }, nil
	}),
}

// process starts a worker in a process of its own.
func process(t testing.TB, role string, env ...string) *talk {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(append(os.Environ(), roleVar+"="+role), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
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
	k := &talk{t: t, in: in, enc: protocol.NewEncoder(in), dec: protocol.NewDecoder(out), status: make(chan int, 1)}
	hello, err := k.dec.Decode()
	if err != nil || hello.PID != cmd.Process.Pid {
		t.Fatalf("hello %+v: %v", hello, err)
	}
	go func() {
		cmd.Wait()
		k.stderr = stderr.String()
		k.status <- cmd.ProcessState.ExitCode()
	}()
	return k
}

// TestStrayPrints: what a library prints can't garble the conversation.
func TestStrayPrints(t *testing.T) {
	k := process(t, "noisy")
	k.prepare(workload(nil), nil)
	k.stop()
	if !strings.Contains(k.stderr, "a library prints") || !strings.Contains(k.stderr, "and again") {
		t.Errorf("standard error: %q", k.stderr)
	}
}

// arrivalServer is a gRPC server that notes when each call arrives, and says
// on standard error, when it is closed, how far from their grid they were.
// The option stall makes it sleep that many seconds each second, as a server
// does that collects garbage.
func arrivalServer(_ context.Context, s worker.Setup) (worker.Ready, func() error, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return worker.Ready{}, nil, err
	}
	stall, _ := s.Workload.Options["stall"].(float64)
	var mu sync.Mutex
	begin := time.Now()
	at := make([]float64, 0, 1<<20)
	server := ggrpc.NewServer(ggrpc.NumStreamWorkers(4))
	server.RegisterService(&ggrpc.ServiceDesc{ServiceName: "versus.Echo", HandlerType: (*any)(nil), Methods: []ggrpc.MethodDesc{{
		MethodName: "Call",
		Handler: func(_ any, _ context.Context, decode func(any) error, _ ggrpc.UnaryServerInterceptor) (any, error) {
			now := time.Since(begin)
			mu.Lock()
			at = append(at, float64(now))
			mu.Unlock()
			if in := now % time.Second; in < time.Duration(stall*1e9) {
				time.Sleep(time.Duration(stall*1e9) - in)
			}
			m := new(wrapperspb.BytesValue)
			return m, decode(m)
		},
	}}}, nil)
	go server.Serve(listener)
	shut := func() error {
		server.Stop()
		reportGrid(at, 1e9/(s.Workload.Rate*float64(s.Workload.Concurrency)))
		return nil
	}
	return worker.Ready{Addresses: map[string]string{"address": listener.Addr().String()}}, shut, nil
}

// reportGrid prints the residuals of arrivals against the grid that fits best,
// by its median.
func reportGrid(at []float64, period float64) {
	if len(at) < 100 {
		return
	}
	slices.Sort(at)
	for i := range at {
		at[i] -= float64(i) * period
	}
	sorted := slices.Sorted(slices.Values(at))
	middle := sorted[len(sorted)/2]
	for i := range at {
		at[i] = math.Abs(at[i]-middle) / 1e3
	}
	slices.Sort(at)
	q := func(p float64) float64 { return at[int(p*float64(len(at)-1))] }
	fmt.Fprintf(os.Stderr, "%d %.1f %.1f %.1f %.1f\n", len(at), q(0.5), q(0.9), q(0.99), q(1))
}

// BenchmarkOpenLoop measures the schedule of an open loop against a gRPC
// server in another process. send-error is what the server sees, against a
// perfect grid; lag is what the client recorded.
func BenchmarkOpenLoop(b *testing.B) {
	for _, procs := range []string{"1", "2"} {
		for _, c := range []struct {
			name    string
			rate    float64
			callers int
			stall   float64
		}{
			{"1kHz", 1000, 1, 0}, {"1kHz/callers=4", 250, 4, 0}, {"10kHz", 10000, 1, 0}, {"10kHz/callers=4", 2500, 4, 0}, {"1kHz/stall", 1000, 1, 0.1},
		} {
			b.Run(c.name+"/GOMAXPROCS="+procs, func(b *testing.B) {
				for b.Loop() {
					openLoopOnce(b, c.rate, c.callers, c.stall, "GOMAXPROCS="+procs)
				}
			})
		}
	}
}

// BenchmarkClosedLoop calls a gRPC server in another process. outside is the
// time of a call that no latency accounts for.
func BenchmarkClosedLoop(b *testing.B) {
	for _, callers := range []int{1, 4} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			w := workload(func(w *drivers.Workload) {
				w.Concurrency, w.Payload.Bytes = callers, 512
				w.Warmup, w.Measure = drivers.Extent{Seconds: 0.2}, drivers.Extent{Seconds: 1}
			})
			for b.Loop() {
				server := process(b, "server", "GOMAXPROCS=1")
				client := process(b, "client", "GOMAXPROCS=1")
				client.prepare(w, map[string]map[string]string{"server": server.prepare(w, nil).Addresses})
				client.say(protocol.TypeWarmUp, protocol.TypeWarm)
				r := client.say(protocol.TypeMeasure, protocol.TypeResult).Result
				client.stop()
				server.stop()
				n := float64(r.Received)
				b.ReportMetric(n/r.Elapsed, "calls/s")
				b.ReportMetric(float64(r.Latency.Sum)/n/1e3, "mean-us")
				b.ReportMetric(r.Elapsed*1e9*float64(callers)/n-float64(r.Latency.Sum)/n, "outside-ns")
				b.ReportMetric((r.CPUUser+r.CPUSystem)*1e6/n, "client-cpu-us/call")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

func openLoopOnce(b *testing.B, rate float64, callers int, stall float64, env string) {
	w := workload(func(w *drivers.Workload) {
		w.Rate, w.Concurrency = rate, callers
		w.Payload.Bytes = 512
		w.Options = map[string]any{"stall": stall}
		w.Warmup, w.Measure = drivers.Extent{}, drivers.Extent{Seconds: 2}
		if stall > 0 {
			w.Measure.Seconds = 5
		}
	})
	server := process(b, "arrival", "GOMAXPROCS=1")
	client := process(b, "client", env)
	client.prepare(w, map[string]map[string]string{"server": server.prepare(w, nil).Addresses})
	r := client.say(protocol.TypeMeasure, protocol.TypeResult).Result
	client.stop()
	server.stop()
	var n, p50, p90, p99, most float64
	fmt.Sscan(server.stderr, &n, &p50, &p90, &p99, &most)
	b.ReportMetric(p50, "send-error-p50-us")
	b.ReportMetric(p99, "send-error-p99-us")
	h, err := r.Latency.Decode()
	if err != nil {
		b.Fatal(err)
	}
	lag, err := r.SendLag.Decode()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(lag.ValueAtQuantile(50))/1e3, "lag-p50-us")
	b.ReportMetric(float64(lag.ValueAtQuantile(99))/1e3, "lag-p99-us")
	b.ReportMetric(float64(h.ValueAtQuantile(50))/1e3, "p50-us")
	b.ReportMetric(float64(h.ValueAtQuantile(99))/1e3, "p99-us")
	b.ReportMetric(float64(r.Sent)/r.Elapsed/r.Offered, "rate/offered")
	b.ReportMetric((r.CPUUser+r.CPUSystem)/r.Elapsed*100, "client-cpu-%")
	b.ReportMetric(0, "ns/op")
}
