package run

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"versus/interp/journal"
	"versus/interp/plan"
)

// CheckResume returns in words what differs between what a journal was begun
// with and what is there now: the methodology, as plan.Methodology lists it, and
// the environment. A journal may be continued only if nothing does, since its
// runs could not be compared with each other.
func CheckResume(was *journal.Content, methodology []string, now journal.Environment) []string {
	return append(plan.Changes(was.Header.Methodology, methodology), environmentChanges(was.Environment, now)...)
}

// environmentChanges returns in words how two environments differ.
func environmentChanges(was, now journal.Environment) []string {
	var changes []string
	differ := func(what string, old, new any) {
		if old != new {
			changes = append(changes, fmt.Sprintf("%s: %s -> %s", what, orNone(old), orNone(new)))
		}
	}
	differ("host", was.Host, now.Host)
	differ("operating system", was.OS, now.OS)
	differ("kernel", was.Kernel, now.Kernel)
	differ("CPU", was.CPU, now.CPU)
	differ("cores", was.Cores, now.Cores)
	// A kernel keeps a little more or less for itself from boot to boot.
	const slack = 0.01
	if math.Abs(float64(was.Memory)-float64(now.Memory)) > slack*float64(was.Memory) {
		differ("memory", was.Memory, now.Memory)
	}
	differ("frequency governor", was.Governor, now.Governor)
	differ("clock source", was.Clock, now.Clock)
	differ("Go", was.Go, now.Go)
	differ("program versus, SHA-256", short(was.Versus), short(now.Versus))
	names := maps.Clone(was.Versions)
	if names == nil {
		names = map[string]string{}
	}
	maps.Copy(names, now.Versions)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		differ("version of "+name, was.Versions[name], now.Versions[name])
	}
	return changes
}

// orNone makes the absence of a value readable.
func orNone(v any) string {
	if v == "" {
		return "none"
	}
	return fmt.Sprint(v)
}

// short returns as much of a hash as a person compares.
func short(hash string) string { return hash[:min(len(hash), 16)] }
