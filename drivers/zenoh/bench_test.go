package zenoh

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/drivers/protocol"
	"versus/drivers/workertest"
)

// Zenoh's own examples, z_ping and z_pong, z_pub_thr and z_sub_thr, are measured in
// turns with the driver where they are in PATH; docs/performance.md says how to build
// them. The best of the rounds counts on both sides. All programs run on one CPU:
// where there are two, it is the scheduler that decides whether a call takes 40 us or
// 150, anew in each process.
const rounds = 5

// oneCPU binds the programs that this goroutine starts to the last CPU.
func oneCPU(b *testing.B) {
	var set, one unix.CPUSet
	runtime.LockOSThread() // a thread that is never unlocked ends with the benchmark
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		b.Fatal(err)
	}
	for cpu := range 1024 {
		if set.IsSet(cpu) {
			one.Zero()
			one.Set(cpu)
		}
	}
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		b.Fatal(err)
	}
}

// only makes an example's session as ours is: without multicast, and without shared
// memory, which zenoh takes for 3,072 bytes and more.
var only = []string{"--no-multicast-scouting", "--cfg", "transport/shared_memory/enabled:false"}

func with(args ...string) []string { return append(args, only...) }

// peer finds a program of the zenoh examples.
func peer(b *testing.B, name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		b.Skipf("%s is not in PATH: an example of zenoh, see docs/performance.md", name)
	}
	return path
}

// endpoint returns one on a free port.
func endpoint(b *testing.B) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	return "tcp/" + l.Addr().String()
}

// background runs a program until the returned function is called.
func background(b *testing.B, name string, args ...string) func() {
	cmd := exec.Command(name, args...)
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	return func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

// numbers returns what the program prints that matches, in its first group.
func numbers(b *testing.B, pattern, name string, args ...string) []float64 {
	out, err := exec.Command(name, args...).Output()
	if err != nil {
		b.Fatalf("%s: %v", name, err)
	}
	var all []float64
	for _, m := range regexp.MustCompile(pattern).FindAllSubmatch(out, -1) {
		x, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, x)
	}
	if len(all) == 0 {
		b.Fatalf("%s says nothing: %q", name, out)
	}
	slices.Sort(all)
	return all
}

func measure(b *testing.B, w drivers.Workload) map[string]*protocol.Result {
	w.Driver = "zenoh"
	roles, err := Driver.Roles(w)
	if err != nil {
		b.Fatal(err)
	}
	return workertest.Prepare(b, w, roles).Measure(b)
}

// BenchmarkPing holds the median round trip of z_ping against that of a call by
// publications in a closed loop.
func BenchmarkPing(b *testing.B) {
	need(b)
	ping, pong := peer(b, "z_ping"), peer(b, "z_pong")
	for _, size := range []int{64, 4096, 65536} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			oneCPU(b)
			for b.Loop() {
				ours, theirs := 1e9, 1e9
				for range rounds {
					at := endpoint(b)
					stop := background(b, pong, with("-l", at)...)
					waitFor(b, at)
					rtt := numbers(b, `rtt=(\d+)`, ping, with("-e", at, "-n", "5000", "-w", "0.3", fmt.Sprint(size))...)
					stop()
					theirs = min(theirs, rtt[len(rtt)/2])
					w := rpc(size, map[string]any{"express": true, "request": "publication"})
					w.Concurrency, w.Warmup, w.Measure = 1, drivers.Extent{Seconds: 0.3}, drivers.Extent{Calls: 5000}
					h, err := measure(b, w)["client"].Latency.Decode()
					if err != nil {
						b.Fatal(err)
					}
					ours = min(ours, float64(h.ValueAtQuantile(50))/1e3)
				}
				b.ReportMetric(ours, "us")
				b.ReportMetric(theirs, "z_ping-us")
				b.ReportMetric(ours/theirs, "x-z_ping")
			}
		})
	}
}

// BenchmarkThroughput holds the messages that arrive from a publisher without a pause
// against those of z_pub_thr and z_sub_thr.
func BenchmarkThroughput(b *testing.B) {
	need(b)
	pub, sub := peer(b, "z_pub_thr"), peer(b, "z_sub_thr")
	for _, size := range []int{64, 4096, 65536} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			oneCPU(b)
			for b.Loop() {
				ours, theirs := 0.0, 0.0
				for range rounds {
					at := endpoint(b)
					stop := background(b, pub, with("-l", at, fmt.Sprint(size))...)
					waitFor(b, at)
					rates := numbers(b, `([\d.]+) msg/s`, sub, with("-e", at, "-s", "3", "-n", fmt.Sprint(30_000_000/max(size, 100)))...)
					stop()
					theirs = max(theirs, rates[len(rates)/2])
					w := pubsub(size, nil)
					w.Topics, w.Warmup, w.Measure = 1, drivers.Extent{Seconds: 0.2}, drivers.Extent{Seconds: 1}
					r := measure(b, w)["publisher"]
					ours = max(ours, float64(r.Sent)/r.Elapsed)
				}
				b.ReportMetric(ours, "msg/s")
				b.ReportMetric(theirs, "z_pub_thr-msg/s")
				b.ReportMetric(ours/theirs, "x-z_pub_thr")
			}
		})
	}
}

// BenchmarkCalls holds queries with their replies, in a closed loop, against the least
// that a pair of programs needs for them: rust/zenoh/examples/query_pair.rs.
func BenchmarkCalls(b *testing.B) {
	need(b)
	pair := buildPair(b)
	for _, size := range []int{64, 4096, 65536} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			oneCPU(b)
			for b.Loop() {
				ours, theirs := 0.0, 0.0
				for range rounds {
					at := endpoint(b)
					stop := background(b, pair, "server", at)
					waitFor(b, at)
					rates := numbers(b, `(\d+) calls/s`, pair, "client", at, fmt.Sprint(size), "0.5")
					stop()
					theirs = max(theirs, rates[len(rates)-1])
					w := rpc(size, nil)
					w.Concurrency, w.Warmup, w.Measure = 1, drivers.Extent{Seconds: 0.2}, drivers.Extent{Seconds: 0.5}
					r := measure(b, w)["client"]
					ours = max(ours, float64(r.Received)/r.Elapsed)
				}
				b.ReportMetric(ours, "calls/s")
				b.ReportMetric(theirs, "pair-calls/s")
				b.ReportMetric(ours/theirs, "x-pair")
			}
		})
	}
}

// buildPair builds the hand-written pair, beside the workers.
func buildPair(b *testing.B) string {
	cache, err := os.UserCacheDir()
	if err != nil {
		b.Fatal(err)
	}
	target := filepath.Join(cache, "versus", "workers", "cargo")
	cmd := exec.Command("cargo", "build", "--quiet", "--release", "--locked", "--package", "zenoh-worker", "--example", "query_pair",
		"--target-dir", target)
	cmd.Dir = "../native/rust"
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(target, "release", "examples", "query_pair")
}

// waitFor waits until something listens at the endpoint.
func waitFor(b *testing.B, endpoint string) {
	for range 1000 {
		if c, err := net.Dial("tcp", strings.TrimPrefix(endpoint, "tcp/")); err == nil {
			c.Close()
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	b.Fatalf("nothing listens at %s", endpoint)
}
