package host

import (
	"bytes"
	"context"
	"errors"
	"math"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"versus/drivers/workertest"
	"versus/dsl"
	"versus/interp/host/relay"
	"versus/interp/journal"
	"versus/interp/plan"
)

func between(name string, rate, delay float64) *dsl.Link {
	return &dsl.Link{Name: name, Between: []string{"near", "far"}, Rate: rate, Delay: delay}
}

func TestCheckLink(t *testing.T) {
	probes := [2]int{400, 400}
	for _, c := range []struct {
		asked dsl.Link
		is    journal.Link
		want  string // part of the error; empty if none
	}{
		{dsl.Link{Rate: 56e3}, journal.Link{Rate: [2]float64{56e3, 54e3}, RoundTrip: 1}, ""},
		{dsl.Link{Rate: 56e3}, journal.Link{Rate: [2]float64{56e3, 53e3}}, "5.3e+04 bit/s from far to near instead of 5.6e+04"},
		{dsl.Link{Rate: 56e3}, journal.Link{Rate: [2]float64{59e3, 56e3}}, "from near to far"},
		{dsl.Link{Rate: 2e8}, journal.Link{Rate: [2]float64{188e6, 188e6}}, "5%; it carries 1.88e+08 bit/s from far to near"},
		{dsl.Link{Delay: 0.01}, journal.Link{RoundTrip: 0.0202}, ""},
		{dsl.Link{Delay: 0.01}, journal.Link{RoundTrip: 0.0212}, "a round trip of 0.0212 s instead of 0.02"},
		{dsl.Link{Delay: 0.01}, journal.Link{RoundTrip: 0.0189}, "round trip"},
		{dsl.Link{Delay: 0.0005}, journal.Link{RoundTrip: 0.0011}, ""}, // the machine's own time
		{dsl.Link{Delay: 0.1, Jitter: 0.02}, journal.Link{RoundTrip: 0.2, Jitter: [2]float64{0.019, 0.0205}}, ""},
		{dsl.Link{Delay: 0.1, Jitter: 0.02}, journal.Link{RoundTrip: 0.2, Jitter: [2]float64{0.02, 0.0225}}, "a jitter of 0.0225 s from far to near instead of 0.02"},
		{dsl.Link{Delay: 0.1, Jitter: 0.02}, journal.Link{RoundTrip: 0.2, Jitter: [2]float64{0.0175, 0.02}}, "from near to far"},
		{dsl.Link{Delay: 0.1, Jitter: 0.1}, journal.Link{RoundTrip: 0.214, Jitter: [2]float64{0.1, 0.1}}, ""}, // chance
		{dsl.Link{Delay: 0.1, Jitter: 0.02}, journal.Link{Jitter: [2]float64{0.02, 0.02}}, "round trip"},
		{dsl.Link{Loss: 0.01}, journal.Link{Loss: [2]float64{0, 0.025}}, ""},
		{dsl.Link{Loss: 0.01}, journal.Link{Loss: [2]float64{0.01, 0.04}}, "loses 0.04 of 400 frames from far to near instead of 0.01"},
		{dsl.Link{Loss: 0.1}, journal.Link{Loss: [2]float64{0.05, 0.1}}, "loses 0.05 of 400 frames from near to far instead of 0.1"},
		{dsl.Link{Delay: 0.01}, journal.Link{RoundTrip: 0.02, Loss: [2]float64{0.0025, 0}}, "loses 0.0025 of 400"},
	} {
		c.asked.Between, c.is.Probes = []string{"near", "far"}, probes
		k := &link{asked: &c.asked, is: c.is, timed: probes}
		err := k.check()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c, err, c.want)
		}
	}
}

// Any delay within the jitter is as likely; a few that are late for other reasons
// move nothing.
func TestCrossingEnds(t *testing.T) {
	c := &crossing{}
	for i := range 400 {
		c.delays = append(c.delays, 0.04+0.02*float64(i)/399)
	}
	c.delays[398], c.delays[399] = 3, 5
	if middle, around := c.ends(0.01); math.Abs(middle-0.05) > 1e-4 || math.Abs(around-0.01) > 1e-4 {
		t.Errorf("%g +- %g", middle, around)
	}
	if middle, around := c.ends(0); middle != 0.04 || around != 0 {
		t.Errorf("%g +- %g", middle, around)
	}
}

