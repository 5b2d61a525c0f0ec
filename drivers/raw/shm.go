package raw

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/drivers/goproc"
	"versus/drivers/worker"
	"versus/dsl/schema"
)

// Limits of shared memory.
const (
	maxRings  = 256     // callers or topics: each takes a thread of either process
	maxMemory = 1 << 30 // bytes
)

// SHM describes shared memory to the interpreter.
var SHM = drivers.Driver{
	Name: "shm",
	Doc:  "Shared memory between two processes of one machine: a ring of slots for each caller and direction, or topic, and futexes to wait.",
	Attrs: []schema.Attr{
		{
			Name: "spin", Type: schema.Duration, Default: `"0s"`, Min: 0, Max: 1,
			Doc:     "How long a process looks for the next message again and again before it sleeps; 0 sleeps at once. Spinning saves waking a thread where a message comes in that time, and takes a CPU meanwhile: it pays only where the two processes are bound to CPUs of their own, and hinders where they share one.",
			Example: `"5us"`,
		},
		{
			Name: "queue", Type: schema.Integer, Default: "16", Min: 1, Max: 65536,
			Doc:     "Messages of a topic that may wait for the subscriber, rounded up to a power of 2. When that many do, the publisher waits.",
			Example: "1",
		},
		goproc.Attr,
	},
	Patterns: []drivers.Pattern{drivers.RPC, drivers.PubSub},
	Probe:    TCP.Probe,
	Check:    checkSHM,
	Roles:    roles,
}

// SHMRoles are the workers.
var SHMRoles = worker.Roles{
	"server":     worker.ServerFunc(serveSHM),
	"client":     worker.ClientFunc(connectSHM),
	"subscriber": worker.SubscriberFunc(subscribeSHM),
	"publisher":  worker.PublisherFunc(publishSHM),
}

func checkSHM(w drivers.Workload) error {
	if err := check(w); err != nil {
		return err
	}
	l := layoutOf(w)
	if l.pairs > maxRings {
		return fmt.Errorf("%d callers, with those in flight, or topics: driver \"shm\" has %d at most", l.pairs, maxRings)
	}
	if l.total() > maxMemory {
		return fmt.Errorf("%d rings of %d messages of %d bytes take more than 1 GiB of shared memory", l.pairs*l.rings, l.slots, l.size)
	}
	return nil
}

// layout is what the memory of a run holds.
type layout struct {
	pairs int // callers or topics
	rings int // of each: 2 of a caller, there and back; 1 of a topic
	slots int // of each ring
	size  int // of a message, bytes
	spin  time.Duration
}

func layoutOf(w drivers.Workload) layout {
	l := layout{size: size(w.Payload)}
	if s, ok := w.Options["spin"].(float64); ok {
		l.spin = time.Duration(s * 1e9)
	}
	if w.Pattern == drivers.PubSub {
		l.pairs, l.rings, l.slots = max(w.Topics, 1), 1, 16
		if q, ok := w.Options["queue"].(float64); ok {
			l.slots = 1 << bits.Len(uint(q-1))
		}
		return l
	}
	l.pairs, l.rings, l.slots = max(w.Concurrency, 1), 2, 1
	if w.Rate > 0 {
		inFlight := w.InFlight
		if inFlight == 0 {
			inFlight = 16 // the kit's default
		}
		l.pairs *= inFlight
	}
	return l
}

func (l layout) total() int { return l.pairs * l.rings * ringSize(l.slots, l.size) }

// ring returns ring number i of all in the memory.
func (l layout) ring(m *memory, i int, broken func() error) *ring {
	n := ringSize(l.slots, l.size)
	return ringAt(m.bytes[i*n:(i+1)*n], l.slots, l.size, l.spin, broken)
}

func (l layout) effective() map[string]string {
	waiting := "sleeps at once (futex)"
	if l.spin > 0 {
		waiting = fmt.Sprintf("spins for %v, then sleeps (futex)", l.spin)
	}
	return map[string]string{"transport": "shared memory", "waiting": waiting, "slots": strconv.Itoa(l.slots)}
}

var errStopped = errors.New("stopped")

// host is the passive end, which made the memory.
type host struct {
	memory  *memory
	layout  layout
	stopped context.Context
	serving sync.WaitGroup
}

