package run

import (
	"maps"
	"slices"

	"versus/interp/journal"
	"versus/interp/plan"
)

// CheckResume returns in words what differs between what a journal was begun
// with and what is there now: the methodology, as plan.Methodology lists it, and
// the environment. A journal may be continued only if nothing does, since its
// runs could not be compared with each other. A merged journal may be continued
// on each of its machines; machine is then what it calls this one.
func CheckResume(was *journal.Content, methodology []string, now journal.Environment) (machine string, changes []string) {
	changes = plan.Changes(was.Header.Methodology, methodology)
	for _, name := range slices.Sorted(maps.Keys(was.Environment.Machines)) {
		if len(was.Environment.Machines[name].Changes(&now)) == 0 {
			return name, changes
		}
	}
	return "", append(changes, was.Environment.Changes(&now)...)
}
