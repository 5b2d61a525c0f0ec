package host

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"versus/dsl"
)

// train sends probes, and takes what arrives. Frames stay in order, so that nothing is under way any more when one arrives
// that was sent after them.
func train(ctx context.Context, from, to *namespace, ps probes, l *dsl.Link) (*crossing, error) {
	n, gap := ps.n, ps.gap
	near, far, shut, err := sockets(ctx, from, to)
	if err != nil {
		return nil, err
	}
	defer shut()
	// After the probes come others, until one arrives. All find room where they
	// arrive, however late they are taken: what is lost was lost on the way.
	const most, memory = 1000, 4 << 10
	if err := errors.Join(
		option(far, unix.SO_RCVBUFFORCE, (n+most)*memory),
		option(far, unix.SO_TIMESTAMPNS, 1)); err != nil {
		return nil, err
	}
	began, sent := time.Now(), make([]int64, n+most)
	near.SetWriteDeadline(began.Add(seconds(3*gap*float64(len(sent))) + 10*time.Second))
	far.SetReadDeadline(began.Add(seconds(3*gap*float64(len(sent))+4*l.Delay) + 10*time.Second))
	arrived := make(chan struct{})
	p := &crossing{sent: n}
	stamps := make([]int64, n)
	var failed error
	go func() {
		defer close(arrived)
		for {
			number, at, err := arrival(far)
			if err != nil {
				failed = fmt.Errorf("no frame arrives from host %q any more: %w", from.host, err)
				return
			}
			if number < 0 || number >= n {
				return
			}
			stamps[number] = at
		}
	}()
	var message [8]byte
send:
	for i := range sent {
		select {
		case <-arrived:
			break send
		case <-time.After(time.Until(began.Add(seconds(gap * float64(i))))):
		}
		binary.BigEndian.PutUint64(message[:], uint64(i))
		sent[i] = time.Now().UnixNano()
		if _, err := near.WriteTo(message[:], far.LocalAddr()); err != nil {
			return nil, err
		}
	}
	<-arrived
	for i, at := range stamps {
		if at != 0 {
			p.arrived++
			p.delays = append(p.delays, float64(at-sent[i])/1e9)
		}
	}
	if failed == nil && p.arrived == 0 {
		failed = fmt.Errorf("none of %d frames arrived from host %q", n, from.host)
	}
	slices.Sort(p.delays)
	if failed == nil && p.delays[0] < 0 {
		failed = errors.New("the clock was set meanwhile")
	}
	return p, failed
}

// sockets are one in each namespace, both closed by the function, or when ctx is
// done.
func sockets(ctx context.Context, a, b *namespace) (near, far *net.UDPConn, shut func(), err error) {
	if near, err = a.socket(); err != nil {
		return nil, nil, nil, err
	}
	if far, err = b.socket(); err != nil {
		near.Close()
		return nil, nil, nil, err
	}
	both := func() { near.Close(); far.Close() }
	stop := context.AfterFunc(ctx, both)
	return near, far, func() { stop(); both() }, nil
}

// socket is a socket in the namespace.
func (n *namespace) socket() (c *net.UDPConn, err error) {
	err = n.do(func() error {
		c, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.ParseIP(n.address)})
		return err
	})
	return c, err
}

// trainOf is how many full frames show a rate, and how many of them don't count, since
// they use up what the token bucket has saved.
func trainOf(rate float64) (skipped, frames int) {
	const longest, largest = 0.3, 32 << 20 // seconds, bytes
	skipped = burst(rate)/frame + 1
	frames = skipped + max(12, int(rate/8*longest/frame))
	return skipped, min(frames, (room(rate)-burst(rate))/frame, largest/frame)
}

// rate sends a train of full frames, which waits in the queue of the link, and
// returns how fast its frames arrive by the clock of the kernel, in bits of frames
// per second: neither end is measured, however busy the machine is.
func rate(ctx context.Context, from, to *namespace, l *dsl.Link) (float64, error) {
	near, far, shut, err := sockets(ctx, from, to)
	if err != nil {
		return 0, err
	}
	defer shut()
	skipped, frames := trainOf(l.Rate)
	// A frame takes more memory than it has bytes.
	if err := errors.Join(
		optionOf(near, unix.SOL_UDP, unix.UDP_SEGMENT, frame-frameHeader),
		option(near, unix.SO_SNDBUFFORCE, 2*frames*frame),
		option(far, unix.SO_RCVBUFFORCE, 2*frames*frame),
		option(far, unix.SO_TIMESTAMPNS, 1)); err != nil {
		return 0, err
	}
	end := time.Now().Add(seconds(4*l.Delay+3*float64(frames*frame)*8/l.Rate) + 10*time.Second)
	near.SetWriteDeadline(end)
	far.SetReadDeadline(end)
	// The kernel cuts messages into frames, which fills the queue of a fast link
	// with little CPU time.
	const content, most = frame - frameHeader, 40 // bytes of a frame, frames of a message
	message := make([]byte, most*content)
	for left := frames; left > 0; left -= most {
		if _, err := near.WriteTo(message[:min(left, most)*content], far.LocalAddr()); err != nil {
			return 0, err
		}
	}
	stamps := make([]int64, frames)
	for i := range stamps {
		if _, stamps[i], err = arrival(far); err != nil {
			return 0, fmt.Errorf("%d of %d frames arrived from host %q: %w", i, frames, from.host, err)
		}
	}
	return rateOf(stamps[skipped-1:])
}

// rateOf is the rate, in bit/s, of the faster half of a train of frames with these
// times, in nanoseconds. Where the sender had to wait for the CPU, the link had
// nothing to carry.
func rateOf(stamps []int64) (float64, error) {
	half := (len(stamps) - 1) / 2
	fastest := int64(math.MaxInt64)
	for i := range len(stamps) - half {
		fastest = min(fastest, stamps[i+half]-stamps[i])
	}
	if half < 1 || fastest <= 0 {
		return 0, errors.New("the clock does not go on")
	}
	return float64(half*frame) * 8 / (float64(fastest) * 1e-9), nil
}

// option sets an option of a socket.
func option(c *net.UDPConn, name, value int) error {
	return optionOf(c, unix.SOL_SOCKET, name, value)
}

// optionOf is option for a level of the protocol stack.
func optionOf(c *net.UDPConn, level, name, value int) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = unix.SetsockoptInt(int(fd), level, name, value) })
	return errors.Join(err, failed)
}

// arrival reads a message, and returns the number that it begins with and when the
// kernel got it, in nanoseconds of the wall clock.
func arrival(c *net.UDPConn) (number int, at int64, err error) {
	var message [8]byte // the rest is cut off
	var control [64]byte
	_, oob, _, _, err := c.ReadMsgUDP(message[:], control[:])
	if err != nil {
		return 0, 0, err
	}
	parts, err := unix.ParseSocketControlMessage(control[:oob])
	if err != nil {
		return 0, 0, err
	}
	for _, p := range parts {
		if p.Header.Level == unix.SOL_SOCKET && p.Header.Type == unix.SO_TIMESTAMPNS && len(p.Data) >= 16 {
			at := int64(binary.NativeEndian.Uint64(p.Data))*1e9 + int64(binary.NativeEndian.Uint64(p.Data[8:]))
			return int(binary.BigEndian.Uint64(message[:])), at, nil
		}
	}
	return 0, 0, errors.New("the kernel does not say when a message came")
}
