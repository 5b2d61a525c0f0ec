package run

import (
	"versus/drivers"
	"versus/drivers/protocol"
	"versus/interp/host"
)

// process is the worker that plays one role.
type process struct {
	*host.Process
	role  drivers.Role
	at    host.Place
	shift int64 // what the clock of this machine shows more than that of the place, ns
	enc   *protocol.Encoder

	silent  chan struct{} // closed when nothing more comes from its standard output
	leaving bool          // was told to stop

	effective map[string]string
	result    *protocol.Result
}

// startProcess starts the worker of a driver that plays a role in a place.
func startProcess(driver string, role drivers.Role, at host.Place, shift int64) (*process, error) {
	p, err := at.Start(driver, role)
	if err != nil {
		return nil, err
	}
	return &process{Process: p, role: role, at: at, shift: shift, enc: protocol.NewEncoder(p.In), silent: make(chan struct{})}, nil
}

// hasExited reports whether the process has ended.
func (p *process) hasExited() bool {
	select {
	case <-p.Exited():
		return true
	default:
		return false
	}
}
