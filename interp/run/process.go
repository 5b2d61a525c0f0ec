package run

import (
	"versus/drivers"
	"versus/drivers/protocol"
	"versus/interp/host"
)

// process is the worker that plays one role. It is the ear of what the host tells of it.
type process struct {
	host.Process
	role  drivers.Role
	at    host.Place
	shift int64 // what the clock of this machine shows more than that of the place, ns

	session   *session
	exchanges []*exchange // with it, in order
	gone      bool        // the session knows that it has ended

	addresses map[string]string
	effective map[string]string
	result    *protocol.Result
}

// next is the first exchange that is not over, nil if all are.
func (p *process) next() *exchange {
	for _, x := range p.exchanges {
		if !x.over {
			return x
		}
	}
	return nil
}

// leaving reports whether it was told to stop, after which it may end.
func (p *process) leaving() bool {
	x := p.next()
	return x == nil || x.phase == stopping && x.begun()
}

// hasExited reports whether the process has ended.
func (p *process) hasExited() bool {
	select {
	case <-p.Exited():
		return true
	default:
		return p.gone
	}
}

// Said passes on what the process says.
func (p *process) Said(line []byte) bool {
	m, err := protocol.Decode(line)
	return p.session.post(event{p, m, err}) && err == nil
}

// Silent passes on why nothing more comes.
func (p *process) Silent(why error) { p.session.post(event{p: p, err: why}) }

// Ended reports the end of the process.
func (p *process) Ended() { p.session.post(event{p: p, err: errGone}) }
