package iceoryx

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"versus/drivers"
	"versus/drivers/native"
	"versus/drivers/workertest"
)

// rounds is how often each side of a comparison measures, in turns. The best
// round of each counts.
const rounds = 11

// BenchmarkPair holds the driver against testdata/pair, the least that does the
// same by hand, in turns with the same RouDi: the median one-way latency at
// 1 kHz, from the sending on, and the rate without a pause. Publishers are on the
// first CPU and subscribers on the last one: where the kernel puts them makes
// more of a difference than anything that is compared here.
func BenchmarkPair(b *testing.B) {
	prepared(b)
	program := workertest.Built(b, native.Worker{Name: "test-iceoryx-pair", Language: native.Cpp, Files: os.DirFS("testdata/pair"),
		Include: Worker.Include, Libraries: Worker.Libraries, Needs: Worker.Needs})
	for _, size := range []int{512, 8 << 10, 1 << 20} {
		for _, transfer := range []string{"copy", "loan"} {
			w := workload(nil)
			w.Payload.Bytes, w.Transfer = size, transfer
			w.Warmup, w.Measure = drivers.Extent{Calls: 100}, drivers.Extent{Calls: 500}
			b.Run(fmt.Sprintf("latency/%d/%s", size, transfer), func(b *testing.B) {
				r := takeTurns(b, w, program, "drop")
				b.ReportMetric(slices.Min(r.oursLatency)/1e3, "us")
				b.ReportMetric(slices.Min(r.pairLatency)/1e3, "pair-us")
				b.ReportMetric(slices.Min(r.oursLatency)/slices.Min(r.pairLatency), "x-pair")
				workertest.Spread(b, r.oursLatency, r.pairLatency)
			})
		}
	}
	for _, transfer := range []string{"copy", "loan"} {
		w := workload(map[string]any{"full_queue": "block"})
		w.Payload.Bytes, w.Transfer, w.Rate = 512, transfer, 0
		w.Warmup, w.Measure = drivers.Extent{Calls: 1000}, drivers.Extent{Calls: 100_000}
		b.Run("rate/512/"+transfer, func(b *testing.B) {
			r := takeTurns(b, w, program, "block")
			b.ReportMetric(slices.Max(r.oursRate), "messages/s")
			b.ReportMetric(slices.Max(r.pairRate), "pair-messages/s")
			b.ReportMetric(slices.Max(r.oursRate)/slices.Max(r.pairRate), "x-pair")
			workertest.Spread(b, r.oursRate, r.pairRate)
		})
	}
}

// turns are what the rounds came to: medians in ns, and messages per second.
type turns struct{ oursLatency, pairLatency, oursRate, pairRate []float64 }

// takeTurns has the driver and the pair carry the workload in turns.
func takeTurns(b *testing.B, w drivers.Workload, pair, full string) (all turns) {
	rs := rolesOf(b, w, false)
	broker := workertest.Prepare(b, w, rs[:1])
	for range rounds {
		run := workertest.Prepare(b, w, nil)
		run.Drain = 0.2 // what a busy machine has lost does not come
		run.Peers()["broker"] = broker.Peers()["broker"]
		for i, role := range rs[1:] {
			role.Command = on(i == 0, role.Command)
			run.Add(b, role, workertest.Start(b, role))
		}
		results := run.Measure(b)
		sent, got := results["publisher"], results["subscriber"]
		of := got.Service
		if of == nil {
			of = got.Latency
		}
		h, err := of.Decode()
		if err != nil {
			b.Fatal(err)
		}
		latency, rate := runPair(b, w, pair, full)
		all.oursLatency, all.oursRate = append(all.oursLatency, float64(h.ValueAtPercentile(50))), append(all.oursRate, float64(sent.Sent)/sent.Elapsed)
		all.pairLatency, all.pairRate = append(all.pairLatency, latency), append(all.pairRate, rate)
	}
	broker.Roles["broker"].Stop(b)
	b.ReportMetric(0, "ns/op") // of all rounds together: means nothing
	return all
}

// on binds a command to the first or the last CPU.
func on(last bool, command []string) []string {
	cpu := 0
	if last {
		cpu = runtime.NumCPU() - 1
	}
	return append([]string{"taskset", "-c", strconv.Itoa(cpu)}, command...)
}

// runPair returns the median latency of the pair, in ns, and its rate.
func runPair(b *testing.B, w drivers.Workload, pair, full string) (latency, rate float64) {
	b.Helper()
	args := []string{strconv.FormatInt(w.Measure.Calls, 10), w.Transfer, full}
	command := on(true, append([]string{pair, "subscriber"}, args...))
	subscriber := exec.Command(command[0], command[1:]...)
	var said strings.Builder
	subscriber.Stdout = &said
	if err := subscriber.Start(); err != nil {
		b.Fatal(err)
	}
	command = on(false, append(append([]string{pair, "publisher"}, args...), strconv.Itoa(w.Payload.Bytes), fmt.Sprint(w.Rate)))
	out, err := exec.Command(command[0], command[1:]...).Output()
	if err != nil {
		_ = subscriber.Process.Kill()
		_ = subscriber.Wait()
		b.Fatal(err)
	}
	if err := subscriber.Wait(); err != nil {
		b.Fatal(err)
	}
	for text, value := range map[string]*float64{said.String(): &latency, string(out): &rate} {
		if *value, err = strconv.ParseFloat(strings.TrimSpace(text), 64); err != nil {
			b.Fatal(err)
		}
	}
	return latency, rate
}
