package run

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"versus/drivers"
	"versus/dsl"
	"versus/interp/journal"
	"versus/interp/plan"
)

// network has the network namespaces of the hosts that were needed so far, all
// connected with each other. They stay until the end of the plan.
type network struct {
	hosts  map[string]*namespace // by name of the host
	failed map[string]error      // why there is no such host, or link
	links  map[string]*journal.Link
}

func newNetwork() *network {
	return &network{hosts: map[string]*namespace{}, failed: map[string]error{}, links: map[string]*journal.Link{}}
}

// missing is the reason why a run can't be made on this machine.
type missing struct{ error }

// prepare makes what the roles of a cell need, and returns the links between
// their hosts as they were measured. A failure is remembered.
func (w *network) prepare(ctx context.Context, cell *plan.Cell, roles []drivers.Role) (map[string]*journal.Link, error) {
	used := map[string]bool{}
	for _, r := range roles {
		h := cell.Host(r.Name)
		if h == nil || h.Kind != "netns" {
			continue
		}
		used[h.Name] = true
		if err := w.once("host "+h.Name, func() error { return w.addHost(h) }); err != nil {
			return nil, err
		}
	}
	var links map[string]*journal.Link
	for _, l := range cell.Links {
		if !used[l.Between[0]] || !used[l.Between[1]] {
			continue
		}
		if err := w.once("link "+l.Name, func() error { return w.addLink(ctx, l) }); err != nil {
			return nil, err
		}
		if links == nil {
			links = map[string]*journal.Link{}
		}
		links[l.Name] = w.links[l.Name]
	}
	return links, nil
}

// once does something the first time that it is asked for, and gives the same
// answer ever after.
func (w *network) once(what string, do func() error) error {
	err, known := w.failed[what]
	if !known {
		err = do()
		w.failed[what] = err
	}
	return err
}

// addHost makes the namespace of a host, and connects it with all others.
func (w *network) addHost(h *dsl.Host) error {
	n, err := newNamespace(h.Name, len(w.hosts)+1)
	if err != nil {
		return missing{fmt.Errorf("host %q: %w", h.Name, err)}
	}
	for _, other := range w.hosts {
		err = errors.Join(err, connect(n, other))
	}
	if err != nil {
		n.close()
		return err
	}
	w.hosts[h.Name] = n
	return nil
}

// place is where a role of a cell runs, for which all is prepared.
func (w *network) place(c *plan.Cell, role string) (place, error) {
	l, err := here()
	at := place{launcher: l}
	if h := c.Host(role); h != nil {
		at.host, at.cpus, at.environment = h.Name, h.CPUs, h.Environment
		if n := w.hosts[h.Name]; n != nil {
			at.launcher, at.listen = n.launcher, n.address
		}
	}
	return at, err
}

// renew removes all hosts, so that they are made anew, and their links measured,
// when they are needed. What could not be made stays so.
func (w *network) renew() {
	w.close()
	clear(w.hosts)
	clear(w.links)
	maps.DeleteFunc(w.failed, func(_ string, err error) bool { return err == nil })
}

// close removes everything. No process may be in the namespaces any more.
func (w *network) close() {
	for _, n := range w.hosts {
		n.close()
	}
}
