package mqtt

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"versus/drivers"
	"versus/drivers/daemon"
	"versus/drivers/worker"
)

// mosquitto is the program.
var mosquitto = drivers.Need{Package: "mosquitto", Command: "mosquitto"}

// askTimeout bounds asking mosquitto for its version.
const askTimeout = 10 * time.Second

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
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
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

// serveMosquitto runs mosquitto as a child of this process. The configuration goes
// through its standard input, so there is no file to leave behind. Mosquitto keeps
// nothing that it would have to save, and would take 100 ms to end politely.
func serveMosquitto(ctx context.Context, s worker.Setup) (worker.Ready, func() error, error) {
	program, err := findMosquitto()
	if err != nil {
		return worker.Ready{}, nil, err
	}
	d, port, err := daemon.OnFreePort(ctx, s.Host(), " running\n", func(port int) *exec.Cmd {
		cmd := exec.Command(program, "-c", "/dev/stdin")
		cmd.Stdin = strings.NewReader(fmt.Sprintf(settings, port, s.Host()))
		return cmd
	})
	if err != nil {
		return worker.Ready{}, nil, fmt.Errorf("the broker: %w", err)
	}
	version, err := versionIn(d.Words())
	if err != nil {
		return worker.Ready{}, nil, errors.Join(err, d.Stop())
	}
	ready := worker.Ready{
		Addresses: map[string]string{"address": net.JoinHostPort(s.Host(), strconv.Itoa(port))},
		Effective: map[string]string{"broker": "mosquitto", "mosquitto": version, "set_tcp_nodelay": "true"},
		PID:       d.PID,
	}
	return ready, d.Stop, nil
}
