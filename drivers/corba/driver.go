// Package corba is the driver for CORBA on the standard C++ mapping: one worker
// source (worker/) for two ORBs, omniORB and TAO, with request/response and the
// COS event service. Neither ever stands in for the other.
package corba

import (
	"context"
	"embed"
	"fmt"
	"maps"
	"os"
	"strings"

	"versus/drivers"
	"versus/drivers/native"
	"versus/dsl/schema"
)

//go:embed worker
var files embed.FS

// OmniORB is the worker on omniORB and omniEvents.
var OmniORB = native.Worker{
	Name: "corba-omniorb", Language: native.Cpp, Files: native.Folder(files, "worker"),
	Generate:  [][]string{{"omniidl", "-bcxx", "-Wba", "-Wbami", "Bench.idl"}},
	Include:   []string{"/usr/include/omniEvents"},
	Libraries: []string{"-lomniEvents", "-lomniDynamic4", "-lomniORB4", "-lomnithread"},
	Needs: []drivers.Need{
		{Package: "libomniorb4-dev", File: "/usr/include/omniORB4/CORBA.h"},
		{Package: "omniidl", Command: "omniidl"},
		{Package: "libomnievents-dev", File: "/usr/include/omniEvents/EventChannel.h"},
	},
}

// TAO returns the worker on TAO, which is found through ACE_ROOT and TAO_ROOT,
// or through pkg-config where these are not set.
func TAO() native.Worker {
	w := native.Worker{
		Name: "corba-tao", Language: native.Cpp, Files: native.Folder(files, "worker"),
		Generate:  [][]string{{"sh", "tao.sh"}},
		Flags:     []string{"@compile.flags"},
		Libraries: []string{"@link.flags"},
		Get: "TAO is not in Debian: build ACE and TAO 2.2.2 or later, with tao_idl and the COS event service, " +
			"and set ACE_ROOT and TAO_ROOT to their folders, or install them so that pkg-config finds them",
	}
	rooted := os.Getenv("ACE_ROOT") != "" && os.Getenv("TAO_ROOT") != ""
	for _, library := range []string{"TAO_Messaging", "TAO_PortableServer", "TAO_CosEvent_Serv"} {
		n := drivers.Need{Package: "TAO", Module: library}
		if rooted {
			n = drivers.Need{Package: "TAO", File: "${ACE_ROOT}/lib/lib" + library + ".so"}
		}
		w.Needs = append(w.Needs, n)
	}
	return w
}

// The largest messages: omniORB takes 2 MiB (giopMaxMsgSize), less the room for
// headers; what limits TAO is the length of a sequence.
const (
	maxOmniORB = 2<<20 - 1000
	maxTAO     = 1 << 30
)

// maxTopics bounds the references of event channels that the broker reports.
const maxTopics = 100

// Driver describes CORBA to the interpreter.
var Driver = drivers.Driver{
	Name: "corba",
	Doc:  "CORBA over IIOP, on omniORB or TAO, and the COS event service.",
	Attrs: []schema.Attr{
		{
			Name: "orb", Type: schema.String, Default: `"omniorb"`, OneOf: []string{"omniorb", "tao"},
			Doc:     "The ORB: omniORB with omniEvents, from Debian, or TAO, found through `ACE_ROOT` and `TAO_ROOT` or pkg-config.",
			Example: `"tao"`,
		},
		{
			Name: "thread_pool", Type: schema.Integer, Default: "0", Min: 0, Max: 1000,
			Doc:     "Threads that serve calls; 0 leaves it to the ORB: one for each connection in omniORB, one in all in TAO.",
			Example: "4",
		},
		{
			Name: "buffered", Type: schema.Bool, Default: "false",
			Doc:     "How the event service passes events on: TAO from a thread and queue of their own instead of the one that took them; omniEvents every 100 ms, its default, instead of at once.",
			Example: "true",
		},
	},
	Patterns:     []drivers.Pattern{drivers.RPC, drivers.PubSub},
	EventService: true,
	AcrossHosts:  drivers.OverNetworks,
	Probe:        probe,
	ProbeFor:     func(ctx context.Context, w drivers.Workload) drivers.Availability { return worker(w).Probe(ctx) },
	Check:        check,
	Roles: func(w drivers.Workload) ([]drivers.Role, error) {
		orb := worker(w)
		if w.Pattern == drivers.PubSub {
			return []drivers.Role{orb.Role("broker", false), orb.Role("subscriber", false), orb.Role("publisher", true)}, nil
		}
		return []drivers.Role{orb.Role("server", false), orb.Role("client", true)}, nil
	},
}

func usesTAO(w drivers.Workload) bool { return w.Options["orb"] == "tao" }

// worker returns the program for the ORB that the options name.
func worker(w drivers.Workload) native.Worker {
	if usesTAO(w) {
		return TAO()
	}
	return OmniORB
}

// probe finds the driver available with one of the ORBs, and says of the other
// what is missing.
func probe(ctx context.Context) drivers.Availability {
	omniorb, tao := OmniORB.Probe(ctx), TAO().Probe(ctx)
	found := drivers.Availability{OK: omniorb.OK || tao.OK, Versions: map[string]string{}}
	var missing, get []string
	for _, orb := range []struct {
		name string
		drivers.Availability
	}{{"omniorb", omniorb}, {"tao", tao}} {
		maps.Copy(found.Versions, orb.Versions)
		if !orb.OK {
			missing = append(missing, fmt.Sprintf("for orb = %q %s", orb.name, orb.Missing))
			get = append(get, orb.Get)
		}
	}
	found.Missing, found.Get = strings.Join(missing, "; "), strings.Join(get, "; ")
	return found
}

func check(w drivers.Workload) error {
	switch {
	case w.Call == "batch_oneway":
		return fmt.Errorf(`CORBA has no batched oneway calls; use call = "oneway"`)
	case w.Transfer == "loan":
		return fmt.Errorf(`CORBA copies every message through a connection: it can't lend memory; use transfer = "copy"`)
	case w.Pattern == drivers.PubSub && w.Payload.Kind != "bytes":
		return fmt.Errorf("events carry bytes here, not %s", w.Payload.Kind)
	case w.Topics > maxTopics:
		return fmt.Errorf("%d topics; the limit is %d event channels", w.Topics, maxTopics)
	}
	most := maxOmniORB
	if usesTAO(w) {
		most = maxTAO
	}
	if n := encoded(w.Payload); n > most {
		return fmt.Errorf("a payload of kind %s takes %d bytes in CORBA's encoding, and a message holds %d", w.Payload.Kind, n, most)
	}
	return nil
}

// encoded returns how many bytes the payload takes in CDR: 4 for a length, and
// padding before what must be aligned.
func encoded(p drivers.Payload) int {
	text := func(n int) int { return (4 + n + 1 + 3) / 4 * 4 } // ends with a zero
	switch p.Kind {
	case "structs": // a string, and a double at a multiple of 8
		n := 8 + 8*p.Count
		for s := range p.Texts() {
			n += (text(len(s)) + 7) / 8 * 8
		}
		return n
	case "lines":
		n := 4
		for _, line := range p.Lines() {
			n += text(len(line))
		}
		return n
	}
	return 4 + p.Bytes
}
