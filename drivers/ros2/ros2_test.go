package ros2

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/drivers/dds"
	"versus/drivers/native"
	"versus/drivers/protocol"
	"versus/drivers/workertest"
)

// lossless loses nothing, however busy the machine.
var lossless = map[string]any{"depth": 500.0}

func workload(pattern drivers.Pattern) drivers.Workload {
	w := drivers.Workload{
		Driver: "ros2", Pattern: pattern, Call: "twoway", Concurrency: 1, Topics: 1,
		Options: map[string]any{"qos": lossless, "match_timeout": 20.0},
		Payload: drivers.Payload{Kind: "bytes", Bytes: 512},
		Warmup:  drivers.Extent{Calls: 10}, Measure: drivers.Extent{Calls: 200},
	}
	if pattern == drivers.PubSub {
		w.Rate = 2000
	}
	return w
}

// rolesOf builds the worker, or skips the test, and returns the roles.
func rolesOf(tb testing.TB, w drivers.Workload) []drivers.Role {
	tb.Helper()
	if err := Driver.Verify(w); err != nil {
		tb.Fatal(err)
	}
	workertest.Built(tb, Worker())
	roles, err := roles(w)
	if err != nil {
		tb.Fatal(err)
	}
	return roles
}

// complete checks that the active role sent as much as it should, that all of it
// arrived, once and in order, and that nobody had a remark.
func complete(t *testing.T, w drivers.Workload, results map[string]*protocol.Result) {
	t.Helper()
	for role, r := range results {
		if len(r.Errors)+len(r.Flags) > 0 {
			t.Errorf("%s: errors %v, flags %q", role, r.Errors, r.Flags)
		}
		if role != "server" && r.Sent+r.Received < w.Measure.Calls || r.Lost+r.Duplicated+r.Reordered > 0 {
			t.Errorf("%s: sent %d, received %d, lost %d, duplicated %d, reordered %d; want %d", role, r.Sent, r.Received, r.Lost, r.Duplicated, r.Reordered, w.Measure.Calls)
		}
	}
}

func TestPublishSubscribe(t *testing.T) {
	for _, c := range []struct{ topics, size int }{{1, 32}, {3, 8192}, {1, 1 << 20}} {
		t.Run(fmt.Sprintf("%d,%d", c.topics, c.size), func(t *testing.T) {
			w := workload(drivers.PubSub)
			w.Payload.Bytes, w.Topics = c.size, c.topics
			qos := "reliable, keep last 500, volatile"
			if c.size > 1<<16 {
				w.Rate, w.Options["qos"], w.Measure.Calls = 20, map[string]any{"history": "keep_all"}, 20
				qos = "reliable, keep all, volatile"
			}
			r := workertest.Prepare(t, w, rolesOf(t, w))
			for role, e := range r.Effective {
				if e["transport"] != "shared memory on one host, else UDP" || e["rmw"] != "rmw_fastrtps_cpp" || e["qos"] != qos {
					t.Errorf("%s: %v; want %q", role, e, qos)
				}
			}
			complete(t, w, r.Measure(t))
		})
	}
}

func TestService(t *testing.T) {
	for _, c := range []struct {
		callers, size int
		rate          float64
	}{{1, 0, 0}, {4, 512, 500}, {3, 70_000, 0}} {
		t.Run(fmt.Sprintf("%d,%d", c.callers, c.size), func(t *testing.T) {
			w := workload(drivers.RPC)
			w.Concurrency, w.Payload.Bytes, w.Rate, w.InFlight = c.callers, c.size, c.rate, 4
			complete(t, w, workertest.Prepare(t, w, rolesOf(t, w)).Measure(t))
		})
	}
}

