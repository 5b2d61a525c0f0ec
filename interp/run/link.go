package run

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"versus/dsl"
	"versus/interp/journal"
)

// How a link is limited. A token bucket lets through what it has saved up at
// full speed, so that a large one would carry whole messages as if there were
// no limit: it has the size of a frame and, where frames are shorter than the
// kernel's timers are late, of 100 us.
const (
	frame       = 1514 // largest Ethernet frame, bytes
	frameHeader = 14 + 20 + 8
	burstTime   = 100e-6
	queueBytes  = 64 << 10
	queueTime   = 0.1
)

// burst is the size of the token bucket, in bytes, for a rate in bit/s.
func burst(rate float64) int { return max(2*1024, int(rate/8*burstTime)) }

// queue is how many bytes may wait for the link.
func queue(rate float64) int { return burst(rate) + max(queueBytes, int(rate/8*queueTime)) }

// addLink limits what passes between two hosts, and measures it.
func (w *network) addLink(ctx context.Context, l *dsl.Link) error {
	if _, err := exec.LookPath("tc"); err != nil {
		return missing{fmt.Errorf("link %q: the program tc is missing; to get it: apt-get install iproute2", l.Name)}
	}
	a, b := w.hosts[l.Between[0]], w.hosts[l.Between[1]]
	for _, end := range [][2]*namespace{{a, b}, {b, a}} {
		if err := end[0].limit(end[0].device(end[1]), l); err != nil {
			return err
		}
	}
	// Other work on this machine can make a link be late for a moment: it is off if
	// it always is.
	const tries = 3
	var off error
	for range tries {
		measured, err := measureLink(ctx, a, b, l)
		if err != nil {
			return fmt.Errorf("link %q can't be measured: %w", l.Name, err)
		}
		if off = checkLink(l, measured); off == nil {
			w.links[l.Name] = measured
			break
		}
	}
	return off
}

// limit has the device send at the link's rate and after its delay.
func (n *namespace) limit(device string, l *dsl.Link) error {
	parent := []string{"root"}
	if l.Delay > 0 {
		err := n.tool("tc", "qdisc", "add", "dev", device, "root", "handle", "1:", "netem",
			"delay", fmt.Sprintf("%.0fus", l.Delay*1e6), "limit", "100000")
		if err != nil && strings.Contains(err.Error(), "qdisc kind is unknown") {
			return missing{fmt.Errorf("link %q has a delay, which this kernel can't make: it has no netem (CONFIG_NET_SCH_NETEM)", l.Name)}
		}
		if err != nil {
			return err
		}
		parent = []string{"parent", "1:1"}
	}
	if l.Rate == 0 {
		return nil
	}
	args := append([]string{"qdisc", "add", "dev", device}, parent...)
	return n.tool("tc", append(args, "handle", "10:", "tbf", "rate", fmt.Sprintf("%.0fbit", l.Rate),
		"burst", fmt.Sprint(burst(l.Rate)), "limit", fmt.Sprint(queue(l.Rate)))...)
}

// tolerance is how far a link may be off, as a share.
const tolerance = 0.05

// checkLink returns how a link is off what was asked for.
func checkLink(asked *dsl.Link, is *journal.Link) error {
	var errs []error
	for i, rate := range is.Rate {
		if asked.Rate > 0 && math.Abs(rate-asked.Rate) > tolerance*asked.Rate {
			errs = append(errs, fmt.Errorf("link %q carries %.4g bit/s from %s to %s instead of %.4g: it is off by more than 5%%",
				asked.Name, rate, asked.Between[i], asked.Between[1-i], asked.Rate))
		}
	}
	// What the machine itself takes comes on top of the delays.
	if wanted := 2 * asked.Delay; wanted > 0 && (is.RoundTrip < wanted*(1-tolerance) || is.RoundTrip > wanted*(1+tolerance)+100e-6) {
		errs = append(errs, fmt.Errorf("link %q has a round trip of %.4g s instead of %.4g: it is off by more than 5%%", asked.Name, is.RoundTrip, wanted))
	}
	return errors.Join(errs...)
}

