package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"os/exec"
	"strings"

	"versus/dsl"
	"versus/interp/host/relay"
	"versus/interp/journal"
)

// How a link is limited. A token bucket lets through what it has saved up at
// full speed, so that a large one would carry whole messages as if there were
// no limit: it has the size of a frame and, where frames are shorter than the
// kernel's timers are late, of 100 us.
const (
	frame       = 1514 // largest Ethernet frame, bytes
	ethernet    = 14   // of these, what a TUN device does without
	frameHeader = ethernet + 20 + 8
	burstTime   = 100e-6
	queueBytes  = 64 << 10
	queueTime   = 0.1
)

// burst is the size of the token bucket, in bytes, for a rate in bit/s.
func burst(rate float64) int { return max(2*1024, int(rate/8*burstTime)) }

// room is how many bytes may wait for the link.
func room(rate float64) int { return burst(rate) + max(queueBytes, int(rate/8*queueTime)) }

// link is a link as it was made. The rate is limited where frames enter the
// device of either host, by a token bucket of the kernel. Delay, jitter and loss
// come after that from a relay, whose devices take the place of the cable; or
// before it from netem, if the kernel has it.
type link struct {
	asked *dsl.Link
	ends  [2]*namespace
	relay *relayProcess // nil where there is none
	is    journal.Link  // as it was measured
	timed [2]int        // probes that delay and jitter were measured by, each way
	full  [2]int64      // frames that found a queue full, up to the last run
	lost  [2]int64      // frames that the devices of the relay dropped, up to the last run
}

// link is a link between two hosts that is still to be made.
func (w *Hosts) link(l *dsl.Link) *link {
	return &link{asked: l, ends: [2]*namespace{w.spaces[l.Between[0]], w.spaces[l.Between[1]]}}
}

// addLink makes a link between two hosts, and measures it.
func (w *Hosts) addLink(ctx context.Context, l *dsl.Link) error {
	k := w.link(l)
	err := k.make()
	if err == nil {
		w.tell(l.Name)
		err = k.measureUntilRight(ctx)
	}
	if err == nil {
		_, err = k.passed() // what was measured is not of the first run
	}
	if err != nil {
		k.close()
		return fmt.Errorf("link %q %w", l.Name, err)
	}
	w.links[l.Name] = k
	return nil
}

// make limits the rate, and adds delay: with netem if it is to, or may.
func (k *link) make() error {
	if _, err := exec.LookPath("tc"); err != nil {
		return Missing{errors.New("takes the program tc; to get it: apt-get install iproute2")}
	}
	via := k.asked.Via
	if k.asked.Emulated() && via != dsl.ViaRelay {
		err := k.addNetem()
		switch {
		case err == nil:
			via = dsl.ViaNetem
		case !errors.Is(err, errNoNetem):
			return err
		case via == dsl.ViaNetem:
			return Missing{err}
		default:
			via = dsl.ViaRelay
		}
	}
	if via == dsl.ViaRelay {
		if err := k.addRelay(); err != nil {
			return err
		}
	}
	k.is.Via = via
	for i := range k.ends {
		if err := k.limit(i); err != nil {
			return err
		}
	}
	return nil
}

// device is the device of an end, which leads to the other.
func (k *link) device(end int) string { return k.ends[end].device(k.ends[1-end]) }

// errNoNetem says what the kernel lacks.
var errNoNetem = errors.New("is to be made by netem, which this kernel does not have (CONFIG_NET_SCH_NETEM)")

