package run

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"versus/drivers"
	"versus/interp/host"
	"versus/interp/plan"
)

// probeTimeout bounds how long a driver may look for what it needs.
const probeTimeout = 10 * time.Second

// available finds out, once for each driver, what can run on this machine.
type available struct {
	registry drivers.Registry
	probed   map[string]drivers.Availability
}

// driver returns the driver of the workload, or why it can't run here.
func (a *available) driver(ctx context.Context, w drivers.Workload) (d drivers.Driver, why string) {
	d, ok := a.registry.Find(w.Driver)
	if !ok {
		return d, fmt.Sprintf("there is no driver %q", w.Driver)
	}
	found, ok := a.probed[w.Driver]
	if !ok {
		found = probe(ctx, d.Probe)
		a.probed[w.Driver] = found
	}
	if found.OK && d.ProbeFor != nil {
		found = probe(ctx, func(ctx context.Context) drivers.Availability { return d.ProbeFor(ctx, w) })
	}
	if found.OK {
		return d, ""
	}
	why = fmt.Sprintf("driver %q can't run here: %s", w.Driver, found.Missing)
	if found.Get != "" {
		why += "; to get it: " + found.Get
	}
	return d, why
}

// probe asks a driver what it finds. One that needs nothing has no probe.
func probe(ctx context.Context, ask func(context.Context) drivers.Availability) drivers.Availability {
	if ask == nil {
		return drivers.Availability{OK: true}
	}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	return ask(ctx)
}

// hosts returns why a role of the cell can't run in its place, or "".
func hosts(c *plan.Cell) string {
	for _, role := range slices.Sorted(maps.Keys(c.Place)) {
		h := c.Place[role]
		if h == nil {
			continue
		}
		if h.Kind == "ssh" || h.Kind == "exec" {
			continue // asked there
		}
		if why := host.Lacks(h); why != "" {
			return fmt.Sprintf("host %q requires %s", h.Name, why)
		}
	}
	return ""
}
