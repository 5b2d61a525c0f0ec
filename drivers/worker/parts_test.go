package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"versus/drivers/protocol"
)

func TestStampSurvivesTheWire(t *testing.T) {
	want := stamp{true, 513, 1 << 40, 123456789, -5}
	b := make([]byte, StampSize)
	want.write(b)
	if got, ok := readStamp(b); !ok || got != want {
		t.Errorf("got %+v, %v", got, ok)
	}
	for _, bad := range [][]byte{nil, b[:StampSize-1], append([]byte{b[0] + 1}, b[1:]...)} {
		if _, ok := readStamp(bad); ok {
			t.Errorf("%v has no stamp", bad)
		}
	}
}

func TestSequences(t *testing.T) {
	var s sequences
	for _, c := range []struct {
		n                  uint64
		isNew, inOrder, ok bool
	}{
		{0, true, true, true}, {0, false, false, true}, {2, true, true, true}, {1, true, false, true}, {1, false, false, true},
		{chunkBits * 3, true, true, true}, {chunkBits + 5, true, false, true}, {chunkBits + 5, false, false, true},
		{1<<64 - 1, false, false, false}, {maxGap * 2, false, false, false}, {maxGap, true, true, true},
	} {
		if isNew, inOrder, ok := s.add(c.n); isNew != c.isNew || inOrder != c.inOrder || ok != c.ok {
			t.Errorf("%d: new %v, in order %v, ok %v", c.n, isNew, inOrder, ok)
		}
	}
}

func TestShares(t *testing.T) {
	for _, c := range []struct {
		total int64
		n     int
	}{{0, 3}, {1, 3}, {10, 3}, {12, 3}, {7, 1}} {
		var sum int64
		for i := range c.n {
			sum += share(c.total, i, c.n)
		}
		if sum != c.total || share(c.total, 0, c.n)-share(c.total, c.n-1, c.n) > 1 {
			t.Errorf("%d among %d", c.total, c.n)
		}
	}
}

// Slots of all callers together are as many as rate times duration says.
func TestSlots(t *testing.T) {
	for _, c := range []struct {
		periods float64
		callers int
		want    int64
	}{{1000, 1, 1000}, {1000, 4, 4000}, {0.5, 1, 1}, {0.5, 4, 2}, {2.5, 2, 5}, {0, 3, 0}, {1000 * 0.3, 3, 900}} {
		var sum int64
		for i := range c.callers {
			sum += slotsWithin(c.periods, float64(i)/float64(c.callers))
		}
		if sum != c.want {
			t.Errorf("%v periods of %d callers: %d slots, want %d", c.periods, c.callers, sum, c.want)
		}
	}
}

func TestTooShortForTheClock(t *testing.T) {
	for _, c := range []struct {
		each  float64
		batch int64
		want  string
	}{{600, 1, ""}, {200, 1, "time at least 3 together"}, {40, 16, ""}, {30, 16, "time at least 20 together"}, {0, 1, "at least 600"}} {
		got := tooShort(c.each, c.batch, 30)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%v ns, %d together: %q, want %q", c.each, c.batch, got, c.want)
		}
	}
}