func newHost(ctx context.Context, s worker.Setup) (*host, worker.Ready, func() error, error) {
	h := &host{layout: layoutOf(s.Workload)}
	var err error
	if h.memory, err = createMemory(h.layout.total()); err != nil {
		return nil, worker.Ready{}, nil, err
	}
	var stop context.CancelFunc
	h.stopped, stop = context.WithCancel(ctx)
	ready := worker.Ready{
		Addresses: map[string]string{"memory": h.memory.path(), "pid": strconv.Itoa(unix.Getpid())},
		Effective: h.layout.effective(),
	}
	return h, ready, func() error {
		stop()
		h.serving.Wait()
		return h.memory.close()
	}, nil
}

func (h *host) ring(i int) *ring {
	return h.layout.ring(h.memory, i, func() error {
		if h.stopped.Err() != nil {
			return errStopped
		}
		return nil
	})
}

func serveSHM(ctx context.Context, s worker.Setup) (worker.Ready, func() error, error) {
	h, ready, end, err := newHost(ctx, s)
	if err != nil {
		return ready, nil, err
	}
	for i := range h.layout.pairs {
		in, out := h.ring(2*i), h.ring(2*i+1)
		h.serving.Go(func() {
			for {
				request, err := in.peek()
				if err != nil {
					return
				}
				if out.put(request) != nil {
					return
				}
				in.take()
			}
		})
	}
	return ready, end, nil
}

func subscribeSHM(ctx context.Context, s worker.Setup, receive func(int, []byte)) (worker.Ready, func() error, error) {
	h, ready, end, err := newHost(ctx, s)
	if err != nil {
		return ready, nil, err
	}
	for topic := range h.layout.pairs {
		in := h.ring(topic)
		h.serving.Go(func() {
			for {
				message, err := in.peek()
				if err != nil {
					return
				}
				receive(topic, message)
				in.take()
			}
		})
	}
	return ready, end, nil
}

// guest is the active end, which opened the memory.
type guest struct {
	memory *memory
	layout layout
	peer   int // pidfd of the other process
}

func newGuest(s worker.Setup, role string) (*guest, error) {
	g := &guest{layout: layoutOf(s.Workload)}
	pid, err := strconv.Atoi(s.Peers[role]["pid"])
	if err != nil {
		return nil, fmt.Errorf("the %s gave no process", role)
	}
	if g.peer, err = unix.PidfdOpen(pid, 0); err != nil {
		return nil, fmt.Errorf("the %s, process %d: %w", role, pid, err)
	}
	if g.memory, err = openMemory(s.Peers[role]["memory"], g.layout.total()); err != nil {
		return nil, errors.Join(err, unix.Close(g.peer))
	}
	return g, nil
}

func (g *guest) ring(i int) *ring {
	return g.layout.ring(g.memory, i, func() error {
		if n, _ := unix.Poll([]unix.PollFd{{Fd: int32(g.peer), Events: unix.POLLIN}}, 0); n > 0 {
			return worker.Kind(worker.KindConnection, errors.New("the process at the other end of the shared memory has ended"))
		}
		return nil
	})
}

// close leaves the pidfd open: a call may be asking for it. It goes with the process.
func (g *guest) close() error { return g.memory.close() }

type ringCaller struct {
	there, back *ring
	request     []byte
	answer      []byte
}

func connectSHM(_ context.Context, s worker.Setup, n int) ([]worker.Caller, worker.Ready, func() error, error) {
	g, err := newGuest(s, "server")
	if err != nil {
		return nil, worker.Ready{}, nil, err
	}
	content := s.Workload.Payload.Content()
	callers := make([]worker.Caller, min(n, g.layout.pairs))
	for i := range callers {
		callers[i] = &ringCaller{g.ring(2 * i), g.ring(2*i + 1), content, make([]byte, len(content))}
	}
	return callers, worker.Ready{Effective: g.layout.effective()}, g.close, nil
}

func (c *ringCaller) Call() error {
	if err := c.there.put(c.request); err != nil {
		return err
	}
	answer, err := c.back.peek()
	if err != nil {
		return err
	}
	n := len(answer)
	copy(c.answer, answer)
	c.back.take()
	if n != len(c.request) {
		return worker.Kind(worker.KindAnswer, fmt.Errorf("an answer of %d bytes instead of %d", n, len(c.request)))
	}
	return nil
}

func publishSHM(_ context.Context, s worker.Setup) (worker.PublishFunc, worker.Ready, func() error, error) {
	g, err := newGuest(s, "subscriber")
	if err != nil {
		return nil, worker.Ready{}, nil, err
	}
	rings := make([]*ring, g.layout.pairs)
	for i := range rings {
		rings[i] = g.ring(i)
	}
	publish := func(topic int, message []byte) error { return rings[topic].put(message) }
	return publish, worker.Ready{Effective: g.layout.effective()}, g.close, nil
}
