package worker_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"versus/drivers"
	"versus/drivers/protocol"
	"versus/drivers/worker"
)

// memory is a logger that counts, and loses every so many lines.
type memory struct {
	logged, arrived atomic.Int64
	lose            int64
	flushErr        error
	extra           int64
}

func (m *memory) Log() {
	if n := m.logged.Add(1); m.lose == 0 || n%m.lose != 0 {
		m.arrived.Add(1)
	}
}
func (m *memory) Flush() error { return m.flushErr }
func (m *memory) Lines() (int64, error) {
	if m.lose < 0 {
		return worker.LinesUnknown, nil
	}
	return m.arrived.Swap(0) + m.extra, nil
}

func logger(m *memory, batch int) worker.Roles {
	return worker.Roles{"logger": worker.LoggerFunc(func(context.Context, worker.Setup) (worker.Logger, int, worker.Ready, func() error, error) {
		return m, batch, worker.Ready{Effective: map[string]string{"library": "memory"}}, func() error { return nil }, nil
	})}
}

func logWorkload() drivers.Workload {
	return drivers.Workload{Driver: "log", Pattern: drivers.Log, Concurrency: 1, Payload: drivers.Payload{Kind: "bytes", Bytes: 8}}
}

// logged has the conversation of a logger to its result or error.
func logged(t *testing.T, m *memory, batch int, w drivers.Workload) protocol.Message {
	t.Helper()
	k := begin(t, "log", "logger", logger(m, batch))
	ready := k.ask(protocol.Message{Type: protocol.TypePrepare, Workload: &w}, protocol.TypeReady)
	if ready.Effective["library"] != "memory" {
		t.Errorf("effective %v", ready.Effective)
	}
	k.say(protocol.TypeWarmUp, protocol.TypeWarm)
	k.send(protocol.Message{Type: protocol.TypeMeasure})
	answer, err := k.dec.Decode()
	if err != nil {
		t.Fatal(err)
	}
	if answer.Result != nil {
		if err := answer.Result.Validate(); err != nil {
			t.Errorf("the result is refused: %v", err)
		}
	}
	k.stop()
	return answer
}

func TestLogByCalls(t *testing.T) {
	for _, c := range []struct {
		callers, batch int
		calls, samples int64
	}{{1, 1, 1000, 1000}, {1, 16, 1000, 62}, {3, 16, 1000, 60}, {2, 100, 250, 2}} {
		w := logWorkload()
		w.Concurrency, w.Warmup.Calls, w.Measure.Calls = c.callers, 50, c.calls
		m := &memory{}
		r := logged(t, m, c.batch, w).Result
		if r == nil || r.Sent != c.calls || r.Received != c.calls || len(r.Errors) > 0 || r.Latency.Count != c.samples {
			t.Errorf("%+v: result %+v", c, r)
		}
		if got := m.logged.Load(); got != c.calls+50 {
			t.Errorf("%+v: %d lines were logged", c, got)
		}
	}
}

func TestLogByTime(t *testing.T) {
	w := logWorkload()
	w.Measure.Seconds = 0.01
	r := logged(t, &memory{}, 16, w).Result
	if r == nil || r.Sent == 0 || r.Elapsed <= 0 || r.Sent%16 != 0 {
		t.Errorf("result %+v", r)
	}
}

// At a rate each call has a time of its own, and counts from when it was due.
func TestLogAtARate(t *testing.T) {
	w := logWorkload()
	w.Rate, w.Measure.Calls = 1000, 20
	r := logged(t, &memory{}, 1, w).Result
	if r == nil || r.Sent != 20 || r.Offered != 1000 || r.Latency.Count != 20 || r.SendLag == nil {
		t.Errorf("result %+v", r)
	}
}

func TestLogLosesLines(t *testing.T) {
	w := logWorkload()
	w.Measure.Calls = 1000
	r := logged(t, &memory{lose: 10}, 1, w).Result
	if r == nil || r.Errors[worker.KindLost] != 100 || r.Received != 1000 || !strings.Contains(strings.Join(r.Flags, " "), "100 of 1000 lines") {
		t.Errorf("result %+v", r)
	}
	if r := logged(t, &memory{lose: -1}, 1, w).Result; r == nil || len(r.Errors) > 0 {
		t.Errorf("a sink that counts nothing: %+v", r)
	}
}

func TestLogFails(t *testing.T) {
	w := logWorkload()
	w.Measure.Calls = 10
	for _, c := range []struct {
		memory *memory
		batch  int
		want   string
	}{
		{&memory{extra: 1}, 1, "11 lines arrived"},
		{&memory{flushErr: errors.New("no space")}, 1, "flushing the log: no space"},
		{&memory{}, 11, "time fewer together"},
	} {
		if got := logged(t, c.memory, c.batch, w); got.Type != protocol.TypeError || !strings.Contains(got.Error, c.want) {
			t.Errorf("got %q %q, want an error with %q", got.Type, got.Error, c.want)
		}
	}
	k := begin(t, "log", "logger", logger(&memory{}, 0))
	got := k.ask(protocol.Message{Type: protocol.TypePrepare, Workload: &w}, protocol.TypeError)
	if !strings.Contains(got.Error, "at least 1") {
		t.Error(got.Error)
	}
	k.stop()
}
