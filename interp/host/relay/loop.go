package relay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Request is a line for the relay. The answer to each is a line with the Counts
// since the one before.
type Request struct {
	Settings *Settings `json:"settings,omitempty"` // from now on; nil: no change
}

// FirstFD is the descriptor of the first device in the relay's process. That of
// the second follows it.
const FirstFD = 3

// maxRequest bounds a line, in bytes.
const maxRequest = 4096

// batch is how many packets are taken from one device before the other has its
// turn.
const batch = 64

// Main is the process of a relay: it takes requests from standard input,
// answers on standard output, and returns the exit status when the input ends.
// Its only argument is the seed of the random numbers that decide on jitter and
// loss.
func Main(args []string) int {
	if err := run(args); err != nil && err != io.EOF {
		fmt.Fprintf(os.Stderr, "relay: %v\n", err)
		return 1
	}
	return 0
}

func run(args []string) error {
	if len(args) != 1 {
		return errors.New("one argument is needed, the seed; versus run starts it")
	}
	seed, err := strconv.ParseUint(args[0], 10, 64)
	if err != nil {
		return fmt.Errorf("the seed is no number: %w", err)
	}
	r := &relay{base: time.Now(), fds: [2]int{FirstFD, FirstFD + 1}, requests: make([]byte, 0, maxRequest)}
	for i, fd := range r.fds {
		r.lanes[i] = newLane(seed, uint64(i))
		if err := unix.SetNonblock(fd, true); err != nil {
			return fmt.Errorf("descriptor %d is no device: %w", fd, err)
		}
	}
	// Packets allocate nothing, and answers so little that it takes many thousands
	// of runs until there is garbage to collect.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(256 << 20)
	runtime.LockOSThread()
	hurry()
	return r.loop()
}

// hurry lets the process go before all others: packets go on when they are due,
// before anything that is measured gets the CPU, as they would in the kernel.
// Without the right to that, the counts say how late they were. All threads need
// it, since each may hold a lock of Go's runtime that the loop waits for.
func hurry() {
	threads, _ := os.ReadDir("/proc/self/task")
	for _, t := range threads {
		if id, err := strconv.Atoi(t.Name()); err == nil {
			_ = unix.SchedSetAttr(id, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_FIFO, Priority: 1}, 0)
		}
	}
}

type relay struct {
	base     time.Time
	fds      [2]int   // of the devices
	lanes    [2]*lane // lane i goes from device i to the other
	scratch  [MTU]byte
	requests []byte // what came of the next request
	used     int64  // CPU time up to the last answer, nanoseconds
}

// now is the relay's clock, in nanoseconds.
func (r *relay) now() int64 { return int64(time.Since(r.base)) }

// loop moves packets until the input ends, which is io.EOF, or a device is gone.
func (r *relay) loop() error {
	polled := []unix.PollFd{
		{Fd: 0, Events: unix.POLLIN},
		{Fd: int32(r.fds[0]), Events: unix.POLLIN},
		{Fd: int32(r.fds[1]), Events: unix.POLLIN},
	}
	var left unix.Timespec
	for {
		timeout := (*unix.Timespec)(nil)
		for i, l := range r.lanes {
			if due, any := r.send(l, r.fds[1-i]); any {
				t := unix.NsecToTimespec(max(0, due-r.now()))
				if timeout == nil || t.Nano() < timeout.Nano() {
					left = t
					timeout = &left
				}
			}
		}
		err := wait(polled, timeout)
		if err == unix.EINTR {
			continue // it was stopped, and goes on
		}
		if err != nil {
			return err
		}
		for i, l := range r.lanes {
			if polled[i+1].Revents&^unix.POLLIN != 0 {
				return errors.New("a device is gone")
			}
			if polled[i+1].Revents != 0 {
				if err := r.receive(l, r.fds[i]); err != nil {
					return err
				}
			}
		}
		if polled[0].Revents != 0 {
			if err := r.listen(); err != nil {
				return err
			}
		}
	}
}

// send sends all packets of the lane that are due, and returns when the next one
// is, if there is any.
func (r *relay) send(l *lane, to int) (due int64, any bool) {
	for {
		packet, due := l.next()
		if packet == nil {
			return 0, false
		}
		now := r.now()
		if due > now {
			return due, true
		}
		l.sent(now, write(to, packet) == nil)
	}
}

// receive takes packets from a device, but not without end.
func (r *relay) receive(l *lane, from int) error {
	for range batch {
		slot := l.slot()
		full := slot == nil
		if full {
			slot = r.scratch[:]
		}
		n, err := read(from, slot)
		switch {
		case err == unix.EAGAIN:
			return nil
		case err != nil:
			return fmt.Errorf("a device is gone: %w", err)
		case full:
			l.dropped++
		default:
			l.accept(n, r.now())
		}
	}
	return nil
}

// listen reads from the input, and answers a request that is complete.
func (r *relay) listen() error {
	n, err := read(0, r.requests[len(r.requests):cap(r.requests)])
	if err != nil {
		return err
	}
	if n <= 0 {
		return io.EOF
	}
	r.requests = r.requests[:len(r.requests)+n]
	line, rest, complete := bytes.Cut(r.requests, []byte("\n"))
	if !complete {
		if len(r.requests) == cap(r.requests) {
			return errors.New("a request is too long")
		}
		return nil
	}
	err = r.answer(line)
	r.requests = r.requests[:copy(r.requests, rest)]
	return err
}

// answer does what the request asks for.
func (r *relay) answer(line []byte) error {
	var q Request
	if err := json.Unmarshal(line, &q); err != nil {
		return fmt.Errorf("the request can't be read: %w", err)
	}
	if s := q.Settings; s != nil {
		if s.Delay < 0 || s.Jitter < 0 || s.Jitter > s.Delay || !(s.Loss >= 0 && s.Loss <= 1) {
			return fmt.Errorf("settings of %+v are impossible", *s)
		}
		for _, l := range r.lanes {
			l.settings = *s
		}
	}
	c := counts(r.lanes)
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		return err
	}
	now := used.Utime.Nano() + used.Stime.Nano()
	c.CPU, r.used = float64(now-r.used)/1e9, now
	return json.NewEncoder(os.Stdout).Encode(c)
}
