package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"time"

	"versus/dsl"
	"versus/interp/host"
	"versus/interp/plan"
)

// listed is how many cells `versus plan` lists without --all.
const listed = 40

func planCommand(a *app, fs *flag.FlagSet, args []string) int {
	var vars variables
	vars.register(fs)
	everything := fs.Bool("all", false, "list every cell, and the order of all runs")
	many := fs.Bool("yes-really-many", false, "accept a plan above a million runs")
	var part shardName
	fs.Var(&part, "shard", "list the cells of this part of the plan, `i/n`: what run --shard would measure")
	shards := fs.Int("shards", 0, "show how the plan is split into `n` shards")
	advise := fs.String("advise", "", "from the pilot in this result `folder`, say how many runs each of its cells needs; without a scenario")
	precision := fs.Float64("precision", 0.02, "with --advise: the half width wanted of the interval of a cell's mean, as a `share` of the mean")
	paths, code, done := a.parse(fs, args, 0, 1)
	switch {
	case done:
		return code
	case *advise != "" && len(paths) == 0:
		return a.advise(*advise, *precision)
	case *advise != "":
		return a.fail("--advise takes the scenario from the result; leave %s away", paths[0])
	case given(fs, "precision"):
		return a.fail("--precision belongs to --advise FOLDER; leave it away, or name the result of a pilot")
	case *shards != 0 && *everything:
		return a.fail("--shards shows no cells; leave --all away, or list one part with --shard")
	case part.of != 0 && *shards != 0:
		return a.fail("--shards shows all shards, --shard one of them; leave one away")
	case len(paths) == 0:
		return a.fail("name a scenario: versus plan SCENARIO, or --advise FOLDER")
	}
	l := load(paths[0], vars.set, plan.Options{Many: *many})
	a.show(l.shown())
	if l.plan == nil {
		return exitScenario
	}
	shard, err := part.find(l.plan)
	switch {
	case err != nil:
	case shard != nil:
		err = a.printShard(l.plan, shard)
	case *shards != 0:
		err = a.printShards(l.plan, *shards)
	case a.format == "json":
		err = l.plan.WriteJSON(a.out)
	default:
		err = a.printPlan(l.plan, *everything)
	}
	if err != nil {
		return a.fail("%v", err)
	}
	return exitOK
}

func (a *app) printPlan(p *plan.Plan, everything bool) error {
	s := p.Summary()
	most := ""
	if s.AtMost {
		most = "at most "
	}
	fmt.Fprintf(a.out, "%s: %s%s in %s, %s\n", s.Scenario, most, count(s.Runs, "run"), count(s.Cells, "cell"), duration(s))
	var links []*dsl.Link
	for _, t := range s.Tests {
		order := t.Order
		if t.Seed != 0 {
			order += fmt.Sprintf(" (seed %d)", t.Seed)
		}
		runs := count(t.RunsPerCell, "run")
		if t.AtLeast > 0 {
			runs = fmt.Sprintf("%d to %s", t.AtLeast, runs)
		}
		fmt.Fprintf(a.out, "\ntest %s (%s): %s x %s, %s\n", t.Name, t.Pattern, count(t.Cells, "cell"), runs, order)
		if t.Twins > 0 {
			fmt.Fprintf(a.out, "  %s measured twice, for the noise floor\n", count(t.Twins, "baseline"))
		}
		n := t.Cells
		if !everything {
			n = min(n, listed)
		}
		for i := t.First; i < t.First+n; i++ {
			c, err := p.Cell(i)
			if err != nil {
				return err
			}
			over := ""
			for _, l := range c.Links {
				over += " over " + l.Name
				if !slices.Contains(links, l) {
					links = append(links, l)
				}
			}
			fmt.Fprintf(a.out, "  %s%s\n", c.Key, over)
		}
		if n < t.Cells {
			fmt.Fprintf(a.out, "  ... and %d more; --all lists them\n", t.Cells-n)
		}
	}
	if len(links) > 0 {
		fmt.Fprintln(a.out, "\nlinks:")
	}
	for _, l := range links {
		fmt.Fprintf(a.out, "  %s between %s: %s; measuring it first takes about %s\n",
			l.Name, strings.Join(l.Between, " and "), l.Terms(), host.MeasuringTime(l).Round(100*time.Millisecond))
	}
	if len(s.Filters) > 0 {
		fmt.Fprintln(a.out, "\nfiltered out:")
	}
	for _, f := range s.Filters {
		fmt.Fprintf(a.out, "  %d of %d cells of %s by where = %s\n", f.Before-f.After, f.Before, strings.TrimSpace(f.Test+" "+f.Sweep), f.Where)
	}
	if s.Repeated > 0 {
		fmt.Fprintf(a.out, "\nnamed by more than one sweep, measured once: %s\n", count(s.Repeated, "cell"))
	}
	if everything {
		return a.printOrder(p)
	}
	return nil
}

func (a *app) printOrder(p *plan.Plan) error {
	fmt.Fprintln(a.out, "\norder:")
	for i, id := range p.Order() {
		c, err := p.Cell(id.Cell)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.out, "  %d. %s run %d\n", i+1, c.Key, id.Run+1)
	}
	return nil
}

func duration(s plan.Summary) string {
	d := time.Duration(s.Seconds * float64(time.Second)).Round(100 * time.Millisecond)
	switch {
	case s.UnknownRuns == s.Runs && s.Runs > 0:
		return "duration unknown: it is counted in calls"
	case s.UnknownRuns > 0:
		return fmt.Sprintf("at least %s, and %s counted in calls", d, count(s.UnknownRuns, "run"))
	}
	if s.AtMost {
		return "at most about " + d.String()
	}
	return "about " + d.String()
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
