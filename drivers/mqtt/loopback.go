package mqtt

import (
	"log/slog"
	"net"
	"sync"

	"github.com/mochi-mqtt/server/v2/listeners"
)

// loopback is the listener of the embedded broker. It ends its connections
// itself: mochi-mqtt's own listeners ask the broker to, which waits for ever if
// a client leaves at that moment (GetByListener takes a read lock twice).
type loopback struct {
	listener net.Listener
	serving  sync.WaitGroup

	mu     sync.Mutex
	closed bool
	open   map[net.Conn]bool
}

var _ listeners.Listener = (*loopback)(nil)

// Serve accepts connections until Close.
func (l *loopback) Serve(establish listeners.EstablishFn) {
	for {
		conn, err := l.listener.Accept()
		if err != nil {
			return
		}
		l.mu.Lock()
		if l.closed {
			l.mu.Unlock()
			conn.Close()
			return
		}
		l.open[conn] = true
		l.serving.Add(1)
		l.mu.Unlock()
		go func() {
			defer l.serving.Done()
			_ = establish(l.ID(), conn) // its clients say why they were lost
			l.mu.Lock()
			delete(l.open, conn)
			l.mu.Unlock()
		}()
	}
}

// Close ends all connections and waits until the broker has let go of them.
func (l *loopback) Close(listeners.CloseFn) {
	l.mu.Lock()
	l.closed = true
	l.listener.Close()
	for conn := range l.open {
		conn.Close()
	}
	l.mu.Unlock()
	l.serving.Wait()
}

// Init, ID, Address and Protocol complete the interface.
func (l *loopback) Init(*slog.Logger) error { return nil }
func (l *loopback) ID() string              { return "loopback" }
func (l *loopback) Address() string         { return l.listener.Addr().String() }
func (l *loopback) Protocol() string        { return l.listener.Addr().Network() }
