package machine

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"versus/dsl"
)

// Placement is what there is to say of the CPUs to which hosts on this machine
// are bound. Hosts that are bound to none are left out.
func (m Machine) Placement(hosts []*dsl.Host) []Finding {
	var bound []*dsl.Host
	for _, h := range hosts {
		if (h.Kind == "local" || h.Kind == "netns") && len(h.CPUs) > 0 {
			bound = append(bound, h)
		}
	}
	t := m.topology(bound)
	var out []Finding
	for i, a := range bound {
		out = append(out, slices.Concat(t.mixed(a), t.idle(a))...)
		for _, b := range bound[i+1:] {
			out = append(out, slices.Concat(t.oneCore(a, b), t.apart(a, b))...)
		}
	}
	for i := range out {
		out[i].Topic, out[i].Found = "placement", printable(out[i].Found)
	}
	return out
}

// topology is how CPUs lie to each other.
type topology struct {
	kinds    map[int]string // of the core, empty if there is only one
	siblings map[int][]int  // on the same core
	nodes    map[int]string // memory node, empty if it is not known
	isolated []int
}

// topology is that of the CPUs of some hosts.
func (m Machine) topology(hosts []*dsl.Host) topology {
	t := topology{map[int]string{}, map[int][]int{}, map[int]string{}, list(m.line(cpuDir + "isolated"))}
	for _, h := range hosts {
		for _, cpu := range h.CPUs {
			if _, known := t.kinds[cpu]; !known {
				t.kinds[cpu] = m.ofCPU(cpu, "cpu_capacity")
				t.siblings[cpu] = list(m.ofCPU(cpu, "topology/thread_siblings_list"))
			}
		}
	}
	for _, kind := range []string{"core", "atom"} {
		for _, cpu := range list(m.line("sys/devices/cpu_" + kind + "/cpus")) {
			t.kinds[cpu] = kind
		}
	}
	for _, node := range list(m.line("sys/devices/system/node/online")) {
		for _, cpu := range list(m.line("sys/devices/system/node/node" + strconv.Itoa(node) + "/cpulist")) {
			t.nodes[cpu] = strconv.Itoa(node)
		}
	}
	return t
}

// mixed looks for a host on cores of several kinds.
func (t topology) mixed(h *dsl.Host) []Finding {
	kinds := group(h.CPUs, func(cpu int) string { return t.kinds[cpu] })
	if len(kinds) < 2 {
		return nil
	}
	return found(Warning, fmt.Sprintf("Host %q is bound to %s, which are cores of %d kinds.", h.Name, cpus(h.CPUs), len(kinds)),
		"Its roles are faster on some than on the others, and the kernel moves them.", "Bind it to CPUs of one kind.")
}

// idle looks for a host of whose CPUs Linux would use only one.
func (t topology) idle(h *dsl.Host) []Finding {
	if len(h.CPUs) < 2 || slices.ContainsFunc(h.CPUs, func(cpu int) bool { return !slices.Contains(t.isolated, cpu) }) {
		return nil
	}
	return found(Warning, fmt.Sprintf("Host %q is bound to %s, all of them isolated: Linux does not spread threads over them.", h.Name, cpus(h.CPUs)),
		"All its threads stay on one CPU.", "Bind each host to one of them, or leave them out of isolcpus.")
}

// oneCore looks for two hosts on the two threads of a core.
func (t topology) oneCore(a, b *dsl.Host) []Finding {
	for _, cpu := range a.CPUs {
		for _, sibling := range t.siblings[cpu] {
			if sibling != cpu && slices.Contains(b.CPUs, sibling) && !slices.Contains(a.CPUs, sibling) {
				return found(Warning, fmt.Sprintf("Hosts %q and %q share a core: CPU %d of the one, CPU %d of the other.", a.Name, b.Name, cpu, sibling),
					"Their roles slow each other down, each to as little as half its speed.", "Bind one of them to CPUs of other cores.")
			}
		}
	}
	return nil
}

// apart looks for two hosts on different memory nodes.
func (t topology) apart(a, b *dsl.Host) []Finding {
	nodes := func(h *dsl.Host) string {
		of := group(h.CPUs, func(cpu int) string { return t.nodes[cpu] })
		return strings.Join(slices.Sorted(maps.Keys(of)), ", ")
	}
	x, y := nodes(a), nodes(b)
	if x == "" || y == "" || x == y {
		return nil
	}
	return found(Note, fmt.Sprintf("Host %q has memory node %s, host %q node %s.", a.Name, x, b.Name, y),
		"Their roles reach each other's memory more slowly than on one node.", "Bind both to CPUs of one node, unless that is what is measured.")
}
