package raw

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"versus/drivers"
	"versus/drivers/worker"
)

// A frame is the length of the message (4 bytes, little endian), the topic (4
// bytes, 0 for request/response) and the message.
const headerSize = 8

// readBuffer is how much a reader takes from the socket at once, so that a small
// frame costs one system call.
const readBuffer = 32 << 10

// connectTimeout bounds connecting, which takes microseconds.
const connectTimeout = 10 * time.Second

func socketRoles(network, address string) worker.Roles {
	return worker.Roles{
		"server": worker.ServerFunc(func(_ context.Context, s worker.Setup) (worker.Ready, func() error, error) {
			return listen(network, address, s, echo)
		}),
		"client": worker.ClientFunc(func(ctx context.Context, s worker.Setup, n int) ([]worker.Caller, worker.Ready, func() error, error) {
			return connectCallers(ctx, network, s, n)
		}),
		"subscriber": worker.SubscriberFunc(func(_ context.Context, s worker.Setup, receive func(int, []byte)) (worker.Ready, func() error, error) {
			return listen(network, address, s, func(conn io.ReadWriteCloser) { takeAll(conn, receive) })
		}),
		"publisher": worker.PublisherFunc(func(ctx context.Context, s worker.Setup) (worker.PublishFunc, worker.Ready, func() error, error) {
			return connectTopics(ctx, network, s)
		}),
	}
}

// listen serves each connection in a goroutine of its own.
func listen(network, address string, setup worker.Setup, serve func(io.ReadWriteCloser)) (worker.Ready, func() error, error) {
	if address == "@" {
		address = "@versus-" + rand.Text() // an abstract name: there is no file
	}
	l, err := net.Listen(network, address)
	if err != nil {
		return worker.Ready{}, nil, fmt.Errorf("can't listen: %w", err)
	}
	s := &server{listener: l, wait: waitOf(setup.Workload), open: map[io.Closer]bool{}}
	s.serving.Go(func() { s.accept(serve) })
	return worker.Ready{Addresses: map[string]string{"address": l.Addr().String()}, Effective: effective(network, setup)}, s.close, nil
}

func effective(network string, s worker.Setup) map[string]string {
	e := map[string]string{"transport": "TCP", "tcp_nodelay": "true", "wait": waitOf(s.Workload)} // Go sets it on every connection
	if network == "unix" {
		e["transport"] = "Unix stream socket, abstract name"
		delete(e, "tcp_nodelay")
	}
	return e
}

// waitOf returns the option wait.
func waitOf(w drivers.Workload) string {
	if wait, ok := w.Options["wait"].(string); ok {
		return wait
	}
	return "block"
}

// prepare has a connection wait as the option says.
func prepare(conn net.Conn, wait string) (io.ReadWriteCloser, error) {
	if wait == "block" {
		return newBlocking(conn)
	}
	return conn, nil
}

type server struct {
	listener net.Listener
	wait     string
	serving  sync.WaitGroup

	mu     sync.Mutex
	closed bool
	open   map[io.Closer]bool
}

func (s *server) accept(serve func(io.ReadWriteCloser)) {
	for {
		accepted, err := s.listener.Accept()
		if err != nil {
			return
		}
		conn, err := prepare(accepted, s.wait)
		if err != nil {
			continue // its client sees that it is closed
		}
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			conn.Close()
			return
		}
		s.open[conn] = true
		s.mu.Unlock()
		s.serving.Go(func() {
			serve(conn)
			conn.Close()
			s.mu.Lock()
			delete(s.open, conn)
			s.mu.Unlock()
			if b, ok := conn.(*blocking); ok {
				b.release()
			}
		})
	}
}

func (s *server) close() error {
	s.mu.Lock()
	s.closed = true
	err := s.listener.Close()
	for conn := range s.open {
		conn.Close()
	}
	s.mu.Unlock()
	s.serving.Wait()
	return err
}

// frames reads frames from a connection.
type frames struct {
	from   *bufio.Reader
	buffer []byte // of the frame read last, with its header
}

func newFrames(conn io.ReadWriteCloser) *frames {
	return &frames{from: bufio.NewReaderSize(conn, readBuffer), buffer: make([]byte, headerSize)}
}

