package mqtt

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"

	"github.com/eclipse/paho.golang/packets"
	paho5 "github.com/eclipse/paho.golang/paho"
	"github.com/eclipse/paho.golang/paho/session"
	"github.com/eclipse/paho.golang/paho/session/state"

	"versus/drivers/worker"
)

// With MQTT 5 every call goes to one topic, with the topic for its answer and
// data by which its caller knows that.
const (
	requests5  = "versus/request"
	responses5 = "versus/response"
)

// keepAlive is the interval of pings on an idle connection, in seconds; that of
// the client for 3.1.1.
const keepAlive = 30

// dial5 is dial for MQTT 5.
func dial5(ctx context.Context, l *link, address, role string, receive func(l *link, m message)) error {
	conn, err := net.DialTimeout("tcp", address, connectTimeout)
	if err != nil {
		return err
	}
	tcp, ok := conn.(*net.TCPConn)
	if !ok {
		return errors.Join(fmt.Errorf("a %T is no TCP connection", conn), conn.Close())
	}
	l.client5 = paho5.NewClient(paho5.ClientConfig{
		Conn:          &bufferedTCP{tcp, bufio.NewReaderSize(tcp, 32<<10)},
		Session:       &guarded{SessionManager: state.NewInMemory()},
		PacketTimeout: callTimeout,
		OnPublishReceived: []func(paho5.PublishReceived) (bool, error){func(p paho5.PublishReceived) (bool, error) {
			m := message{topic: p.Packet.Topic, payload: p.Packet.Payload}
			if about := p.Packet.Properties; about != nil {
				m.responseTopic, m.correlation = about.ResponseTopic, about.CorrelationData
			}
			receive(l, m)
			return true, nil
		}},
		OnServerDisconnect: func(d *paho5.Disconnect) { l.lose(fmt.Errorf("the broker disconnects, reason %#x", d.ReasonCode)) },
		OnClientError:      func(err error) { l.lose(err) },
	})
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	answer, err := l.client5.Connect(ctx, &paho5.Connect{ClientID: "versus-" + role, CleanStart: true, KeepAlive: keepAlive})
	if err != nil {
		return errors.Join(err, closeAgain(tcp))
	}
	l.receiveMaximum = 65535 // without the property, MQTT 5 section 3.2.2.3.3
	if answer.Properties != nil && answer.Properties.ReceiveMaximum != nil {
		l.receiveMaximum = int(*answer.Properties.ReceiveMaximum)
	}
	return nil
}

// closeAgain closes what may be closed already.
func closeAgain(c io.Closer) error {
	if err := c.Close(); !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// guarded is a session that takes no packet after its connection is lost. The
// library's own (v0.23) then follows a nil pointer, if the other end of a QoS 2
// handshake is just arriving while the client disconnects.
type guarded struct {
	session.SessionManager
	mu   sync.RWMutex
	lost bool
}

func (g *guarded) ConnectionLost(d *packets.Disconnect) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lost = true
	return g.SessionManager.ConnectionLost(d)
}

func (g *guarded) PacketReceived(p *packets.ControlPacket, to chan<- *packets.Publish) error {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.lost {
		return session.ErrNoConnection
	}
	return g.SessionManager.PacketReceived(p, to)
}

func (g *guarded) Ack(p *packets.Publish) error {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if g.lost {
		return session.ErrNoConnection
	}
	return g.SessionManager.Ack(p)
}

// bufferedTCP reads ahead, as bufferedConn does. It writes as a TCP connection:
// a packet goes out in one system call (writev), and whole. A wrapper without
// that would need a lock, and a call for each part of a packet.
type bufferedTCP struct {
	*net.TCPConn
	reader *bufio.Reader
}

func (c *bufferedTCP) Read(p []byte) (int, error) { return c.reader.Read(p) }

// WriteTo is not the connection's, which would pass the buffer by.
func (c *bufferedTCP) WriteTo(w io.Writer) (int64, error) { return c.reader.WriteTo(w) }

// subscribe5 is subscribe for MQTT 5.
func (l *link) subscribe5(ctx context.Context, filter string) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	answer, err := l.client5.Subscribe(ctx, &paho5.Subscribe{Subscriptions: []paho5.SubscribeOptions{{Topic: filter, QoS: l.qos}}})
	if err != nil {
		return fmt.Errorf("can't subscribe to %s: %w", filter, err)
	}
	if len(answer.Reasons) != 1 || answer.Reasons[0] != l.qos {
		return fmt.Errorf("the broker granted %v instead of QoS %d for %s", answer.Reasons, l.qos, filter)
	}
	return nil
}

// publish5 returns when the message is written to the connection, and the
// payload free again. At QoS 1 and 2 the library waits only if the broker has
// not acknowledged as many as it takes at once, its receive maximum.
func (l *link) publish5(topic string, payload []byte, about *paho5.PublishProperties) error {
	p := &paho5.Publish{Topic: topic, QoS: l.qos, Payload: payload, Properties: about}
	_, err := l.client5.PublishWithOptions(context.Background(), p, paho5.PublishOptions{Method: paho5.PublishMethod_AsyncSend})
	if err == nil {
		return nil
	}
	select {
	case <-l.lost:
		return l.broken()
	default:
		return worker.Kind(worker.KindConnection, err)
	}
}

// request5 publishes a request; about says where its answer goes.
func (l *link) request5(box *mailbox, payload []byte) error {
	return l.publish5(requests5, payload, &paho5.PublishProperties{ResponseTopic: responses5, CorrelationData: box.correlation})
}

// answer5 answers a request with its own payload.
func (l *link) answer5(m message) {
	if m.responseTopic != "" {
		_ = l.publish5(m.responseTopic, m.payload, &paho5.PublishProperties{CorrelationData: m.correlation})
	}
}
