package plan

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"versus/drivers"
	"versus/dsl"
)

// Host is where a role runs.
func (c *Cell) Host(role string) *dsl.Host {
	if h := c.Place[role]; h != nil {
		return h
	}
	return c.Place[""]
}

// placement returns why the roles of a cell can't run where it places them.
func (c *Cell) placement(d drivers.Driver, roles []drivers.Role) error {
	var names []string
	for _, r := range roles {
		names = append(names, r.Name)
	}
	for _, role := range slices.Sorted(maps.Keys(c.Place)) {
		if role != "" && !slices.Contains(names, role) {
			return fmt.Errorf("place names the role %q, but a run of driver %q has the roles %s", role, d.Name, strings.Join(names, ", "))
		}
	}
	for _, r := range roles {
		a, b := c.Host(roles[0].Name), c.Host(r.Name)
		if network(a) == network(b) {
			continue
		}
		if d.AcrossHosts == nil {
			return fmt.Errorf("driver %q uses the loopback interface or shared memory, so that its roles can't be on different hosts: %s is on %s, %s on %s",
				d.Name, roles[0].Name, a.Name, r.Name, b.Name)
		}
		if err := d.AcrossHosts(c.Workload); err != nil {
			return fmt.Errorf("%s is on host %q, %s on host %q: %w", roles[0].Name, a.Name, r.Name, b.Name, err)
		}
		if (a.Kind == "netns") != (b.Kind == "netns") {
			return fmt.Errorf("%s is on host %q, %s on host %q: only network namespaces reach each other, so that both hosts must be of kind netns",
				roles[0].Name, a.Name, r.Name, b.Name)
		}
		if a.Kind != "netns" && a.Listen == "" {
			return fmt.Errorf("%s on host %q must be reached from host %q: give host %q its address, listen = \"192.0.2.7\"", roles[0].Name, a.Name, b.Name, a.Name)
		}
	}
	return nil
}

// network names the network stack of a host: all local hosts have the same.
func network(h *dsl.Host) string {
	if h == nil || h.Kind == "local" {
		return "local"
	}
	return h.Kind + " " + h.Name
}

// Crossings is how often each message passes a link, from its first host to its
// second and back, when the cell is run by the given roles: a broker on another
// host is one hop more, and the reply to a call takes the way of the call.
func (c *Cell) Crossings(l *dsl.Link, roles []string) (times [2]int) {
	if len(l.Between) != 2 {
		return times
	}
	hop := func(from, to string) {
		a, b := c.Host(from), c.Host(to)
		switch {
		case a == nil || b == nil:
		case a.Name == l.Between[0] && b.Name == l.Between[1]:
			times[0]++
		case a.Name == l.Between[1] && b.Name == l.Between[0]:
			times[1]++
		}
	}
	send := func(from, to string) {
		if slices.Contains(roles, "broker") {
			hop(from, "broker")
			from = "broker"
		}
		hop(from, to)
	}
	switch c.Workload.Pattern {
	case drivers.RPC:
		send("client", "server")
		if call := c.Workload.Call; call != "oneway" && call != "batch_oneway" {
			send("server", "client")
		}
	case drivers.PubSub:
		send("publisher", "subscriber")
	}
	return times
}

// links are the links between hosts of a placement.
func links(s *dsl.Scenario, place map[string]*dsl.Host) []*dsl.Link {
	var found []*dsl.Link
	for _, l := range s.Links {
		ends := 0
		for _, name := range l.Between {
			if slices.ContainsFunc(slices.Collect(maps.Values(place)), func(h *dsl.Host) bool { return h.Name == name }) {
				ends++
			}
		}
		if ends == 2 {
			found = append(found, l)
		}
	}
	return found
}
