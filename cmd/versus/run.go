package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"versus/drivers/all"
	"versus/dsl"
	"versus/interp/analyze"
	"versus/interp/journal"
	"versus/interp/plan"
	"versus/interp/run"
)

func runCommand(a *app, fs *flag.FlagSet, args []string) int {
	var vars variables
	vars.register(fs)
	out := fs.String("out", "", "`folder` of the result; default results/SCENARIO-TIME")
	resume := fs.String("resume", "", "continue the result in this `folder`")
	many := fs.Bool("yes-really-many", false, "accept a plan above a million runs")
	var part shardName
	fs.Var(&part, "shard", "measure only this part of the plan, `i/n` with i from 1 to n; join the parts with versus merge")
	quiet := fs.Bool("quiet", false, "no progress")
	paths, code, done := a.parse(fs, args, 0, 1)
	if done {
		return code
	}
	ctx, stop := interruptible()
	defer stop()
	opts := plan.Options{Many: *many}
	var m *measurement
	switch {
	case part.of != 0 && a.format != "text":
		return a.fail("a shard has no report; leave --format away, and give it to versus report after versus merge")
	case *resume != "" && *out != "":
		return a.fail("--resume continues in its own folder; leave --out away")
	case *resume != "":
		m, code = a.resume(ctx, *resume, paths, vars.set, opts, part)
	case len(paths) == 1:
		m, code = a.begin(ctx, paths[0], vars.set, opts, part, *out)
	default:
		return a.fail("name a scenario: versus run SCENARIO, or --resume FOLDER")
	}
	if m == nil {
		return code
	}
	return a.measure(ctx, m, *quiet)
}

// interruptible returns a context that ends at the first Ctrl-C. The second
// one ends the program at once; the workers end with it in any case.
func interruptible() (context.Context, func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		<-signals
		os.Exit(exitInterrupted)
	}()
	return ctx, func() { signal.Stop(signals); cancel() }
}

// measurement is a plan and the journal that it is written to.
type measurement struct {
	loaded
	dir     string
	journal *journal.Journal
	shard   *plan.Shard   // nil for the whole plan
	before  []journal.Run // in the journal already
	machine string        // what the journal calls this one, if it is of several
}

// begin loads a scenario and starts a journal for it.
func (a *app) begin(ctx context.Context, path string, set []dsl.Setting, opts plan.Options, part shardName, dir string) (*measurement, int) {
	l := load(path, set, opts)
	a.show(l.shown())
	if l.plan == nil {
		return nil, exitScenario
	}
	shard, err := part.find(l.plan)
	if err != nil {
		return nil, a.fail("%v", err)
	}
	now := time.Now()
	if dir == "" {
		dir = filepath.Join("results", folderName(l.scenario.Name)+"-"+now.Format("20060102-150405.000"))
		if shard != nil {
			dir += fmt.Sprintf("-%dof%d", shard.Number, shard.Of)
		}
	}
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	lines := plan.Methodology(l.scenario)
	h := journal.Header{
		Versus: version(), Scenario: l.scenario.Name, Main: l.scenario.Main, Path: path,
		Sources: texts(l.scenario.Sources), Variables: values(l.scenario),
		Methodology: lines, Fingerprint: plan.Fingerprint(lines),
		Cells: l.plan.Cells(), Runs: l.plan.Runs(), Created: now.UTC(),
		Shard: recordOf(shard),
	}
	env, err := run.Environment(ctx, usedDrivers(l.scenario))
	if err != nil {
		return nil, a.fail("%v", err)
	}
	j, err := journal.Create(dir, h, env)
	if err != nil {
		return nil, a.fail("%v", err)
	}
	return &measurement{loaded: l, dir: dir, journal: j, shard: shard}, exitOK
}

// texts are the files of a scenario; all of them are UTF-8.
func texts(sources map[string][]byte) map[string]string {
	m := map[string]string{}
	for name, src := range sources {
		m[name] = string(src)
	}
	return m
}

// folderName makes a name of a scenario fit for a folder.
func folderName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}

// measure executes the plan and prints the report; of a shard, which compares
// with nothing, only what was done.
func (a *app) measure(ctx context.Context, m *measurement, quiet bool) int {
	if !quiet {
		a.warnOfNoise(m.scenario)
	}
	p := newProgress(a, quiet)
	var schedule run.Schedule = m.plan
	if m.shard != nil {
		schedule = m.shard
	}
	err := run.Run(ctx, schedule, m.journal, run.Options{
		Drivers: all.Registry(), Progress: p.event, Before: m.before, Value: analyze.StopValue, Machine: m.machine,
	})
	p.end()
	if closeErr := m.journal.Close(); err == nil {
		err = closeErr
	}
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintf(a.err, "versus: interrupted. What was measured is kept; to continue:\n  versus run --resume %s\n", m.dir)
		return exitInterrupted
	case err != nil:
		fmt.Fprintf(a.err, "versus: %v\nWhat was measured before is kept; to continue: versus run --resume %s\n", err, m.dir)
		return exitRun
	}
	if m.shard != nil {
		return a.shardDone(m)
	}
	if !quiet {
		fmt.Fprintf(a.err, "The result is in %s; print it again with: versus report %s\n", m.dir, m.dir)
	}
	return a.report(m.dir)
}
