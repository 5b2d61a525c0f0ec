package corba

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"versus/drivers"
	"versus/drivers/protocol"
	"versus/drivers/workertest"
)

// orbs are those that the tests run. TAO is not in Debian: it is tested where it
// is installed, and nowhere required.
var orbs = []string{"omniorb", "tao"}

// prepared builds the worker for an ORB, or skips the test where that can't be.
func prepared(tb testing.TB, orb string) {
	tb.Helper()
	w := worker(drivers.Workload{Options: map[string]any{"orb": orb}})
	if err := w.Lacks(); err != nil && orb == "tao" {
		tb.Skip(err)
	}
	workertest.Built(tb, w)
}

func each(t *testing.T, test func(t *testing.T, orb string)) {
	for _, orb := range orbs {
		t.Run(orb, func(t *testing.T) {
			prepared(t, orb)
			test(t, orb)
		})
	}
}

func rpc(orb string) drivers.Workload {
	return drivers.Workload{
		Driver: "corba", Pattern: drivers.RPC, Call: "twoway", Options: map[string]any{"orb": orb, "thread_pool": 4.0}, Concurrency: 1,
		Payload: drivers.Payload{Kind: "bytes"}, Warmup: drivers.Extent{Calls: 1}, Measure: drivers.Extent{Calls: 500},
	}
}

func pubsub(orb string) drivers.Workload {
	w := rpc(orb)
	w.Pattern, w.Call, w.EventService, w.Topics, w.Payload.Bytes = drivers.PubSub, "", true, 1, 40
	return w
}

func prepare(tb testing.TB, w drivers.Workload) *workertest.Run {
	tb.Helper()
	if err := Driver.Verify(w); err != nil {
		tb.Fatal(err)
	}
	roles, err := Driver.Roles(w)
	if err != nil {
		tb.Fatal(err)
	}
	return workertest.Prepare(tb, w, roles)
}

func TestCalls(t *testing.T) {
	payloads := map[string]drivers.Payload{
		"nothing": {Kind: "bytes"},
		"bytes":   {Kind: "bytes", Bytes: 100_000},
		"structs": {Kind: "structs", Count: 1000, Text: "hello", Value: 3.14, Bytes: 13_000},
		"lines":   {Kind: "lines", Text: strings.Repeat("a line\n", 100), Count: 100, Bytes: 700},
	}
	each(t, func(t *testing.T, orb string) {
		for _, call := range []string{"twoway", "async", "oneway"} {
			for name, payload := range payloads {
				for _, callers := range []int{1, 3} {
					t.Run(fmt.Sprintf("%s/%s/%d", call, name, callers), func(t *testing.T) {
						w := rpc(orb)
						w.Call, w.Payload, w.Concurrency = call, payload, callers
						run := prepare(t, w)
						if e := run.Effective["server"]; e["threads"] != "4" || !strings.HasPrefix(strings.ToLower(e["orb"]), orb) {
							t.Errorf("the server reports %v", e)
						}
						r := run.Measure(t)["client"]
						if r.Received != 500 || len(r.Errors) > 0 {
							t.Errorf("received %d of 500, errors %v %v", r.Received, r.Errors, r.Flags)
						}
					})
				}
			}
		}
	})
}

// TestOpenLoop has asynchronous calls overlap.
func TestOpenLoop(t *testing.T) {
	each(t, func(t *testing.T, orb string) {
		for _, call := range []string{"twoway", "async"} {
			w := rpc(orb)
			w.Call, w.Rate, w.InFlight, w.Measure.Calls = call, 2000, 8, 200
			if r := prepare(t, w).Measure(t)["client"]; r.Received != 200 {
				t.Errorf("%s: received %d of 200, errors %v %v", call, r.Received, r.Errors, r.Flags)
			}
		}
	})
}

func TestEvents(t *testing.T) {
	each(t, func(t *testing.T, orb string) {
		for _, buffered := range []bool{false, true} {
			for _, topics := range []int{1, 3} {
				t.Run(fmt.Sprintf("%v/%d", buffered, topics), func(t *testing.T) {
					w := pubsub(orb)
					w.Options["buffered"], w.Topics = buffered, topics
					results := prepare(t, w).Measure(t)
					got, broker := results["subscriber"], results["broker"]
					if got.Received != 500 || got.Lost+got.Duplicated+got.Reordered+got.Negative != 0 || len(got.Flags) > 0 {
						t.Errorf("received %d, lost %d, duplicated %d, reordered %d, flags %v; want 500, all in order",
							got.Received, got.Lost, got.Duplicated, got.Reordered, got.Flags)
					}
					if broker.CPUUser+broker.CPUSystem <= 0 || broker.PeakMemory < 1<<20 {
						t.Errorf("the broker used %v+%v s and %d bytes", broker.CPUUser, broker.CPUSystem, broker.PeakMemory)
					}
				})
			}
		}
	})
}

