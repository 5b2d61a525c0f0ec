package run

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"versus/drivers"
	"versus/interp/host"
	"versus/interp/journal"
	"versus/interp/machine"
	"versus/interp/plan"
)

// Options are what Run needs beside the plan and the journal.
type Options struct {
	// Drivers are the drivers that the plan may use.
	Drivers drivers.Registry
	// Before are the runs that the journal holds already, for cells with a stop
	// rule.
	Before []journal.Run
	// Value gives the value of a run that a stop rule looks at; ok is false if
	// the run does not count. Without it no cell stops before its last run.
	Value func(*plan.Cell, *journal.Run) (value float64, ok bool)
	// Machine is what the journal calls this machine, if it is of several.
	Machine string
	// Progress, if not nil, is told how the work goes, from the goroutine that
	// called Run.
	Progress func(Event)

	probe probes
}

// Run executes the plan in its order and writes each run into the journal.
// Runs that the journal holds with status OK are left out, and those of cells
// that are precise enough by their stop rule. A run that fails is
// in the journal as failed, and the next one starts clean; a run that this
// machine can't do is in the journal as skipped. Neither is an error of Run.
//
// When ctx is done, everything stops at once, the run under way is not
// recorded, and the error is the one of ctx. Other errors are those of the
// journal and of the plan. No process is left behind in any case.
func Run(ctx context.Context, p Schedule, j *journal.Journal, opts Options) error {
	return newExecutor(p.Runs(), opts).walk(ctx, p, j)
}

// Schedule is a plan, or a shard of one.
type Schedule interface {
	Runs() int
	// Order yields the runs, each with its position in the whole plan, from 0.
	Order() iter.Seq2[int, plan.RunID]
	Cell(int) (*plan.Cell, error)
}

// executor holds what lasts from run to run.
type executor struct {
	opts      Options
	total     int
	number    int // of the run under way, from 1
	available available
	guard     *guard // nil before the first run, and where none can be had
	guarded   bool   // the guard was asked for
	hosts     *host.Hosts
	estimate  estimate
	settings  journal.Environment // of this machine, when the plan began
	measured  bool                // a run was measured, so that the next one pauses first
}

// walk does the runs of the plan. It is called once.
func (e *executor) walk(ctx context.Context, p Schedule, j *journal.Journal) error {
	defer func() {
		e.guard.close()
		e.hosts.Close()
	}()
	stops := newStopper(e.opts)
	for order, id := range p.Order() {
		if err := ctx.Err(); err != nil {
			return err
		}
		e.number++
		cell, err := p.Cell(id.Cell)
		if err != nil {
			return err
		}
		if stops.enough(cell, id.Run) {
			continue
		}
		if j.OK(cell.Key, id.Run) {
			stops.keep(cell, stops.before[runName{cell.Key, id.Run}])
			continue
		}
		r := journal.Run{Cell: cell.Key, Run: id.Run, Order: order, Machine: e.opts.Machine}
		if err := e.do(ctx, cell, &r); err != nil {
			return err
		}
		if err := j.Append(r); err != nil {
			return err
		}
		stops.keep(cell, &r)
		e.tell(Finished{e.position(&r), r.Status, r.Error, titleOf(cell), r.Total, latencyOf(&r)})
	}
	return nil
}

func newExecutor(total int, opts Options) *executor {
	if opts.Progress == nil {
		opts.Progress = func(Event) {}
	}
	return &executor{
		opts: opts, total: total, hosts: host.New(ownRuns(opts), func(link string) { opts.Progress(Measuring{link}) }),
		available: available{registry: opts.Drivers, probed: map[string]drivers.Availability{}},
		settings:  machine.This().Settings(),
	}
}

// ownRuns are the runs before that were made from this machine.
func ownRuns(opts Options) []journal.Run {
	return slices.DeleteFunc(slices.Clone(opts.Before), func(r journal.Run) bool { return r.Machine != opts.Machine })
}

func (e *executor) tell(ev Event) { e.opts.Progress(ev) }

// position returns where the run is; the time left is from its beginning or,
// when its total time is known, from its end.
func (e *executor) position(r *journal.Run) Position {
	left := e.total - e.number + 1
	if r.Status != "" {
		left--
	}
	return Position{r.Cell, r.Run, e.number, e.total, e.estimate.left(left)}
}

// do fills the record of one run. It returns an error only if the run must not
// be recorded.
func (e *executor) do(ctx context.Context, cell *plan.Cell, r *journal.Run) error {
	r.Start = time.Now().UTC()
	d, why := e.available.driver(ctx, cell.Workload)
	if err := ctx.Err(); err != nil {
		return err // the probe may have found nothing because of it
	}
	if why == "" {
		why = hosts(cell)
	}
	if why != "" {
		r.Status, r.Error = journal.Skipped, why
		return nil
	}
	if d.Recorded != nil {
		settle(r, replay(d, cell, r))
		return nil
	}
	roles, err := e.roles(ctx, d, cell, r)
	if lack := (host.Missing{}); errors.As(err, &lack) {
		r.Status, r.Error = journal.Skipped, err.Error()
		return nil
	}
	if err != nil {
		settle(r, err)
		return ctx.Err()
	}
	began := time.Now()
	if err := e.pause(ctx, cell); err != nil {
		return err
	}
	r.Start = time.Now().UTC()
	e.tell(Started{e.position(r)})
	err = errors.Join(e.measureBetweenClocks(ctx, roles, cell, r), e.hosts.Count(r.Links))
	if err != nil && ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		// What failed may be the network: the next run gets a new one.
		e.hosts.Renew()
	}
	e.estimate.add(time.Since(began))
	settle(r, err)
	return nil
}

