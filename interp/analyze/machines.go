package analyze

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"versus/interp/journal"
)

// Machine is one of several machines whose runs were merged into a result.
type Machine struct {
	Name  string
	Cells int // with a run of it
}

// machinesOf lists the machines of a result by name; nil if there are not several.
func machinesOf(cells []*Cell) []Machine {
	count := map[string]int{}
	for _, c := range cells {
		for _, name := range machinesIn(c.all()) {
			if name != "" {
				count[name]++
			}
		}
	}
	if len(count) < 2 {
		return nil
	}
	var list []Machine
	for name, n := range count {
		list = append(list, Machine{name, n})
	}
	slices.SortFunc(list, func(a, b Machine) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// machinesIn are the machines that made the runs, sorted.
func machinesIn(runs []*journal.Run) []string {
	var names []string
	for _, r := range runs {
		if !slices.Contains(names, r.Machine) {
			names = append(names, r.Machine)
		}
	}
	slices.Sort(names)
	return names
}

// all are the runs of the cell and of its twin that count.
func (c *Cell) all() []*journal.Run {
	if c.Twin == nil {
		return c.Valid
	}
	return slices.Concat(c.Valid, c.Twin.Valid)
}

// findStrangers notes what was compared, though it was not measured on the same
// machines: the machines that made the runs, and for each host that is another
// machine, what that was.
func findStrangers(res *Result) {
	for _, c := range res.Cells {
		if where := scattered(c.all()); where != "" {
			c.strangers = append(c.strangers, Remark{true, "runs of one cell were made on different machines", where})
		}
	}
	for _, comparison := range res.Comparisons {
		for _, p := range comparison.Pairs {
			if p.Refused != "" || scattered(p.Candidate.all()) != "" || scattered(p.Baseline.all()) != "" {
				continue
			}
			if where := scattered(slices.Concat(p.Baseline.Valid, p.Candidate.Valid)); where != "" {
				what := fmt.Sprintf("comparison %s compares runs of different machines: what differs may be those", comparison.Comparison.Name)
				p.Candidate.strangers = append(p.Candidate.strangers, Remark{true, what, where})
			}
		}
	}
}

// scattered says on which machines the same part of runs was made, "" if it is
// one. Machines may also make a link in different ways.
func scattered(runs []*journal.Run) string {
	if names := machinesIn(runs); len(names) > 1 {
		for i, name := range names {
			if name == "" {
				names[i] = "another one"
			}
		}
		return strings.Join(names, " and ")
	}
	hosts, links := map[string]string{}, map[string]string{}
	for _, r := range runs {
		for _, name := range slices.Sorted(maps.Keys(r.Links)) { // in order: the first one that differs is named
			l := r.Links[name]
			if l == nil {
				continue
			}
			if was, ok := links[name]; ok && was != l.Via {
				return fmt.Sprintf("link %s was made by %s and %s", name, viaName(min(was, l.Via)), viaName(max(was, l.Via)))
			}
			links[name] = l.Via
		}
		for _, host := range slices.Sorted(maps.Keys(r.Machines)) {
			m := r.Machines[host]
			if m == nil {
				continue
			}
			if was, ok := hosts[host]; ok && was != m.Host {
				return fmt.Sprintf("host %s was %s and %s", host, min(was, m.Host), max(was, m.Host))
			}
			hosts[host] = m.Host
		}
	}
	return ""
}
