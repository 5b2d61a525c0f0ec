package mqtt

import (
	"context"
	"errors"
	"strconv"
	"strings"

	paho "github.com/eclipse/paho.mqtt.golang"

	"versus/drivers/worker"
)

const topics = "versus/topic/"

// subscribe connects a subscriber to all topics, on one connection. All
// messages come from one goroutine, in the order of their arrival.
func subscribe(ctx context.Context, s worker.Setup, receive func(topic int, message []byte)) (worker.Ready, func() error, error) {
	l, err := dial(ctx, s, "subscriber", func(_ *link, m message) {
		if number, ok := strings.CutPrefix(m.topic, topics); ok {
			if i, err := strconv.Atoi(number); err == nil && i >= 0 && i < s.Workload.Topics {
				receive(i, m.payload)
			}
		}
	})
	if err != nil {
		return worker.Ready{}, nil, err
	}
	for i := range s.Workload.Topics {
		if err := l.subscribe(ctx, topics+strconv.Itoa(i)); err != nil {
			return worker.Ready{}, nil, errors.Join(err, l.close())
		}
	}
	return worker.Ready{Effective: l.effective()}, l.close, nil
}

// publish connects a publisher of all topics, on one connection.
func publish(ctx context.Context, s worker.Setup) (worker.PublishFunc, worker.Ready, func() error, error) {
	l, err := dial(ctx, s, "publisher", func(*link, message) {})
	if err != nil {
		return nil, worker.Ready{}, nil, err
	}
	senders := make([]sender, s.Workload.Topics)
	for i := range senders {
		senders[i] = sender{link: l, topic: topics + strconv.Itoa(i)}
	}
	send := func(topic int, message []byte) error { return senders[topic].send(message) }
	return send, worker.Ready{Effective: l.effective()}, l.close, nil
}

// window is how many messages of QoS 1 or 2 a topic may have without the
// broker's acknowledgement. With one the rate would be that of request/response.
const window = 64

// sender publishes on one topic.
type sender struct {
	link  *link
	topic string
	// flights are the messages of QoS 1 and 2 that the broker may not have
	// acknowledged yet, a ring: the oldest is at next.
	flights [window]flight
	next    int
}

type flight struct {
	token   paho.Token
	message []byte
}

// send returns at QoS 0 when the message is written to the connection, and the
// worker's buffer free again. At QoS 1 and 2 the library needs the message
// until it is acknowledged, so it gets a copy, and send waits only if the window is full.
func (s *sender) send(message []byte) error {
	if s.link.client5 != nil {
		return s.link.publish5(s.topic, message, nil) // keeps a copy of what it needs again
	}
	if s.link.qos == 0 {
		return s.await(s.link.client.Publish(s.topic, 0, false, message))
	}
	f := &s.flights[s.next]
	s.next = (s.next + 1) % window
	if f.token != nil {
		if err := s.await(f.token); err != nil {
			return err
		}
	}
	f.message = append(f.message[:0], message...)
	f.token = s.link.client.Publish(s.topic, s.link.qos, false, f.message)
	return nil
}

func (s *sender) await(token paho.Token) error {
	select {
	case <-token.Done():
		if err := token.Error(); err != nil {
			return worker.Kind(worker.KindConnection, err)
		}
		return nil
	case <-s.link.lost:
		return s.link.broken()
	}
}