// addNetem adds the delay at both ends.
func (k *link) addNetem() error {
	for i, n := range k.ends {
		err := n.tool("tc", netem("add", k.device(i), k.asked, false)...)
		if err != nil && strings.Contains(err.Error(), "qdisc kind is unknown") {
			return errNoNetem
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// netem are the arguments of tc for the link; jitter and loss are left out unless
// all is true. netem keeps frames in order only where it limits a rate as well:
// that of it is so high that it adds 12 ns to a frame.
func netem(do, device string, l *dsl.Link, all bool) []string {
	args := []string{"qdisc", do, "dev", device, "root", "handle", "1:", "netem",
		"limit", fmt.Sprint(relay.Capacity), "rate", "1000gbit", "delay", fmt.Sprintf("%.3fus", l.Delay*1e6)}
	if all && l.Jitter > 0 {
		args = append(args, fmt.Sprintf("%.3fus", l.Jitter*1e6))
	}
	if all && l.Loss > 0 {
		args = append(args, "loss", "random", fmt.Sprintf("%.7g%%", l.Loss*100))
	}
	return args
}

// addRelay puts a relay and its devices in the place of the cable.
func (k *link) addRelay() error {
	if err := k.ends[0].tool("ip", "link", "del", k.device(0)); err != nil {
		return err
	}
	var devices [2]*os.File
	for i, n := range k.ends {
		err := n.do(func() (err error) {
			devices[i], err = relay.NewTUN(k.device(i))
			return err
		})
		if err == nil {
			err = n.tool("ip", "link", "set", k.device(i), "mtu", fmt.Sprint(relay.MTU), "txqueuelen", fmt.Sprint(relay.Capacity))
		}
		if err == nil {
			err = n.route(k.ends[1-i])
		}
		if err != nil {
			for _, d := range devices {
				d.Close() // nil is an error that does not matter
			}
			if errors.Is(err, relay.ErrNoTUN) {
				return Missing{fmt.Errorf("takes a relay, since this kernel has no netem: %w", err)}
			}
			return err
		}
	}
	// The same link draws the same random numbers.
	seed := fnv.New64a()
	seed.Write([]byte(k.asked.Name))
	var err error
	if k.relay, err = newRelay(seed.Sum64(), devices); err != nil {
		return fmt.Errorf("gets no relay: %w", err)
	}
	return nil
}

// limit has a device send at the link's rate.
func (k *link) limit(end int) error {
	rate := k.asked.Rate
	if rate == 0 {
		return nil
	}
	args := []string{"qdisc", "add", "dev", k.device(end)}
	if k.is.Via == dsl.ViaNetem {
		args = append(args, "parent", "1:1")
	} else {
		args = append(args, "root")
	}
	args = append(args, "handle", "10:", "tbf", "rate", fmt.Sprintf("%.0fbit", rate),
		"burst", fmt.Sprint(burst(rate)), "limit", fmt.Sprint(room(rate)))
	if k.is.Via == dsl.ViaRelay {
		args = append(args, "overhead", fmt.Sprint(ethernet))
	}
	return k.ends[end].tool("tc", args...)
}

// disturb adds jitter and loss, or takes them away.
func (k *link) disturb(on bool) error {
	l := k.asked
	switch k.is.Via {
	case dsl.ViaNetem:
		var errs []error
		for i, n := range k.ends {
			errs = append(errs, n.tool("tc", netem("change", k.device(i), l, on)...))
		}
		return errors.Join(errs...)
	case dsl.ViaRelay:
		s := relay.Settings{Delay: seconds(l.Delay)}
		if on {
			s.Jitter, s.Loss = seconds(l.Jitter), l.Loss
		}
		_, err := k.relay.ask(&s)
		return err
	}
	return nil
}

// passed returns the link as it was measured, with what became of frames since
// it was last called.
func (k *link) passed() (*journal.Link, error) {
	is := k.is
	if k.relay != nil {
		c, err := k.relay.ask(nil)
		if err != nil {
			return nil, err
		}
		is.Relay = &journal.Relay{Passed: c.Passed, Lost: c.Lost, Dropped: c.Dropped, LateMean: c.LateMean, LateMax: c.LateMax, CPU: c.CPU}
	}
	for i, n := range k.ends {
		if queue := k.queue(); queue != "" {
			out, err := n.output("tc", "-s", "-j", "qdisc", "show", "dev", k.device(i))
			if err != nil {
				return nil, err
			}
			full, err := dropped(out, queue)
			if err != nil {
				return nil, fmt.Errorf("host %q: %w", n.host, err)
			}
			is.Full[i], k.full[i] = full-k.full[i], full
		}
		if k.relay == nil {
			continue
		}
		lost, err := n.deviceDrops(k.device(i))
		if err != nil {
			return nil, err
		}
		is.Relay.Dropped[i] += lost - k.lost[i]
		k.lost[i] = lost
	}
	return &is, nil
}

// close ends the relay.
func (k *link) close() { k.relay.close() }

// queue is the kind of queue of which the drops are frames that found it full.
// Those of netem are also those of the queue behind it, but with loss they are
// the losses as well.
func (k *link) queue() string {
	switch {
	case k.is.Via == dsl.ViaNetem && k.asked.Loss == 0:
		return "netem"
	case k.asked.Rate > 0:
		return "tbf"
	}
	return ""
}

// dropped reads from what tc says of a device how many frames a kind of queue
// dropped so far.
func dropped(out []byte, kind string) (int64, error) {
	var queues []struct {
		Kind  string
		Drops int64
	}
	if err := json.Unmarshal(out, &queues); err != nil {
		return 0, fmt.Errorf("what tc says of its queues can't be read: %w", err)
	}
	for _, q := range queues {
		if q.Kind == kind {
			return q.Drops, nil
		}
	}
	return 0, fmt.Errorf("tc says nothing of a queue of kind %s", kind)
}

// deviceDrops is how many frames the device itself dropped, so far.
func (n *namespace) deviceDrops(device string) (int64, error) {
	out, err := n.output("ip", "-s", "-j", "link", "show", "dev", device)
	if err != nil {
		return 0, err
	}
	var devices []struct {
		Stats64 struct{ Tx struct{ Dropped int64 } }
	}
	if err := json.Unmarshal(out, &devices); err != nil || len(devices) != 1 {
		return 0, fmt.Errorf("host %q: what ip says of %s can't be read: %w", n.host, device, err)
	}
	return devices[0].Stats64.Tx.Dropped, nil
}
