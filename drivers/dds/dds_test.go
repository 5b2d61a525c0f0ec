package dds

import (
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/drivers/iceoryx"
	"versus/drivers/native"
	"versus/drivers/protocol"
	"versus/drivers/workertest"
)

// build builds the workers that a test starts, or skips it.
func build(tb testing.TB, workers ...native.Worker) {
	tb.Helper()
	for _, w := range workers {
		workertest.Built(tb, w)
	}
}

// lossless are settings that lose nothing, however busy the machine.
var lossless = map[string]any{"depth": 500.0}

func workload(pattern drivers.Pattern, options map[string]any) drivers.Workload {
	w := drivers.Workload{
		Driver: "dds", Pattern: pattern, Call: "twoway", Concurrency: 1, Topics: 1, Options: map[string]any{"qos": lossless, "match_timeout": 60.0},
		Payload: drivers.Payload{Kind: "bytes", Bytes: 512},
		Warmup:  drivers.Extent{Calls: 10}, Measure: drivers.Extent{Calls: 200},
	}
	if pattern == drivers.PubSub {
		w.Rate = 2000
	}
	for name, value := range options {
		w.Options[name] = value
	}
	return w
}

// rolesOf builds what the workload needs and returns its roles.
func rolesOf(tb testing.TB, w drivers.Workload) []drivers.Role {
	tb.Helper()
	if err := Driver.Verify(w); err != nil {
		tb.Fatal(err)
	}
	o := read(w)
	build(tb, o.worker())
	if o.iceoryx() {
		build(tb, iceoryx.Worker)
	}
	roles, err := roles(w)
	if err != nil {
		tb.Fatal(err)
	}
	return roles
}

// TestPublishSubscribe has every vendor carry messages every way it has.
func TestPublishSubscribe(t *testing.T) {
	const udp, iox, shm = "UDP on lo", "shared memory, iceoryx", "shared memory only"
	for _, c := range []struct {
		vendor, convention, kind, transport, transfer string
		topics, size                                  int
		want                                          string // transport in force
	}{
		{"cyclonedds", "ros2", "sequence", "udp", "copy", 1, 512, udp},
		{"cyclonedds", "plain", "sequence", "udp", "copy", 3, 32, udp},
		{"cyclonedds", "ros2", "array", "udp", "copy", 2, 8192, udp},
		{"cyclonedds", "ros2", "sequence", "udp", "copy", 1, 1 << 20, udp},
		{"cyclonedds", "ros2", "sequence", "shm", "copy", 2, 512, iox},
		{"cyclonedds", "plain", "array", "shm", "copy", 1, 8192, iox},
		{"cyclonedds", "ros2", "array", "shm", "loan", 2, 8192, iox},
		{"fastdds", "ros2", "sequence", "udp", "copy", 1, 512, udp},
		{"fastdds", "plain", "sequence", "udp", "copy", 3, 32, udp},
		{"fastdds", "ros2", "array", "udp", "loan", 2, 8192, udp},
		{"fastdds", "ros2", "sequence", "shm", "copy", 2, 512, shm},
		{"fastdds", "ros2", "array", "shm", "loan", 1, 8192, shm},
		{"fastdds", "ros2", "array", "data_sharing", "copy", 2, 8192, "data sharing; discovery by UDP on lo"},
		{"fastdds", "plain", "array", "data_sharing", "loan", 1, 8192, "data sharing; discovery by UDP on lo"},
	} {
		t.Run(fmt.Sprintf("%s,%s,%s,%s,%s,%d", c.vendor, c.convention, c.kind, c.transport, c.transfer, c.size), func(t *testing.T) {
			w := workload(drivers.PubSub, map[string]any{"vendor": c.vendor, "convention": c.convention, "type": c.kind, "transport": c.transport})
			w.Payload.Bytes, w.Topics, w.Transfer = c.size, c.topics, c.transfer
			if c.size > 1<<16 {
				w.Rate, w.Options["qos"], w.Measure.Calls = 20, map[string]any{"history": "keep_all"}, 20
			}
			r := workertest.Prepare(t, w, rolesOf(t, w))
			for _, role := range []string{"publisher", "subscriber"} {
				if got := r.Effective[role]["transport"]; got != c.want {
					t.Errorf("%s: transport %q, want %q", role, got, c.want)
				}
			}
			arrived(t, r.Measure(t), w.Measure.Calls)
		})
	}
}

