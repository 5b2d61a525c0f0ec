package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"versus/dsl"
	"versus/interp/journal"
	"versus/interp/plan"
	"versus/interp/run"
)

// resume opens a journal whose scenario and machine must be as they were.
func (a *app) resume(ctx context.Context, dir string, paths []string, set []dsl.Setting, opts plan.Options, part shardName) (*measurement, int) {
	j, content, err := journal.Open(dir)
	if err != nil {
		return nil, a.fail("%v", err)
	}
	for _, w := range content.Warnings {
		fmt.Fprintf(a.err, "versus: warning: %s\n", w)
	}
	m := &measurement{dir: dir, journal: j, before: content.Runs}
	path := content.Header.Path
	if len(paths) == 1 {
		path = paths[0]
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) && len(paths) == 0 {
		if len(set) > 0 {
			j.Close()
			return nil, a.fail("%s is gone; its copy in the result has the values that its variables had: leave -var and -var-file away, or name the scenario", path)
		}
		fmt.Fprintf(a.err, "versus: %s is gone; continuing with the copy in the result.\n", path)
		m.loaded = loadJournal(content.Header)
	} else {
		m.loaded = load(path, append(recorded(content.Header), set...), opts)
	}
	a.show(m.shown())
	code := exitScenario
	if m.plan != nil {
		code = a.sameAsBefore(ctx, m, content, path)
	}
	if code == exitOK {
		m.shard, code = a.shardOf(m.plan, content.Header.Shard, dir, part)
	}
	if code != exitOK {
		j.Close()
		return nil, code
	}
	return m, exitOK
}

// sameAsBefore checks that a journal may be continued here.
func (a *app) sameAsBefore(ctx context.Context, m *measurement, content *journal.Content, path string) int {
	env, err := run.Environment(ctx, usedDrivers(m.scenario))
	if err != nil {
		return a.fail("%v", err)
	}
	var changes []string
	m.machine, changes = run.CheckResume(content, plan.Methodology(m.scenario), env)
	if len(changes) == 0 {
		return exitOK
	}
	fmt.Fprintf(a.err, "versus: %s can't be continued, since its runs would not compare with the new ones. Different now:\n", m.dir)
	for _, c := range changes {
		fmt.Fprintf(a.err, "  - %s\n", c)
	}
	if n := len(content.Environment.Machines); n > 0 {
		fmt.Fprintf(a.err, "It was made by %d machines, and this is none of them; the changes are to the first.\n", n)
	}
	again := path
	if s := content.Header.Shard; s != nil {
		again = fmt.Sprintf("--shard %s %s", s, path)
	}
	fmt.Fprintf(a.err, "Undo the change, or begin anew: versus run %s\n", again)
	return exitScenario
}

// shardOf is the shard that a journal holds, which the command line need not
// name again; nil for the whole plan.
func (a *app) shardOf(p *plan.Plan, was *journal.Shard, dir string, part shardName) (*plan.Shard, int) {
	switch {
	case was == nil && part.of != 0:
		return nil, a.fail("%s is not shard %s, but the whole plan; leave --shard away", dir, &part)
	case was == nil:
		return nil, exitOK
	case part.of != 0 && part != (shardName{was.Number, was.Of}):
		return nil, a.fail("%s is shard %s, not %s", dir, was, &part)
	}
	shard, err := (&shardName{was.Number, was.Of}).find(p)
	if err != nil {
		return nil, a.fail("%v", err)
	}
	if is := recordOf(shard); *is != *was {
		return nil, a.fail("the plan is split in another way now: shard %s had %s with %s, and would have %s with %s. A capacity in the scenario decides too how long cells take; undo what was changed, or begin anew", was,
			count(was.Cells, "cell"), count(was.Runs, "run"), count(is.Cells, "cell"), count(is.Runs, "run"))
	}
	return shard, exitOK
}
