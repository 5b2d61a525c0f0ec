package mqtt

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"versus/drivers"
	"versus/drivers/worker"
)

// mosquitto is the program.
var mosquitto = drivers.Need{Package: "mosquitto", Command: "mosquitto"}

// startTimeout bounds waiting for mosquitto, which starts in a few milliseconds.
const startTimeout = 10 * time.Second

// settings is the configuration. The log goes to stderr, which has no buffer,
// because it says when mosquitto is ready. At QoS 1 and 2, by its defaults
// mosquitto drops what a subscriber has not fetched yet beyond 1,000 messages,
// and hangs up on a publisher that has more than 20 under way: 0 is no limit.
// Started by root it would become the user mosquitto, and the kernel forget
// that it is to end with this process; for everybody else "user" means nothing.
const settings = `listener %d %s
user root
allow_anonymous true
set_tcp_nodelay true
persistence false
max_queued_messages 0
max_inflight_messages 0
log_dest stderr
log_type error
log_type warning
log_type information
`

func findMosquitto() (string, error) {
	if program := mosquitto.Find(); program != "" {
		return program, nil
	}
	return "", errors.New(`the program mosquitto is missing: install the Debian package mosquitto ` +
		`(apt-get install mosquitto), or choose broker "embedded" {}`)
}

// mosquittoVersion asks the program, which answers "mosquitto version 2.0.11".
func mosquittoVersion(ctx context.Context) (string, error) {
	program, err := findMosquitto()
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	out, _ := exec.CommandContext(ctx, program, "-h").Output() // its exit status says nothing
	return versionIn(string(out))
}

func versionIn(text string) (string, error) {
	_, after, ok := strings.Cut(text, "mosquitto version ")
	version := strings.Fields(after)
	if !ok || len(version) == 0 {
		return "", errors.New("mosquitto does not tell its version")
	}
	return version[0], nil
}

// serveMosquitto runs mosquitto as a child of this process.
func serveMosquitto(ctx context.Context, s worker.Setup) (worker.Ready, func() error, error) {
	program, err := findMosquitto()
	if err != nil {
		return worker.Ready{}, nil, err
	}
	// Another program may take a free port before mosquitto does: try again.
	for attempt := 1; ; attempt++ {
		port, err := freePort(s)
		if err != nil {
			return worker.Ready{}, nil, err
		}
		b, err := startBroker(ctx, program, s.Host(), port)
		if errors.Is(err, errPortTaken) && attempt < 5 {
			continue
		}
		if err != nil {
			return worker.Ready{}, nil, err
		}
		version, err := versionIn(b.log.String())
		if err != nil {
			return worker.Ready{}, nil, errors.Join(err, b.stop())
		}
		ready := worker.Ready{
			Addresses: map[string]string{"address": net.JoinHostPort(s.Host(), strconv.Itoa(port))},
			Effective: map[string]string{"broker": "mosquitto", "mosquitto": version, "set_tcp_nodelay": "true"},
			PID:       b.pid,
		}
		return ready, b.stop, nil
	}
}

func freePort(s worker.Setup) (int, error) {
	l, err := net.Listen("tcp", s.Endpoint())
	if err != nil {
		return 0, fmt.Errorf("no free port for the broker: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// child is a running mosquitto.
type child struct {
	pid   int
	log   *log
	ended chan error // gets what Wait returned
}

var errPortTaken = errors.New("the port of the broker was taken by another program")

// startBroker returns when mosquitto accepts connections. The configuration
// goes through its standard input, so there is no file to leave behind.
func startBroker(ctx context.Context, program, host string, port int) (*child, error) {
	cmd := exec.Command(program, "-c", "/dev/stdin")
	cmd.Stdin = strings.NewReader(fmt.Sprintf(settings, port, host))
	c := &child{log: newLog(), ended: make(chan error, 1)}
	cmd.Stdout, cmd.Stderr = c.log, c.log
	cmd.WaitDelay = time.Second // for the pipes, should a child of its own hold them
	// The kernel ends the child with this process, also after a kill -9.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	started := make(chan error, 1)
	go func() {
		// "Parent" means the thread that forked: it must live as long as the
		// child. The thread ends with this goroutine.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			c.ended <- cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("mosquitto does not start: %w", err)
	}
	c.pid = cmd.Process.Pid

	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	select {
	case <-c.log.running:
		return c, nil
	case err := <-c.ended:
		if strings.Contains(c.log.String(), "Address already in use") {
			return nil, errPortTaken
		}
		return nil, fmt.Errorf("mosquitto ended at once (%v): %s", err, c.log)
	case <-ctx.Done():
		return nil, errors.Join(fmt.Errorf("mosquitto is not ready: %w: %s", ctx.Err(), c.log), c.stop())
	}
}

// stop ends mosquitto. It is an error if it had ended before. Mosquitto keeps
// nothing that it would have to save, and would take 100 ms to end politely.
func (c *child) stop() error {
	select {
	case err := <-c.ended:
		return fmt.Errorf("mosquitto ended during the run (%v): %s", err, c.log)
	default:
		// Not reaped yet, so the number is still this child's.
		_ = syscall.Kill(c.pid, syscall.SIGKILL)
		<-c.ended
		return nil
	}
}

// log keeps the end of what mosquitto writes and tells when it is running.
type log struct {
	running chan struct{} // closed

	mu   sync.Mutex
	text []byte
	seen bool
}

const maxLog = 4 << 10

func newLog() *log { return &log{running: make(chan struct{})} }

func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	if !l.seen && bytes.Contains(l.text, []byte(" running\n")) {
		l.seen = true
		close(l.running)
	}
	if over := len(l.text) - maxLog; over > 0 {
		l.text = append(l.text[:0], l.text[over:]...)
	}
	return len(p), nil
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.TrimSpace(string(l.text))
}
