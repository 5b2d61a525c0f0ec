package zenoh

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/drivers/workertest"
)

// rounds is how often the two sides take turns, and round how long each runs, in seconds.
const (
	rounds = 9
	round  = 1.0
)

// BenchmarkBesidePair holds the driver, in turns, against the least that a pair of programs
// needs for the same (rust/zenoh/examples/pair.rs), which follows zenoh's own z_ping, z_pong,
// z_pub_thr and z_sub_thr, and is built with the same crate and profile. All programs run on
// one CPU: where there are two, it is the scheduler that decides whether a call takes 40 us or
// 150, anew in each process. x-pair is the middle ratio of the rates of a round, below and
// above it the least and the greatest; cpu-x-pair is that of the CPU time of both sides a
// message, which other programs on the machine hardly change.
func BenchmarkBesidePair(b *testing.B) {
	need(b)
	pair := filepath.Join(cargo(b, "build", "--package", "zenoh-worker", "--example", "pair"), "examples", "pair")
	for _, c := range []struct {
		name, passive, active string // roles of the pair
		workload              func(size int) drivers.Workload
	}{
		{"query", "queryable", "query", func(size int) drivers.Workload { return rpc(size, nil) }},
		{"ping", "pong", "ping", func(size int) drivers.Workload {
			return rpc(size, map[string]any{"express": true, "request": "publication"})
		}},
		{"flood", "publish", "subscribe", func(size int) drivers.Workload { return pubsub(size, nil) }},
	} {
		for _, size := range []int{64, 4096, 65536} {
			b.Run(fmt.Sprintf("%s/%d", c.name, size), func(b *testing.B) {
				oneCPU(b)
				w := c.workload(size)
				w.Concurrency, w.Topics = 1, 1
				w.Warmup, w.Measure = drivers.Extent{Seconds: 0.2}, drivers.Extent{Seconds: round}
				for b.Loop() {
					var ours, theirs, rates, costs []float64
					for i := range rounds {
						var our, their figures
						if i%2 == 0 {
							our, their = driver(b, w), runPair(b, pair, c.passive, c.active, size)
						} else {
							their, our = runPair(b, pair, c.passive, c.active, size), driver(b, w)
						}
						ours, theirs = append(ours, our.rate), append(theirs, their.rate)
						rates, costs = append(rates, our.rate/their.rate), append(costs, our.cpu/their.cpu)
					}
					b.ReportMetric(0, "ns/op") // of all rounds together: means nothing
					b.ReportMetric(slices.Max(ours), "msg/s")
					b.ReportMetric(slices.Max(theirs), "pair-msg/s")
					report(b, "x-pair", rates)
					report(b, "cpu-x-pair", costs)
				}
			})
		}
	}
}

func report(b *testing.B, name string, ratios []float64) {
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], name)
	b.ReportMetric(ratios[0], name+"-least")
	b.ReportMetric(ratios[len(ratios)-1], name+"-most")
}

// figures are those of one round.
type figures struct {
	rate float64 // messages or calls a second
	cpu  float64 // CPU time of both sides a message, us
}

// driver measures one round of the driver.
func driver(b *testing.B, w drivers.Workload) figures {
	w.Driver = "zenoh"
	roles, err := Driver.Roles(w)
	if err != nil {
		b.Fatal(err)
	}
	var used float64
	var f figures
	results := workertest.Prepare(b, w, roles).Measure(b)
	for _, r := range results {
		used += r.CPUUser + r.CPUSystem
	}
	for _, role := range roles {
		if r := results[role.Name]; role.Active {
			f = figures{float64(r.Sent) / r.Elapsed, used * 1e6 / float64(r.Sent)}
		}
	}
	return f
}

// runPair measures one round of the pair.
func runPair(b *testing.B, program, passive, active string, size int) (f figures) {
	at := endpoint(b)
	serving := exec.Command(program, passive, at, strconv.Itoa(size))
	serving.Stderr = os.Stderr
	serving.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // this thread is the benchmark's own
	if err := serving.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = serving.Process.Kill()
		_ = serving.Wait()
	}()
	waitFor(b, at)
	out, err := exec.Command(program, active, at, strconv.Itoa(size), strconv.FormatFloat(round, 'g', -1, 64), strconv.Itoa(serving.Process.Pid)).Output()
	if err != nil {
		b.Fatalf("%s: %v", active, err)
	}
	if _, err := fmt.Sscan(string(out), &f.rate, &f.cpu); err != nil {
		b.Fatalf("%s says %q: %v", active, out, err)
	}
	return f
}

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

// endpoint returns one on a free port.
func endpoint(b *testing.B) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	return "tcp/" + l.Addr().String()
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
