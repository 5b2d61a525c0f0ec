package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"

	"versus/drivers"
	"versus/dsl"
	"versus/dsl/schema"
)

// registry has a driver for everything, with a limit on payloads, and one for
// recorded results.
var registry = drivers.Registry{
	{Name: "fake", Attrs: []schema.Attr{{Name: "level", Type: schema.Integer, Default: "1"}},
		Patterns: []drivers.Pattern{drivers.RPC, drivers.PubSub, drivers.Log},
		Check: func(w drivers.Workload) error {
			if w.Payload.Bytes > 1<<20 {
				return errors.New("a message may have 1 MiB at most")
			}
			return nil
		},
		Roles: func(drivers.Workload) ([]drivers.Role, error) {
			return []drivers.Role{{Name: "server"}, {Name: "client", Active: true}}, nil
		}},
	{Name: "wide", Patterns: []drivers.Pattern{drivers.RPC}, AcrossHosts: drivers.OverNetworks,
		Roles: func(drivers.Workload) ([]drivers.Role, error) {
			return []drivers.Role{{Name: "server"}, {Name: "client", Active: true}}, nil
		}},
	{Name: "rpconly", Patterns: []drivers.Pattern{drivers.RPC}},
	{Name: "recorded", Patterns: []drivers.Pattern{drivers.Replay}},
}

// head begins every scenario of the tests.
const head = `scenario "s" {}
backend "fake" "a" {}
backend "fake" "b" { title = "Backend B" }
backend "rpconly" "c" {}
backend "recorded" "old" {}
backend "recorded" "new" {}
methodology "m" {
  warmup { duration = "1s" }
  measure { duration = "2s" }
  repeat { runs = 3 }
}
defaults { methodology = methodology.m }
`

func load(t testing.TB, src string) *dsl.Scenario {
	t.Helper()
	s, diags := dsl.LoadSources("s.hcl", map[string][]byte{"s.hcl": []byte(src)}, dsl.Config{Drivers: registry.Kinds(), Patterns: patterns()})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return s
}

func patterns() map[string][]string {
	m := map[string][]string{}
	for _, d := range registry {
		for _, p := range d.Patterns {
			m[d.Name] = append(m[d.Name], string(p))
		}
	}
	return m
}