// TestInterface has messages go over a network, where the sides find each other
// by multicast, and so do others: a reader of the other vendor.
func TestInterface(t *testing.T) {
	build(t, cyclone, fast)
	if !workertest.Alone(t, unix.CLONE_NEWNET) {
		return
	}
	network(t)
	for _, publisher := range []native.Worker{cyclone, fast} {
		for _, subscriber := range []native.Worker{cyclone, fast} {
			w := workload(drivers.PubSub, map[string]any{"interface": "net0"})
			r := workertest.Prepare(t, w, []drivers.Role{subscriber.Role("subscriber", false), publisher.Role("publisher", true)})
			if got := r.Effective["subscriber"]["transport"]; got != "UDP on net0" {
				t.Errorf("transport %q", got)
			}
			arrived(t, r.Measure(t), w.Measure.Calls)
		}
	}
	for _, worker := range []native.Worker{cyclone, fast} {
		w := workload(drivers.PubSub, map[string]any{"interface": "net7"})
		refused(t, worker.Role("subscriber", false), protocol.Message{Workload: &w}, "this machine has no network interface net7 with an IPv4 address")
	}
}

// TestListen has the passive side at the address that its host is given, and the
// active one at that from which it is reached; a stranger who only connects is in
// nobody's way.
func TestListen(t *testing.T) {
	build(t, cyclone, fast)
	if !workertest.Alone(t, unix.CLONE_NEWNET) {
		return
	}
	network(t)
	const here = "198.18.7.1"
	for _, worker := range []native.Worker{cyclone, fast} {
		w := workload(drivers.RPC, nil)
		server, client := workertest.Start(t, worker.Role("server", false)), workertest.Start(t, worker.Role("client", true))
		ready := server.Ask(t, protocol.Message{Type: protocol.TypePrepare, Workload: &w, Listen: here}, protocol.TypeReady)
		stranger, err := net.Dial("tcp", ready.Addresses["meeting"])
		if err != nil {
			t.Fatal(err)
		}
		defer stranger.Close()
		peer := ready.Addresses["peer"]
		if !strings.HasPrefix(peer, here+":") || ready.Effective["address"] != here || ready.Effective["discovery"] != "unicast, by the other side" {
			t.Errorf("%s: the server is at %q: %v", worker.Name, peer, ready.Effective)
		}
		found := client.Ask(t, protocol.Message{Type: protocol.TypePrepare, Workload: &w, Peers: map[string]map[string]string{"server": ready.Addresses}}, protocol.TypeReady)
		if e := found.Effective; e["address"] != here || e["transport"] != "UDP on "+here || e["discovery"] != "unicast, of the peer at "+peer {
			t.Errorf("%s: the client reports %v", worker.Name, e)
		}
		client.Ask(t, protocol.Message{Type: protocol.TypeWarmUp}, protocol.TypeWarm)
		if r := client.Ask(t, protocol.Message{Type: protocol.TypeMeasure}, protocol.TypeResult).Result; r.Received != w.Measure.Calls {
			t.Errorf("%s: received %d: %v", worker.Name, r.Received, r.Errors)
		}
		client.Stop(t)
		server.Stop(t)
		for listen, want := range map[string]string{
			"2001:db8::7": "the host of this role has the address 2001:db8::7; DDS goes over IPv4 here, so give its `listen` one",
			"192.0.2.7":   "the address of this host, 192.0.2.7: Cannot assign requested address",
		} {
			refused(t, worker.Role("server", false), protocol.Message{Workload: &w, Listen: listen}, want)
		}
		gone := map[string]map[string]string{"server": {"domain": "7", "meeting": here + ":9", "peer": here + ":9160"}}
		w.Options["match_timeout"] = 0.05
		refused(t, worker.Role("client", true), protocol.Message{Workload: &w, Peers: gone, Listen: "198.18.7.2"},
			"the other side was not discovered in DDS domain 7 within 0.05s (match_timeout): UDP must pass both ways between 198.18.7.2 and 198.18.7.1, and TCP to the latter; `listen` of a host is its address")
		gone["server"]["meeting"] = "198.18.7.1"
		refused(t, worker.Role("client", true), protocol.Message{Workload: &w, Peers: gone},
			`"198.18.7.1" is no IPv4 address and port at which the other side of the run is`)
	}
}