func TestKinds(t *testing.T) {
	_, refused := net.Dial("tcp", "127.0.0.1:1")
	for _, c := range []struct {
		err  error
		want string
	}{
		{context.DeadlineExceeded, "deadline"},
		{fmt.Errorf("call: %w", os.ErrDeadlineExceeded), "deadline"},
		{refused, "connection"}, {io.EOF, "connection"}, {syscall.EPIPE, "connection"},
		{fmt.Errorf("call: %w", Kind("busy", io.EOF)), "busy"},
		{Kind("Not a kind!", io.EOF), "connection"},
		{errors.New("?"), "other"},
	} {
		if got := kindOf(c.err); got != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}

// The pacer never returns early.
func TestPacerIsNeverEarly(t *testing.T) {
	calibrateClock()
	p, err := newPacer(1, 1000)
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	due := now()
	for i := range 50 {
		due += int64(i%3) * 150_000
		if err := p.wait(due); err != nil {
			t.Fatal(err)
		}
		if early := due - now(); early > 0 {
			t.Errorf("%d ns early", early)
		}
		if p.margin < minMargin || p.margin > maxMargin {
			t.Errorf("margin %d", p.margin)
		}
	}
	done := make(chan error)
	go func() { done <- p.wait(now() + int64(time.Hour)) }()
	p.halt()
	if <-done == nil || p.wait(now()) == nil {
		t.Error("a halted pacer waits without an error")
	}
	p.reset()
	if err := p.wait(now() + 1000); err != nil {
		t.Error(err)
	}
}

func TestUsageOfThisProcess(t *testing.T) {
	calibrateClock()
	m := meter{}
	window := func(use func()) *protocol.Result {
		if err := m.open(); err != nil {
			t.Fatal(err)
		}
		use()
		r := &protocol.Result{}
		if err := m.close(r); err != nil {
			t.Fatal(err)
		}
		return r
	}
	const size = 32 << 20
	r := window(func() {
		hog := slices.Repeat([]byte{1}, size)
		runtime.KeepAlive(hog)
	})
	if r.CPUUser+r.CPUSystem <= 0 || r.PeakMemory < size || r.Elapsed <= 0 {
		t.Errorf("%+v", r)
	}
	debug.FreeOSMemory()
	after := window(func() {})
	switch {
	case len(after.Flags) > 0: // this kernel can't reset the peak
		if !strings.Contains(after.Flags[0], "counts from the start of the process") {
			t.Errorf("flags %q", after.Flags)
		}
	case after.PeakMemory > r.PeakMemory-size/2:
		t.Errorf("a peak of %d after one of %d: it is that of the window before", after.PeakMemory, r.PeakMemory)
	}
}

// The CPU time and memory of a program that a role started, here sleep.
func TestUsageOfAnotherProcess(t *testing.T) {
	calibrateClock()
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	m := meter{pid: cmd.Process.Pid}
	if err := m.open(); err != nil {
		t.Fatal(err)
	}
	r := &protocol.Result{}
	if err := m.close(r); err != nil {
		t.Fatal(err)
	}
	if r.PeakMemory <= 0 || r.CPUUser < 0 || r.CPUSystem < 0 {
		t.Errorf("%+v", r)
	}
	if err := (&meter{pid: 1 << 30}).open(); err == nil {
		t.Error("a process that isn't there used CPU time")
	}
	if affinity(cmd.Process.Pid) == "unknown" {
		t.Error("unknown affinity")
	}
}

func BenchmarkNow(b *testing.B) {
	calibrateClock()
	for b.Loop() {
		now()
	}
}

// BenchmarkPacing1kHz and 10kHz report how late the pacer alone is, and what
// it costs.
func BenchmarkPacing1kHz(b *testing.B)  { benchmarkPacing(b, 1000) }
func BenchmarkPacing10kHz(b *testing.B) { benchmarkPacing(b, 10000) }

func benchmarkPacing(b *testing.B, rate int64) {
	calibrateClock()
	p, err := newPacer(1, float64(rate))
	if err != nil {
		b.Fatal(err)
	}
	defer p.close()
	var late []int64
	period := int64(1e9) / rate
	used, _ := readCPU(0)
	start := now()
	due := start
	for b.Loop() {
		due += period
		p.wait(due)
		late = append(late, now()-due)
	}
	total := seconds(now() - start)
	after, _ := readCPU(0)
	slices.Sort(late)
	q := func(p float64) float64 { return float64(late[int(p*float64(len(late)-1))]) / 1e3 }
	b.ReportMetric(q(0.5), "late-p50-us")
	b.ReportMetric(q(0.99), "late-p99-us")
	b.ReportMetric((after.user+after.system-used.user-used.system)/total*100, "cpu-%")
	b.ReportMetric(float64(p.margin)/1e3, "margin-us")
	b.ReportMetric(float64(p.spun)/float64(len(late))/1e3, "spun-us/wait")
}

// BenchmarkClosedLoopOverhead is the whole cost of a call that does nothing:
// the clock, the recorder and the loop. outside is the time that no latency
// accounts for.
func BenchmarkClosedLoopOverhead(b *testing.B) {
	calibrateClock()
	l := newClosedLoop([]Caller{nothing{}})
	b.ReportAllocs()
	b.ResetTimer()
	if err := l.callers[0].loop(1<<62, int64(b.N), &l.halted); err != nil {
		b.Fatal(err)
	}
	c := l.callers[0]
	b.ReportMetric(float64(c.end-c.start-c.latency.sum)/float64(b.N), "outside-ns")
}

type nothing struct{}

func (nothing) Call() error { return nil }