func mustPlan(t testing.TB, src string) *Plan {
	t.Helper()
	p, diags := New(load(t, head+src), registry, Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return p
}

func keys(t testing.TB, p *Plan) []string {
	t.Helper()
	var list []string
	for i := range p.Cells() {
		c, err := p.Cell(i)
		if err != nil {
			t.Fatal(err)
		}
		if c.Index != i {
			t.Errorf("cell %d says that it is cell %d", i, c.Index)
		}
		list = append(list, c.Key)
	}
	return list
}

func TestCells(t *testing.T) {
	for _, test := range []struct {
		name, src string
		want      []string
	}{
		{"a test without a sweep", `test "rpc" "t" { backend = backend.a }`, []string{"t[backend=a]"}},
		{"the last axis moves fastest", `test "rpc" "t" {
  payload = bytes(each.payload)
  sweep {
    payload = ["512B", 8192]
    backend = [backend.b, backend.a]
  }
}`, []string{"t[backend=b,payload=512B]", "t[backend=a,payload=512B]", "t[backend=b,payload=8192]", "t[backend=a,payload=8192]"}},
		{"a filter", `test "rpc" "t" {
  sweep {
    backend = [backend.a, backend.b]
    n       = [1, 2, 3]
    where   = !(each.backend == backend.b && each.n > 1)
  }
}`, []string{"t[backend=a,n=1]", "t[backend=a,n=2]", "t[backend=a,n=3]", "t[backend=b,n=1]"}},
		{"a union, each cell once", `test "pubsub" "t" {
  sweep "by_size" {
    backend = [backend.a]
    size    = [512, 1024]
    topics  = [1]
  }
  sweep "by_topics" {
    topics  = [1, 4]
    backend = [backend.a]
    size    = [1024]
  }
}`, []string{"t[backend=a,size=512,topics=1]", "t[backend=a,size=1024,topics=1]", "t[backend=a,size=1024,topics=4]"}},
		{"a sweep that leaves an axis at the test's argument", `test "pubsub" "t" {
  topics = 4
  sweep {
    backend = [backend.a]
    topics  = [1, 4]
  }
  sweep { backend = [backend.b, backend.a] }
}`, []string{"t[backend=a,topics=1]", "t[backend=a,topics=4]", "t[backend=b,topics=4]"}},
		{"an argument computed from other axes stands for its axis", `test "rpc" "t" {
  concurrency = each.n * 2
  sweep {
    backend     = [backend.a]
    n           = [1]
    concurrency = [2, 3]
  }
  sweep {
    backend = [backend.a]
    n       = [1, 2]
  }
}`, []string{"t[backend=a,concurrency=2,n=1]", "t[backend=a,concurrency=3,n=1]", "t[backend=a,concurrency=4,n=2]"}},
		{"an axis that nothing stands for is absent", `test "rpc" "t" {
  sweep {
    backend = [backend.a]
    x       = ["p", "q"]
  }
  sweep { backend = [backend.a, backend.b] }
}`, []string{"t[backend=a,x=p]", "t[backend=a,x=q]", "t[backend=a]", "t[backend=b]"}},
		{"zipped axes move together, where they are written", `test "rpc" "t" {
  sweep {
    x       = [1, 2]
    zip     = { y = ["u", "v"], z = [true, false] }
    backend = [backend.a]
  }
}`, []string{"t[backend=a,x=1,y=u,z=true]", "t[backend=a,x=1,y=v,z=false]", "t[backend=a,x=2,y=u,z=true]", "t[backend=a,x=2,y=v,z=false]"}},
		{"a zip that shares a part with a product", `test "rpc" "t" {
  sweep {
    zip     = { y = [1, 2], z = [1, 2] }
    backend = [backend.a]
  }
  sweep {
    y       = [1, 2]
    z       = [1, 2]
    backend = [backend.a]
  }
}`, []string{"t[backend=a,y=1,z=1]", "t[backend=a,y=2,z=2]", "t[backend=a,y=1,z=2]", "t[backend=a,y=2,z=1]"}},
		{"texts that could be confused", `test "rpc" "t" {
  sweep {
    backend = [backend.a]
    x       = [1, "1", "true", true, "a b", "a,b", "", "ü"]
  }
}`, []string{"t[backend=a,x=1]", `t[backend=a,x="1"]`, `t[backend=a,x="true"]`, "t[backend=a,x=true]",
			`t[backend=a,x="a b"]`, `t[backend=a,x="a,b"]`, `t[backend=a,x=""]`, `t[backend=a,x="ü"]`}},
		{"numbers in their shortest form", `test "rpc" "t" {
  sweep {
    backend = [backend.a]
    x       = [0.1, 1e3, 1/3, 12345678901234567890, 1e300, -2]
  }
}`, []string{"t[backend=a,x=0.1]", "t[backend=a,x=1000]", "t[backend=a,x=0.3333333333333333]", "t[backend=a,x=12345678901234567890]",
			"t[backend=a,x=1e+300]", "t[backend=a,x=-2]"}},
		{"axes that are named like the built-in ones", `test "replay" "t" {
  sweep {
    backend = [backend.old]
    test    = ["Twoway", "Twoway, AMI"]
  }
}`, []string{"t[backend=old,test=Twoway]", `t[backend=old,test="Twoway, AMI"]`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if d := cmp.Diff(test.want, keys(t, mustPlan(t, test.src))); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestWorkload(t *testing.T) {
	p := mustPlan(t, `
host "local" "here" {}
host "local" "far" {}
test "rpc" "t" {
  payload     = bytes(each.size)
  concurrency = each.backend == backend.a ? 1 : 4
  rate        = each.open ? "1kHz" : null
  call        = "async"
  place       = { server = host.far }
  sweep {
    backend = [backend.a, backend.b]
    size    = ["8KiB"]
    open    = [false, true]
  }
}
test "pubsub" "u" {
  backend  = backend.a
  transfer = each.transfer
  sweep {
    transfer = ["copy", "loan"]
    topics   = [3]
  }
}`)
	var got []drivers.Workload
	for i := range p.Cells() {
		c, err := p.Cell(i)
		if err != nil {
			t.Fatal(err)
		}
		w := c.Workload
		w.Options = nil
		got = append(got, w)
	}
	span := func(s float64) drivers.Extent { return drivers.Extent{Seconds: s} }
	rpc := drivers.Workload{Driver: "fake", Pattern: "rpc", Payload: drivers.Payload{Kind: "bytes", Bytes: 8192}, Call: "async", Concurrency: 1, Warmup: span(1), Measure: span(2)}
	open := rpc
	open.Rate, open.InFlight = 1000, 16
	rpc4, open4 := rpc, open
	rpc4.Concurrency, open4.Concurrency = 4, 4
	pub := drivers.Workload{Driver: "fake", Pattern: "pubsub", Payload: drivers.Payload{Kind: "bytes"}, Topics: 3, Transfer: "copy", Warmup: span(1), Measure: span(2)}
	loan := pub
	loan.Transfer = "loan"
	if d := cmp.Diff([]drivers.Workload{rpc, open, rpc4, open4, pub, loan}, got); d != "" {
		t.Error(d)
	}
	c, _ := p.Cell(0)
	if c.Place[""].Name != "here" || c.Place["server"].Name != "far" || len(c.Place) != 2 {
		t.Errorf("placed at %v", c.Place)
	}
	if v, _ := dsl.HostName(c.Each["host"]); v != "here" {
		t.Errorf("each.host is %q", v)
	}
	if c.Each["test"].GetAttr("name").AsString() != "t" || !slices.Equal(c.Axes, []string{"backend", "size", "open"}) {
		t.Errorf("each.test %v, axes %v", c.Each["test"], c.Axes)
	}
}

func TestReplay(t *testing.T) {
	p := mustPlan(t, `test "replay" "t" {
  sweep {
    backend = [backend.old]
    size    = [512, 8192]
    host    = [host.x]
    payload = ["p"]
  }
}
host "local" "x" {}`)
	c, err := p.Cell(1)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"backend": "old", "size": 8192.0, "host": "x", "payload": "p"}
	if d := cmp.Diff(want, c.Workload.Axes); d != "" {
		t.Error(d)
	}
}

func problemsOf(t *testing.T, src string) string {
	t.Helper()
	p, diags := New(load(t, head+src), registry, Options{})
	if p != nil && diags.HasErrors() {
		t.Error("a plan in spite of errors")
	}
	var list []string
	for _, d := range diags {
		line := ""
		if d.Subject != nil {
			line = fmt.Sprintf(" (line %d)", d.Subject.Start.Line-strings.Count(head, "\n"))
		}
		kind := ""
		if d.Severity == hcl.DiagWarning {
			kind = "warning: "
		}
		list = append(list, kind+d.Summary+line+": "+d.Detail)
	}
	return strings.Join(list, "\n")
}

func TestProblems(t *testing.T) {
	for _, test := range []struct {
		name, src string
		want      []string // parts, in order
	}{
		{"a value that does not suit, at its expression and with the axes it uses", `test "rpc" "t" {
  payload     = bytes(each.size)
  concurrency = each.n - 1
  sweep {
    backend = [backend.a]
    size    = [512]
    n       = [1, 2]
  }
}`, []string{"Invalid value of concurrency (line 3): 0 is outside of the range from 1 to 10000. This is so at n=1."}},
		{"an expression that fails for some values, all reported at once", `test "rpc" "t" {
  payload = bytes(each.size)
  rate    = each.rate
  sweep {
    backend = [backend.a]
    size    = ["512B", "8 apples"]
    rate    = ["1kHz", 0]
  }
}`, []string{"(line 2)", "This is so at size=\"8 apples\".", "(line 3)", "A closed loop has no rate", "This is so at rate=0."}},
		{"a keep rule that keeps more runs than there are", `test "rpc" "t" {
  backend = backend.a
  repeat { runs = 6 }
  keep { best = 10 }
}`, []string{"Invalid value of best (line 4)", "Of 6 runs of a cell this can't be kept"}},
		{"only reachable values count", `test "rpc" "t" {
  concurrency = each.n
  sweep {
    backend = [backend.a]
    n       = [0, 1]
    where   = each.n > 0
  }
}`, []string{""}},
		{"a payload axis of plain sizes", `test "rpc" "t" {
  sweep {
    backend = [backend.a]
    payload = [512]
  }
}`, []string{"Invalid value of payload", "write payload = bytes(each.payload) in the test", "This is so at payload=512."}},
		{"a driver's limit", `test "rpc" "t" {
  payload = bytes(each.size)
  sweep {
    backend = [backend.a]
    size    = ["1MiB", "2MiB"]
    n       = [1, 2, 3]
  }
}`, []string{"The driver can't do this", "1 MiB at most. This is so at backend=a, size=2MiB."}},
		{"a role that the driver does not have", `host "local" "h" {}
test "rpc" "t" {
  backend = backend.a
  place   = { sever = host.h }
}`, []string{"The driver can't do this (line 2): Place names the role \"sever\", but a run of driver \"fake\" has the roles server, client."}},
		{"mistakes in the order of the source, though a large sweep is checked last", `test "rpc" "large" {
  rate = each.n
  sweep {
    backend = [backend.a]
    n       = range(3)
  }
}
test "rpc" "small" {
  backend = backend.a
  call    = each.test.name
}`, []string{"(line 2)", "This is so at n=0.", "(line 10)"}},
		{"a filter that keeps nothing", `test "rpc" "t" {
  sweep "s1" {
    backend = [backend.a]
    n       = [1, 2]
    where   = each.n > 2
  }
}`, []string{"Empty plan: filter keeps nothing (line 5): The where of sweep s1 of test t is false for each of its 2 combinations."}},
		{"a filter that keeps nothing beside other cells", `test "rpc" "t" {
  sweep {
    backend = [backend.a]
    where   = false
  }
  sweep { backend = [backend.b] }
}`, []string{"warning: Filter keeps nothing (line 4)"}},
		{"a filter that fails", `test "rpc" "t" {
  sweep {
    backend = [backend.a]
    x       = [1, "p"]
    where   = each.x + 1 > 0
  }
}`, []string{"(line 5)", "This is so at x=p."}},
		{"arguments in a circle", `test "rpc" "t" {
  concurrency = each.in_flight
  in_flight   = each.concurrency
  sweep {
    backend     = [backend.a]
    concurrency = [1]
  }
  sweep {
    backend   = [backend.a]
    in_flight = [1]
  }
  sweep { backend = [backend.a] }
}`, []string{"Arguments in a circle (line 12): The sweep of test t leaves axes at the arguments of the test, and these refer to each other: concurrency -> in_flight -> concurrency."}},
		{"many runs", `test "rpc" "t" {
  sweep {
    backend = [backend.a]
    x       = range(1000)
    y       = range(1000)
  }
}`, []string{"Very many runs: The plan has 1000000 cells and 3000000 runs. Above a million runs, confirm with --yes-really-many."}},
		{"more cells than can be numbered", `test "rpc" "t" {
  sweep {
    backend = [backend.a]
    x       = range(1000)
    y       = range(1000)
    z       = range(1001)
  }
}`, []string{"Too many cells (line 2): The sweep of test t has more than 1000000000 combinations."}},
		{"a filter over too many combinations", `test "rpc" "t" {
  sweep {
    backend = [backend.a]
    x       = range(1000)
    y       = range(1000)
    z       = range(10)
    where   = each.x + each.y < each.z
  }
}`, []string{"Filter over too many combinations (line 7)"}},
		{"many alike", `test "rpc" "t" {
  concurrency = each.n
  sweep {
    backend = [backend.a]
    n       = [for i in range(40) : i + 20000]
  }
}`, []string{"There are 20 more problems of this kind."}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := problemsOf(t, test.src)
			if test.want[0] == "" && got != "" {
				t.Error("unexpected:", got)
			}
			rest := got
			for _, part := range test.want {
				i := strings.Index(rest, part)
				if i < 0 {
					t.Fatalf("%q is not in\n%s", part, got)
				}
				rest = rest[i+len(part):]
			}
		})
	}
}

func TestFiltered(t *testing.T) {
	p := mustPlan(t, `test "rpc" "t" {
  sweep "x" {
    backend = [backend.a, backend.b]
    n       = range(10)
    where   = each.n < 4 # a comment
  }
  sweep {
    backend = [backend.a, backend.b]
    n       = [1, 20]
  }
}`)
	want := []Filter{{Test: "t", Sweep: "x", Where: "each.n < 4", Before: 20, After: 8}}
	if d := cmp.Diff(want, p.Filtered()); d != "" {
		t.Error(d)
	}
	if p.Cells() != 10 || p.Repeated() != 2 || p.Runs() != 30 {
		t.Errorf("%d cells, %d repeated, %d runs", p.Cells(), p.Repeated(), p.Runs())
	}
}
