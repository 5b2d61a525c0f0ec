package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"versus/dsl"
	"versus/interp/host"
	"versus/interp/journal"
	"versus/interp/machine"
	"versus/interp/plan"
	"versus/stdlib/units"
)

// examined is one machine in the JSON of `versus doctor`.
type examined struct {
	Hosts []string `json:"hosts,omitempty"` // of the scenario, by name, that are this machine

	*machine.Examination // nil if it can't be reached

	Unmet []string `json:"unmet,omitempty"` // what the scenario requires and the machine does not have
	Error string   `json:"error,omitempty"` // why the host can't be reached
}

func doctorCommand(a *app, fs *flag.FlagSet, args []string) int {
	var vars variables
	vars.register(fs)
	everything := fs.Bool("all", false, "also list what is fine")
	paths, code, done := a.parse(fs, args, 0, 1)
	if done {
		return code
	}
	ctx, stop := interruptible()
	defer stop()
	var hosts []*dsl.Host
	var links []*dsl.Link
	if len(paths) == 1 {
		l := load(paths[0], vars.set, plan.Options{Many: true})
		a.show(l.shown())
		if l.plan == nil {
			return exitScenario
		}
		hosts, links = l.scenario.Hosts, l.scenario.Links
	}
	machines, err := examine(ctx, hosts, links)
	if err != nil {
		fmt.Fprintln(a.err, "versus: interrupted.")
		return exitInterrupted
	}
	if a.format == "json" {
		enc := json.NewEncoder(a.out)
		enc.SetIndent("", "  ")
		_ = enc.Encode(machines)
	} else {
		for i, m := range machines {
			if i > 0 {
				fmt.Fprintln(a.out)
			}
			printExamined(a.out, m, *everything)
		}
		fmt.Fprintln(a.out, "\n`versus drivers` says which systems can run here.")
	}
	for _, m := range machines {
		if len(m.Unmet) > 0 || m.Error != "" {
			return exitExpectation
		}
	}
	return exitOK
}

// examine looks at this machine, and at those of the other hosts. The error is
// the one of ctx.
func examine(ctx context.Context, hosts []*dsl.Host, links []*dsl.Link) ([]*examined, error) {
	own, err := machine.This().Examine(ctx)
	if err != nil {
		return nil, err
	}
	here := &examined{Examination: &own}
	here.Findings = append(here.Findings, machine.This().Disk("."))
	here.Findings = append(here.Findings, machine.This().Placement(hosts)...)
	for _, lack := range host.TryNetwork(hosts, links) {
		here.Unmet = append(here.Unmet, lack.Error())
	}
	all := []*examined{here}
	for _, h := range hosts {
		at, lacks := here, ""
		if h.Kind == "ssh" || h.Kind == "exec" {
			at = &examined{}
			all = append(all, at)
			var far machine.Examination
			if far, lacks, err = host.Examine(ctx, h); err != nil {
				at.Error = err.Error()
			} else {
				at.Examination = &far
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		} else {
			lacks = host.Lacks(h)
		}
		at.Hosts = append(at.Hosts, h.Name)
		if lacks != "" {
			at.Unmet = append(at.Unmet, fmt.Sprintf("host %q requires %s", h.Name, lacks))
		}
	}
	return all, nil
}

// levels are how findings are listed: those that matter first.
var levels = []struct {
	level   machine.Level
	heading string
}{
	{machine.Warning, "This moves numbers:"},
	{machine.Note, "This moves numbers of some systems, or in some tests:"},
	{machine.Unknown, "This can't be read:"},
	{machine.Fine, "This is fine:"},
}

func printExamined(w io.Writer, m *examined, everything bool) {
	if m.Error != "" {
		fmt.Fprintf(w, "Host %s: %s\n", m.Hosts[0], m.Error)
		return
	}
	fmt.Fprintln(w, describe(m.Machine))
	if len(m.Hosts) > 0 {
		fmt.Fprintf(w, "Hosts of the scenario here: %s\n", strings.Join(m.Hosts, ", "))
	}
	if len(m.Unmet) > 0 {
		fmt.Fprintln(w, "\nThe scenario can't run as it is:")
		for _, text := range m.Unmet {
			fmt.Fprintf(w, "- %s.\n", upperFirst(text))
		}
	}
	for _, l := range levels {
		printLevel(w, m.Findings, l.level, l.heading, everything)
	}
	printNoise(w, m.Noise)
}

// describe is a machine in one line.
func describe(e journal.Environment) string {
	return fmt.Sprintf("%s: %s, %s for versus, %s of memory, %s, %s",
		e.Host, e.CPU, count(e.Cores, "CPU"), units.FormatSize(float64(e.Memory)), e.OS, e.Kernel)
}

// printLevel lists the findings of a level: those that need no words in one line.
func printLevel(w io.Writer, all []machine.Finding, level machine.Level, heading string, everything bool) {
	var found []machine.Finding
	for _, f := range all {
		if f.Level == level {
			found = append(found, f)
		}
	}
	if len(found) == 0 {
		return
	}
	if level == machine.Fine && !everything {
		var topics []string
		for _, f := range found {
			topics = append(topics, f.Topic)
		}
		fmt.Fprintf(w, "\nFine (--all says more): %s.\n", strings.Join(topics, ", "))
		return
	}
	fmt.Fprintf(w, "\n%s\n", heading)
	for _, f := range found {
		fmt.Fprintf(w, "- %s: %s\n", f.Topic, f.Found)
		if f.Effect != "" {
			fmt.Fprintf(w, "    %s\n", f.Effect)
		}
		if f.Change != "" {
			fmt.Fprintf(w, "    To change it: %s\n", f.Change)
		}
	}
}

// noisyCPUs is how many CPUs are listed; JSON has all.
const noisyCPUs = 16

func printNoise(w io.Writer, n machine.Noise) {
	if len(n.CPUs) == 0 {
		return
	}
	fmt.Fprintln(w, "\nMeasured, first with versus asleep, then with a thread of it on each CPU:")
	fmt.Fprintln(w, "  CPU  busy  stolen  interrupts/s  timers late: median, worst  thread stopped: longest, in all")
	for _, c := range n.CPUs[:min(len(n.CPUs), noisyCPUs)] {
		fmt.Fprintf(w, "  %3d  %3.0f%%  %5.0f%%  %12.0f  %16.0f us, %5.0f us  %18.0f us, %5.2f%%  %s\n",
			c.CPU, c.Busy*100, c.Stolen*100, c.Interrupts, c.LateMedian*1e6, c.LateWorst*1e6, c.Stopped*1e6, c.StoppedPart*100, c.Error)
	}
	if more := len(n.CPUs) + n.Left - noisyCPUs; more > 0 {
		fmt.Fprintf(w, "  and %d more (--format json)\n", more)
	}
}

// warnOfNoise says before a scenario is measured what on this machine moves
// numbers, as far as its files tell at once. Nothing is to be said before results
// that are only read.
func (a *app) warnOfNoise(s *dsl.Scenario) {
	if !slices.ContainsFunc(s.Tests, func(t *dsl.Test) bool { return t.Pattern != "replay" }) {
		return
	}
	m := machine.This()
	warnings := machine.Warnings(append(m.Findings(), m.Placement(s.Hosts)...))
	for _, f := range warnings {
		fmt.Fprintf(a.err, "warning: %s\n", f.Found)
	}
	if len(warnings) > 0 {
		fmt.Fprintln(a.err, "`versus doctor` says what this does to numbers, and how to change it.")
	}
}
