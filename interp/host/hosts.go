package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"versus/drivers"
	"versus/dsl"
	"versus/interp/journal"
	"versus/interp/plan"
)

// Hosts has the hosts that were needed so far and are more than this machine
// as it is: network namespaces, all connected with each other, and other
// machines. They stay until they are closed. One goroutine may use it.
type Hosts struct {
	spaces  map[string]*namespace // by name of the host
	threads map[string]*launcher  // of local hosts with a priority
	remotes map[string]*remote
	known   map[string]*journal.Environment // what hosts are in this result, by name
	failed  map[string]error                // why there is no such host, or link
	links   map[string]*link                // by name
	tell    func(link string)               // that a link is measured now
}

// New has no host yet. Hosts must be the machines that they were in before, the runs of this result
// that were made from here. tell is called with the name of each link before it is
// measured, which may take seconds.
func New(before []journal.Run, tell func(link string)) *Hosts {
	w := &Hosts{
		tell:   tell,
		spaces: map[string]*namespace{}, threads: map[string]*launcher{}, remotes: map[string]*remote{},
		failed: map[string]error{}, links: map[string]*link{}, known: map[string]*journal.Environment{},
	}
	for i := range before {
		if before[i].Status == journal.OK {
			maps.Copy(w.known, before[i].Machines)
		}
	}
	return w
}

// Missing is the error that says what a machine lacks for a run, so that it can't be
// made there: none of the scenario's, and nothing that trying again would change.
type Missing struct{ error }