// measureLink finds the rates and the round trip between two hosts.
func measureLink(ctx context.Context, a, b *namespace, l *dsl.Link) (*journal.Link, error) {
	m := &journal.Link{}
	wait := seconds(4*l.Delay) + time.Second
	var err error
	if m.RoundTrip, err = roundTrip(ctx, a, b, wait); err != nil || l.Rate == 0 {
		return m, err
	}
	var both errgroup.Group
	for i, ends := range [][2]*namespace{{a, b}, {b, a}} {
		both.Go(func() (err error) {
			m.Rate[i], err = rate(ctx, ends[0], ends[1], l.Rate, wait)
			return err
		})
	}
	return m, both.Wait()
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

// roundTrip is the shortest of 20 exchanges, in seconds.
func roundTrip(ctx context.Context, a, b *namespace, wait time.Duration) (float64, error) {
	near, far, shut, err := sockets(ctx, a, b)
	if err != nil {
		return 0, err
	}
	defer shut()
	go func() {
		buf := make([]byte, 8)
		for {
			n, from, err := far.ReadFromUDP(buf)
			if err != nil {
				return // it is closed
			}
			far.WriteToUDP(buf[:n], from)
		}
	}()
	best := math.Inf(1)
	buf := make([]byte, 8)
	for range 20 {
		near.SetDeadline(time.Now().Add(wait))
		began := time.Now()
		if _, err := near.WriteTo(buf, far.LocalAddr()); err != nil {
			return 0, err
		}
		if _, err := near.Read(buf); err != nil {
			return 0, fmt.Errorf("no answer from host %q: %w", b.host, err)
		}
		best = min(best, time.Since(began).Seconds())
	}
	return best, nil
}

// rate sends a train of full frames, which waits in the queue of the link, and
// returns how fast its frames arrive by the clock of the kernel, in bits of frames
// per second: neither end is measured, however busy the machine is. The first
// frames don't count: they use up what the token bucket has saved.
func rate(ctx context.Context, from, to *namespace, expected float64, wait time.Duration) (float64, error) {
	near, far, shut, err := sockets(ctx, from, to)
	if err != nil {
		return 0, err
	}
	defer shut()
	const longest, largest = 0.3, 32 << 20 // seconds, bytes
	skipped := burst(expected)/frame + 1
	frames := skipped + max(12, int(expected/8*longest/frame))
	frames = min(frames, (queue(expected)-burst(expected))/frame, largest/frame)
	// A frame takes more memory than it has bytes.
	if err := errors.Join(
		option(near, unix.SO_SNDBUFFORCE, 2*frames*frame),
		option(far, unix.SO_RCVBUFFORCE, 2*frames*frame),
		option(far, unix.SO_TIMESTAMPNS, 1)); err != nil {
		return 0, err
	}
	end := time.Now().Add(wait + seconds(3*float64(frames*frame)*8/expected))
	near.SetWriteDeadline(end)
	far.SetReadDeadline(end)
	message := make([]byte, frame-frameHeader)
	for range frames {
		if _, err := near.WriteTo(message, far.LocalAddr()); err != nil {
			return 0, err
		}
	}
	var first, last int64
	for i := range frames {
		if last, err = arrival(far); err != nil {
			return 0, fmt.Errorf("%d of %d frames arrived from host %q: %w", i, frames, from.host, err)
		}
		if i == skipped-1 {
			first = last
		}
	}
	if last <= first {
		return 0, errors.New("the clock does not go on")
	}
	return float64((frames-skipped)*frame) * 8 / (float64(last-first) * 1e-9), nil
}

// option sets an option of a socket.
func option(c *net.UDPConn, name, value int) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, name, value) })
	return errors.Join(err, failed)
}

// arrival reads a message, and returns when the kernel got it, in nanoseconds.
func arrival(c *net.UDPConn) (int64, error) {
	var message [1]byte // the rest is cut off
	var control [64]byte
	_, n, _, _, err := c.ReadMsgUDP(message[:], control[:])
	if err != nil {
		return 0, err
	}
	parts, err := unix.ParseSocketControlMessage(control[:n])
	if err != nil {
		return 0, err
	}
	for _, p := range parts {
		if p.Header.Level == unix.SOL_SOCKET && p.Header.Type == unix.SO_TIMESTAMPNS && len(p.Data) >= 16 {
			return int64(binary.NativeEndian.Uint64(p.Data))*1e9 + int64(binary.NativeEndian.Uint64(p.Data[8:])), nil
		}
	}
	return 0, errors.New("the kernel does not say when a message came")
}
