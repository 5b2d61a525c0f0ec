package relay

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pass puts a packet into the lane at a time, and says when it is due; ok is
// false if it was lost, or dropped.
func pass(l *lane, number byte, now int64) (due int64, ok bool) {
	slot := l.slot()
	if slot == nil {
		l.dropped++
		return 0, false
	}
	slot[0] = number
	before := l.count
	l.accept(1, now)
	return l.last, l.count > before
}

func TestPacketsAreDueInOrder(t *testing.T) {
	const delay, jitter = int64(10 * time.Millisecond), int64(4 * time.Millisecond)
	l := newLane(1, 0)
	l.settings = Settings{Delay: time.Duration(delay), Jitter: time.Duration(jitter)}
	last, number, earliest, latest := int64(0), byte(0), delay, delay
	for now := int64(0); now < int64(20*time.Second); now += int64(100 * time.Microsecond) {
		due, ok := pass(l, byte(now/int64(100*time.Microsecond)), now)
		if !ok || due < last || due < now+delay-jitter || due > max(last, now+delay+jitter) {
			t.Fatalf("at %d: due %d, the one before %d", now, due, last)
		}
		if due > last {
			earliest, latest = min(earliest, due-now), max(latest, due-now)
		}
		last = due
		for packet, due := l.next(); packet != nil && due <= now; packet, due = l.next() {
			if len(packet) != 1 || packet[0] != number {
				t.Fatalf("packet %v where %d was next", packet, number)
			}
			number++
			l.sent(now, true)
		}
	}
	if latest < delay+jitter*9/10 || earliest > delay {
		t.Errorf("delays from %d to %d: jitter does not show", earliest, latest)
	}
}

// Far enough apart that none has to wait for another, every delay is as likely.
func TestJitterIsUniform(t *testing.T) {
	const n, jitter = 20000, 1e6
	l := newLane(2, 1)
	l.settings = Settings{Delay: 5 * time.Millisecond, Jitter: time.Millisecond}
	var sum, squares float64
	for i := range int64(n) {
		now := i * 1e8
		due, _ := pass(l, 0, now)
		l.sent(now, true)
		x := float64(due-now) - 5e6
		sum, squares = sum+x/n, squares+x*x/n
	}
	// 4 standard errors of the mean, and of the second moment.
	if math.Abs(sum) > 4*jitter/math.Sqrt(3*n) || math.Abs(squares/(jitter*jitter/3)-1) > 4*math.Sqrt(0.8/n) {
		t.Errorf("mean %g, standard deviation %g", sum, math.Sqrt(squares))
	}
}

func TestLossIsAsOftenAsAskedFor(t *testing.T) {
	const n = 100000
	for _, p := range []float64{0, 0.001, 0.1, 0.9} {
		l := newLane(3, 0)
		l.settings.Loss = p
		for range n {
			if _, ok := pass(l, 0, 0); ok {
				l.sent(0, true)
			}
		}
		if got := float64(l.lost); math.Abs(got-n*p) > 4*math.Sqrt(n*p*(1-p)) || l.lost+l.passed != n {
			t.Errorf("loss of %g: %g of %d, %d passed", p, got, n, l.passed)
		}
	}
}

func TestSameSeedLosesTheSamePackets(t *testing.T) {
	draw := func(seed, number uint64) (lost string) {
		l := newLane(seed, number)
		l.settings.Loss = 0.5
		for range 64 {
			_, ok := pass(l, 0, 0)
			lost += fmt.Sprint(ok)
		}
		return lost
	}
	if draw(7, 0) != draw(7, 0) || draw(7, 0) == draw(8, 0) || draw(7, 0) == draw(7, 1) {
		t.Error("the seed and the number of the lane decide, and nothing else")
	}
}

// A queue that is full drops what comes, counts it, and goes on.
func TestFullQueue(t *testing.T) {
	l := newLane(1, 0)
	l.settings.Delay = time.Second
	for i := range Capacity + 10 {
		if _, ok := pass(l, byte(i), 0); ok != (i < Capacity) {
			t.Fatalf("packet %d: %v", i, ok)
		}
	}
	for i := range Capacity {
		if packet, due := l.next(); packet[0] != byte(i) || due != 1e9 {
			t.Fatalf("packet %d: %v, due %d", i, packet, due)
		}
		l.sent(3e9, i > 0) // the device did not take the first
		pass(l, byte(i), 3e9)
	}
	c := counts([2]*lane{l, newLane(1, 1)})
	if c.Passed != [2]int64{Capacity - 1} || c.Dropped != [2]int64{11} || c.LateMean != 2 || c.LateMax != 2 {
		t.Errorf("counts %+v", c)
	}
	if c := counts([2]*lane{l, l}); c != (Counts{}) {
		t.Errorf("counts %+v: they are of the time since the last ones", c)
	}
}