// TestKilled ends a passive role in mid-run: the active one says so, and the next run works.
func TestKilled(t *testing.T) {
	each(t, func(t *testing.T, orb string) {
		async := rpc(orb)
		async.Call = "async"
		for _, c := range []struct {
			workload drivers.Workload
			victim   string
			active   string
		}{{rpc(orb), "server", "client"}, {async, "server", "client"}, {pubsub(orb), "broker", "publisher"}} {
			w := c.workload
			w.Measure.Calls = 1 << 40
			run := prepare(t, w)
			active := run.Roles[c.active]
			active.Send(t, protocol.Message{Type: protocol.TypeMeasure})
			run.Roles[c.victim].Kill()
			if m := active.Expect(t, protocol.TypeError); !strings.Contains(m.Error, "1000 calls in a row failed") {
				t.Errorf("%s %s: it says %q", w.Pattern, w.Call, m.Error)
			}
			for _, role := range run.Roles {
				role.Kill()
			}
			w.Measure.Calls = 100
			prepare(t, w).Measure(t)
		}
	})
}

// TestTwoRuns has two runs at once on one machine.
func TestTwoRuns(t *testing.T) {
	each(t, func(t *testing.T, orb string) {
		one, other := prepare(t, pubsub(orb)), prepare(t, pubsub(orb))
		for _, run := range []*workertest.Run{one, other} {
			if got := run.Measure(t)["subscriber"]; got.Received != 500 || got.Lost > 0 || len(got.Flags) > 0 {
				t.Errorf("received %d of 500, lost %d, flags %v", got.Received, got.Lost, got.Flags)
			}
		}
	})
}

// TestNobodyThere has roles without the one that they need.
func TestNobodyThere(t *testing.T) {
	each(t, func(t *testing.T, orb string) {
		for _, w := range []drivers.Workload{rpc(orb), pubsub(orb)} {
			roles, err := Driver.Roles(w)
			if err != nil {
				t.Fatal(err)
			}
			first := workertest.Prepare(t, w, roles[:1])
			first.Roles[roles[0].Name].Kill()
			for _, role := range roles[1:] {
				one := workertest.Start(t, role)
				m := one.Ask(t, protocol.Message{Type: protocol.TypePrepare, Workload: &w, Peers: first.Peers()}, protocol.TypeError)
				if !strings.Contains(m.Error, "TRANSIENT") {
					t.Errorf("%s: %q", role.Name, m.Error)
				}
				one.Stop(t)
			}
		}
	})
}

