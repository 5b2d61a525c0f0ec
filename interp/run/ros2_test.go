package run

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"versus/drivers/all"
	"versus/drivers/ros2"
	"versus/drivers/workertest"
	"versus/interp/journal"
)

const ros2Methodology = `
scenario "ros2" {}
backend "ros2" "node" {
  qos { depth = 500 } # loses nothing, however busy the machine
}
methodology "short" {
  warmup { calls = 5 }
  measure { calls = 30 }
  repeat { runs = 1 }
}
defaults {
  methodology = methodology.short
  payload     = bytes("512B")
  backend     = backend.node
}
`

const ros2Scenario = ros2Methodology + `
host "netns" "near" {}
host "netns" "far" {}
host "netns" "beyond" {}
link "wan" {
  between = [host.near, host.far]
  delay   = "2ms"
}
host "local" "here" { listen = "127.0.0.1" }
host "exec" "ahead" {
  command = ["AHEAD"]
  listen  = "127.0.0.1"
}
test "rpc" "calls_linked" {
  host  = host.far
  place = { client = host.near }
}
test "pubsub" "topics_linked" {
  rate   = "100Hz"
  topics = 2
  host   = host.far
  place  = { publisher = host.near }
}
test "pubsub" "topics_by_cable" {
  payload = bytes("200KB")
  rate    = "20Hz"
  host    = host.far
  place   = { publisher = host.beyond }
}
test "rpc" "together" { host = host.far }
test "pubsub" "published_ahead" {
  rate  = "100Hz"
  place = { publisher = host.ahead }
}
test "pubsub" "received_ahead" {
  rate  = "100Hz"
  host  = host.here
  place = { subscriber = host.ahead }
}
`

// TestROS2AcrossHosts has nodes on two hosts that no multicast reaches, over a link
// that delays and without; on one; and with clocks that are a day apart.
func TestROS2AcrossHosts(t *testing.T) {
	needsTUN(t)
	needsAhead(t)
	workertest.Built(t, ros2.Worker())
	command := append(slices.Clone(ahead), "env", "XDG_CACHE_HOME="+t.TempDir())
	src := strings.Replace(ros2Scenario, "AHEAD", strings.Join(command, `", "`), 1)
	runs := records(t, planOf(t, src), Options{Drivers: all.Registry()})
	if len(runs) != 6 {
		t.Errorf("%d runs", len(runs))
	}
	for _, r := range runs {
		if r.Status != journal.OK {
			t.Errorf("%s: %s", r.Cell, r.Error)
			continue
		}
		for name, role := range r.Roles {
			got := role.Result
			if role.Active && got.Sent < 30 || got.Lost > 0 || len(got.Errors)+len(got.Flags) > 0 {
				t.Errorf("%s: %s sent %d, lost %d, errors %v, flags %q", r.Cell, name, got.Sent, got.Lost, got.Errors, got.Flags)
			}
			apart := strings.Contains(r.Cell, "_linked") || strings.Contains(r.Cell, "_by_cable")
			want := "localhost"
			if apart {
				want = "localhost, and the static peer 198.18.0."
			}
			if e := role.Effective; role.Active && (!strings.HasPrefix(e["discovery"], want) || (e["transport"] == "UDP") != apart) {
				t.Errorf("%s: %s has the settings %v", r.Cell, name, e)
			}
			crossings := map[string]int64{"client": 2, "subscriber": 1}[name]
			if strings.Contains(r.Cell, "_linked") && crossings > 0 && got.Latency.Min < crossings*2e6 {
				t.Errorf("%s: a latency of %d ns, over a link of 2 ms each way", r.Cell, got.Latency.Min)
			}
			if name == "subscriber" && got.Latency.Max > int64(r.Total*1e9)+r.ClockBound() {
				t.Errorf("%s: latencies up to %d ns", r.Cell, got.Latency.Max)
			}
		}
		if strings.Contains(r.Cell, "_ahead") != (r.ClockBound() > 0) {
			t.Errorf("%s: the clocks agree within %d ns", r.Cell, r.ClockBound())
		}
	}
}

// A side that dies on its host fails the run, and the next one finds all as it was.
func TestROS2FarSideKilled(t *testing.T) {
	needsRoot(t)
	workertest.Built(t, ros2.Worker())
	src := strings.Replace(ros2Methodology, "runs = 1", "runs = 2", 1) + `
host "netns" "near" {}
host "netns" "far" {}
test "pubsub" "topics" {
  rate  = "100Hz"
  host  = host.far
  place = { publisher = host.near }
}`
	for _, role := range []string{"subscriber", "publisher"} {
		runs := records(t, planOf(t, src), Options{Drivers: all.Registry(), probe: probes{reached: killOnce(measuring, role)}})
		if want := role + " died"; runs[0].Status != journal.Failed || !strings.Contains(runs[0].Error, want) {
			t.Errorf("%s %q, want %q", runs[0].Status, runs[0].Error, want)
		}
		if runs[1].Status != journal.OK {
			t.Errorf("the run after it: %s", runs[1].Error)
		}
	}
}

