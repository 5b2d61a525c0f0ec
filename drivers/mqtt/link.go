package mqtt

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"time"

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
	client paho.Client
	qos    byte
	lost   chan struct{} // closed when the connection is lost
	cause  error         // of the loss; read it after lost is closed
}

// dial connects the role to the broker. receive gets every message of every
// subscription, in order, from one goroutine; it owns the payload.
func dial(ctx context.Context, s worker.Setup, role string, receive func(l *link, topic string, payload []byte)) (*link, error) {
	address := s.Peers["broker"]["address"]
	if address == "" {
		return nil, errors.New("the broker gave no address")
	}
	l := &link{qos: read(s.Workload).qos, lost: make(chan struct{})}
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
		SetConnectionLostHandler(func(_ paho.Client, err error) {
			l.cause = err
			close(l.lost)
		})
	// One handler for all topics, because a route for each costs the client a
	// comparison with each, by splitting both.
	o.SetDefaultPublishHandler(func(_ paho.Client, m paho.Message) { receive(l, m.Topic(), m.Payload()) })
	l.client = paho.NewClient(o)
	if err := wait(ctx, l.client.Connect()); err != nil {
		return nil, fmt.Errorf("the %s can't connect to the broker at %s: %w", role, address, err)
	}
	return l, nil
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
		l.client.Disconnect(100) // milliseconds for what is still to be written
		return nil
	}
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
