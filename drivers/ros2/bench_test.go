package ros2

import (
	"fmt"
	"slices"
	"testing"

	"versus/drivers"
	"versus/drivers/dds"
	"versus/drivers/protocol"
	"versus/drivers/workertest"
)

// rounds is how often the two sides of a benchmark take turns.
const rounds = 5

// BenchmarkBesideDDS has ROS 2 and driver dds with Fast DDS in shared memory, which
// is what lies beneath, take turns, and reports the middle median time of each.
func BenchmarkBesideDDS(b *testing.B) {
	workertest.Built(b, Worker())
	workertest.Built(b, dds.Workers[1])
	for _, pattern := range []drivers.Pattern{drivers.PubSub, drivers.RPC} {
		for _, size := range []int{512, 64 << 10} {
			b.Run(fmt.Sprintf("%s/bytes=%d", pattern, size), func(b *testing.B) {
				w := workload(pattern)
				w.Payload.Bytes, w.Rate, w.InFlight = size, 1000, 16
				w.Warmup, w.Measure = drivers.Extent{Seconds: 0.3}, drivers.Extent{Seconds: 1}
				peer := w
				peer.Options = map[string]any{"vendor": "fastdds", "transport": "shm", "qos": lossless}
				theirRoles, err := dds.Driver.Roles(peer)
				if err != nil {
					b.Fatal(err)
				}
				ourRoles := rolesOf(b, w)
				var ours, theirs []float64
				for range rounds {
					ours = append(ours, median(b, workertest.Prepare(b, w, ourRoles).Measure(b)))
					theirs = append(theirs, median(b, workertest.Prepare(b, peer, theirRoles).Measure(b)))
				}
				slices.Sort(ours)
				slices.Sort(theirs)
				b.ReportMetric(0, "ns/op") // of all rounds together: means nothing
				b.ReportMetric(ours[rounds/2], "us")
				b.ReportMetric(theirs[rounds/2], "dds-us")
				b.ReportMetric(ours[rounds/2]/theirs[rounds/2], "x-dds")
			})
		}
	}
}

// median returns the median time from when messages were sent, us.
func median(b *testing.B, results map[string]*protocol.Result) float64 {
	b.Helper()
	for _, role := range []string{"subscriber", "client"} {
		r, ok := results[role]
		if !ok {
			continue
		}
		times := r.Service
		if times == nil {
			times = r.Latency
		}
		h, err := times.Decode()
		if err != nil {
			b.Fatal(err)
		}
		return float64(h.ValueAtQuantile(50)) / 1e3
	}
	b.Fatal("no times")
	return 0
}
