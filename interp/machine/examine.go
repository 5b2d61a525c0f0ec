package machine

import (
	"context"

	"versus/interp/journal"
)

// Examination is all that there is to say of a machine.
type Examination struct {
	Machine  journal.Environment `json:"machine"`
	Findings []Finding           `json:"findings"` // what files say, and what the noise means
	Noise    Noise               `json:"noise"`    // as it was measured
}

// Examine looks at the machine, and measures its noise, for about a second. The
// error is the one of ctx.
func (m Machine) Examine(ctx context.Context) (Examination, error) {
	e := Examination{Machine: m.Environment(), Findings: m.Findings()}
	var err error
	if e.Noise, err = m.Measure(ctx); err != nil {
		return e, err
	}
	e.Findings = append(e.Findings, e.Noise.Findings()...)
	return e, nil
}

// Each replaces every text by what f makes of it: an examination that comes from
// elsewhere may hold anything.
func (e *Examination) Each(f func(string) string) {
	m := &e.Machine
	for _, text := range []*string{&m.Host, &m.OS, &m.Kernel, &m.CPU, &m.Governor, &m.Clock, &m.Turbo, &m.SMT, &m.HugePages, &m.Virtual, &m.Mitigations, &m.Go, &m.Versus} {
		*text = f(*text)
	}
	for i := range e.Findings {
		d := &e.Findings[i]
		d.Topic, d.Found, d.Effect, d.Change = f(d.Topic), f(d.Found), f(d.Effect), f(d.Change)
	}
	for i := range e.Noise.Processes {
		e.Noise.Processes[i].Name = f(e.Noise.Processes[i].Name)
	}
	for i := range e.Noise.CPUs {
		c := &e.Noise.CPUs[i]
		c.Source, c.Error = f(c.Source), f(c.Error)
	}
}
