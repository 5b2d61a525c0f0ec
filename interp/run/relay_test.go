package run

import (
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"versus/drivers"
	"versus/drivers/all"
	"versus/dsl"
	"versus/interp/journal"
	"versus/interp/plan"
)

// Real middleware, by TCP, over a link that is slow, uneven and loses frames.
func TestDriversOverRelay(t *testing.T) {
	needsTUN(t)
	l := &dsl.Link{Name: "x", Between: []string{"near", "far"}, Rate: 50e6, Delay: 0.01, Jitter: 0.004, Loss: 0.01, Via: dsl.ViaRelay}
	p := placedPlan(t, dsl.Setting{Name: "calls", Value: "15"})
	dir, j := newJournal(t)
	e := newExecutor(p.Runs(), Options{Drivers: all.Registry()})
	if err := e.walk(t.Context(), linked{p, l}, j); err != nil {
		t.Fatal(err)
	}
	c, err := journal.Read(dir)
	if err != nil || len(c.Runs) != p.Runs() {
		t.Fatal(len(c.Runs), err)
	}
	for _, r := range c.Runs {
		if is := r.Links["x"]; r.Status != journal.OK || is.Relay.Passed[0] == 0 || is.Relay.Passed[1] == 0 || is.Relay.CPU <= 0 {
			t.Errorf("%s: %s, %+v", r.Cell, r.Error, is)
		}
	}
}

// linked has a link between the hosts of every cell.
type linked struct {
	*plan.Plan
	link *dsl.Link
}

func (p linked) Cell(i int) (*plan.Cell, error) {
	c, err := p.Plan.Cell(i)
	if err != nil {
		return nil, err
	}
	with := *c
	with.Links = []*dsl.Link{p.link}
	return &with, nil
}

// A relay that is gone, or its device, costs the run under way, which says so.
func TestRelayIsLost(t *testing.T) {
	needsTUN(t)
	for why, lose := range map[string]func(relay int, any *process){
		"its relay ended":                          func(relay int, _ *process) { unix.Kill(relay, unix.SIGKILL) },
		"its relay ended: relay: a device is gone": func(_ int, p *process) { cutCable(t, p) },
	} {
		l := &dsl.Link{Name: "x", Between: []string{"near", "far"}, Via: dsl.ViaRelay}
		e := newExecutor(2, Options{Drivers: drivers.Registry{fake}})
		lost := false
		e.opts.probe.reached = func(at phase, ps []*process) {
			if at == measuring && !lost {
				lost = true
				lose(e.hosts.Helpers()[0], ps[0])
			}
		}
		dir, j := newJournal(t)
		if err := e.walk(t.Context(), cells{[]*plan.Cell{apart("a", l)}, 2}, j); err != nil {
			t.Fatal(err)
		}
		c, err := journal.Read(dir)
		if err != nil || len(c.Runs) != 2 {
			t.Fatal(c, err)
		}
		if r := c.Runs[0]; r.Status != journal.Failed || !strings.Contains(r.Error, `link "x": `+why) {
			t.Errorf("%+v", r)
		}
		if r := c.Runs[1]; r.Status != journal.OK {
			t.Errorf("%+v", r)
		}
	}
}
