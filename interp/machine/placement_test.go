package machine

import (
	"strings"
	"testing"

	"versus/dsl"
)

func TestPlacement(t *testing.T) {
	const node = "sys/devices/system/node/"
	m := made(map[string]string{
		cpuDir + "cpu0/topology/thread_siblings_list": "0,4\n",
		cpuDir + "cpu4/topology/thread_siblings_list": "0,4\n",
		cpuDir + "cpu1/topology/thread_siblings_list": "1,5\n",
		cpuDir + "isolated":                           "6-7\n",
		"sys/devices/cpu_core/cpus":                   "0-5\n",
		"sys/devices/cpu_atom/cpus":                   "6-7\n",
		node + "online":                               "0-1\n",
		node + "node0/cpulist":                        "0-1,4-7\n",
		node + "node1/cpulist":                        "2-3\n",
	})
	host := func(name string, cpus ...int) *dsl.Host { return &dsl.Host{Kind: "local", Name: name, CPUs: cpus} }
	for _, c := range []struct {
		name  string
		hosts []*dsl.Host
		want  []string // part of each finding
	}{
		{"none", nil, nil},
		{"unbound", []*dsl.Host{host("a"), host("b", 0)}, nil},
		{"elsewhere", []*dsl.Host{{Kind: "ssh", Name: "a", CPUs: []int{0}}, host("b", 4)}, nil},
		{"well placed", []*dsl.Host{host("a", 0), host("b", 1)}, nil},
		{"a core to itself", []*dsl.Host{host("a", 0, 4), host("b", 1)}, nil},
		{"the same CPU", []*dsl.Host{host("a", 0), host("b", 0)}, nil}, // the linter's
		{"one core", []*dsl.Host{host("a", 0), host("b", 4)}, []string{`warning: Hosts "a" and "b" share a core: CPU 0 of the one, CPU 4`}},
		{"two nodes", []*dsl.Host{host("a", 0), host("b", 2)}, []string{`note: Host "a" has memory node 0, host "b" node 1.`}},
		{"two kinds", []*dsl.Host{host("a", 5, 6)}, []string{`warning: Host "a" is bound to CPUs 5-6, which are cores of 2 kinds.`}},
		{"isolated", []*dsl.Host{host("a", 6, 7)}, []string{`warning: Host "a" is bound to CPUs 6-7, all of them isolated`}},
	} {
		got := m.Placement(c.hosts)
		if len(got) != len(c.want) {
			t.Errorf("%s: %+v", c.name, got)
			continue
		}
		for i, f := range got {
			if text := string(f.Level) + ": " + f.Found; !strings.Contains(text, c.want[i]) || f.Effect == "" || f.Topic != "placement" {
				t.Errorf("%s: %+v, want %q", c.name, f, c.want[i])
			}
		}
	}
	if got := made(nil).Placement([]*dsl.Host{host("a", 0), host("b", 1)}); len(got) != 0 {
		t.Errorf("a machine that says nothing: %+v", got)
	}
}