func TestNoAllocationPerPacket(t *testing.T) {
	l := newLane(1, 0)
	l.settings = Settings{Delay: 1000, Jitter: 1000, Loss: 0.1}
	if n := testing.AllocsPerRun(1000, func() {
		if _, ok := pass(l, 0, 0); ok {
			l.next()
			l.sent(0, true)
		}
	}); n != 0 {
		t.Errorf("%v allocations a packet", n)
	}
}

// The test binary is the relay when this is set.
const relayEnv = "VERSUS_TEST_RELAY"

func TestMain(m *testing.M) {
	if os.Getenv(relayEnv) != "" {
		os.Exit(Main(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// bench is a relay between two sockets, which carry packets as devices do.
type bench struct {
	near, far int
	requests  io.WriteCloser
	answers   *bufio.Reader
	cmd       *exec.Cmd
	words     bytes.Buffer
}

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{cmd: exec.Command(os.Args[0], "1")}
	b.cmd.Env, b.cmd.Stderr = append(os.Environ(), relayEnv+"=1"), &b.words
	for _, end := range []*int{&b.near, &b.far} {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		*end = pair[0]
		device := os.NewFile(uintptr(pair[1]), "device")
		defer device.Close()
		b.cmd.ExtraFiles = append(b.cmd.ExtraFiles, device)
	}
	var err error
	if b.requests, err = b.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	answers, err := b.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	b.answers = bufio.NewReader(answers)
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		b.requests.Close()
		b.cmd.Wait()
		unix.Close(b.near)
		unix.Close(b.far)
	})
	return b
}

func (b *bench) ask(t *testing.T, request string) (c Counts) {
	t.Helper()
	fmt.Fprintln(b.requests, request)
	line, err := b.answers.ReadString('\n')
	if err == nil {
		err = json.Unmarshal([]byte(line), &c)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRelayCarriesBothWays(t *testing.T) {
	b := newBench(t)
	b.ask(t, `{"settings":{"delay":2000000,"jitter":1000000}}`)
	const n = 500
	for i := range n {
		for _, fd := range []int{b.near, b.far} {
			if _, err := unix.Write(fd, fmt.Appendf(nil, "%d from %v", i, fd == b.near)); err != nil {
				t.Fatal(err)
			}
		}
		for _, fd := range []int{b.near, b.far} {
			if i < 10 { // these are under way together
				continue
			}
			buf := make([]byte, MTU)
			got, err := unix.Read(fd, buf)
			if want := fmt.Sprintf("%d from %v", i-10, fd == b.far); err != nil || string(buf[:got]) != want {
				t.Fatalf("%q, %v, want %q", buf[:got], err, want)
			}
		}
	}
	c := b.ask(t, `{}`)
	for range 10 {
		buf := make([]byte, MTU)
		unix.Read(b.near, buf)
		unix.Read(b.far, buf)
	}
	rest := b.ask(t, `{}`)
	if c.Passed[0]+rest.Passed[0] != n || c.Passed[1]+rest.Passed[1] != n || c.Dropped != [2]int64{} || c.Lost != [2]int64{} {
		t.Errorf("counts %+v, then %+v", c, rest)
	}
}

func TestRelayEnds(t *testing.T) {
	for _, c := range []struct{ request, want string }{
		{"", ""}, // with its input
		{"what?\n", "the request can't be read"},
		{`{"settings":{"delay":-1}}` + "\n", "impossible"},
		{`{"settings":{"delay":1,"jitter":2}}` + "\n", "impossible"},
		{`{"settings":{"loss":1.5}}` + "\n", "impossible"},
		{strings.Repeat("x", maxRequest), "too long"},
	} {
		b := newBench(t)
		io.WriteString(b.requests, c.request)
		if c.request == "" {
			b.requests.Close()
		}
		if err := b.cmd.Wait(); (err == nil) != (c.want == "") || !strings.Contains(b.words.String(), c.want) {
			t.Errorf("%.40q: %v, %s, want %s", c.request, err, &b.words, c.want)
		}
	}
	b := newBench(t)
	unix.Shutdown(b.near, unix.SHUT_RDWR)
	if err := b.cmd.Wait(); err == nil || !strings.Contains(b.words.String(), "device") {
		t.Errorf("a device is gone: %v, %s", err, &b.words)
	}
	for _, args := range [][]string{nil, {"x"}, {"1", "2"}} {
		if status := Main(args); status != 1 {
			t.Errorf("%q: status %d", args, status)
		}
	}
}