// TestInterop has a side of driver dds, which has no ROS 2 in it, talk to a node
// over a network: what it calls convention = "ros2" is that of ROS 2. Services do
// with Fast DDS only: Cyclone DDS heads them as another rmw.
func TestInterop(t *testing.T) {
	ros, cyclone, fast := Worker(), dds.Workers[0], dds.Workers[1]
	for _, w := range []native.Worker{ros, cyclone, fast} {
		workertest.Built(t, w)
	}
	if !workertest.Alone(t, unix.CLONE_NEWNET) {
		return
	}
	for _, args := range []string{
		"link set lo up", "link add net0 type veth peer name net1", "address add 198.18.7.1/24 dev net0",
		"link set net0 up", "link set net1 up", "route add default dev net0",
	} {
		if out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput(); err != nil {
			t.Fatalf("ip %s: %v %s", args, err, out)
		}
	}
	for _, c := range []struct {
		pattern         drivers.Pattern
		passive, active native.Worker
	}{
		{drivers.PubSub, ros, cyclone},
		{drivers.PubSub, ros, fast},
		{drivers.PubSub, cyclone, ros},
		{drivers.PubSub, fast, ros},
		{drivers.RPC, ros, fast},
		{drivers.RPC, fast, ros},
	} {
		t.Run(fmt.Sprintf("%s,%s to %s", c.pattern, c.active.Name, c.passive.Name), func(t *testing.T) {
			w := workload(c.pattern)
			w.Options["interface"], w.Options["discovery"] = "net0", "subnet"
			roles := []drivers.Role{c.passive.Role("server", false), c.active.Role("client", true)}
			if c.pattern == drivers.PubSub {
				roles = []drivers.Role{c.passive.Role("subscriber", false), c.active.Role("publisher", true)}
			}
			complete(t, w, workertest.Prepare(t, w, roles).Measure(t))
		})
	}
}

// TestNeverMatched starts publishers whose subscriber asks for more, or is gone.
func TestNeverMatched(t *testing.T) {
	w := workload(drivers.PubSub)
	roles := rolesOf(t, w)
	subscriber := workertest.Prepare(t, w, roles[:1])
	domain := subscriber.Peers()["subscriber"]["domain"]
	w.Options["qos"], w.Options["match_timeout"] = map[string]any{"reliability": "best_effort"}, 600.0
	prepare := protocol.Message{Type: protocol.TypePrepare, Workload: &w, Peers: subscriber.Peers()}
	p := workertest.Start(t, roles[1])
	m := p.Ask(t, prepare, protocol.TypeError)
	if want := "the endpoints of the two sides don't fit in DDS domain " + domain + ": the subscriber asks for more reliability"; !strings.HasPrefix(m.Error, want) {
		t.Errorf("error %q, want %q", m.Error, want)
	}
	p.Stop(t)

	subscriber.Roles["subscriber"].Kill()
	p = workertest.Start(t, roles[1])
	m = p.Ask(t, prepare, protocol.TypeError)
	if want := "is gone"; !strings.Contains(m.Error, want) {
		t.Errorf("error %q, want %q", m.Error, want)
	}
	p.Stop(t)

	// One that sees other shared memory, of a process that lives.
	delete(prepare.Peers["subscriber"], "memory")
	w.Options["match_timeout"] = 0.05
	p = workertest.Start(t, roles[1])
	m = p.Ask(t, prepare, protocol.TypeError)
	if want := "the other side was not discovered in DDS domain " + domain + " within 0.05s (match_timeout)"; m.Error != want {
		t.Errorf("error %q, want %q", m.Error, want)
	}
	p.Stop(t)
}

// TestDomainInUse has a publisher whose subscriber, on another host, took the domain
// of a run on this one.
func TestDomainInUse(t *testing.T) {
	w := workload(drivers.PubSub)
	roles := rolesOf(t, w)
	r := workertest.Prepare(t, w, roles)
	other := maps.Clone(r.Peers()["subscriber"])
	other["host"], other["meeting"] = "another", "127.0.0.2:9"
	for domain, want := range map[float64]string{-1: ", is in use on this one: run it again", 5: ", is in use on this one: run it again, or leave out `domain`"} {
		w.Options["domain"] = domain
		p := workertest.Start(t, roles[1])
		m := p.Ask(t, protocol.Message{Type: protocol.TypePrepare, Workload: &w, Peers: map[string]map[string]string{"subscriber": other}}, protocol.TypeError)
		if !strings.HasPrefix(m.Error, "DDS domain "+other["domain"]) || !strings.HasSuffix(m.Error, want) {
			t.Errorf("error %q, want %q", m.Error, want)
		}
		p.Stop(t)
	}
	complete(t, w, r.Measure(t))
}

// TestTwoAtOnce has two runs at the same time: they don't meet.
func TestTwoAtOnce(t *testing.T) {
	for _, pattern := range []drivers.Pattern{drivers.PubSub, drivers.RPC} {
		w := workload(pattern)
		roles := rolesOf(t, w)
		a, b := workertest.Prepare(t, w, roles), workertest.Prepare(t, w, roles)
		if x, y := a.Effective[roles[0].Name]["domain"], b.Effective[roles[0].Name]["domain"]; x == y {
			t.Errorf("both have domain %s", x)
		}
		complete(t, w, a.Measure(t))
		complete(t, w, b.Measure(t))
	}
}

