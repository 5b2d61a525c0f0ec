package dds

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"versus/drivers"
	"versus/drivers/protocol"
	"versus/drivers/workertest"
)

// rounds is how often each side is measured; the two take turns.
const rounds = 5

// loopback is what our worker sets, for ddsperf; ours also says which participant
// each side is, and who asks whom.
const loopback = `<CycloneDDS><Domain Id="any"><General><Interfaces><NetworkInterface name="lo" multicast="false"/></Interfaces>` +
	`<AllowMulticast>false</AllowMulticast><MaxMessageSize>65500B</MaxMessageSize><FragmentSize>65000B</FragmentSize></General>` +
	`<Discovery><ParticipantIndex>auto</ParticipantIndex><Peers><Peer Address="127.0.0.1"/></Peers></Discovery>` +
	`<Internal><SocketReceiveBufferSize max="4MB"/><SocketSendBufferSize max="2MB"/></Internal></Domain></CycloneDDS>`

// BenchmarkRoundTrip compares the median of half a round trip, of a service here,
// with what ddsperf, the tool of Cyclone DDS, says of its own: at 1 kHz, and one
// after the other.
func BenchmarkRoundTrip(b *testing.B) {
	for _, vendor := range []string{"cyclonedds", "fastdds"} {
		for _, rate := range []float64{1000, 0} {
			for _, size := range []int{512, 8192} {
				b.Run(fmt.Sprintf("vendor=%s/rate=%v/bytes=%d", vendor, rate, size), func(b *testing.B) {
					w := workload(drivers.RPC, map[string]any{"vendor": vendor})
					w.Rate, w.InFlight, w.Payload.Bytes = rate, 1, size
					w.Warmup, w.Measure = drivers.Extent{Seconds: 0.5}, drivers.Extent{Seconds: 2}
					compare(b, w, "client", 0.5)
				})
			}
		}
	}
}

// BenchmarkOneWay has the median one-way time at 1 kHz. No peer has that figure:
// the reader has slept for 1 ms and must be woken, where in a round trip the one
// who waits for the answer has just begun to wait.
func BenchmarkOneWay(b *testing.B) {
	for _, c := range []struct{ vendor, transport, kind, transfer string }{
		{"cyclonedds", "udp", "sequence", "copy"}, {"cyclonedds", "shm", "array", "loan"},
		{"fastdds", "udp", "sequence", "copy"}, {"fastdds", "shm", "sequence", "copy"}, {"fastdds", "data_sharing", "array", "loan"},
	} {
		for _, size := range []int{512, 64 << 10} {
			b.Run(fmt.Sprintf("vendor=%s/transport=%s/bytes=%d", c.vendor, c.transport, size), func(b *testing.B) {
				w := workload(drivers.PubSub, map[string]any{"vendor": c.vendor, "transport": c.transport, "type": c.kind})
				w.Rate, w.Payload.Bytes, w.Transfer = 1000, size, c.transfer
				w.Warmup, w.Measure = drivers.Extent{Seconds: 0.5}, drivers.Extent{Seconds: 2}
				compare(b, w, "subscriber", 1)
			})
		}
	}
}

// compare reports the median time of a role, multiplied, and beside a service of
// Cyclone DDS that of ddsperf: the middle one of the rounds of each.
func compare(b *testing.B, w drivers.Workload, role string, factor float64) {
	roles := rolesOf(b, w)
	o := read(w)
	peer := w.Pattern == drivers.RPC && o.vendor == "cyclonedds"
	program, err := exec.LookPath("ddsperf")
	if peer && err != nil {
		workertest.Need(b, fmt.Errorf("ddsperf is not installed: apt-get install cyclonedds-tools"))
	}
	var ours, theirs []float64
	for range rounds {
		ours = append(ours, factor*median(b, workertest.Prepare(b, w, roles).Measure(b)[role]))
		if peer {
			theirs = append(theirs, ddsperf(b, program, w.Payload.Bytes, w.Rate))
		}
	}
	b.ReportMetric(0, "ns/op") // of all rounds together: means nothing
	b.ReportMetric(middle(ours), "us")
	if peer {
		b.ReportMetric(middle(theirs), "ddsperf-us")
		b.ReportMetric(middle(ours)/middle(theirs), "x-ddsperf")
	}
}

func median(b *testing.B, r *protocol.Result) float64 {
	b.Helper()
	times := r.Latency
	if r.Service != nil && r.Offered > 0 {
		times = r.Service // from when it was sent, as ddsperf has it
	}
	h, err := times.Decode()
	if err != nil {
		b.Fatal(err)
	}
	return float64(h.ValueAtQuantile(50)) / 1e3
}

func middle(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

var reported = regexp.MustCompile(`mean .* 50% ([0-9.]+)(us|ms|s) `)

// ddsperf returns the median that ddsperf reports, of its seconds but the first.
func ddsperf(b *testing.B, program string, size int, rate float64) float64 {
	b.Helper()
	start := func(out *bytes.Buffer, args ...string) *exec.Cmd {
		c := exec.Command(program, append([]string{"-i", "101"}, args...)...)
		c.Env = append(os.Environ(), "CYCLONEDDS_URI="+loopback)
		c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		if out != nil {
			c.Stdout, c.Stderr = out, out
		}
		if err := c.Start(); err != nil {
			b.Fatal(err)
		}
		return c
	}
	pong := start(nil, "pong", "waitset")
	defer func() {
		_ = pong.Process.Kill()
		_ = pong.Wait()
	}()
	var out bytes.Buffer
	args := []string{"-D", "4", "ping", "size", strconv.Itoa(size), "waitset"}
	if rate > 0 {
		args = slices.Insert(args, 3, fmt.Sprintf("%vHz", rate))
	}
	if err := start(&out, args...).Wait(); err != nil {
		b.Fatalf("ddsperf: %v\n%s", err, &out)
	}
	var medians []float64
	for _, m := range reported.FindAllStringSubmatch(out.String(), -1) {
		v, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			b.Fatal(err)
		}
		medians = append(medians, v*map[string]float64{"us": 1, "ms": 1e3, "s": 1e6}[m[2]])
	}
	if len(medians) < 2 {
		b.Fatalf("ddsperf reported no latency:\n%s", &out)
	}
	return middle(medians[1:])
}