// What the sender waits for is not the link's, and a clock that stands still no
// rate.
func TestRateOfATrain(t *testing.T) {
	const each = 12_112_000 // nanoseconds of a frame at 1 Mbit/s
	var even, torn []int64
	for i := range int64(41) {
		even = append(even, i*each)
		torn = append(torn, i*each+max(0, i-30)*each/2+i/15*7e6)
	}
	for _, stamps := range [][]int64{even, torn} {
		if rate, err := rateOf(stamps); err != nil || math.Abs(rate-1e6) > 5e4 {
			t.Errorf("%g, %v", rate, err)
		}
	}
	for _, stamps := range [][]int64{nil, {1}, {1, 1, 1, 1}, {3, 2, 1}} {
		if rate, err := rateOf(stamps); err == nil {
			t.Errorf("%v: %g", stamps, rate)
		}
	}
}

func TestUnlikelyLoss(t *testing.T) {
	for _, c := range []struct {
		n, k int
		p    float64
		want bool
	}{
		{1000, 0, 0, false}, {1000, 1, 0, true}, {1000, 100, 0.1, false},
		// The central interval of Bin(1000, 0.1), with 0.0005 at either side: 70 to 132.
		{1000, 69, 0.1, true}, {1000, 70, 0.1, false}, {1000, 132, 0.1, false}, {1000, 133, 0.1, true},
		{20, 0, 0.001, false}, {20, 20, 0.9, false}, {0, 0, 0.5, false},
	} {
		if got := unlikely(c.n, c.k, c.p); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// A slow link takes long to measure, which a plan says; a link that costs much has few
// probes.
func TestMeasuringTime(t *testing.T) {
	for _, c := range []struct {
		l    dsl.Link
		want float64 // seconds
	}{
		{dsl.Link{Via: dsl.ViaRelay}, 20 * 200e-6},
		{dsl.Link{Rate: 56e3}, 14*1514*8/56e3 + 20*2*8*50/56e3},
		{dsl.Link{Delay: 0.05, Jitter: 0.005}, 400*2.1*0.005 + 0.05},
		{dsl.Link{Delay: 1, Jitter: 1}, 20*2.1 + 1},
		{dsl.Link{Loss: 0.01}, 20*200e-6 + 3000*200e-6},
		{dsl.Link{Loss: 1e-6}, 20*200e-6 + 5000*200e-6},
	} {
		if got := MeasuringTime(&c.l).Seconds(); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("%+v: %g s, want %g", c.l, got, c.want)
		}
	}
}

// This machine may have no netem: at least it is asked for the right thing.
func TestNetemArguments(t *testing.T) {
	l := &dsl.Link{Delay: 0.05, Jitter: 0.0125, Loss: 0.00025}
	for all, want := range map[bool]string{
		false: "qdisc add dev to0-2 root handle 1: netem limit 32768 rate 1000gbit delay 50000.000us",
		true:  "qdisc add dev to0-2 root handle 1: netem limit 32768 rate 1000gbit delay 50000.000us 12500.000us loss random 0.025%",
	} {
		if got := strings.Join(netem("add", "to0-2", l, all), " "); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// The tool of the kernel and the measurement hold each other to account: the
// link is as it was asked for. It is measured once.
func TestLinkIsMeasured(t *testing.T) {
	needsLinks(t)
	for _, rate := range []float64{256e3, 10e6, 200e6} {
		c := apart(between("x", rate, 0))
		w := hosts(t)
		first, err := w.Prepare(t.Context(), c, roles)
		if err != nil || first["x"].RoundTrip <= 0 {
			t.Fatalf("%g bit/s: %+v, %v", rate, first["x"], err)
		}
		again, err := w.Prepare(t.Context(), c, roles)
		if err != nil || *again["x"] != *first["x"] {
			t.Errorf("%g bit/s: it was measured again: %+v, %v", rate, again["x"], err)
		}
	}
}

// Where a link is not what it should be, its cells fail and others don't.
func TestLinkThatIsOff(t *testing.T) {
	needsLinks(t)
	w := twoHosts(t)
	c := apart(between("x", 1e6, 0))
	k := w.link(between("x", 2e6, 0))
	if err := k.make(); err != nil {
		t.Fatal(err)
	}
	k.asked = c.Links[0]
	if err := k.measureUntilRight(t.Context()); err == nil || !strings.Contains(err.Error(), "off by more than 5%") {
		t.Errorf("%+v: %v", k.is, err)
	}
	w.failed["link x"] = errors.New("link is off")
	if _, err := w.Prepare(t.Context(), c, roles); err == nil || err.Error() != "link is off" {
		t.Errorf("error %v", err)
	}
}

// Ctrl-C ends the measurement of a link, however slow that is.
func TestInterruptedLink(t *testing.T) {
	needsLinks(t)
	w := twoHosts(t)
	k := w.link(between("x", 1e3, 0))
	if err := k.make(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- k.measure(ctx) }() // its frames take minutes
	cancel()
	if err := <-done; err == nil {
		t.Error("no error")
	}
}

// twoHosts are near and far.
func twoHosts(t *testing.T) *Hosts {
	t.Helper()
	w := hosts(t)
	if _, err := w.Prepare(t.Context(), apart(), roles); err != nil {
		t.Fatal(err)
	}
	return w
}

// Which drops are overflows, and which are losses as asked for.
func TestDropsOfQueues(t *testing.T) {
	const out = `[{"kind":"netem","handle":"1:","root":true,"drops":9},{"kind":"tbf","handle":"10:","parent":"1:1","drops":4}]`
	for _, c := range []struct {
		via  string
		l    dsl.Link
		kind string
		want int64
	}{
		{"", dsl.Link{Rate: 1e6}, "tbf", 4},
		{dsl.ViaRelay, dsl.Link{Rate: 1e6, Loss: 0.1}, "tbf", 4},
		{dsl.ViaNetem, dsl.Link{Rate: 1e6, Delay: 1}, "netem", 9},
		{dsl.ViaNetem, dsl.Link{Rate: 1e6, Loss: 0.1}, "tbf", 4},
		{dsl.ViaNetem, dsl.Link{Loss: 0.1}, "", 0},
	} {
		k := &link{asked: &c.l, is: journal.Link{Via: c.via}}
		if kind := k.queue(); kind != c.kind {
			t.Errorf("%+v: %s", c, kind)
		} else if n, err := dropped([]byte(out), kind); n != c.want || (err == nil) != (kind != "") {
			t.Errorf("%+v: %d, %v", c, n, err)
		}
	}
	if _, err := dropped([]byte("{"), "tbf"); err == nil {
		t.Error("no error")
	}
}

// needsTUN skips a test where a relay can't have its devices.
func needsTUN(t *testing.T) {
	t.Helper()
	needsLinks(t)
	f, err := relay.NewTUN("")
	workertest.Need(t, err)
	f.Close()
}

// What was asked for is what is measured, whoever makes it. The delays are long, so
// that what a busy machine takes itself is little beside what a link may be off.
func TestEmulatedLinks(t *testing.T) {
	needsTUN(t)
	for _, l := range []*dsl.Link{
		{Delay: 0.02, Rate: 1e6},
		{Delay: 0.02, Jitter: 0.004, Loss: 0.02, Rate: 10e6},
		{Loss: 0.1, Via: dsl.ViaRelay},
		{Via: dsl.ViaRelay},
	} {
		l.Name, l.Between = "x", []string{"near", "far"}
		w := hosts(t)
		links, err := w.Prepare(t.Context(), apart(l), roles)
		if err == nil {
			err = w.Count(links)
		}
		if err != nil {
			t.Errorf("%+v: %v", *l, err)
			continue
		}
		is := links["x"]
		if is.RoundTrip < 2*(l.Delay-l.Jitter) || (is.Jitter != [2]float64{}) != (l.Jitter > 0) ||
			(is.Loss != [2]float64{}) != (l.Loss > 0) || is.Probes[0] < fewProbes {
			t.Errorf("%+v: %+v", *l, is)
		}
		if is.Via != dsl.ViaNetem && (is.Via != dsl.ViaRelay || is.Relay == nil || is.Relay.Dropped != [2]int64{}) {
			t.Errorf("%+v: %+v, %+v", *l, is, is.Relay)
		}
	}
}

// What finds the queue full is lost, and counted.
func TestFullQueueOfALink(t *testing.T) {
	needsTUN(t)
	for _, via := range []string{"", dsl.ViaRelay} {
		w := twoHosts(t)
		k := w.link(&dsl.Link{Name: "x", Between: []string{"near", "far"}, Rate: 1e5, Via: via})
		if err := k.make(); err != nil {
			t.Fatal(err)
		}
		defer k.close()
		near, far, shut, err := sockets(t.Context(), k.ends[0], k.ends[1])
		if err != nil {
			t.Fatal(err)
		}
		defer shut()
		const frames = 200 // more than the queue holds, and more than passes meanwhile
		if err := option(near, unix.SO_SNDBUFFORCE, 8*frames*frame); err != nil {
			t.Fatal(err)
		}
		for range frames {
			near.WriteTo(make([]byte, frame-frameHeader), far.LocalAddr())
		}
		is, err := k.passed()
		if err != nil || is.Full[0] < 10 || is.Full[0] >= frames || is.Full[1] != 0 {
			t.Errorf("via %q: %+v, %v", via, is, err)
		}
	}
}

// Messages of many frames pass a relay whole.
func TestLargeMessagesOverRelay(t *testing.T) {
	needsTUN(t)
	w := twoHosts(t)
	k := w.link(&dsl.Link{Name: "x", Between: []string{"near", "far"}, Delay: 0.002, Jitter: 0.001, Via: dsl.ViaRelay})
	if err := k.make(); err != nil {
		t.Fatal(err)
	}
	defer k.close()
	if err := k.disturb(true); err != nil {
		t.Fatal(err)
	}
	near, far, shut, err := sockets(t.Context(), k.ends[0], k.ends[1])
	if err != nil {
		t.Fatal(err)
	}
	defer shut()
	sent, got := make([]byte, 65000), make([]byte, 65535)
	for _, c := range [][2]*net.UDPConn{{near, far}, {far, near}} {
		for i := range sent {
			sent[i] = byte(i * i >> 8)
		}
		if _, err := c[0].WriteTo(sent, c[1].LocalAddr()); err != nil {
			t.Fatal(err)
		}
		c[1].SetReadDeadline(time.Now().Add(20 * time.Second))
		if n, err := c[1].Read(got); err != nil || !bytes.Equal(got[:n], sent) {
			t.Errorf("%d bytes, %v", n, err)
		}
	}
	if is, err := k.passed(); err != nil || is.Relay.Passed[0] < 44 || is.Relay.Passed[1] < 44 {
		t.Errorf("%+v, %v", is, err)
	}
}

// Two links at once don't disturb each other, and both go.
func TestTwoLinks(t *testing.T) {
	needsTUN(t)
	w := hosts(t)
	mid := &dsl.Host{Kind: "netns", Name: "mid"}
	slow := &dsl.Link{Name: "slow", Between: []string{"near", "far"}, Rate: 1e6, Delay: 0.02, Via: dsl.ViaRelay}
	lossy := &dsl.Link{Name: "lossy", Between: []string{"mid", "far"}, Delay: 0.02, Loss: 0.2, Via: dsl.ViaRelay}
	for _, c := range []*plan.Cell{apart(slow), placed(mid, lossy)} {
		if _, err := w.Prepare(t.Context(), c, roles); err != nil {
			t.Fatal(err)
		}
	}
	for _, k := range w.links {
		if err := k.measureUntilRight(t.Context()); err != nil {
			t.Errorf("%s %v", k.asked.Name, err)
		}
	}
	relays := w.Helpers()
	if len(relays) != 2 {
		t.Errorf("relays %v", relays)
	}
	w.Renew()
	for _, pid := range relays {
		if err := unix.Kill(pid, 0); err != unix.ESRCH {
			t.Errorf("relay %d: %v", pid, err)
		}
	}
}
