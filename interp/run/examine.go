package run

import (
	"context"
	"fmt"
	"os"

	"versus/dsl"
	"versus/interp/machine"
)

// Examine looks at the machine of a host and says what it lacks of what the
// scenario requires of it, or "". A host that can't be reached is an error.
// Nothing of it is kept, but for the copy of versus that a host of kind ssh gets.
func Examine(ctx context.Context, h *dsl.Host) (found machine.Examination, lacks string, err error) {
	if h.Kind != "ssh" && h.Kind != "exec" {
		found, err = machine.This().Examine(ctx)
		return found, machine.This().Lacks(h.CPUs, h.Require), err
	}
	self, err := os.Executable()
	if err != nil {
		return found, "", fmt.Errorf("the program versus itself can't be found: %w", err)
	}
	r, err := dial(ctx, h, []string{self})
	if err != nil {
		return found, "", err
	}
	defer r.close()
	a, err := r.lines.ask(ctx, question{Machine: true, Examine: true, CPUs: h.CPUs, Require: h.Require})
	switch {
	case err != nil:
		return found, "", fmt.Errorf("host %q: %w", h.Name, err)
	case a.Examination == nil:
		return found, "", fmt.Errorf("host %q: the versus there does not say how the machine is", h.Name)
	}
	a.Examination.Each(printable)
	return *a.Examination, clip(a.Lacks), nil
}
