package native

import (
	"context"

	"versus/drivers"
)

// Role returns a role that the worker plays: its program, with the role's name
// and the given arguments. Where it is not built the command can't start; the
// probe says why before anybody tries.
func (w Worker) Role(name string, active bool, args ...string) drivers.Role {
	path, err := w.Binary(context.Background())
	if err != nil {
		path = w.program()
	}
	return drivers.Role{Name: name, Active: active, Command: append([]string{path, name}, args...)}
}
