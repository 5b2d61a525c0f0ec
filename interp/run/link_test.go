package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"versus/dsl"
	"versus/interp/journal"
	"versus/interp/plan"
)

func between(name string, rate, delay float64) *dsl.Link {
	return &dsl.Link{Name: name, Between: []string{"near", "far"}, Rate: rate, Delay: delay}
}

func TestCheckLink(t *testing.T) {
	for _, c := range []struct {
		rate, delay float64
		is          journal.Link
		want        string // part of the error; empty if none
	}{
		{56e3, 0, journal.Link{Rate: [2]float64{56e3, 54e3}, RoundTrip: 1}, ""},
		{56e3, 0, journal.Link{Rate: [2]float64{56e3, 53e3}}, "5.3e+04 bit/s from far to near instead of 5.6e+04"},
		{56e3, 0, journal.Link{Rate: [2]float64{59e3, 56e3}}, "from near to far"},
		{0, 0.01, journal.Link{RoundTrip: 0.0202}, ""},
		{0, 0.01, journal.Link{RoundTrip: 0.0212}, "a round trip of 0.0212 s instead of 0.02"},
		{0, 0.01, journal.Link{RoundTrip: 0.0189}, "round trip"},
		{0, 0.0005, journal.Link{RoundTrip: 0.0011}, ""}, // the machine's own time
	} {
		err := checkLink(between("x", c.rate, c.delay), &c.is)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c, err, c.want)
		}
	}
}

// The tool of the kernel and the measurement hold each other to account: the
// link is as it was asked for.
func TestLinkIsMeasured(t *testing.T) {
	needsLinks(t)
	for _, rate := range []float64{256e3, 10e6, 200e6} {
		runs := records(t, cells{[]*plan.Cell{apart("a", between("x", rate, 0))}, 2}, Options{})
		for i, r := range runs {
			l := r.Links["x"]
			if r.Status != journal.OK || l == nil || l.RoundTrip <= 0 || checkLink(between("x", rate, 0), l) != nil {
				t.Errorf("%g bit/s, run %d: %+v, %+v", rate, i, r, l)
			}
		}
		if !t.Failed() && *runs[0].Links["x"] != *runs[1].Links["x"] {
			t.Error("the link was measured again")
		}
	}
}

// Where a link is not what it should be, its cells fail and others don't.
func TestLinkThatIsOff(t *testing.T) {
	needsLinks(t)
	w := twoHosts(t)
	c := apart("a", between("x", 1e6, 0))
	a, b := w.hosts["near"], w.hosts["far"]
	for _, end := range [][2]*namespace{{a, b}, {b, a}} {
		if err := end[0].limit(end[0].device(end[1]), between("x", 2e6, 0)); err != nil {
			t.Fatal(err)
		}
	}
	is, err := measureLink(t.Context(), a, b, c.Links[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := checkLink(c.Links[0], is); err == nil || !strings.Contains(err.Error(), "off by more than 5%") {
		t.Errorf("%+v: %v", is, err)
	}
	w.failed["link x"] = errors.New("link is off")
	roles, _ := fake.Roles(c.Workload)
	if _, err := w.prepare(t.Context(), c, roles); err == nil || err.Error() != "link is off" {
		t.Errorf("error %v", err)
	}
}

// Ctrl-C ends the measurement of a link, however slow that is.
func TestInterruptedLink(t *testing.T) {
	needsLinks(t)
	w := twoHosts(t)
	a, b := w.hosts["near"], w.hosts["far"]
	if err := a.limit(a.device(b), between("x", 1e3, 0)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := rate(ctx, a, b, 1e3, 0) // its frames take minutes
		done <- err
	}()
	cancel()
	if err := <-done; err == nil {
		t.Error("no error")
	}
}

// twoHosts is a network of near and far.
func twoHosts(t *testing.T) *network {
	t.Helper()
	w := newNetwork(nil)
	t.Cleanup(w.close)
	for _, h := range []*dsl.Host{near, far} {
		if err := w.once("host "+h.Name, func() error { return w.addHost(h) }); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// Delay takes netem, which not every kernel has. Either is right, but nothing
// between them.
func TestLinkWithDelay(t *testing.T) {
	needsLinks(t)
	for _, r := range records(t, cells{[]*plan.Cell{apart("a", between("x", 1e6, 0.005)), apart("b")}, 1}, Options{}) {
		switch {
		case r.Cell == "b" && r.Status == journal.OK:
		case r.Status == journal.OK && r.Links["x"].RoundTrip >= 0.0095:
		case r.Status == journal.Skipped && strings.Contains(r.Error, `link "x" has a delay, which this kernel can't make: it has no netem`):
		default:
			t.Error(fmt.Sprintf("%+v", r))
		}
	}
}
