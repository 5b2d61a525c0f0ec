package mqtt

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net"

	mochi "github.com/mochi-mqtt/server/v2"
	"github.com/mochi-mqtt/server/v2/hooks/auth"

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
	s := mochi.New(&mochi.Options{Logger: slog.New(slog.DiscardHandler)})
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
	maps.Copy(effective, map[string]string{"broker": "mochi-mqtt"})
	ready := worker.Ready{
		Addresses: map[string]string{"address": listener.Addr().String()},
		Effective: effective,
	}
	return ready, s.Close, nil
}
