package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"versus/dsl"
	"versus/interp/analyze"
	"versus/interp/journal"
	"versus/interp/plan"
	"versus/interp/report"
	"versus/interp/report/page"
	"versus/stdlib/stats"
)

func compareCommand(a *app, fs *flag.FlagSet, args []string) int {
	by := fs.String("metric", "", "`metric` compared; default time_per_call, in pubsub tests latency.mean")
	confidence := fs.Float64("confidence", 0.95, "confidence of the intervals and verdicts")
	across := fs.String("across", "", "compare although the methodologies differ, for this `reason`")
	failIf := fs.String("fail-if", "", "exit with status 1 if the `condition` holds for a cell whose verdict is not \"no difference shown\"; it knows slower and faster, as shares of 1: 'slower > 0.05'")
	dirs, code, done := a.parse(fs, args, 2, 2)
	if done {
		return code
	}
	condition, diags := dsl.NewCondition(*failIf, "slower", "faster")
	a.show(diags, map[string][]byte{"condition": []byte(*failIf)})
	if diags.HasErrors() {
		return exitScenario
	}
	var sides [2]*analyze.Result
	var contents [2]*journal.Content
	for i, dir := range dirs {
		content, err := journal.Read(dir)
		if err != nil {
			return a.fail("%v", err)
		}
		contents[i] = content
		if sides[i], code = a.analyze(dir, content); sides[i] == nil {
			return code
		}
	}
	if code := a.comparable(contents[0], contents[1], *across); code != exitOK {
		return code
	}
	all, err := analyze.Between(sides[0], sides[1], *by, *confidence)
	if err != nil {
		return a.fail("%v", err)
	}
	rep := report.Changes(fmt.Sprintf("%s: %s and %s", contents[1].Header.Scenario, dirs[0], dirs[1]), sides[0], sides[1], all, *confidence)
	rep.Notes = append(rep.Notes, besides(contents[0], contents[1], *across)...)
	bad := failures(all, condition)
	rep.Expectations = append(rep.Expectations, bad...)
	if err := a.write(a.out, rep); err != nil {
		return a.fail("%v", err)
	}
	if len(bad) > 0 && bad[0].Status == report.Fail {
		return exitExpectation
	}
	return exitOK
}

// besides says what else than the systems under test differs between two
// results: the methodology, if that is meant, the machine and the versions.
func besides(old, new *journal.Content, reason string) []report.Note {
	var notes []report.Note
	if changes := methodologyChanges(old, new); len(changes) > 0 {
		notes = append(notes, report.Note{Warning: true, Text: fmt.Sprintf("Compared although the methodologies differ (%s): %s.", reason, strings.Join(changes, "; "))})
	}
	if changes := machineChanges(old.Environment, new.Environment); len(changes) > 0 {
		notes = append(notes, report.Note{Warning: true, Text: "The two were measured on different machines, or the machine was changed: " + strings.Join(changes, "; ") + "."})
	}
	if changes := versionChanges(side{versions: old.Environment.Versions}, side{versions: new.Environment.Versions}); len(changes) > 0 {
		notes = append(notes, report.Note{Text: "Versions that differ: " + strings.Join(changes, "; ") + "."})
	}
	return notes
}

// machineChanges are what two environments say differently of the machine.
func machineChanges(old, new journal.Environment) []string {
	var changes []string
	was := environment(old)
	for _, now := range environment(new) {
		i := slices.IndexFunc(was, func(f page.Fact) bool { return f.Name == now.Name })
		if i >= 0 && was[i].Value != now.Value && slices.Contains([]string{"host", "system", "kernel", "CPU", "cores", "memory", "governor", "clock"}, now.Name) {
			changes = append(changes, fmt.Sprintf("%s %s -> %s", now.Name, was[i].Value, now.Value))
		}
	}
	return changes
}

// methodologyChanges are what differs in how two results were measured: the
// scenario, and what made their links.
func methodologyChanges(old, new *journal.Content) []string {
	return append(plan.Changes(old.Header.Methodology, new.Header.Methodology), analyze.LinkChanges(old.Runs, new.Runs)...)
}

// comparable refuses results of different methodologies without a reason.
func (a *app) comparable(old, new *journal.Content, reason string) int {
	changes := methodologyChanges(old, new)
	if len(changes) == 0 || reason != "" {
		return exitOK
	}
	fmt.Fprintln(a.err, "versus: the two results are of different methodologies, so that a difference between them could come from this:")
	for _, c := range changes {
		fmt.Fprintln(a.err, "  - "+report.Printable(c))
	}
	fmt.Fprintln(a.err, "To compare them all the same, give a reason: --across 'REASON'")
	return exitScenario
}

// failures evaluates the condition for the cells that really changed. A cell
// that has a value in the old result alone fails it: what broke is not faster.
func failures(all *analyze.Changes, condition *dsl.Condition) []report.Expectation {
	if condition == nil {
		return nil
	}
	e := report.Expectation{Text: "not " + condition.Source, Status: report.Pass}
	for _, c := range all.Changes {
		if c.Lost {
			e.Failures = append(e.Failures, c.New.Plan.Key+": the new result has no value: "+strings.TrimPrefix(c.Missing, "new: "))
		}
		if c.Missing != "" {
			continue
		}
		e.Checked++
		slower, faster := 0.0, 0.0
		switch c.Verdict {
		case stats.Slower:
			slower = 1/c.Ratio.Estimate - 1
		case stats.Faster:
			faster = c.Ratio.Estimate - 1
		}
		holds, err := condition.Holds(slower, faster)
		switch {
		case err != nil:
			e.Failures = append(e.Failures, c.New.Plan.Key+": "+err.Error())
		case holds:
			e.Failures = append(e.Failures, fmt.Sprintf("%s: %s by %.3g%%", c.New.Plan.Key, c.Words(), 100*max(slower, faster)))
		}
	}
	if e.Checked == 0 {
		e.Failures = append(e.Failures, "no cell could be compared")
	}
	if len(e.Failures) > 0 {
		e.Status = report.Fail
	}
	return []report.Expectation{e}
}
