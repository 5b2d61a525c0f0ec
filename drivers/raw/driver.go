// Package raw has the drivers tcp, unix and shm: request/response and
// publish/subscribe with nothing in between but the operating system. They show
// how far a middleware is from the floor. They have no encoding, no discovery
// and no reliability beyond that of a socket.
package raw

import (
	"context"
	"fmt"

	"versus/drivers"
	"versus/drivers/goproc"
	"versus/drivers/worker"
	"versus/dsl/schema"
)

// MaxPayload is the largest payload of the sockets, in bytes.
const MaxPayload = 64 << 20

// TCP describes TCP sockets to the interpreter.
var TCP = socket("tcp", "TCP sockets over loopback, with TCP_NODELAY: a connection for each caller or topic, and a length before each message.")

// Unix describes Unix sockets to the interpreter.
var Unix = socket("unix", "Unix stream sockets in the abstract namespace: a connection for each caller or topic, and a length before each message.")

// TCPRoles and UnixRoles are the workers.
var (
	TCPRoles  = socketRoles("tcp", "127.0.0.1:0")
	UnixRoles = socketRoles("unix", "@")
)

func socket(name, doc string) drivers.Driver {
	return drivers.Driver{
		Name: name,
		Doc:  doc,
		Attrs: []schema.Attr{
			{
				Name: "wait", Type: schema.String, Default: `"block"`, OneOf: []string{"block", "poller"},
				Doc:     "How a process waits for a connection: `block` in a system call, which takes a thread for each caller or topic and the least time where there are few; `poller` as programs in Go do, for many.",
				Example: `"poller"`,
			},
			goproc.Attr,
		},
		Patterns: []drivers.Pattern{drivers.RPC, drivers.PubSub},
		Probe: func(context.Context) drivers.Availability {
			return drivers.Availability{OK: true, Versions: goproc.Versions()}
		},
		Check: checkSocket,
		Roles: roles,
	}
}

// maxThreads is how many connections of a process may block at once.
const maxThreads = 1000

func checkSocket(w drivers.Workload) error {
	if err := check(w); err != nil {
		return err
	}
	if n := layoutOf(w).pairs; n > maxThreads && waitOf(w) == "block" {
		return fmt.Errorf(`%d callers, with those in flight, or topics: with wait = "block" driver %q has %d at most; use wait = "poller"`, n, w.Driver, maxThreads)
	}
	return nil
}

func roles(w drivers.Workload) ([]drivers.Role, error) {
	passive, active := "server", "client"
	if w.Pattern == drivers.PubSub {
		passive, active = "subscriber", "publisher"
	}
	env := goproc.Env(w.Options)
	return []drivers.Role{{Name: passive, Env: env}, {Name: active, Active: true, Env: env}}, nil
}

// check refuses what bytes on a wire can't do.
func check(w drivers.Workload) error {
	if w.Call != "" && w.Call != "twoway" {
		return fmt.Errorf("a raw call waits for its answer: there is no %q call, only twoway", w.Call)
	}
	if w.Transfer == "loan" {
		return fmt.Errorf(`driver %q copies every message; use transfer = "copy"`, w.Driver)
	}
	if w.Payload.Kind != "bytes" && w.Payload.Kind != "lines" {
		return fmt.Errorf("driver %q carries bytes and lines, and has no encoding for a payload of kind %q", w.Driver, w.Payload.Kind)
	}
	n := size(w.Payload)
	if n > MaxPayload {
		return fmt.Errorf("a payload of %d bytes is over this driver's limit of %d (64 MiB)", n, MaxPayload)
	}
	if w.Pattern == drivers.PubSub && n < worker.StampSize {
		return fmt.Errorf("a payload of %d bytes can't carry the %d bytes of a message's sequence number and times", n, worker.StampSize)
	}
	return nil
}

// size returns the size of a message, in bytes.
func size(p drivers.Payload) int {
	if p.Kind == "lines" {
		return len(p.Text)
	}
	return p.Bytes
}
