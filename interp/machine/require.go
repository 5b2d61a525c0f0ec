package machine

import (
	"fmt"
	"slices"

	"versus/dsl"
)

// Lacks returns what a host requires and this machine does not have, or "". CPUs
// are those to which the host binds; none means all that may be used.
func (m Machine) Lacks(cpus []int, need dsl.Require) string {
	own := m.CPUs()
	for _, cpu := range cpus {
		if !slices.Contains(own, cpu) {
			return fmt.Sprintf("CPU %d, but this machine offers only %d CPUs to versus, and not that one", cpu, len(own))
		}
	}
	if len(own) < need.Cores {
		return fmt.Sprintf("%d cores, but this machine offers only %d CPUs to versus", need.Cores, len(own))
	}
	if need.Governor == "" {
		return ""
	}
	if len(cpus) == 0 {
		cpus = own
	}
	for _, cpu := range cpus {
		switch g := m.governor(cpu); g {
		case need.Governor:
		case "":
			return fmt.Sprintf("the governor %q, but this machine does not say which CPU %d has", need.Governor, cpu)
		default:
			return fmt.Sprintf("the governor %q, but CPU %d has %q", need.Governor, cpu, g)
		}
	}
	return ""
}