// settle sets the status of a run that ended with err.
func settle(r *journal.Run, err error) {
	r.Status = journal.OK
	if err == nil {
		// What the journal can't hold, for its size for example, is a failure
		// of this run, not of all.
		err = r.Check()
	}
	if err != nil {
		const most = 32 << 10
		text := strings.ToValidUTF8(err.Error(), "?")
		if len(text) > most {
			text = text[:most] + "..."
		}
		r.Status, r.Error = journal.Failed, text
		r.Roles, r.Values = nil, nil
	}
}

// replay fills the record with what the driver has on record.
func replay(d drivers.Driver, cell *plan.Cell, r *journal.Run) (err error) {
	r.Values, err = d.Recorded(cell.Workload, r.Run)
	return err
}

// pause waits between two measured runs, as the methodology asks for.
func (e *executor) pause(ctx context.Context, cell *plan.Cell) error {
	length := seconds(cell.Test.Methodology.Pause)
	if !e.measured || length <= 0 {
		e.measured = true
		return nil
	}
	select {
	case <-time.After(length):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// roles returns the roles of a run, for which all hosts and links are made.
func (e *executor) roles(ctx context.Context, d drivers.Driver, cell *plan.Cell, r *journal.Run) ([]drivers.Role, error) {
	roles, err := d.Roles(cell.Workload)
	if err != nil {
		return nil, err
	}
	if err := checkRoles(roles); err != nil {
		return nil, fmt.Errorf("driver %q: %w", d.Name, err)
	}
	if r.Links, err = e.hosts.Prepare(ctx, cell, roles); err == nil {
		r.Machines = e.hosts.Machines(cell, roles)
	}
	return roles, err
}

// measureBetweenClocks does one run, and compares the clocks of its hosts before
// and after it.
func (e *executor) measureBetweenClocks(ctx context.Context, roles []drivers.Role, cell *plan.Cell, r *journal.Run) error {
	began := time.Now()
	before, err := e.hosts.CompareClocks(ctx, cell, roles)
	if err != nil {
		return err
	}
	if err := e.measure(ctx, roles, cell, r, before); err != nil || len(before) == 0 {
		return err
	}
	after, err := e.hosts.CompareClocks(ctx, cell, roles)
	if err != nil {
		return err
	}
	r.Clocks = map[string]journal.Clock{}
	for name, o := range before {
		c := journal.Clock{Before: o, After: after[name]}
		r.Clocks[name] = c
		if host.Stepped(c, time.Since(began)) {
			err = errors.Join(err, fmt.Errorf("the clock of host %q moved by %v during the run, more than clocks drift: it was set, or its machine stood still. "+
				"The one-way times of the run mean nothing", name, time.Duration(c.After.Offset-c.Before.Offset).Round(time.Microsecond)))
		}
	}
	return err
}

// measure does one run in fresh processes and fills the record.
func (e *executor) measure(ctx context.Context, roles []drivers.Role, cell *plan.Cell, r *journal.Run, clocks map[string]journal.ClockOffset) error {
	e.protect()
	watch := machine.This().Watch(e.hosts.Helpers()...)
	began := time.Now()
	s := newSession()
	err := e.launch(s, cell, roles, clocks)
	var setup time.Duration
	if err == nil {
		setup, err = s.conduct(ctx, began, terms{
			workload: cell.Workload,
			timeout:  cell.Test.Methodology.Timeout,
			drain:    cell.Test.Methodology.Drain,
			probe:    e.opts.probe,
		})
	}
	s.end()
	e.guard.protect(nil)
	if err == nil {
		err = s.exits()
	}
	r.Setup, r.Total = setup.Seconds(), time.Since(began).Seconds()
	r.Conditions = watch.End(&e.settings)
	if err != nil {
		return s.explain(err)
	}
	r.Roles = make(map[string]*journal.Role, len(s.ps))
	for _, p := range s.ps {
		r.Roles[p.role.Name] = &journal.Role{Active: p.role.Active, Host: p.at.Host, Listen: p.at.Listen, Effective: p.effective, Env: p.at.Env(p.role), Result: p.result}
	}
	return nil
}

// protect starts the guard before the first run.
func (e *executor) protect() {
	if e.guarded {
		return
	}
	e.guarded = true
	var err error
	if e.guard, err = newGuard(); err != nil {
		e.tell(Warning{err.Error()})
	}
}

// launch starts all processes of the run at once.
func (e *executor) launch(s *session, cell *plan.Cell, roles []drivers.Role, clocks map[string]journal.ClockOffset) error {
	for _, role := range roles {
		at, err := e.hosts.Place(cell, role.Name)
		if err != nil {
			return err
		}
		// Hosts with the clock of this machine have none in clocks.
		if err := s.launch(cell.Workload.Driver, role, at, -clocks[at.Host].Offset); err != nil {
			return err
		}
		e.guard.protect(s.ps)
	}
	return nil
}

// checkRoles returns why no run can be made of the roles.
func checkRoles(roles []drivers.Role) error {
	seen, active := map[string]bool{}, false
	for _, role := range roles {
		if role.Name == "" || seen[role.Name] {
			return fmt.Errorf("its role %q has no name, or one that another role has", role.Name)
		}
		seen[role.Name] = true
		active = active || role.Active
	}
	if !active {
		return fmt.Errorf("none of its %d roles generates load", len(roles))
	}
	return nil
}
