// Package dds is the driver for DDS as two vendors have it, Eclipse Cyclone DDS
// and eProsima Fast DDS: publish/subscribe, and services by a topic for requests
// and one for replies. By default it sends what a ROS 2 node with either vendor's
// rmw would send. It has no ROS 2 in it: no node, no executor, and so not what
// these cost. On a network interface, in the same domain, a ROS 2 node finds the
// topics and the service by DDS discovery and takes the messages (tested with driver
// ros2); it finds no node that they belong to, since nothing is said on
// ros_discovery_info, whose format differs between versions of ROS 2. Its workers, in
// C++, are in cpp/.
package dds

import (
	"context"
	"fmt"
	"maps"
	"regexp"

	"versus/drivers"
	"versus/drivers/iceoryx"
	"versus/drivers/native"
	"versus/drivers/worker"
	"versus/dsl/schema"
)

const (
	// maxPayload is what the tests cover, and far below the 4 GiB that CDR has.
	maxPayload = 64 << 20
	// maxMemory bounds the shared memory of a run, bytes. Who provides it touches
	// all of it first.
	maxMemory = 1 << 30
	// maxTopics is what one participant and one thread that waits still carry.
	maxTopics = 100
	// maxCallers bounds the calls of one service that wait at the same time.
	maxCallers = 1000
)

// QoS is the block of that name, which driver ros2 has too.
var QoS = schema.Block{
	Type:    "qos",
	Doc:     "The quality of service of writers and readers; without the block, the default of ROS 2.",
	Example: "qos {\n  reliability = \"best_effort\"\n  depth       = 5\n}",
	Attrs: []schema.Attr{
		{
			Name: "reliability", Type: schema.String, Default: `"reliable"`, OneOf: []string{"reliable", "best_effort"},
			Doc:     "Whether what got lost on the way is sent again.",
			Example: `"best_effort"`,
		},
		{
			Name: "history", Type: schema.String, Default: `"keep_last"`, OneOf: []string{"keep_last", "keep_all"},
			Doc:     "Whether the latest messages are kept for a reader that is behind, which loses older ones even if reliable, or all, so that the writer waits for it.",
			Example: `"keep_all"`,
		},
		{
			Name: "depth", Type: schema.Integer, Default: "10", Min: 1, Max: 1000,
			Doc:     "How many messages keep_last keeps.",
			Example: "1",
		},
		{
			Name: "durability", Type: schema.String, Default: `"volatile"`, OneOf: []string{"volatile", "transient_local"},
			Doc:     "Whether a reader that comes later gets the messages that the writer still keeps.",
			Example: `"transient_local"`,
		},
	},
}

// Driver describes DDS to the interpreter.
var Driver = drivers.Driver{
	Name: "dds",
	Doc:  "DDS with Cyclone DDS or Fast DDS, by UDP or in shared memory; by default ROS 2 wire, no executor.",
	Attrs: []schema.Attr{
		{
			Name: "vendor", Type: schema.String, Default: `"cyclonedds"`, OneOf: []string{"cyclonedds", "fastdds"},
			Doc:     "The implementation on both sides.",
			Example: `"fastdds"`,
		},
		{
			Name: "convention", Type: schema.String, Default: `"ros2"`, OneOf: []string{"ros2", "plain"},
			Doc:     "Names of topics and types: those of ROS 2, so that a node in the same domain and on the same `interface` sees /versus/topic_0 and the service /versus/echo, or others. It sees no node, for there is none. Services correlate replies as the vendor's rmw does in either case.",
			Example: `"plain"`,
		},
		{
			Name: "type", Type: schema.String, Default: `"sequence"`, OneOf: []string{"sequence", "array"},
			Doc:     "Messages of a topic: of any length (std_msgs/msg/UInt8MultiArray), or of one fixed size, which loans and data sharing need. Services always carry sequences.",
			Example: `"array"`,
		},
		{
			Name: "transport", Type: schema.String, Default: `"udp"`, OneOf: []string{"udp", "shm", "data_sharing"},
			Doc:     "UDP; shared memory (of iceoryx with Cyclone DDS, its own with Fast DDS); or the writer's history in shared memory, which the reader reads in place (Fast DDS). What is really used is reported.",
			Example: `"shm"`,
		},
		{
			Name: "interface", Type: schema.String, Default: `""`,
			Doc:     "The network interface for UDP, of that name on every host. Without it, UDP goes over the address of a role's host (`listen`), or over loopback if it has none, and there is no multicast: the active side asks the passive one at its port, and ROS 2 nodes see neither. Name an interface, and the sides look for each other by multicast, so that every DDS participant there that is in the same domain takes part.",
			Example: `"eth0"`,
		},
		{
			Name: "domain", Type: schema.Integer, Default: "-1", Min: -1, Max: 101,
			Doc:     "The DDS domain, or -1 for one that nobody else on this machine uses. ROS 2 calls it ROS_DOMAIN_ID; its default is 0.",
			Example: "0",
		},
		{
			Name: "match_timeout", Type: schema.Duration, Default: `"8s"`, Min: 0.01, Max: 10,
			Doc:     "How long the active side waits for the passive one to be discovered before the run has failed. All roles together have 10 s to get ready.",
			Example: `"2s"`,
		},
	},
	Blocks:      []schema.Block{QoS},
	Patterns:    []drivers.Pattern{drivers.RPC, drivers.PubSub},
	AcrossHosts: acrossHosts,
	Probe:       probe,
	ProbeFor:    probeFor,
	Check:       check,
	Roles:       roles,
}

