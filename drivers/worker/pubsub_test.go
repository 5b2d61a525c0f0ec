package worker_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"versus/drivers"
	"versus/drivers/protocol"
	"versus/drivers/worker"
)

// medium carries messages from a publisher to a subscriber in this process;
// deliver decides what arrives.
type medium struct {
	receive func(topic int, message []byte)
	deliver func(m *medium, topic int, message []byte) error
}

func (m *medium) roles() worker.Roles {
	return worker.Roles{
		"subscriber": worker.SubscriberFunc(func(_ context.Context, _ worker.Setup, receive func(int, []byte)) (worker.Ready, func() error, error) {
			m.receive = receive
			return worker.Ready{}, func() error { return nil }, nil
		}),
		"publisher": worker.PublisherFunc(func(context.Context, worker.Setup) (worker.PublishFunc, worker.Ready, func() error, error) {
			publish := func(topic int, message []byte) error { return m.deliver(m, topic, message) }
			return publish, worker.Ready{}, func() error { return nil }, nil
		}),
	}
}

func perfect(m *medium, topic int, message []byte) error {
	m.receive(topic, message)
	return nil
}

// publishRun has a whole run, and returns both results.
func publishRun(t *testing.T, m *medium, w drivers.Workload, drain float64) (pub, sub *protocol.Result) {
	t.Helper()
	subscriber := begin(t, "test", "subscriber", m.roles())
	if c := subscriber.prepare(w, nil).Effective["clock"]; !strings.Contains(c, "CLOCK_MONOTONIC") {
		t.Errorf("clock %q", c)
	}
	publisher := begin(t, "test", "publisher", m.roles())
	publisher.prepare(w, nil)
	publisher.say(protocol.TypeWarmUp, protocol.TypeWarm)
	subscriber.say(protocol.TypeMeasure, protocol.TypeMeasuring)
	pub = publisher.say(protocol.TypeMeasure, protocol.TypeResult).Result
	sub = subscriber.ask(protocol.Message{Type: protocol.TypeFinish, Sent: pub.Sent, Drain: drain}, protocol.TypeResult).Result
	publisher.stop()
	subscriber.stop()
	return pub, sub
}

func pubsub(mod func(*drivers.Workload)) drivers.Workload {
	return workload(func(w *drivers.Workload) {
		w.Pattern, w.Topics, w.Call, w.Concurrency = drivers.PubSub, 2, "", 0
		w.Measure.Calls = 200
		if mod != nil {
			mod(w)
		}
	})
}

func TestPubSub(t *testing.T) {
	for name, w := range map[string]drivers.Workload{
		"as fast as it goes": pubsub(nil),
		"at a rate":          pubsub(func(w *drivers.Workload) { w.Rate = 5000 }),
		"at a rate for a time": pubsub(func(w *drivers.Workload) {
			w.Rate, w.Measure = 1000, drivers.Extent{Seconds: 0.1}
		}),
	} {
		t.Run(name, func(t *testing.T) {
			pub, sub := publishRun(t, &medium{deliver: perfect}, w, 10)
			if pub.Sent != 200 || sub.Received != 200 || sub.Latency.Count != 200 {
				t.Errorf("sent %d, received %d, recorded %d; want 200", pub.Sent, sub.Received, sub.Latency.Count)
			}
			if sub.Lost+sub.Duplicated+sub.Reordered+sub.Negative != 0 || len(sub.Flags)+len(pub.Flags) != 0 {
				t.Errorf("%+v", sub)
			}
			if paced := w.Rate > 0; paced != (sub.Service != nil) || paced != (pub.SendLag != nil) || pub.Offered != 2*w.Rate {
				t.Errorf("service %v, lag %v, offered %v", sub.Service, pub.SendLag, pub.Offered)
			}
			if w.Rate > 0 && sub.Latency.Sum-sub.Service.Sum != pub.SendLag.Sum {
				t.Errorf("latency %d minus service %d is not the send lag %d", sub.Latency.Sum, sub.Service.Sum, pub.SendLag.Sum)
			}
		})
	}
}

// flawed loses, repeats and swaps messages of the window on topic 0. The
// publisher sends 100 messages on it.
func flawed() func(*medium, int, []byte) error {
	var held []byte
	n := 0
	return func(m *medium, topic int, message []byte) error {
		if topic != 0 || message[4] == 0 { // warm-up
			return perfect(m, topic, message)
		}
		n++
		switch {
		case n == 10 || n == 50 || n == 100: // lost, the last one too
		case n == 20: // twice
			m.receive(topic, message)
			m.receive(topic, message)
		case n == 30: // after the next one
			held = slices.Clone(message)
		case n == 31:
			m.receive(topic, message)
			m.receive(topic, held)
		default:
			m.receive(topic, message)
		}
		return nil
	}
}