// refused checks that a role can't be prepared, and why.
func refused(t *testing.T, role drivers.Role, m protocol.Message, want string) {
	t.Helper()
	m.Type = protocol.TypePrepare
	one := workertest.Start(t, role)
	if got := one.Ask(t, m, protocol.TypeError).Error; got != want {
		t.Errorf("%v: error %q, want %q", role.Command, got, want)
	}
	one.Stop(t)
}

// network gives a test that is alone a network with the addresses 198.18.7.1 and .2 at net0.
func network(t *testing.T) {
	t.Helper()
	for _, args := range []string{
		"link set lo up", "link add net0 type veth peer name net1", "address add 198.18.7.1/24 dev net0", "address add 198.18.7.2/24 dev net0",
		"link set net0 up", "link set net1 up", "route add default dev net0",
	} {
		if out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput(); err != nil {
			t.Fatalf("ip %s: %v %s", args, err, out)
		}
	}
}

// arrived checks that all messages arrived once and in order.
func arrived(t *testing.T, results map[string]*protocol.Result, want int64) {
	t.Helper()
	p, s := results["publisher"], results["subscriber"]
	if p.Sent != want || s.Received != want || s.Lost+s.Duplicated+s.Reordered != 0 || len(p.Errors) > 0 {
		t.Errorf("sent %d, received %d, lost %d, duplicated %d, reordered %d, errors %v; want %d, all in order",
			p.Sent, s.Received, s.Lost, s.Duplicated, s.Reordered, p.Errors, want)
	}
	if s.Latency.Count != s.Received-s.Negative {
		t.Errorf("%d latencies of %d messages", s.Latency.Count, s.Received)
	}
	for role, r := range results {
		if len(r.Flags) > 0 {
			t.Errorf("%s: flags %q", role, r.Flags)
		}
	}
}

func TestService(t *testing.T) {
	for _, c := range []struct {
		vendor, convention, transport string
		callers, size                 int
		rate                          float64
	}{
		{"cyclonedds", "ros2", "udp", 1, 0, 0},
		{"cyclonedds", "plain", "udp", 4, 512, 500},
		{"cyclonedds", "ros2", "shm", 2, 512, 0},
		{"fastdds", "ros2", "udp", 1, 0, 0},
		{"fastdds", "plain", "udp", 4, 512, 500},
		{"fastdds", "ros2", "shm", 3, 70_000, 0},
	} {
		t.Run(fmt.Sprintf("%s,%s,%s,%d", c.vendor, c.convention, c.transport, c.callers), func(t *testing.T) {
			w := workload(drivers.RPC, map[string]any{"vendor": c.vendor, "convention": c.convention, "transport": c.transport})
			w.Concurrency, w.Payload.Bytes, w.Rate, w.InFlight = c.callers, c.size, c.rate, 4
			r := workertest.Prepare(t, w, rolesOf(t, w)).Measure(t)["client"]
			if r.Sent != 200 || r.Received != 200 || len(r.Errors)+len(r.Flags) > 0 {
				t.Errorf("sent %d, received %d, errors %v, flags %q; want 200", r.Sent, r.Received, r.Errors, r.Flags)
			}
		})
	}
}

// TestInterop has the vendors talk to each other: what one serializes by
// generated code the other one does by hand.
func TestInterop(t *testing.T) {
	build(t, cyclone, fast)
	for _, c := range []struct {
		kind                  string
		subscriber, publisher native.Worker
	}{{"sequence", cyclone, fast}, {"sequence", fast, cyclone}, {"array", cyclone, fast}, {"array", fast, cyclone}} {
		t.Run(c.publisher.Name+" to "+c.subscriber.Name+","+c.kind, func(t *testing.T) {
			w := workload(drivers.PubSub, map[string]any{"type": c.kind})
			arrived(t, workertest.Prepare(t, w, []drivers.Role{c.subscriber.Role("subscriber", false), c.publisher.Role("publisher", true)}).Measure(t), 200)
		})
	}
}

// TestFallback asks for shared memory with settings that Cyclone DDS doesn't
// use it with: messages go by UDP, and the result says so.
func TestFallback(t *testing.T) {
	w := workload(drivers.PubSub, map[string]any{"transport": "shm", "qos": map[string]any{"history": "keep_all"}})
	r := workertest.Prepare(t, w, rolesOf(t, w))
	if got := r.Effective["publisher"]["transport"]; got != "UDP on lo" {
		t.Errorf("transport %q", got)
	}
	for role, result := range r.Measure(t) {
		flagged := slices.ContainsFunc(result.Flags, func(f string) bool { return strings.HasPrefix(f, "fallback: UDP instead of shared memory") })
		if flagged == (role == "broker") {
			t.Errorf("%s: flags %q", role, result.Flags)
		}
	}
}

