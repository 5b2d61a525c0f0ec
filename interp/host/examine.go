package host

import (
	"context"
	"fmt"

	"versus/dsl"
	"versus/interp/machine"
)

// Lacks returns what a host on this machine is to have and the machine does not
// give it, or "".
func Lacks(h *dsl.Host) string { return lacks(h.CPUs, h.Priority, h.Require) }

// lacks is Lacks on the machine of the host, which knows no more of it.
func lacks(cpus []int, p dsl.Priority, need dsl.Require) string {
	if why := machine.This().Lacks(cpus, need); why != "" {
		return why
	}
	if err := granted(p); err != nil {
		return err.Error()
	}
	return ""
}

// TryNetwork makes the network namespaces of a scenario and the links between them, as
// a run would but without measuring them, and takes them away again. It returns why
// this machine can't have them. Priorities of hosts are for Lacks.
func TryNetwork(hosts []*dsl.Host, links []*dsl.Link) (errs []error) {
	w := New(nil, nil)
	defer w.Close()
	for _, h := range hosts {
		if h.Kind != "netns" {
			continue
		}
		bare := *h
		bare.Priority = dsl.Priority{}
		if err := w.addHost(&bare); err != nil {
			return []error{err} // others would lack the same
		}
	}
	for _, l := range links {
		k := w.link(l)
		if err := k.make(); err != nil {
			errs = append(errs, fmt.Errorf("link %q %w", l.Name, err))
		}
		k.close()
	}
	return errs
}

// Examine looks at the machine of a host of kind ssh or exec, and says what it
// lacks of what the scenario requires of it, or "". A host that can't be reached
// is an error. Nothing of it is kept, but for the copy of versus that a host of
// kind ssh gets.
func Examine(ctx context.Context, h *dsl.Host) (found machine.Examination, lacks string, err error) {
	r, err := dial(ctx, h)
	if err != nil {
		return found, "", err
	}
	defer r.close()
	a, err := r.lines.ask(ctx, question{Machine: true, Examine: true, CPUs: h.CPUs, Priority: h.Priority, Require: h.Require})
	switch {
	case err != nil:
		return found, "", fmt.Errorf("host %q: %w", h.Name, err)
	case a.Examination == nil:
		return found, "", fmt.Errorf("host %q: the versus there does not say how the machine is", h.Name)
	}
	a.Examination.Each(printable)
	if a.Lacks == "" && a.Machine != nil && a.Machine.Versus != r.build {
		a.Lacks = fmt.Sprintf("this build of versus (SHA-256 %.16s), but there is another (%.16s)", r.build, a.Machine.Versus)
	}
	return *a.Examination, Clip(a.Lacks), nil
}
