package host

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"time"

	"versus/drivers"
	"versus/dsl"
	"versus/interp/journal"
)

// remote is a host of kind ssh or exec: a command gives a pipe to its attendant, a
// versus that stays there from the first run to the last, says what the host is and what
// its clock shows, and has the workers.
type remote struct {
	host    *dsl.Host
	lines   *attendant
	machine *journal.Environment
	build   string // SHA-256 of this versus

	programs map[string]string // by path here: the SHA-256 of what was brought
	prepared map[string]bool   // what roles need and the host has
}

// answerTimeout is how long a host may take for an answer, also for the first,
// before which it has to start a process.
const answerTimeout = 20 * time.Second

// newRemote reaches a host and asks it what it is.
func newRemote(ctx context.Context, h *dsl.Host) (*remote, error) {
	r, err := dial(ctx, h)
	if err != nil {
		return nil, err
	}
	if err := r.inspect(ctx); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

// dial reaches a host.
func dial(ctx context.Context, h *dsl.Host) (r *remote, err error) {
	r = &remote{host: h, programs: map[string]string{}, prepared: map[string]bool{}}
	var size int64
	if r.build, size, err = hashOf(running); err != nil {
		return nil, err
	}
	var p *wire
	switch h.Kind {
	case "ssh":
		if p, err = connectSSH(ctx, h, r.build, size); err != nil {
			return nil, fmt.Errorf("host %q: %w", h.Name, err)
		}
	default:
		program := h.Program
		if program == "" {
			if program, err = os.Executable(); err != nil {
				return nil, fmt.Errorf("the path of versus itself is not known: %w", err)
			}
		}
		p, err = openWire(append(slices.Clone(h.Command), program, "worker", PlacedFlag))
	}
	if err == nil {
		if r.lines, err = newAttendant(ctx, p); err != nil {
			p.close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("host %q can't be reached: %w", h.Name, err)
	}
	return r, nil
}

// inspect asks what the host is, and whether it is what the scenario requires. The
// versus there must be this one.
func (r *remote) inspect(ctx context.Context) error {
	a, err := r.lines.ask(ctx, question{Machine: true, CPUs: r.host.CPUs, Priority: r.host.Priority, Require: r.host.Require})
	switch {
	case err != nil:
		return fmt.Errorf("host %q: %w", r.host.Name, err)
	case a.Machine == nil:
		return fmt.Errorf("host %q: the versus there does not say what the machine is", r.host.Name)
	case a.Machine.Versus != r.build:
		// Its workers would be measured, and they are another program.
		return Missing{fmt.Errorf("host %q has another build of versus (SHA-256 %.16s, here %.16s): copy this one there, and name it in program",
			r.host.Name, Clip(a.Machine.Versus), r.build)}
	case a.Lacks != "":
		return Missing{fmt.Errorf("host %q requires %s", r.host.Name, Clip(a.Lacks))}
	}
	// It goes into the record of every run.
	const most = 16 << 10
	if text, err := json.Marshal(a.Machine); err != nil || len(text) > most {
		return fmt.Errorf("host %q describes itself in more than %d bytes", r.host.Name, most)
	}
	r.machine = a.Machine
	return nil
}

// start starts the worker of a role there.
func (r *remote) start(driver string, role drivers.Role, ear Ear) (Process, error) {
	o := order{CPUs: r.host.CPUs, Priority: r.host.Priority, Role: role.Env, Host: r.host.Environment, Args: []string{driver, role.Name}}
	if len(role.Command) > 0 {
		o.Program, o.Args = r.programs[role.Command[0]], role.Command[1:]
	}
	return r.lines.start(o, ear)
}

func (r *remote) close() { r.lines.close() }