// network starts a process in a network of its own, and returns what it takes to run
// a command there.
func network(t *testing.T) string {
	t.Helper()
	cmd := exec.Command("unshare", "--net", "sh", "-c", "echo; exec cat")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("/proc/%d/ns/net", cmd.Process.Pid)
}

// twoNetworks connects two of them, at 198.18.7.1 and 198.18.7.2, by a cable that
// passes multicast.
func twoNetworks(t *testing.T) [2]string {
	t.Helper()
	needsRoot(t)
	nets := [2]string{network(t), network(t)}
	ip := func(in, args string) string {
		out, err := exec.Command("nsenter", append([]string{"--net=" + in, "ip"}, strings.Fields(args)...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("ip %s: %v %s", args, err, out)
		}
		return string(out)
	}
	ip(nets[0], "link add net0 type veth peer name net0 netns "+nets[1])
	for i, in := range nets {
		ip(in, fmt.Sprintf("address add 198.18.7.%d/24 dev net0", i+1))
		ip(in, "link set net0 up")
		ip(in, "link set lo up")
	}
	for _, in := range nets {
		// The kernel takes up to a second, and Fast DDS announces no address before.
		for end := time.Now().Add(10 * time.Second); !strings.Contains(ip(in, "link show net0"), "state UP"); {
			if time.Now().After(end) {
				t.Fatal("a cable is not up after 10 s")
			}
		}
	}
	return nets
}

const ros2Elsewhere = ros2Methodology + `
host "exec" "near" { command = ["nsenter", "--net=NEAR", "env", "XDG_CACHE_HOME=CACHE"] }
host "exec" "far" {
  command     = ["nsenter", "--net=FAR", "unshare", "--mount", "sh", "-c", "CHANGE; exec env XDG_CACHE_HOME=CACHE \"$@\"", "sh"]
  listen      = "198.18.7.2"
  environment = { LD_LIBRARY_PATH = "LIBRARIES" }
}
backend "ros2" "subnet" {
  discovery = "subnet"
  qos { depth = 500 }
}
test "pubsub" "topics" {
  rate  = "100Hz"
  host  = host.far
  place = { publisher = host.near }
  sweep { backend = [BACKENDS] }
}
`

// TestROS2OnAnotherMachine has a host whose ROS 2 is another one than that of this
// machine, or has none, and nodes that find each other by multicast.
func TestROS2OnAnotherMachine(t *testing.T) {
	needsRoot(t)
	workertest.Built(t, ros2.Worker())
	here := os.Getenv("AMENT_PREFIX_PATH")
	_, err := os.Stat(filepath.Join(here, "lib/librcl.so")) // of one installation, which AMENT_PREFIX_PATH must name
	workertest.Need(t, err)
	folder, elsewhere := t.TempDir(), t.TempDir()
	older := filepath.Join(folder, "package.xml")
	if err := os.WriteFile(older, []byte("<package>\n  <version>9.2.9</version>\n</package>\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	libraries := []string{elsewhere + "/lib"}
	bundled, err := filepath.Glob(filepath.Join(here, "lib/python3*/site-packages/ros_*.libs"))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bundled {
		libraries = append(libraries, elsewhere+strings.TrimPrefix(b, here))
	}
	for name, c := range map[string]struct {
		change string
		status journal.Status
		want   string
	}{
		"the same":        {"true", journal.OK, ""},
		"at another path": {"mount --bind " + here + " " + elsewhere + " && mount -t tmpfs none " + here, journal.OK, ""},
		"another version": {"mount --bind " + older + " " + here + "/share/rcl/package.xml", journal.Failed, "this host has rcl 9.2.9, and the worker was built with rcl "},
		"none":            {"mount -t tmpfs none " + here, journal.Skipped, "; to get it there: install the ROS 2 of this machine at the same path, " + here},
	} {
		t.Run(name, func(t *testing.T) {
			nets := twoNetworks(t)
			backends := "backend.node"
			if name == "the same" {
				backends += ", backend.subnet"
			}
			path := strings.Join(libraries, ":")
			if name == "none" {
				path = "/nonexistent"
			}
			src := strings.NewReplacer("NEAR", nets[0], "FAR", nets[1], "CHANGE", c.change, "CACHE", folder, "LIBRARIES", path, "BACKENDS", backends).Replace(ros2Elsewhere)
			for _, r := range records(t, planOf(t, src), Options{Drivers: all.Registry()}) {
				if r.Status != c.status || !strings.Contains(r.Error, c.want) {
					t.Errorf("%s %q, want %s %q", r.Status, r.Error, c.status, c.want)
				}
				if r.Status != journal.OK {
					continue
				}
				in, e := r.Roles["subscriber"].Result, r.Roles["publisher"].Effective
				if in.Received < 30 || in.Lost > 0 || e["transport"] != "UDP" || strings.Contains(r.Cell, "subnet") != (e["discovery"] == "subnet") {
					t.Errorf("%s: received %d, lost %d, settings %v", r.Cell, in.Received, in.Lost, e)
				}
			}
		})
	}
}