// Prepare makes what the roles of a cell need, and returns the links between
// their hosts as they were measured. A failure is remembered, but for a host that
// can't be reached, which may come back. The error is Missing where this machine, or
// that of a host, lacks something.
func (w *Hosts) Prepare(ctx context.Context, cell *plan.Cell, roles []drivers.Role) (map[string]*journal.Link, error) {
	used := map[string]bool{}
	for _, r := range roles {
		h := cell.Host(r.Name)
		if err := w.equip(ctx, h, r); err != nil {
			return nil, err
		}
		if h == nil {
			continue
		}
		if h.Kind == "local" && h.Priority != (dsl.Priority{}) {
			if err := w.once("host "+h.Name, func() error { return w.addThread(h) }); err != nil {
				return nil, err
			}
		}
		if h.Kind != "netns" {
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
		links[l.Name] = &w.links[l.Name].is
	}
	return links, nil
}

// Count adds to the links of a run what passed in it.
func (w *Hosts) Count(links map[string]*journal.Link) error {
	var errs []error
	for name := range links {
		is, err := w.links[name].passed()
		if err != nil {
			errs = append(errs, fmt.Errorf("link %q: %w", name, err))
			continue
		}
		links[name] = is
	}
	return errors.Join(errs...)
}

// equip has what a role needs on its host; nil is this machine.
func (w *Hosts) equip(ctx context.Context, h *dsl.Host, r drivers.Role) error {
	if h != nil && (h.Kind == "ssh" || h.Kind == "exec") {
		if err := w.reach(ctx, h); err != nil {
			return err
		}
		err := w.remotes[h.Name].prepare(ctx, r)
		if lack := (Missing{}); err != nil && !errors.As(err, &lack) {
			// The next run gets a new connection.
			w.remotes[h.Name].close()
			delete(w.remotes, h.Name)
		}
		return err
	}
	return lacksNeeds("this machine", r.Name, drivers.Lacking(r.Needs))
}

// once does something the first time that it is asked for, and gives the same
// answer ever after.
func (w *Hosts) once(what string, do func() error) error {
	err, known := w.failed[what]
	if !known {
		err = do()
		w.failed[what] = err
	}
	return err
}

// addHost makes the namespace of a host, and connects it with all others.
func (w *Hosts) addHost(h *dsl.Host) error {
	n, err := newNamespace(h.Name, len(w.spaces)+1)
	if err != nil {
		return Missing{fmt.Errorf("host %q: %w", h.Name, err)}
	}
	for _, other := range w.spaces {
		err = errors.Join(err, connect(n, other))
	}
	if err == nil {
		err = n.do(func() error { return prioritise(h.Priority) })
	}
	if err != nil {
		n.close()
		return err
	}
	w.spaces[h.Name] = n
	return nil
}

// addThread has a thread for a local host, whose processes inherit its priority.
func (w *Hosts) addThread(h *dsl.Host) error {
	l, err := newLauncher(func() error { return prioritise(h.Priority) })
	if err != nil {
		return Missing{fmt.Errorf("host %q requires %w", h.Name, err)}
	}
	w.threads[h.Name] = l
	return nil
}

// Machines describes the machines of a cell other than this one, by host.
func (w *Hosts) Machines(cell *plan.Cell, roles []drivers.Role) map[string]*journal.Environment {
	var found map[string]*journal.Environment
	for _, role := range roles {
		if h := cell.Host(role.Name); h != nil && w.remotes[h.Name] != nil {
			if found == nil {
				found = map[string]*journal.Environment{}
			}
			found[h.Name] = w.remotes[h.Name].machine
		}
	}
	return found
}

// Place is where a role of a cell runs, for which all is prepared.
func (w *Hosts) Place(c *plan.Cell, role string) (Place, error) {
	l, err := here()
	at := Place{launcher: l}
	if h := c.Host(role); h != nil {
		at.Host, at.cpus, at.environment = h.Name, h.CPUs, h.Environment
		at.Listen, at.remote = h.Listen, w.remotes[h.Name]
		if l := w.threads[h.Name]; l != nil {
			at.launcher = l
		}
		if n := w.spaces[h.Name]; n != nil {
			at.launcher, at.Listen = n.launcher, n.address
		}
	}
	return at, err
}

// Renew removes all hosts, so that they are made anew, and their links measured,
// when they are needed. What could not be made stays so.
func (w *Hosts) Renew() {
	w.Close()
	clear(w.spaces)
	clear(w.threads)
	clear(w.remotes)
	clear(w.links)
	maps.DeleteFunc(w.failed, func(_ string, err error) bool { return err == nil })
}

// reach has a connection to a host of kind ssh or exec. It must be the machine that
// it was for the runs before.
func (w *Hosts) reach(ctx context.Context, h *dsl.Host) error {
	if err := w.failed["host "+h.Name]; err != nil || w.remotes[h.Name] != nil {
		return err
	}
	r, err := newRemote(ctx, h)
	if lack := (Missing{}); errors.As(err, &lack) {
		w.failed["host "+h.Name] = err
	}
	if err != nil {
		return err
	}
	if was := w.known[h.Name]; was != nil {
		if changes := was.Changes(r.machine); len(changes) > 0 {
			r.close()
			return fmt.Errorf("host %q is not what it was in this result, so that its runs would not compare with those before: %s",
				h.Name, Clip(strings.Join(changes, "; ")))
		}
	}
	w.known[h.Name], w.remotes[h.Name] = r.machine, r
	return nil
}

// Helpers are the IDs of processes that live as long as what they are for: relays of
// links, and what gives the pipe to another machine.
func (w *Hosts) Helpers() (pids []int) {
	for _, k := range w.links {
		if k.relay != nil {
			pids = append(pids, k.relay.cmd.Process.Pid)
		}
	}
	for _, r := range w.remotes {
		pids = append(pids, r.lines.cmd.Process.Pid)
	}
	return pids
}

// Close removes everything. No process may be in the namespaces any more.
func (w *Hosts) Close() {
	for _, k := range w.links {
		k.close()
	}
	for _, n := range w.spaces {
		n.close()
	}
	for _, l := range w.threads {
		l.close()
	}
	for _, r := range w.remotes {
		r.close()
	}
}
