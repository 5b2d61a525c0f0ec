package mqtt

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"

	"versus/drivers/goproc"
	"versus/drivers/worker"
)

// With MQTT 3.1.1 a call is a publication on versus/request/C.G, its answer one on
// versus/response/C.G. C is the number of the caller, G its generation, which
// changes after a call without an answer: an answer that comes late after all
// then has another topic, and is not taken for the next one's.
const (
	requests  = "versus/request/"
	responses = "versus/response/"
)

// serve answers every request with its own payload.
func serve(ctx context.Context, s worker.Setup) (worker.Ready, func() error, error) {
	// An answer is not waited for: this goroutine must go on reading. If it fails
	// the connection is lost, which close reports.
	l, err := dial(ctx, s, "server", func(l *link, m message) {
		if l.client5 != nil {
			l.answer5(m)
		} else if id, ok := strings.CutPrefix(m.topic, requests); ok {
			l.client.Publish(responses+id, l.qos, false, m.payload)
		}
	})
	if err != nil {
		return worker.Ready{}, nil, err
	}
	filter := requests + "+"
	if l.client5 != nil {
		filter = requests5
	}
	if err := l.subscribe(ctx, filter); err != nil {
		return worker.Ready{}, nil, errors.Join(err, l.close())
	}
	return worker.Ready{Effective: l.effective()}, l.close, nil
}

// connect opens n callers on one connection, as one application has one.
func connect(ctx context.Context, s worker.Setup, n int) ([]worker.Caller, worker.Ready, func() error, error) {
	callers := make([]*caller, n)
	payload := s.Workload.Payload.Content()
	for i := range callers {
		callers[i] = &caller{number: i, payload: payload, timeout: callTimeout}
		callers[i].timer = time.NewTimer(callTimeout)
		callers[i].newGeneration()
	}
	l, err := dial(ctx, s, "client", func(l *link, m message) {
		if l.client5 != nil {
			m.topic = responses + string(m.correlation)
		}
		deliver(callers, m.topic, len(m.payload))
	})
	if err != nil {
		return nil, worker.Ready{}, nil, err
	}
	filter := responses + "+"
	if l.client5 != nil {
		filter = responses5
	}
	if err := l.subscribe(ctx, filter); err != nil {
		return nil, worker.Ready{}, nil, errors.Join(err, l.close())
	}
	calls := make([]worker.Caller, n)
	for i, c := range callers {
		c.link = l
		calls[i] = c
	}
	effective := l.effective()
	effective["connections"] = "1"
	return calls, worker.Ready{Effective: effective}, l.close, nil
}

func (l *link) effective() map[string]string {
	module, protocol := pahoModule, "MQTT 3.1.1"
	if l.client5 != nil {
		module, protocol = paho5Module, "MQTT 5"
	}
	e := goproc.Effective(module)
	maps.Copy(e, map[string]string{"protocol": protocol, "qos": strconv.Itoa(int(l.qos))})
	if l.client5 != nil && l.qos > 0 {
		e["receive_maximum"] = strconv.Itoa(l.receiveMaximum)
	}
	return e
}

// caller is one loop of calls. Its payload never changes, so that the client
// library may hold it as long as it likes.
type caller struct {
	link    *link
	number  int
	payload []byte
	timeout time.Duration
	timer   *time.Timer
	box     atomic.Pointer[mailbox] // of the present generation
}

// mailbox is where the answer of one generation of a caller arrives.
type mailbox struct {
	request, response string // topics of MQTT 3.1.1; the answer's also names the mailbox
	correlation       []byte // of MQTT 5: what follows in the topics
	generation        int
	sizes             chan int
}

func (c *caller) newGeneration() {
	generation := 0
	if old := c.box.Load(); old != nil {
		generation = old.generation + 1
	}
	id := fmt.Sprintf("%d.%d", c.number, generation)
	c.box.Store(&mailbox{
		request: requests + id, response: responses + id, correlation: []byte(id),
		generation: generation, sizes: make(chan int, 1),
	})
}

// deliver puts the size of an answer where its caller waits for it.
func deliver(callers []*caller, topic string, size int) {
	id, ok := strings.CutPrefix(topic, responses)
	if !ok {
		return
	}
	number, _, _ := strings.Cut(id, ".")
	i, err := strconv.Atoi(number)
	if err != nil || i < 0 || i >= len(callers) {
		return
	}
	box := callers[i].box.Load()
	if box.response != topic {
		return // late: its call was counted as failed
	}
	select {
	case box.sizes <- size:
	default: // a second answer to one call; the first is still there
	}
}

var (
	errLength  = worker.Kind(worker.KindAnswer, errors.New("the answer has another length than the request"))
	errTimeout = worker.Kind(worker.KindDeadline, fmt.Errorf("no answer within %v", callTimeout))
)

// Call publishes a request and waits for its answer.
func (c *caller) Call() error {
	box := c.box.Load()
	var token paho.Token
	if c.link.client5 == nil {
		token = c.link.client.Publish(box.request, c.link.qos, false, c.payload)
	} else if err := c.link.request5(box, c.payload); err != nil {
		c.newGeneration()
		return err
	}
	c.timer.Reset(c.timeout)
	select {
	case size := <-box.sizes:
		if size != len(c.payload) {
			return errLength
		}
		return nil
	case <-c.link.lost:
		return c.link.broken()
	case <-c.timer.C:
		c.newGeneration()
		if token == nil {
			return errTimeout
		}
		return errors.Join(errTimeout, token.Error())
	}
}
