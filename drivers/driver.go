// Package drivers says what a driver is: one middleware as the interpreter
// sees it. A driver declares its options, patterns and limits, and names the
// roles (processes) that a run of it needs. It knows nothing of scenarios,
// plans or tables.
//
// The drivers themselves live one folder each below this one; the registry
// that lists them is drivers/all. What the worker processes say to the
// interpreter is drivers/protocol; the worker's side of that conversation,
// for drivers written in Go, is drivers/worker.
package drivers

import (
	"context"
	"fmt"
	"slices"

	"versus/dsl/schema"
)

// Pattern is a kind of workload: the first label of a test block.
type Pattern string

// The patterns of workloads.
const (
	RPC    Pattern = "rpc"
	PubSub Pattern = "pubsub"
	Log    Pattern = "log"
	Replay Pattern = "replay"
)

// Driver describes one middleware. It is a value: data and functions, built
// once by the driver's package.
type Driver struct {
	Name string // the first label of a backend block: "grpc"
	Doc  string // one sentence
	// Attrs and Blocks are the options of `backend "NAME"`, beyond title.
	Attrs  []schema.Attr
	Blocks []schema.Block
	// Patterns are the workloads that it can carry.
	Patterns []Pattern
	// EventService is set where publish/subscribe goes through a service of its
	// own, as with the ORBs; a pubsub test asks for it with event_service.
	EventService bool
	// AcrossHosts tells why a workload can't have its roles on different hosts;
	// nil where every role listens where it is told to. A driver without it uses
	// the loopback interface or shared memory in any case.
	AcrossHosts func(Workload) error
	// Probe reports whether the driver can run on this machine.
	Probe func(context.Context) Availability
	// ProbeFor reports, where Probe found the driver, whether it can also run
	// this workload: the broker or the ORB that it asks for may be missing. Nil
	// where Probe tells all.
	ProbeFor func(context.Context, Workload) Availability
	// Check refuses, before anything runs, a workload that the middleware
	// can't carry: a payload over its limit, a call kind it doesn't have.
	// The error says what and why. Nil means that everything is possible.
	Check func(Workload) error
	// Roles returns the processes of a run, in the order in which they become
	// ready: a broker before a server, a server before a client. Nil for a
	// driver with Recorded.
	Roles func(Workload) ([]Role, error)
	// Recorded returns the values of a run that was measured elsewhere, by
	// metric name; run counts from 0. It is set instead of Roles by the
	// replay driver. A metric without a value is absent from the map.
	Recorded func(w Workload, run int) (map[string]float64, error)
}

// Role is one process of a run.
type Role struct {
	Name string // client, server, publisher, subscriber, broker
	// Active roles generate load and decide when the window ends; the others
	// serve until they are told to finish.
	Active bool
	// Command is the worker to start, speaking drivers/protocol on its
	// standard input and output. Empty means `versus worker DRIVER ROLE`.
	Command []string
	// Needs are what the host of the role must have installed beyond Command, such
	// as the daemon that the worker starts. Without it the run is skipped.
	Needs []Need
	// Get says how another host gets the libraries that Command lacks there, where
	// they are in no Debian package.
	Get string
	// Env is added to the environment of the process, for example
	// GOMAXPROCS=1. It is recorded with the run.
	Env []string
}

// OverNetworks is the AcrossHosts of a driver all of whose workloads go over the
// network.
func OverNetworks(Workload) error { return nil }

// Availability is what a probe found.
type Availability struct {
	OK       bool
	Versions map[string]string // of libraries and programs: "google.golang.org/grpc": "v1.85.0"
	Missing  string            // what is missing, in words
	Get      string            // how to get it: "apt-get install mosquitto"
}

// Workload is what one run asks of a driver: the arguments of a cell after
// every expression in them has been evaluated. It is sent to each worker as
// JSON.
type Workload struct {
	Driver  string         `json:"driver"`
	Pattern Pattern        `json:"pattern"`
	Options map[string]any `json:"options"` // of the backend; see Driver.Attrs
	Payload Payload        `json:"payload"`
	// Call is how an rpc test calls: twoway, async, oneway, batch_oneway.
	Call string `json:"call,omitempty"`
	// Concurrency is the number of callers (rpc) working side by side.
	Concurrency int `json:"concurrency"`
	// Topics is the number of topics (pubsub), each with one publisher loop.
	Topics int `json:"topics,omitempty"`
	// Rate is the number of calls or messages due per second, of each caller
	// or topic. 0 is a closed loop: as fast as it goes.
	Rate float64 `json:"rate,omitempty"`
	// InFlight bounds the calls that one caller may have waiting in an open
	// loop. A call that is due when all are waiting is sent late, and its
	// latency counts from when it was due all the same.
	InFlight int `json:"in_flight,omitempty"`
	// Transfer is "copy" or "loan" for pubsub over shared memory.
	Transfer string `json:"transfer,omitempty"`
	// EventService has a pubsub test go through the event service of an ORB.
	EventService bool `json:"event_service,omitempty"`
	// Warmup and Measure each give a duration in seconds or a number of
	// calls (over all callers or topics together); exactly one is not zero.
	Warmup  Extent `json:"warmup"`
	Measure Extent `json:"measure"`
	// Axes are the values of the cell by axis, for Recorded only.
	Axes map[string]any `json:"-"`
	// Runs is the number of runs of the cell, for drivers with Recorded only,
	// which check that they have no more recorded. 0 is not known.
	Runs int `json:"-"`
}

// Extent is how long a phase lasts: Seconds, or Calls if that is not 0.
// The zero value is a phase of no length.
type Extent struct {
	Seconds float64 `json:"seconds,omitempty"`
	Calls   int64   `json:"calls,omitempty"`
}

// Payload describes what each message carries.
type Payload struct {
	Kind  string `json:"kind"`            // bytes, lines, structs
	Bytes int    `json:"bytes"`           // size of one message's content
	Count int    `json:"count,omitempty"` // structs or lines in one message
	// Text is the content of kind lines, and the text field of kind structs,
	// of which each has the next line in turn.
	Text  string  `json:"text,omitempty"`
	Value float64 `json:"value,omitempty"` // number field of kind structs
}

// Registry is an ordered list of drivers, found by name.
type Registry []Driver

// Find returns the driver called name.
func (r Registry) Find(name string) (Driver, bool) {
	i := slices.IndexFunc(r, func(d Driver) bool { return d.Name == name })
	if i < 0 {
		return Driver{}, false
	}
	return r[i], true
}

// Kinds describes the options of every driver to the language.
func (r Registry) Kinds() []schema.Kind {
	var ks []schema.Kind
	for _, d := range r {
		ks = append(ks, schema.Kind{Name: d.Name, Doc: d.Doc, Attrs: d.Attrs, Blocks: d.Blocks})
	}
	return ks
}

// Carries reports whether the driver can carry the pattern.
func (d Driver) Carries(p Pattern) bool { return slices.Contains(d.Patterns, p) }

// Verify returns why the driver can't carry the workload, or nil.
func (d Driver) Verify(w Workload) error {
	if !d.Carries(w.Pattern) {
		return fmt.Errorf("driver %q can't carry a %q test; it offers %v", d.Name, w.Pattern, d.Patterns)
	}
	switch {
	case w.EventService && !d.EventService:
		return fmt.Errorf("driver %q has no event service; leave out event_service", d.Name)
	case w.Pattern == PubSub && d.EventService && !w.EventService:
		return fmt.Errorf("driver %q publishes through its event service only: set event_service = true", d.Name)
	}
	if d.Check != nil {
		return d.Check(w)
	}
	return nil
}