// TestNeverMatched has a subscriber die after it has subscribed: publisher and
// event service go on.
func TestNeverMatched(t *testing.T) {
	each(t, func(t *testing.T, orb string) {
		w := pubsub(orb)
		run := prepare(t, w)
		run.Roles["subscriber"].Kill()
		publisher, broker := run.Roles["publisher"], run.Roles["broker"]
		broker.Ask(t, protocol.Message{Type: protocol.TypeMeasure}, protocol.TypeMeasuring)
		r := publisher.Ask(t, protocol.Message{Type: protocol.TypeMeasure}, protocol.TypeResult).Result
		if r.Sent != w.Measure.Calls || len(r.Errors) > 0 {
			t.Errorf("sent %d of %d, errors %v", r.Sent, w.Measure.Calls, r.Errors)
		}
		broker.Ask(t, protocol.Message{Type: protocol.TypeFinish, Sent: r.Sent}, protocol.TypeResult)
		publisher.Stop(t)
		broker.Stop(t)
	})
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*drivers.Workload)
		want  string // "" is none
	}{
		{"nothing", func(w *drivers.Workload) {}, ""},
		{"batch", func(w *drivers.Workload) { w.Call = "batch_oneway" }, "no batched oneway"},
		{"loan", func(w *drivers.Workload) { *w = pubsub("tao"); w.Transfer = "loan" }, "lend"},
		{"events without a service", func(w *drivers.Workload) { *w = pubsub("tao"); w.EventService = false }, "event_service = true"},
		{"events of structs", func(w *drivers.Workload) { *w = pubsub("tao"); w.Payload.Kind = "structs" }, "carry bytes"},
		{"topics", func(w *drivers.Workload) { *w = pubsub("tao"); w.Topics = 101 }, "101 topics"},
		{"published structs", func(w *drivers.Workload) {
			w.Payload = drivers.Payload{Kind: "structs", Count: 50_000, Text: "hello", Bytes: 650_000}
		}, ""},
		{"too many structs", func(w *drivers.Workload) {
			w.Payload = drivers.Payload{Kind: "structs", Count: 100_000, Text: "hello", Bytes: 1_300_000}
		}, "takes 2400008 bytes"},
		{"large", func(w *drivers.Workload) { w.Payload.Bytes = 2_000_000 }, ""},
		{"too large", func(w *drivers.Workload) { w.Payload.Bytes = 2 << 20 }, "a message holds"},
		{"large, in TAO", func(w *drivers.Workload) { w.Options["orb"], w.Payload.Bytes = "tao", 2<<20 }, ""},
	} {
		w := rpc("omniorb")
		c.spoil(&w)
		err := Driver.Verify(w)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

// TestLargest sends what Check allows to the ORB that has a limit.
func TestLargest(t *testing.T) {
	prepared(t, "omniorb")
	w := rpc("omniorb")
	w.Payload.Bytes, w.Measure.Calls = maxOmniORB-4, 3
	if r := prepare(t, w).Measure(t)["client"]; r.Received != 3 {
		t.Errorf("received %d of 3: %v", r.Received, r.Flags)
	}
}

// TestTAOByPkgConfig has TAO where only pkg-config says: it is found there, and the
// compiler and the linker are told.
func TestTAOByPkgConfig(t *testing.T) {
	if _, err := exec.LookPath("pkg-config"); err != nil {
		workertest.Need(t, fmt.Errorf("pkg-config is not installed: apt-get install pkg-config"))
	}
	prefix, src := t.TempDir(), filepath.Join(t.TempDir(), "src")
	modules := filepath.Join(prefix, "modules")
	t.Setenv("ACE_ROOT", "")
	t.Setenv("TAO_ROOT", "")
	t.Setenv("PKG_CONFIG_LIBDIR", "")
	t.Setenv("PKG_CONFIG_PATH", modules)
	if m := TAO().Missing(); !slices.Contains(m, "TAO") {
		t.Fatalf("missing where nothing is: %v", m)
	}
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		name = filepath.Join(prefix, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"TAO_CosEvent_Serv", "TAO_CosEvent_Skel", "TAO_CosEvent", "TAO_Messaging", "TAO_Valuetype", "TAO_PI",
		"TAO_CodecFactory", "TAO_PortableServer", "TAO_AnyTypeCode", "TAO", "ACE"} {
		write("modules/"+name+".pc", fmt.Sprintf("prefix=%s\nlibdir=${prefix}/libraries\nName: %s\nDescription: a part\nVersion: 2.2.2\n"+
			"Libs: -L${libdir} -l%s\nCflags: -I${prefix}/headers\n", prefix, name, name), 0o666)
	}
	write("bin/tao_idl", "#!/bin/sh\necho \"$LD_LIBRARY_PATH $*\" > BenchC.cpp\n", 0o777)
	w := TAO()
	if m := w.Missing(); slices.Contains(m, "TAO") {
		t.Errorf("missing where all is: %v", m)
	}
	if err := os.CopyFS(src, w.Files); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(w.Generate[0][0], w.Generate[0][1:]...)
	cmd.Dir = src
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, want := range map[string]string{
		"BenchC.cpp":    prefix + "/libraries -GC",
		"compile.flags": "-I" + prefix + "/headers",
		"link.flags":    "-rpath," + prefix + "/libraries ",
	} {
		text, err := os.ReadFile(filepath.Join(src, name))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %q, %v; want %q in it", name, text, err, want)
		}
	}
}

// TestNoTAO looks at a machine without it.
func TestNoTAO(t *testing.T) {
	t.Setenv("ACE_ROOT", t.TempDir())
	t.Setenv("TAO_ROOT", t.TempDir())
	w := rpc("tao")
	found := Driver.ProbeFor(t.Context(), w)
	if found.OK || !strings.HasSuffix(found.Missing, "TAO") || !strings.Contains(found.Get, "set ACE_ROOT and TAO_ROOT") {
		t.Errorf("the probe found %+v", found)
	}
	if m := TAO().Missing(); !slices.Contains(m, "TAO") {
		t.Errorf("missing: %v", m)
	}
	w.Options["orb"] = "omniorb"
	if found := Driver.ProbeFor(t.Context(), w); strings.Contains(found.Missing, "TAO") {
		t.Errorf("omniORB needs TAO: %+v", found)
	}
}
