package mqtt

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"sync"
	"time"

	paho5 "github.com/eclipse/paho.golang/paho"
	paho "github.com/eclipse/paho.mqtt.golang"

	"versus/drivers/worker"
)

// connectTimeout bounds connecting and subscribing, which take milliseconds.
const connectTimeout = 10 * time.Second

// callTimeout is how long a message may take before it counts as lost: QoS 0
// promises nothing, and a call that waited for ever would hang the run.
const callTimeout = 10 * time.Second

// link is one connection to the broker. It is never opened again: a lost
// connection is an error of the run.
type link struct {
	client         paho.Client   // of MQTT 3.1.1, else nil
	client5        *paho5.Client // of MQTT 5, else nil
	receiveMaximum int           // of the broker, with MQTT 5
	qos            byte

	losing sync.Once
	lost   chan struct{} // closed when the connection is lost
	cause  error         // of the loss; read it after lost is closed
}

// message is one that a subscription got.
type message struct {
	topic, responseTopic string
	payload, correlation []byte
}

// lose marks the connection as lost.
func (l *link) lose(cause error) {
	l.losing.Do(func() {
		l.cause = cause
		close(l.lost)
	})
}

// dial connects the role to the broker. receive gets every message of every
// subscription, in order, from one goroutine; it owns the payload.
func dial(ctx context.Context, s worker.Setup, role string, receive func(l *link, m message)) (*link, error) {
	address := s.Peers["broker"]["address"]
	if address == "" {
		return nil, errors.New("the broker gave no address")
	}
	o := read(s.Workload)
	l := &link{qos: o.qos, lost: make(chan struct{})}
	open := dial3
	if o.version == "5" {
		open = dial5
	}
	if err := open(ctx, l, address, role, receive); err != nil {
		return nil, fmt.Errorf("the %s can't connect to the broker at %s: %w", role, address, err)
	}
	return l, nil
}

// dial3 is dial for MQTT 3.1.1.
func dial3(ctx context.Context, l *link, address, role string, receive func(l *link, m message)) error {
	o := paho.NewClientOptions().
		AddBroker("tcp://" + address).
		SetClientID("versus-" + role).
		SetProtocolVersion(4). // 3.1.1, without falling back to 3.1
		SetCleanSession(true).
		SetAutoReconnect(false).
		SetConnectRetry(false).
		SetConnectTimeout(connectTimeout).
		SetWriteTimeout(callTimeout).
		SetOrderMatters(true).
		SetCustomOpenConnectionFn(func(uri *url.URL, o paho.ClientOptions) (net.Conn, error) {
			conn, err := net.DialTimeout("tcp", uri.Host, connectTimeout)
			if err != nil {
				return nil, err
			}
			return &bufferedConn{conn, bufio.NewReaderSize(conn, 32<<10)}, nil
		}).
		SetConnectionLostHandler(func(_ paho.Client, err error) { l.lose(err) })
	// One handler for all topics, because a route for each costs the client a
	// comparison with each, by splitting both.
	o.SetDefaultPublishHandler(func(_ paho.Client, m paho.Message) {
		receive(l, message{topic: m.Topic(), payload: m.Payload()})
	})
	l.client = paho.NewClient(o)
	return wait(ctx, l.client.Connect())
}

// bufferedConn reads ahead. The client reads a packet's first byte, its length
// and the rest separately, each a system call on a plain connection.
type bufferedConn struct {
	net.Conn
	reader *bufio.Reader
}

func (c *bufferedConn) Read(p []byte) (int, error) { return c.reader.Read(p) }

// subscribe returns when the broker has granted the subscription.
func (l *link) subscribe(ctx context.Context, filter string) error {
	if l.client5 != nil {
		return l.subscribe5(ctx, filter)
	}
	token := l.client.Subscribe(filter, l.qos, nil)
	if err := wait(ctx, token); err != nil {
		return fmt.Errorf("can't subscribe to %s: %w", filter, err)
	}
	if granted := token.(*paho.SubscribeToken).Result()[filter]; granted != l.qos {
		return fmt.Errorf("the broker granted QoS %d instead of %d for %s", granted, l.qos, filter)
	}
	return nil
}

// broken returns the error of a lost connection. Only after lost is closed.
func (l *link) broken() error {
	return worker.Kind(worker.KindConnection, fmt.Errorf("the connection to the broker was lost: %w", l.cause))
}

// close disconnects. It is an error if the connection was lost before.
func (l *link) close() error {
	select {
	case <-l.lost:
		return l.broken()
	default:
	}
	if l.client5 != nil {
		l.losing.Do(func() {}) // its end is no loss
		return l.client5.Disconnect(&paho5.Disconnect{})
	}
	l.client.Disconnect(100) // milliseconds for what is still to be written
	return nil
}

func wait(ctx context.Context, token paho.Token) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	select {
	case <-token.Done():
		return token.Error()
	case <-ctx.Done():
		return ctx.Err()
	}
}
