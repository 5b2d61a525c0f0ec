// Package ice is the driver for ZeroC Ice 3.7: request/response with every kind
// of call that Ice has, and publish/subscribe through its event service,
// IceStorm. Its worker is in C++ (worker/), but for the broker, which is icebox.
package ice

import (
	"embed"
	"fmt"

	"versus/drivers"
	"versus/drivers/native"
	"versus/drivers/worker"
	"versus/dsl/schema"
)

//go:embed worker
var files embed.FS

// Worker is the program of all roles but the broker.
var Worker = native.Worker{
	Name: "ice", Language: native.Cpp, Files: native.Folder(files, "worker"),
	Generate:  [][]string{{"slice2cpp", "Bench.ice"}},
	Flags:     []string{"-DICE_CPP11_MAPPING"},
	Libraries: []string{"-lIceStorm++11", "-lIce++11"},
	Needs: append([]drivers.Need{
		{Package: "libzeroc-ice-dev", File: "/usr/include/Ice/Ice.h"},
		{Package: "zeroc-ice-compilers", Command: "slice2cpp"},
	}, iceStorm...),
}

// iceStorm are the program that runs services and the service in it.
var iceStorm = []drivers.Need{
	{Package: "zeroc-icebox", Command: "icebox"},
	{Package: "libzeroc-icestorm3.7", File: "/usr/lib/*/libIceStormService.so.37"},
}

// maxMessage is how much a message may hold: Ice.MessageSizeMax, 1 MiB unless
// it is set, less the room for the header.
const maxMessage = 1<<20 - 200

// Driver describes Ice to the interpreter.
var Driver = drivers.Driver{
	Name: "ice",
	Doc:  "ZeroC Ice 3.7 over TCP, and its event service IceStorm.",
	Attrs: []schema.Attr{
		{
			Name: "thread_pool", Type: schema.Integer, Default: "1", Min: 1, Max: 1000,
			Doc:     "Threads that dispatch calls in the server, and in each pool of IceStorm.",
			Example: "4",
		},
		{
			Name: "compress", Type: schema.Bool, Default: "false",
			Doc:     "Compresses messages of 100 bytes and more, by bzip2.",
			Example: "true",
		},
		{
			Name: "buffered", Type: schema.Bool, Default: "false",
			Doc:     "IceStorm gathers events for a subscriber and delivers them together, every 200 ms.",
			Example: "true",
		},
	},
	Patterns:     []drivers.Pattern{drivers.RPC, drivers.PubSub},
	EventService: true,
	AcrossHosts:  drivers.OverNetworks,
	Probe:        Worker.Probe,
	Check:        check,
	Roles: func(w drivers.Workload) ([]drivers.Role, error) {
		if w.Pattern == drivers.PubSub {
			return []drivers.Role{
				{Name: "broker", Needs: iceStorm},
				Worker.Role("subscriber", false),
				Worker.Role("publisher", true),
			}, nil
		}
		return []drivers.Role{Worker.Role("server", false), Worker.Role("client", true)}, nil
	},
}

// Roles are the roles that this program plays.
var Roles = worker.Roles{"broker": worker.ServerFunc(serveIceStorm)}

func check(w drivers.Workload) error {
	if w.Transfer == "loan" {
		return fmt.Errorf(`Ice copies every message through a connection: it can't lend memory; use transfer = "copy"`)
	}
	if w.Pattern == drivers.PubSub && w.Payload.Kind != "bytes" {
		return fmt.Errorf("events carry bytes here, not %s", w.Payload.Kind)
	}
	if n := encoded(w.Payload); n > maxMessage {
		return fmt.Errorf("a payload of kind %s takes %d bytes in Ice, and a message holds %d (Ice.MessageSizeMax)", w.Payload.Kind, n, maxMessage)
	}
	return nil
}

// encoded returns how many bytes the payload takes in Ice's encoding.
func encoded(p drivers.Payload) int {
	switch p.Kind {
	case "structs": // a string and a double each
		n := size(p.Count) + 8*p.Count
		for text := range p.Texts() {
			n += size(len(text)) + len(text)
		}
		return n
	case "lines":
		n := size(p.Count)
		for _, line := range p.Lines() {
			n += size(len(line)) + len(line)
		}
		return n
	}
	return size(p.Bytes) + p.Bytes
}

// size returns how many bytes a size takes: 1 below 255, else 5.
func size(n int) int {
	if n < 255 {
		return 1
	}
	return 5
}
