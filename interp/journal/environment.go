package journal

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Changes returns in words how an environment differs from what it was: the
// machine, and then the programs.
func (e *Environment) Changes(now *Environment) []string {
	return append(e.machineChanges(now), e.programChanges(now)...)
}

// machineChanges returns in words how two machines differ.
func (e *Environment) machineChanges(now *Environment) []string {
	var c changes
	c.differ("host", e.Host, now.Host)
	c.differ("operating system", e.OS, now.OS)
	c.differ("kernel", e.Kernel, now.Kernel)
	c.differ("CPU", e.CPU, now.CPU)
	// A kernel keeps a little more or less for itself from boot to boot.
	const slack = 0.01
	if math.Abs(float64(e.Memory)-float64(now.Memory)) > slack*float64(e.Memory) {
		c.differ("memory", e.Memory, now.Memory)
	}
	c.differKnown("virtual machine", e.Virtual, now.Virtual)
	c.differKnown("mitigations of CPU faults", e.Mitigations, now.Mitigations)
	return append(c, e.SettingChanges(now)...)
}

// SettingChanges returns in words how that of two environments differs which may
// change while a machine runs.
func (e *Environment) SettingChanges(now *Environment) []string {
	var c changes
	c.differ("cores", e.Cores, now.Cores)
	c.differ("limit of CPU time", limit(e.CPULimit), limit(now.CPULimit))
	c.differ("frequency governor", e.Governor, now.Governor)
	c.differKnown("turbo", e.Turbo, now.Turbo)
	c.differKnown("hyper-threading", e.SMT, now.SMT)
	c.differKnown("transparent huge pages", e.HugePages, now.HugePages)
	c.differ("clock source", e.Clock, now.Clock)
	return c
}

// differKnown is differ for what results of older versions do not have, and some
// machines do not tell.
func (c *changes) differKnown(what, old, new string) {
	if old != "" && new != "" {
		c.differ(what, old, new)
	}
}

// limit writes a number of CPUs, if there is one.
func limit(cpus float64) string {
	if cpus == 0 {
		return ""
	}
	return fmt.Sprintf("%.4g CPUs", cpus)
}

// programChanges returns in words how the programs of two environments differ.
func (e *Environment) programChanges(now *Environment) []string {
	var c changes
	c.differ("Go", e.Go, now.Go)
	c.differ("program versus, SHA-256", short(e.Versus), short(now.Versus))
	names := maps.Clone(e.Versions)
	if names == nil {
		names = map[string]string{}
	}
	maps.Copy(names, now.Versions)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		c.differ("version of "+name, e.Versions[name], now.Versions[name])
	}
	return c
}

// changes are differences in words.
type changes []string

func (c *changes) differ(what string, old, new any) {
	if old != new {
		*c = append(*c, fmt.Sprintf("%s: %s -> %s", what, orNone(old), orNone(new)))
	}
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

const maxMachineName = 255 // bytes

// check returns why the environment is not sound, or nil.
func (e *Environment) check() error {
	if len(e.Machines) > maxShards {
		return fmt.Errorf("there are %d machines; the limit is %d", len(e.Machines), maxShards)
	}
	for name, m := range e.Machines {
		switch {
		case !isMachineName(name):
			return fmt.Errorf("a machine is called %.40q; a name has up to %d printable bytes", name, maxMachineName)
		case m == nil || m.Machines != nil:
			return errors.New("a machine is empty, or made of machines")
		}
	}
	return nil
}

// isMachineName says whether a machine can be called so.
func isMachineName(name string) bool {
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return name != "" && len(name) <= maxMachineName && utf8.ValidString(name)
}
