package worker_test

import (
	"context"
	"testing"

	"versus/drivers"
	"versus/drivers/protocol"
	"versus/drivers/worker"
)

// prompt answers every call at once.
type prompt struct{}

func (prompt) Call() error { return nil }

// TestWindowsOfEveryLoop has each kind of load cut into windows that add up to
// its latencies: Validate, which the conversation calls, holds them together.
func TestWindowsOfEveryLoop(t *testing.T) {
	client := worker.Roles{"client": worker.ClientFunc(func(_ context.Context, _ worker.Setup, n int) ([]worker.Caller, worker.Ready, func() error, error) {
		callers := make([]worker.Caller, n)
		for i := range callers {
			callers[i] = prompt{}
		}
		return callers, worker.Ready{}, func() error { return nil }, nil
	})}
	rpc := func(w drivers.Workload) *protocol.Result {
		k := begin(t, "test", "client", client)
		k.prepare(w, nil)
		k.say(protocol.TypeWarmUp, protocol.TypeWarm)
		r := k.say(protocol.TypeMeasure, protocol.TypeResult).Result
		k.stop()
		return r
	}
	subscribed := func(w drivers.Workload) *protocol.Result {
		_, sub := publishRun(t, &medium{deliver: perfect}, w, 1)
		return sub
	}
	for _, c := range []struct {
		name    string
		measure func(drivers.Workload) *protocol.Result
		w       drivers.Workload
		windows int
		each    int64 // times in each window, 0 if time decides
	}{
		{"closed, calls", rpc, workload(func(w *drivers.Workload) { w.Measure.Calls = 500 }), 100, 5},
		{"closed, few calls of many callers", rpc, workload(func(w *drivers.Workload) { w.Concurrency = 3; w.Measure.Calls = 60 }), 20, 3},
		{"closed, time", rpc, workload(func(w *drivers.Workload) { w.Measure = drivers.Extent{Seconds: 0.02} }), 100, 0},
		{"open, calls", rpc, workload(func(w *drivers.Workload) { w.Rate = 10_000; w.Measure.Calls = 200 }), 100, 2},
		{"open, time", rpc, workload(func(w *drivers.Workload) { w.Rate = 10_000; w.Measure = drivers.Extent{Seconds: 0.02} }), 100, 2},
		{"pubsub, messages", subscribed, pubsub(func(w *drivers.Workload) { w.Measure.Calls = 400 }), 100, 4},
		{"pubsub, rate", subscribed, pubsub(func(w *drivers.Workload) { w.Rate = 10_000; w.Measure = drivers.Extent{Seconds: 0.02} }), 100, 4},
		{"pubsub, time", subscribed, pubsub(func(w *drivers.Workload) { w.Measure = drivers.Extent{Seconds: 0.02} }), 100, 0},
	} {
		r := c.measure(c.w)
		if err := r.Validate(); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if len(r.Windows) != c.windows {
			t.Errorf("%s: %d windows, want %d", c.name, len(r.Windows), c.windows)
		}
		uneven := int64(0)
		for _, w := range r.Windows {
			uneven += max(w.Count-c.each, c.each-w.Count)
		}
		// A slot due on the edge of two windows may fall in either.
		if c.each > 0 && (c.w.Rate == 0 && uneven > 0 || uneven > int64(c.windows)*c.each/2) {
			t.Errorf("%s: %v, want %d each", c.name, r.Windows, c.each)
		}
	}
}
