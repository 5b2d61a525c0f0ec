package run

import (
	"context"

	"versus/drivers"
	"versus/interp/host"
	"versus/interp/journal"
)

// Environment describes this machine, this program, and the versions that the
// given drivers find. Cores are the CPUs that this process may use. What a
// machine does not tell, such as the governor of a virtual one, stays empty.
// It is an error if the program itself can't be read.
func Environment(ctx context.Context, used drivers.Registry) (journal.Environment, error) {
	e, err := host.Environment()
	if err != nil {
		return e, err
	}
	e.Versions = map[string]string{}
	for _, d := range used {
		for part, version := range probe(ctx, d.Probe).Versions {
			e.Versions[d.Name+": "+part] = version
		}
	}
	return e, ctx.Err()
}
