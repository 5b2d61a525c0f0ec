// Package worker is the worker's side of the protocol for drivers written in
// Go: the conversation, the load loops (closed, open, publish), pacing,
// recording, CPU and memory. A driver brings only what is its own: how to
// serve, and how to make one call.
//
// The hot path allocates nothing per message, takes no lock that another
// caller holds, and records into a histogram of its own.
package worker

import (
	"context"
	"net"

	"versus/drivers"
)

// Setup is what a role is given to prepare itself.
type Setup struct {
	Workload drivers.Workload
	// Peers are the addresses of the roles that became ready before, by role:
	// Peers["server"]["address"].
	Peers map[string]map[string]string
	// Listen is the IP address of this host at which other roles reach this one;
	// empty is 127.0.0.1.
	Listen string
}

// Host is the IP address on which the role listens.
func (s Setup) Host() string {
	if s.Listen == "" {
		return "127.0.0.1"
	}
	return s.Listen
}

// Endpoint is a free port of Host, as net.Listen takes it.
func (s Setup) Endpoint() string { return net.JoinHostPort(s.Host(), "0") }

// Ready is what a prepared role reports.
type Ready struct {
	Addresses map[string]string
	Effective map[string]string
	// PID is the process whose CPU and memory count for this role, where that
	// is a program that the worker started (a broker). 0 is the worker itself.
	PID int
	// Remarks is asked when the window is over for remarks on the result: "fallback: ...".
	// It may be nil.
	Remarks func() []string
}

// Server is a passive role that serves until it is closed: a server or a broker.
// ServerFunc starts it; the returned close function stops it and frees everything.
type ServerFunc func(context.Context, Setup) (ready Ready, close func() error, err error)

// Caller makes calls one at a time. Callers of one client are used
// concurrently with each other, but each by one goroutine at a time.
type Caller interface {
	// Call sends the workload's payload and waits for the answer, checking
	// that it has the expected length. It allocates nothing of its own.
	Call() error
}

// ClientFunc opens n callers, connected and ready to call.
type ClientFunc func(ctx context.Context, s Setup, n int) (callers []Caller, ready Ready, close func() error, err error)

// PublishFunc publishes one message on a topic. It is called by one goroutine at
// a time for each topic, for different topics side by side. The message is the
// worker's buffer, stamped already; it is valid only until PublishFunc returns.
type PublishFunc func(topic int, message []byte) error

// PublisherFunc connects a publisher.
type PublisherFunc func(context.Context, Setup) (publish PublishFunc, ready Ready, close func() error, err error)

// SubscriberFunc connects a subscriber to all topics. It calls receive for
// each message of a topic, from one goroutine at a time a topic.
type SubscriberFunc func(ctx context.Context, s Setup, receive func(topic int, message []byte)) (ready Ready, close func() error, err error)

// Roles are the roles of one driver by name. Each value is a ServerFunc,
// ClientFunc, PublisherFunc, SubscriberFunc or LoggerFunc.
type Roles map[string]any