func TestLossDuplicatesAndOrder(t *testing.T) {
	pub, sub := publishRun(t, &medium{deliver: flawed()}, pubsub(nil), 0.01)
	if pub.Sent != 200 || sub.Received != 197 || sub.Lost != 3 || sub.Duplicated != 1 || sub.Reordered != 1 {
		t.Errorf("sent %d; received %d, lost %d, duplicated %d, reordered %d; want 200; 197, 3, 1, 1",
			pub.Sent, sub.Received, sub.Lost, sub.Duplicated, sub.Reordered)
	}
	if sub.Latency.Count != 197 {
		t.Errorf("%d latencies; a repeated message must not count again", sub.Latency.Count)
	}
}

// TestDrain: messages that arrive after the publisher has finished still
// count, and the subscriber waits for no more than these.
func TestDrain(t *testing.T) {
	var held [][]byte
	m := &medium{deliver: func(m *medium, topic int, message []byte) error {
		if message[4] == 1 {
			held = append(held, slices.Clone(message))
		}
		return nil
	}}
	w := pubsub(func(w *drivers.Workload) { w.Topics = 1; w.Measure.Calls = 50 })
	subscriber := begin(t, "test", "subscriber", m.roles())
	subscriber.prepare(w, nil)
	publisher := begin(t, "test", "publisher", m.roles())
	publisher.prepare(w, nil)
	subscriber.say(protocol.TypeMeasure, protocol.TypeMeasuring)
	sent := publisher.say(protocol.TypeMeasure, protocol.TypeResult).Result.Sent
	subscriber.send(protocol.Message{Type: protocol.TypeFinish, Sent: sent, Drain: 3600})
	for _, message := range held {
		m.receive(0, message)
	}
	r := subscriber.read(protocol.TypeResult).Result
	if r.Received != 50 || r.Lost != 0 {
		t.Errorf("received %d, lost %d", r.Received, r.Lost)
	}
	publisher.stop()
	subscriber.stop()
}

func TestForeignMessages(t *testing.T) {
	m := &medium{deliver: func(m *medium, topic int, message []byte) error {
		if message[4] == 1 && message[8] == 7 {
			m.receive(topic, nil)
			m.receive(topic, make([]byte, 500))
			m.receive(99, message)
			m.receive(-1, message)
			wild := slices.Clone(message)
			wild[15] = 0xff // the sequence
			m.receive(topic, wild)
			future := slices.Clone(message)
			future[31] = 0x7f // the time of sending
			m.receive(topic, future)
			return nil
		}
		return perfect(m, topic, message)
	}}
	_, sub := publishRun(t, m, pubsub(func(w *drivers.Workload) { w.Topics = 1; w.Measure.Calls = 20 }), 10)
	if sub.Received != 20 || sub.Negative != 1 || sub.Latency.Count != 19 {
		t.Errorf("received %d, negative %d, recorded %d", sub.Received, sub.Negative, sub.Latency.Count)
	}
	text := strings.Join(sub.Flags, "\n")
	for _, want := range []string{"4 messages were not ours", "1 messages had an implausible"} {
		if !strings.Contains(text, want) {
			t.Errorf("flags %q lack %q", sub.Flags, want)
		}
	}
}

// TestFailedPublish: a message that could not be published is an error, and
// not a loss.
func TestFailedPublish(t *testing.T) {
	n := 0
	m := &medium{deliver: func(m *medium, topic int, message []byte) error {
		if n++; n%5 == 0 {
			return errors.New("queue full")
		}
		return perfect(m, topic, message)
	}}
	w := pubsub(func(w *drivers.Workload) { w.Topics, w.Warmup, w.Measure.Calls = 1, drivers.Extent{Calls: 5}, 100 })
	pub, sub := publishRun(t, m, w, 10)
	if pub.Sent != 80 || pub.Errors["other"] != 20 || sub.Received != 80 || sub.Lost != 0 {
		t.Errorf("sent %d, errors %v; received %d, lost %d", pub.Sent, pub.Errors, sub.Received, sub.Lost)
	}
}

func TestDeadBroker(t *testing.T) {
	for _, rate := range []float64{0, 50000} {
		m := &medium{deliver: func(*medium, int, []byte) error { return errors.New("no broker") }}
		k := begin(t, "test", "publisher", m.roles())
		k.prepare(pubsub(func(w *drivers.Workload) { w.Rate, w.Measure = rate, drivers.Extent{Seconds: 3600} }), nil)
		if e := k.say(protocol.TypeMeasure, protocol.TypeError).Error; !strings.Contains(e, "no broker") {
			t.Error(e)
		}
		k.stop()
	}
}

func TestPayloadTooSmallForItsStamp(t *testing.T) {
	k := begin(t, "test", "publisher", (&medium{deliver: perfect}).roles())
	w := pubsub(func(w *drivers.Workload) { w.Payload.Bytes = worker.StampSize - 1 })
	if e := k.ask(protocol.Message{Type: protocol.TypePrepare, Workload: &w}, protocol.TypeError).Error; !strings.Contains(e, "32 bytes") {
		t.Error(e)
	}
	k.stop()
}