// TestKilled ends the passive role with -9 while the active one measures: that one
// says so, nothing is left in the machine's shared memory, and the next run works.
func TestKilled(t *testing.T) {
	workertest.Built(t, Worker())
	if !workertest.Alone(t, unix.CLONE_NEWNS, "/dev/shm") { // others' runs have files there, and so have crashed ones
		return
	}
	for _, pattern := range []drivers.Pattern{drivers.PubSub, drivers.RPC} {
		w := workload(pattern)
		w.Measure.Calls = 1 << 40
		roles := rolesOf(t, w)
		r := workertest.Prepare(t, w, roles)
		passive, active := r.Roles[roles[0].Name], r.Roles[roles[1].Name]
		active.Ask(t, protocol.Message{Type: protocol.TypeWarmUp}, protocol.TypeWarm)
		active.Send(t, protocol.Message{Type: protocol.TypeMeasure})
		passive.Kill()
		if m := active.Expect(t, protocol.TypeError); !strings.Contains(m.Error, "the process of the other side has ended") {
			t.Errorf("%s: error %q", pattern, m.Error)
		}
		active.Kill()
		left, err := filepath.Glob("/dev/shm/*fast*")
		if err != nil || len(left) > 0 && r.Effective[roles[0].Name]["shared_memory"] != "the machine's" {
			t.Errorf("%s: left in shared memory: %q, %v", pattern, left, err)
		}
		w.Measure.Calls = 50
		complete(t, w, workertest.Prepare(t, w, roles).Measure(t))
	}
}

func TestCheck(t *testing.T) {
	for want, change := range map[string]func(*drivers.Workload){
		"":                                 func(*drivers.Workload) {},
		"no type for a payload of kind":    func(w *drivers.Workload) { w.Payload.Kind = "structs" },
		"over the limit of 67108864 bytes": func(w *drivers.Workload) { w.Payload.Bytes = 64<<20 + 1 },
		"can't carry the 32 bytes":         func(w *drivers.Workload) { w.Payload.Bytes = 31 },
		"101 topics":                       func(w *drivers.Workload) { w.Topics = 101 },
		"messages of fixed size only":      func(w *drivers.Workload) { w.Transfer = "loan" },
		`no "oneway" call`:                 func(w *drivers.Workload) { w.Pattern, w.Call = drivers.RPC, "oneway" },
		"more than 1000 calls":             func(w *drivers.Workload) { w.Pattern, w.Concurrency, w.InFlight = drivers.RPC, 100, 16 },
	} {
		w := workload(drivers.PubSub)
		change(&w)
		if err := Driver.Verify(w); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestMissing looks for ROS 2 where there is none, and where it is.
func TestMissing(t *testing.T) {
	t.Setenv("AMENT_PREFIX_PATH", t.TempDir())
	t.Setenv("PATH", "/usr/sbin:/sbin")
	t.Setenv("HOME", t.TempDir())
	found := Driver.Probe(t.Context())
	if found.OK || !strings.HasSuffix(found.Missing, "ROS 2") || !strings.Contains(found.Get, "pip install ros-rcl==") || !strings.Contains(found.Get, "versus drivers build ros2") {
		t.Errorf("the probe found %+v", found)
	}

	pinned, err := os.ReadFile("requirements.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, wheel := range regexp.MustCompile(`[a-z-]+==[0-9.]+`).FindAllString(get, -1) {
		if !strings.Contains(string(pinned), "\n"+wheel+"\n") {
			t.Errorf("requirements.txt has not %s, which users are told to install", wheel)
		}
	}

	root := t.TempDir()
	for _, c := range []struct{ bin, env string }{{filepath.Join(root, "bin"), ""}, {"/sbin", "/none" + string(filepath.ListSeparator) + root}} {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(marker)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(root, "bin"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{marker, "bin/python3"} {
			if err := os.WriteFile(filepath.Join(root, name), nil, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("PATH", c.bin)
		t.Setenv("AMENT_PREFIX_PATH", c.env)
		if got := prefix(); got != root {
			t.Errorf("PATH=%s AMENT_PREFIX_PATH=%s: found %q, want %q", c.bin, c.env, got, root)
		}
		if missing := Worker().Missing(); slices.Contains(missing, "ROS 2 (rcl)") || !slices.Contains(missing, "ROS 2 (std_msgs)") {
			t.Errorf("missing are %q", missing)
		}
	}
}