// interfaceName is what Linux allows, less what would need quotes in XML.
var interfaceName = regexp.MustCompile(`^[a-zA-Z0-9_.@-]{1,15}$`)

// options are the arguments of a `backend "dds"` block that matter on this side.
type options struct {
	vendor, kind, transport, network string
	keepAll                          bool
	depth                            int
}

func read(w drivers.Workload) options {
	text := func(m map[string]any, name, otherwise string) string {
		if s, ok := m[name].(string); ok {
			return s
		}
		return otherwise
	}
	qos, _ := w.Options["qos"].(map[string]any)
	o := options{
		vendor: text(w.Options, "vendor", "cyclonedds"), kind: text(w.Options, "type", "sequence"),
		transport: text(w.Options, "transport", "udp"), network: text(w.Options, "interface", ""), keepAll: text(qos, "history", "keep_last") == "keep_all", depth: 10,
	}
	if n, ok := qos["depth"].(float64); ok {
		o.depth = int(n)
	}
	return o
}

// iceoryx reports whether the run needs iceoryx's daemon.
func (o options) iceoryx() bool { return o.vendor == "cyclonedds" && o.transport == "shm" }

func (o options) worker() native.Worker {
	if o.vendor == "fastdds" {
		return fast
	}
	return cyclone
}

func size(p drivers.Payload) int {
	if p.Kind == "lines" {
		return len(p.Text)
	}
	return p.Bytes
}

func check(w drivers.Workload) error {
	o := read(w)
	if w.Payload.Kind != "bytes" && w.Payload.Kind != "lines" {
		return fmt.Errorf("DDS carries bytes and lines here, and has no type for a payload of kind %q", w.Payload.Kind)
	}
	n := size(w.Payload)
	if n > maxPayload {
		return fmt.Errorf("a payload of %d bytes is over the limit of %d bytes for a DDS message", n, maxPayload)
	}
	if o.transport == "data_sharing" && o.vendor != "fastdds" {
		return fmt.Errorf(`only vendor = "fastdds" has data sharing; Cyclone DDS shares memory with transport = "shm"`)
	}
	if o.network != "" && !interfaceName.MatchString(o.network) {
		return fmt.Errorf("%q is no name of a network interface", o.network)
	}
	if o.network != "" && o.vendor == "fastdds" && o.transport == "shm" {
		return fmt.Errorf(`Fast DDS uses no network with transport = "shm": leave out interface`)
	}
	if err := o.checkPattern(w, n); err != nil {
		return err
	}
	if o.transport == "udp" {
		return nil
	}
	if chunk, chunks := o.memory(w); float64(chunk)*float64(chunks) > maxMemory {
		return fmt.Errorf("%d bytes of payload need %d times %d bytes of shared memory, over the limit of %d bytes; a smaller depth or fewer topics need less",
			n, chunks, chunk, maxMemory)
	}
	return nil
}

