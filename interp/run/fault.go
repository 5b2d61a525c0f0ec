package run

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"versus/interp/host"
)

// The phases of a run, as errors name them.
type phase string

const (
	starting  phase = "the start"
	preparing phase = "the preparation"
	warming   phase = "the warm-up"
	measuring phase = "the measurement"
	finishing phase = "the end of the measurement"
	stopping  phase = "the stop"
)

// fault is what ended a run early.
type fault struct {
	roles []string // whose fault it is
	phase phase
	text  string // in words; empty: nothing but that processes died
	said  bool   // the text is what the role itself reported, so that its end is no news
	// died are the processes that ended by themselves, in the order of roles.
	died []*process
}

// Error names the role, the phase, how the process ended and its last words. It
// must only be asked for once all processes are reaped. A process that died
// comes first: what the others complain about follows from it.
func (f *fault) Error() string {
	var lines []string
	for _, p := range f.died {
		if f.said && slices.Contains(f.roles, p.role.Name) {
			continue
		}
		lines = append(lines, fmt.Sprintf("%s died in %s: %s", p.role.Name, f.phase, p.State()))
	}
	if f.text != "" {
		lines = append(lines, fmt.Sprintf("%s in %s: %s", strings.Join(f.roles, ", "), f.phase, host.Clip(f.text)))
	}
	return strings.Join(lines, "\n")
}

// lastWords returns what the processes wrote to their standard error, of those
// that the fault is about.
func (f *fault) lastWords(all []*process) string {
	about := func(p *process) bool {
		return slices.Contains(f.died, p) || slices.Contains(f.roles, p.role.Name)
	}
	var b strings.Builder
	for _, p := range all {
		if words := p.Words(); words != "" && about(p) {
			fmt.Fprintf(&b, "\n%s wrote at the end:\n%s", p.role.Name, words)
		}
	}
	return b.String()
}

// grace is how long a fault waits for what explains it: the exit of the process
// that stopped talking, or of the one that others lost.
const grace = 250 * time.Millisecond

// explain adds the last words of the processes that an error is about.
func (s *session) explain(err error) error {
	var f *fault
	if !errors.As(err, &f) {
		return err
	}
	return errors.New(f.Error() + f.lastWords(s.ps))
}