// next returns the next frame; it is valid until the next call.
func (f *frames) next() (topic int, frame []byte, err error) {
	header := f.buffer[:headerSize]
	if _, err := io.ReadFull(f.from, header); err != nil {
		return 0, nil, err
	}
	n := binary.LittleEndian.Uint32(header)
	if n > MaxPayload {
		return 0, nil, fmt.Errorf("a frame of %d bytes: the other end is none of ours", n)
	}
	if need := headerSize + int(n); need > len(f.buffer) {
		f.buffer = append(f.buffer, make([]byte, need-len(f.buffer))...)
	}
	frame = f.buffer[:headerSize+int(n)]
	if _, err := io.ReadFull(f.from, frame[headerSize:]); err != nil {
		return 0, nil, err
	}
	return int(binary.LittleEndian.Uint32(frame[4:])), frame, nil
}

// newFrame returns a frame with room for a message.
func newFrame(topic, size int) []byte {
	f := make([]byte, headerSize+size)
	binary.LittleEndian.PutUint32(f, uint32(size))
	binary.LittleEndian.PutUint32(f[4:], uint32(topic))
	return f
}

// echo sends back what comes until the connection ends: its client says why.
func echo(conn io.ReadWriteCloser) {
	in := newFrames(conn)
	for {
		_, frame, err := in.next()
		if err != nil {
			return
		}
		if _, err := conn.Write(frame); err != nil {
			return
		}
	}
}

func takeAll(conn io.ReadWriteCloser, receive func(topic int, message []byte)) {
	in := newFrames(conn)
	for {
		topic, frame, err := in.next()
		if err != nil {
			return
		}
		receive(topic, frame[headerSize:])
	}
}

// connect opens n connections to a role.
func connect(ctx context.Context, network string, s worker.Setup, role string, n int) (conns []io.ReadWriteCloser, close func() error, err error) {
	close = func() (err error) {
		for _, c := range conns {
			err = errors.Join(err, c.Close())
		}
		return err
	}
	address := s.Peers[role]["address"]
	dialer := net.Dialer{Timeout: connectTimeout}
	for range n {
		dialed, err := dialer.DialContext(ctx, network, address)
		var conn io.ReadWriteCloser
		if err == nil {
			conn, err = prepare(dialed, waitOf(s.Workload))
		}
		if err != nil {
			return nil, nil, errors.Join(fmt.Errorf("can't connect to the %s: %w", role, err), close())
		}
		conns = append(conns, conn)
	}
	return conns, close, nil
}

func connectCallers(ctx context.Context, network string, s worker.Setup, n int) ([]worker.Caller, worker.Ready, func() error, error) {
	conns, close, err := connect(ctx, network, s, "server", n)
	if err != nil {
		return nil, worker.Ready{}, nil, err
	}
	content := s.Workload.Payload.Content()
	callers := make([]worker.Caller, n)
	for i, conn := range conns {
		request := newFrame(0, len(content))
		copy(request[headerSize:], content)
		callers[i] = &caller{conn, request, newFrames(conn)}
	}
	return callers, worker.Ready{Effective: effective(network, s)}, close, nil
}

type caller struct {
	conn    io.ReadWriteCloser
	request []byte
	answers *frames
}

func (c *caller) Call() error {
	if _, err := c.conn.Write(c.request); err != nil {
		return err
	}
	_, answer, err := c.answers.next()
	if err != nil {
		return err
	}
	if len(answer) != len(c.request) {
		return worker.Kind(worker.KindAnswer, fmt.Errorf("an answer of %d bytes instead of %d", len(answer)-headerSize, len(c.request)-headerSize))
	}
	return nil
}

func connectTopics(ctx context.Context, network string, s worker.Setup) (worker.PublishFunc, worker.Ready, func() error, error) {
	n := max(s.Workload.Topics, 1)
	conns, close, err := connect(ctx, network, s, "subscriber", n)
	if err != nil {
		return nil, worker.Ready{}, nil, err
	}
	out := make([][]byte, n)
	for i := range out {
		out[i] = newFrame(i, size(s.Workload.Payload))
	}
	publish := func(topic int, message []byte) error {
		copy(out[topic][headerSize:], message) // one system call for header and message
		_, err := conns[topic].Write(out[topic])
		return err
	}
	return publish, worker.Ready{Effective: effective(network, s)}, close, nil
}
