// Package zenoh is the driver for Eclipse Zenoh with its Rust library:
// publish/subscribe, and request/response by a querier and a queryable. The two
// sides connect to each other, or to a router between them, over TCP on the
// loopback interface; multicast and gossip are off. Its worker, in Rust, is in
// drivers/native/rust/zenoh.
package zenoh

import (
	"context"
	"fmt"

	"versus/drivers"
	"versus/drivers/native"
	"versus/drivers/worker"
	"versus/dsl/schema"
)

// Worker is the program that plays all roles.
var Worker = native.Worker{
	Name:     "zenoh",
	Language: native.Rust,
	Get:      "install Rust 1.88 or newer, with cargo; that of Debian 12 is too old",
}

const (
	// maxPayload is how much a message may have. zenoh itself refuses to put
	// together more than 1 GiB (transport/link/rx/max_message_size), headers included.
	maxPayload = 1<<30 - 64<<10
	// maxShared is the same in shared memory, where the pool holds eight messages.
	maxShared = 256 << 20
)

// Driver describes zenoh to the interpreter.
var Driver = drivers.Driver{
	Name: "zenoh",
	Doc:  "Eclipse Zenoh over TCP or shared memory: peer to peer, or through a router.",
	Attrs: []schema.Attr{
		{
			Name: "mode", Type: schema.String, Default: `"peer"`, OneOf: []string{"peer", "router"},
			Doc:     "Whether the two sides connect to each other, as peers, or to a router, as clients.",
			Example: `"router"`,
		},
		{
			Name: "shared_memory", Type: schema.Bool, Default: "false",
			Doc:     "Whether every message is made in shared memory, whatever its size. zenoh's own default moves messages of 3,072 bytes and more, which is off here: a sweep of sizes would change the transport on its way.",
			Example: "true",
		},
		{
			Name: "congestion", Type: schema.String, Default: `"block"`, OneOf: []string{"block", "drop"},
			Doc:     "What happens to a message when the queue of the connection is full: the sender waits, or it is dropped in silence. zenoh's own default is drop for publications and block for queries.",
			Example: `"drop"`,
		},
		{
			Name: "express", Type: schema.Bool, Default: "false",
			Doc:     "Whether messages are sent at once, in a batch of their own.",
			Example: "true",
		},
		{
			Name: "batching", Type: schema.Bool, Default: "true",
			Doc:     "Whether messages that wait for the connection are sent together.",
			Example: "false",
		},
		{
			Name: "request", Type: schema.String, Default: `"query"`, OneOf: []string{"query", "publication"},
			Doc:     "How a call is made: a query of a queryable with its reply, or two publications, as z_ping and AimRT make them.",
			Example: `"publication"`,
		},
		{
			Name: "reliability", Type: schema.String, Default: `"reliable"`, OneOf: []string{"reliable", "best_effort"},
			Doc:     "The channel that publications take. Both are carried by the one TCP connection here.",
			Example: `"best_effort"`,
		},
	},
	Patterns:    []drivers.Pattern{drivers.RPC, drivers.PubSub},
	AcrossHosts: acrossHosts,
	Probe:       probe,
	Check:       check,
	Roles:       roles,
}

func probe(ctx context.Context) drivers.Availability {
	found := Worker.Probe(ctx)
	if found.OK {
		found.Versions["zenoh"] = native.Crate("zenoh")
	}
	return found
}

func option(w drivers.Workload, name string) any { return w.Options[name] }

func check(w drivers.Workload) error {
	if w.Payload.Kind != "bytes" && w.Payload.Kind != "lines" {
		return fmt.Errorf("zenoh carries bytes and lines, and has no encoding for a payload of kind %q", w.Payload.Kind)
	}
	shared := option(w, "shared_memory") == true
	n := w.Payload.Bytes
	if w.Payload.Kind == "lines" {
		n = len(w.Payload.Text)
	}
	switch {
	case n > maxPayload:
		return fmt.Errorf("a payload of %d bytes does not fit a message of zenoh, which holds 1 GiB with its headers", n)
	case shared && n > maxShared:
		return fmt.Errorf("a payload of %d bytes needs a pool of shared memory of %d bytes; the limit here is %d bytes a message", n, 8*n, maxShared)
	case shared && n == 0:
		return fmt.Errorf("shared memory can't hold a message of 0 bytes")
	}
	if w.Pattern == drivers.RPC {
		return checkCall(w)
	}
	switch {
	case n < worker.StampSize:
		return fmt.Errorf("a payload of %d bytes can't carry the %d bytes of a message's sequence number and times", n, worker.StampSize)
	case w.Transfer == "loan" && !shared:
		return fmt.Errorf(`transfer = "loan" lends shared memory: the backend needs shared_memory = true`)
	}
	return nil
}

// acrossHosts refuses what needs memory that both sides have.
func acrossHosts(w drivers.Workload) error {
	if option(w, "shared_memory") == true {
		return fmt.Errorf("shared_memory = true needs both on one host")
	}
	return nil
}

func checkCall(w drivers.Workload) error {
	if w.Call != "" && w.Call != "twoway" {
		return fmt.Errorf("a call here always has an answer: there is no %q call, only twoway", w.Call)
	}
	if option(w, "reliability") == "best_effort" {
		return fmt.Errorf(`calls over zenoh are reliable: reliability = "best_effort" is for the messages of a pubsub test`)
	}
	return nil
}

func roles(w drivers.Workload) ([]drivers.Role, error) {
	passive, active := "server", "client"
	if w.Pattern == drivers.PubSub {
		passive, active = "subscriber", "publisher"
	}
	rs := []drivers.Role{Worker.Role(passive, false), Worker.Role(active, true)}
	if option(w, "mode") == "router" {
		rs = append([]drivers.Role{Worker.Role("broker", false)}, rs...)
	}
	return rs, nil
}
