// Package iceoryx is the driver for Eclipse iceoryx 2: publish/subscribe over
// shared memory on one host, with or without a copy. Its worker, in C++, is in
// worker/; RouDi, iceoryx's daemon, is started for each run with the memory that
// the run needs, in shared memory of its own.
package iceoryx

import (
	"embed"
	"fmt"
	"strconv"

	"versus/drivers"
	"versus/drivers/native"
	"versus/drivers/worker"
	"versus/dsl/schema"
)

//go:embed worker
var files embed.FS

// headers is where Debian puts them.
const headers = "/usr/include/iceoryx/v2.*"

// Worker is the program that plays all roles.
var Worker = native.Worker{
	Name:      "iceoryx",
	Language:  native.Cpp,
	Files:     native.Folder(files, "worker"),
	Include:   []string{headers},
	Libraries: []string{"-liceoryx_posh", "-liceoryx_hoofs", "-liceoryx_platform"},
	Needs: []drivers.Need{
		{Package: "libiceoryx-posh-dev", File: headers + "/iceoryx_posh/iceoryx_posh_types.hpp"},
		{Package: "libiceoryx-hoofs-dev", File: headers + "/iceoryx_hoofs/platform/platform_settings.hpp"},
		roudi,
	},
}

// roudi is the daemon.
var roudi = drivers.Need{Package: "iceoryx", Command: "iox-roudi"}

// Limits of iceoryx 2.0 as it is compiled by default
// (iceoryx_posh_deployment.hpp), and our own.
const (
	maxQueue    = 256 // messages that a subscriber can have waiting
	maxTopics   = 512 // publishers
	maxAttached = 256 // topics of one waitset or listener

	// maxMemory is how much shared memory a run may need, in bytes. RouDi
	// touches all of it before it is ready, which takes seconds.
	maxMemory = 1 << 30
	// chunkHeader is what iceoryx puts before each message, bytes.
	chunkHeader = 40
	// beyondQueue is how many chunks a topic needs beyond those in the queue:
	// one that is being made, the last one, which the publisher keeps, one that
	// the subscriber reads, and one to spare.
	beyondQueue = 4
)

// Driver describes iceoryx to the interpreter.
var Driver = drivers.Driver{
	Name: "iceoryx",
	Doc:  "Eclipse iceoryx 2: messages in shared memory, on one host.",
	Attrs: []schema.Attr{
		{
			Name: "receive", Type: schema.String, Default: `"waitset"`, OneOf: []string{"waitset", "listener", "poll"},
			Doc:     "How the subscriber learns of messages: waiting for all topics in one thread, by callbacks from iceoryx's thread, or asking without a pause, which takes a whole CPU.",
			Example: `"poll"`,
		},
		{
			Name: "queue", Type: schema.Integer, Default: "16", Min: 1, Max: maxQueue,
			Doc:     "Messages of one topic that may wait for the subscriber. A larger queue takes more shared memory.",
			Example: "10",
		},
		{
			Name: "full_queue", Type: schema.String, Default: `"drop_oldest"`, OneOf: []string{"drop_oldest", "block"},
			Doc:     "What happens when that many are waiting: the oldest is dropped, or the publisher waits.",
			Example: `"block"`,
		},
	},
	Patterns: []drivers.Pattern{drivers.PubSub},
	Probe:    Worker.Probe,
	Check:    check,
	Roles:    roles,
}

// queue returns the option of that name.
func queue(w drivers.Workload) int {
	if n, ok := w.Options["queue"].(float64); ok {
		return int(n)
	}
	return 16
}

// memory returns the chunks of shared memory that a run needs: their size, as
// the user of iceoryx sees it, and their number.
func memory(w drivers.Workload) (chunk, chunks int) {
	chunk = (size(w.Payload) + 7) / 8 * 8 // RouDi takes multiples of 8 only
	return chunk, max(w.Topics, 1) * (queue(w) + beyondQueue)
}

// size returns the size of a message, in bytes.
func size(p drivers.Payload) int {
	if p.Kind == "lines" {
		return len(p.Text)
	}
	return p.Bytes
}

func check(w drivers.Workload) error {
	if w.Payload.Kind != "bytes" && w.Payload.Kind != "lines" {
		return fmt.Errorf("iceoryx carries bytes and lines, and has no encoding for a payload of kind %q", w.Payload.Kind)
	}
	if n := size(w.Payload); n < worker.StampSize {
		return fmt.Errorf("a payload of %d bytes can't carry the %d bytes of a message's sequence number and times", n, worker.StampSize)
	}
	most := maxTopics
	if w.Options["receive"] != "poll" {
		most = maxAttached
	}
	if w.Topics > most {
		return fmt.Errorf("%d topics; iceoryx has at most %d, and at most %d in one waitset or listener", w.Topics, maxTopics, maxAttached)
	}
	chunk, chunks := memory(w)
	if chunk > maxMemory/chunks-chunkHeader {
		return fmt.Errorf("%d topics with %d waiting messages of %d bytes need %d chunks of shared memory, over the limit of %d bytes in all; a smaller queue needs less",
			max(w.Topics, 1), queue(w), size(w.Payload), chunks, maxMemory)
	}
	return nil
}

// Broker is the role that runs RouDi for one run, with so many chunks of shared
// memory, of so many bytes each.
func Broker(chunk, chunks int) drivers.Role {
	role := Worker.Role("broker", false, strconv.Itoa(chunk), strconv.Itoa(chunks), "private")
	role.Needs = []drivers.Need{roudi}
	return role
}

func roles(w drivers.Workload) ([]drivers.Role, error) {
	return []drivers.Role{
		Broker(memory(w)),
		Worker.Role("subscriber", false),
		Worker.Role("publisher", true),
	}, nil
}