// vendors runs a test for each.
func vendors(t *testing.T, test func(t *testing.T, vendor string)) {
	for _, vendor := range []string{"cyclonedds", "fastdds"} {
		t.Run(vendor, func(t *testing.T) { test(t, vendor) })
	}
}

// TestNeverMatched starts publishers whose subscriber is not there, or asks for more.
func TestNeverMatched(t *testing.T) {
	vendors(t, func(t *testing.T, vendor string) {
		w := workload(drivers.PubSub, map[string]any{"vendor": vendor})
		roles := rolesOf(t, w)
		subscriber := workertest.Prepare(t, w, roles[:1])
		domain := subscriber.Peers()["subscriber"]["domain"]
		w.Options["qos"], w.Options["match_timeout"] = map[string]any{"reliability": "best_effort"}, 600.0
		prepare := protocol.Message{Type: protocol.TypePrepare, Workload: &w, Peers: subscriber.Peers()}
		p := workertest.Start(t, roles[1])
		m := p.Ask(t, prepare, protocol.TypeError)
		if want := "the endpoints of the two sides don't fit in DDS domain " + domain + ": the reader asks for more reliability"; !strings.HasPrefix(m.Error, want) {
			t.Errorf("error %q, want %q", m.Error, want)
		}
		p.Stop(t)

		subscriber.Roles["subscriber"].Kill()
		w.Options["match_timeout"] = 0.05
		p = workertest.Start(t, roles[1])
		m = p.Ask(t, prepare, protocol.TypeError)
		if want := "the other side was not discovered in DDS domain " + domain + " within 0.05s (match_timeout)"; m.Error != want {
			t.Errorf("error %q, want %q", m.Error, want)
		}
		p.Stop(t)
	})
}

// TestTwoAtOnce has two runs at the same time: they don't meet.
func TestTwoAtOnce(t *testing.T) {
	vendors(t, func(t *testing.T, vendor string) {
		for _, transport := range []string{"udp", "shm"} {
			w := workload(drivers.PubSub, map[string]any{"vendor": vendor, "transport": transport})
			roles := rolesOf(t, w)
			a, b := workertest.Prepare(t, w, roles), workertest.Prepare(t, w, roles)
			if x, y := a.Effective["publisher"]["domain"], b.Effective["publisher"]["domain"]; x == y {
				t.Errorf("both have domain %s", x)
			}
			arrived(t, a.Measure(t), 200)
			arrived(t, b.Measure(t), 200)
		}
	})
}

// TestDomainInUse asks for a domain by its number, which another run has taken.
func TestDomainInUse(t *testing.T) {
	w := workload(drivers.PubSub, nil)
	roles := rolesOf(t, w)
	first := workertest.Prepare(t, w, roles[:1])
	var domain float64
	fmt.Sscan(first.Peers()["subscriber"]["domain"], &domain)
	w.Options["domain"] = domain
	s := workertest.Start(t, roles[0])
	m := s.Ask(t, protocol.Message{Type: protocol.TypePrepare, Workload: &w}, protocol.TypeError)
	if want := fmt.Sprintf("DDS domain %v is in use by another run", domain); !strings.HasPrefix(m.Error, want) {
		t.Errorf("error %q, want %q", m.Error, want)
	}
	s.Stop(t)
}

// TestKilled ends roles with -9 while the active one measures: it says so, leaves
// nothing behind in the machine's shared memory, which the test has for itself, and
// the next run works.
func TestKilled(t *testing.T) {
	build(t, cyclone, fast, iceoryx.Worker)
	if !workertest.Alone(t, unix.CLONE_NEWNS, "/dev/shm") {
		return
	}
	vendors(t, func(t *testing.T, vendor string) {
		for _, c := range []struct {
			pattern   drivers.Pattern
			transport string
			kill      string
		}{{drivers.PubSub, "udp", "subscriber"}, {drivers.PubSub, "shm", "subscriber"}, {drivers.RPC, "udp", "server"}, {drivers.RPC, "shm", "server"}} {
			w := workload(c.pattern, map[string]any{"vendor": vendor, "transport": c.transport})
			w.Measure.Calls = 1 << 40
			roles := rolesOf(t, w)
			r := workertest.Prepare(t, w, roles)
			active := r.Roles[roles[len(roles)-1].Name]
			active.Ask(t, protocol.Message{Type: protocol.TypeWarmUp}, protocol.TypeWarm)
			active.Send(t, protocol.Message{Type: protocol.TypeMeasure})
			r.Roles[c.kill].Kill()
			if m := active.Expect(t, protocol.TypeError); !strings.Contains(m.Error, "the process of the other side has ended") {
				t.Errorf("%s,%s: error %q", c.pattern, c.transport, m.Error)
			}
			for _, role := range r.Roles {
				role.Kill()
			}
			if left := shared(t); len(left) > 0 {
				t.Errorf("%s,%s: left in shared memory: %q", c.pattern, c.transport, left)
			}
			w.Measure.Calls = 50
			for role, result := range workertest.Prepare(t, w, roles).Measure(t) {
				if len(result.Errors) > 0 || result.Sent+result.Received == 0 && role != "server" && role != "broker" {
					t.Errorf("%s,%s: the next run: %s: %+v", c.pattern, c.transport, role, result)
				}
			}
		}
	})
}

