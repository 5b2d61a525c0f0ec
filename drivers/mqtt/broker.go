package mqtt

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"sync/atomic"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/hooks/auth"
	"github.com/mochi-mqtt/server/v2/system"

	"versus/drivers/goproc"
	"versus/drivers/worker"
)

// serveBroker starts the broker that the options name, on a free port.
func serveBroker(ctx context.Context, s worker.Setup) (worker.Ready, func() error, error) {
	switch kind := read(s.Workload).broker; kind {
	case "embedded":
		return serveEmbedded(s)
	case "mosquitto":
		return serveMosquitto(ctx, s)
	default:
		return worker.Ready{}, nil, fmt.Errorf("there is no broker %q", kind)
	}
}

func serveEmbedded(setup worker.Setup) (worker.Ready, func() error, error) {
	listener, err := net.Listen("tcp", setup.Endpoint())
	if err != nil {
		return worker.Ready{}, nil, fmt.Errorf("the broker can't listen: %w", err)
	}
	limits := mochi.NewDefaultServerCapabilities()
	limits.MaximumClientWritesPending, limits.MaximumInflight = queue, queue
	s := mochi.New(&mochi.Options{Logger: slog.New(slog.DiscardHandler), Capabilities: limits})
	if err := s.AddHook(new(auth.AllowHook), nil); err != nil {
		return worker.Ready{}, nil, err
	}
	if err := s.AddListener(&loopback{listener: listener, open: map[net.Conn]bool{}}); err != nil {
		return worker.Ready{}, nil, err
	}
	if err := s.Serve(); err != nil { // returns when it listens
		return worker.Ready{}, nil, fmt.Errorf("the broker does not start: %w", err)
	}
	effective := goproc.Effective(mochiModule)
	maps.Copy(effective, map[string]string{"broker": "mochi-mqtt", "queue": fmt.Sprintf("%d messages for each subscriber", queue)})
	ready := worker.Ready{
		Addresses: map[string]string{"address": listener.Addr().String()},
		Effective: effective,
		Remarks:   func() []string { return dropped(s.Info) },
	}
	return ready, s.Close, nil
}

// queue is how many messages the embedded broker holds for a subscriber that does not
// fetch them as fast as they are published: its default. It drops what is beyond, at QoS 1
// and 2 as well, and tells neither side. More of them are no cure: it looks through all that
// are not acknowledged with every packet that arrives.
const queue = 8192

// dropped says what the broker has dropped.
func dropped(about *system.Info) []string {
	n := atomic.LoadInt64(&about.MessagesDropped) + atomic.LoadInt64(&about.InflightDropped)
	if n == 0 {
		return nil
	}
	return []string{fmt.Sprintf("dropped: the embedded broker dropped %d messages, with those of the warm-up, for a subscriber "+
		"that had %d waiting already; publish at a rate that it can follow, or use broker \"mosquitto\"", n, queue)}
}