// acrossHosts refuses what stays on one host.
func acrossHosts(w drivers.Workload) error {
	o := read(w)
	if o.transport != "udp" {
		return fmt.Errorf(`transport = %q shares memory, which two hosts don't: use transport = "udp", or place all roles on one host`, o.transport)
	}
	if o.network == "lo" {
		return fmt.Errorf(`interface = "lo" stays on one host: leave out interface, or name that of the network between the hosts`)
	}
	return nil
}

func (o options) checkPattern(w drivers.Workload, size int) error {
	if w.Pattern == drivers.RPC {
		switch {
		case w.Call != "" && w.Call != "twoway":
			return fmt.Errorf("a service over DDS has no %q call, only twoway", w.Call)
		case o.transport == "data_sharing":
			return fmt.Errorf(`data sharing needs messages of fixed size, and those of a service are not; use transport = "shm" or "udp"`)
		case max(w.Concurrency, 1)*max(w.InFlight, 1) > maxCallers:
			return fmt.Errorf("more than %d calls at the same time are more than one client can have waiting", maxCallers)
		}
		return nil
	}
	switch {
	case size < worker.StampSize:
		return fmt.Errorf("a payload of %d bytes can't carry the %d bytes of a message's sequence number and times", size, worker.StampSize)
	case w.Topics > maxTopics:
		return fmt.Errorf("%d topics; one participant carries %d here", w.Topics, maxTopics)
	case o.transport == "data_sharing" && o.kind != "array":
		return fmt.Errorf(`data sharing needs messages of fixed size: set type = "array"`)
	case w.Transfer == "loan" && o.kind != "array":
		return fmt.Errorf(`a loan needs messages of fixed size: set type = "array"`)
	case w.Transfer == "loan" && o.vendor == "cyclonedds" && o.transport != "shm":
		return fmt.Errorf(`Cyclone DDS lends memory with transport = "shm" only`)
	case w.Transfer == "loan" && o.iceoryx() && o.keepAll:
		return fmt.Errorf(`Cyclone DDS does not use shared memory with history = "keep_all", and lends none then; use keep_last`)
	}
	return nil
}

// memory returns the shared memory that a run needs: how many chunks of what
// size in bytes. A topic has the reader's and the writer's history, what is lent,
// and some to spare; each message has a header.
func (o options) memory(w drivers.Workload) (chunk, chunks int) {
	topics, depth := max(w.Topics, 1), o.depth
	if w.Pattern == drivers.RPC {
		topics = 2
	}
	if o.keepAll && !o.iceoryx() {
		depth = 1000
	}
	return (size(w.Payload) + 1024 + 7) / 8 * 8, topics * (2*depth + 20)
}

func roles(w drivers.Workload) ([]drivers.Role, error) {
	o := read(w)
	program := o.worker()
	passive, active := program.Role("server", false), program.Role("client", true)
	if w.Pattern == drivers.PubSub {
		passive, active = program.Role("subscriber", false), program.Role("publisher", true)
	}
	if !o.iceoryx() {
		return []drivers.Role{passive, active}, nil
	}
	return []drivers.Role{iceoryx.Broker(o.memory(w)), passive, active}, nil
}

// probe finds the driver if one of the vendors is there.
func probe(ctx context.Context) drivers.Availability {
	a, b := cyclone.Probe(ctx), fast.Probe(ctx)
	switch {
	case a.OK && b.OK:
		maps.Copy(a.Versions, b.Versions)
	case a.OK:
		a.Missing, a.Get = b.Missing+`, which only vendor = "fastdds" needs`, b.Get
	case b.OK:
		b.Missing, b.Get = a.Missing+`, which only vendor = "cyclonedds" needs`, a.Get
		return b
	}
	return a
}

func probeFor(ctx context.Context, w drivers.Workload) drivers.Availability {
	o := read(w)
	found := o.worker().Probe(ctx)
	if !found.OK || !o.iceoryx() {
		return found
	}
	daemon := iceoryx.Worker.Probe(ctx)
	if !daemon.OK {
		daemon.Missing += `, which Cyclone DDS needs for transport = "shm"`
		return daemon
	}
	maps.Copy(found.Versions, daemon.Versions)
	return found
}