// TestDaemonKilled ends iceoryx's daemon under Cyclone DDS: the workers still end.
func TestDaemonKilled(t *testing.T) {
	w := workload(drivers.PubSub, map[string]any{"transport": "shm"})
	r := workertest.Prepare(t, w, rolesOf(t, w))
	r.Roles["broker"].Kill()
	r.Roles["publisher"].Stop(t)
	r.Roles["subscriber"].Stop(t)
}

// shared lists what Fast DDS and iceoryx have in shared memory.
func shared(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, pattern := range []string{"/dev/shm/*fast*", "/dev/shm/iceoryx*"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	return names
}

func TestAcrossHosts(t *testing.T) {
	for want, options := range map[string]map[string]any{
		"":                     {},
		`transport = "shm"`:    {"transport": "shm"},
		`"data_sharing" share`: {"transport": "data_sharing", "vendor": "fastdds", "type": "array"},
		`interface = "lo"`:     {"interface": "lo"},
	} {
		err := Driver.AcrossHosts(workload(drivers.PubSub, options))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestCheck(t *testing.T) {
	for want, change := range map[string]func(*drivers.Workload){
		"":                                     func(*drivers.Workload) {},
		"has no type for a payload":            func(w *drivers.Workload) { w.Payload.Kind = "structs" },
		"over the limit of 67108864 bytes":     func(w *drivers.Workload) { w.Payload.Bytes = 64<<20 + 1 },
		"can't carry the 32 bytes":             func(w *drivers.Workload) { w.Payload.Bytes = 31 },
		"101 topics":                           func(w *drivers.Workload) { w.Topics = 101 },
		"Cyclone DDS lends memory with transp": func(w *drivers.Workload) { w.Transfer, w.Options["type"] = "loan", "array" },
		"a loan needs messages of fixed size":  func(w *drivers.Workload) { w.Transfer = "loan" },
		`only vendor = "fastdds" has data`:     func(w *drivers.Workload) { w.Options["transport"] = "data_sharing" },
		"data sharing needs messages of fixed size: set type": func(w *drivers.Workload) {
			w.Options["transport"], w.Options["vendor"] = "data_sharing", "fastdds"
		},
		"those of a service are not": func(w *drivers.Workload) {
			w.Pattern, w.Options["transport"], w.Options["vendor"] = drivers.RPC, "data_sharing", "fastdds"
		},
		`no "oneway" call`: func(w *drivers.Workload) { w.Pattern, w.Call = drivers.RPC, "oneway" },
		"more than 1000 calls": func(w *drivers.Workload) {
			w.Pattern, w.Concurrency, w.InFlight = drivers.RPC, 100, 16
		},
		"lends none then": func(w *drivers.Workload) {
			w.Transfer, w.Options = "loan", map[string]any{"type": "array", "transport": "shm", "qos": map[string]any{"history": "keep_all"}}
		},
		`"<x>" is no name`: func(w *drivers.Workload) { w.Options["interface"] = "<x>" },
		"uses no network": func(w *drivers.Workload) {
			w.Options["interface"], w.Options["transport"], w.Options["vendor"] = "eth0", "shm", "fastdds"
		},
		"over the limit of 1073741824 bytes; a smaller depth": func(w *drivers.Workload) {
			w.Payload.Bytes, w.Options["transport"] = 4<<20, "shm"
		},
	} {
		w := workload(drivers.PubSub, nil)
		change(&w)
		err := Driver.Verify(w)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
