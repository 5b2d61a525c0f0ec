package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"versus/interp/journal"
	"versus/interp/plan"
)

func mergeCommand(a *app, fs *flag.FlagSet, args []string) int {
	dirs, code, done := a.parse(fs, args, 2, 1+plan.MaxShards)
	if done {
		return code
	}
	m, err := journal.Merge(dirs[0], dirs[1:])
	if err != nil {
		return a.fail("%v", err)
	}
	cells, runs := 0, 0
	machines := map[string]bool{}
	for _, p := range m.Parts {
		fmt.Fprintf(a.out, "shard %s: %d of %s, %d %s %s, on %s\n", &p.Shard,
			p.Cells, count(p.Shard.Cells, "cell"), p.Runs, upTo(m), count(p.Shard.Runs, "run"), p.Machine)
		if p.Torn {
			fmt.Fprintf(a.err, "versus: warning: the last line of %s is torn and is left out.\n", p.Dir)
		}
		cells, runs, machines[p.Machine] = cells+p.Cells, runs+p.Runs, true
	}
	fmt.Fprintf(a.out, "%s: %d of %s, %d %s %s, of %s\n", dirs[0],
		cells, count(m.Header.Cells, "cell"), runs, upTo(m), count(m.Header.Runs, "run"), count(len(machines), "machine"))
	for _, dir := range m.Files {
		fmt.Fprintf(a.err, "versus: warning: %s was run from other files than %s, though by the same methodology; titles, tables and expectations are those of the latter.\n", dir, m.Parts[0].Dir)
	}
	a.unfinished(m, dirs[0])
	return exitOK
}

// unfinished says what a merged result lacks, and what to do about it.
func (a *app) unfinished(m *journal.Merged, dir string) {
	rest := len(m.Missing) > 0
	for _, n := range m.Missing {
		fmt.Fprintf(a.err, "versus: warning: shard %d/%d is missing: its cells are not measured.\n", n, m.Parts[0].Shard.Of)
	}
	for _, p := range m.Parts {
		if p.Cells < p.Shard.Cells || upTo(m) == "of" && p.Runs < p.Shard.Runs {
			rest = true
			fmt.Fprintf(a.err, "versus: warning: shard %s is not finished; to finish it, where it was begun: versus run --resume %s\n", &p.Shard, p.Dir)
		}
	}
	if rest {
		fmt.Fprintf(a.err, "versus: measure the rest and merge again, or measure it on one of these machines: versus run --resume %s\n", dir)
	}
}

// upTo are the words before the number of planned runs: a stop rule may need
// fewer.
func upTo(m *journal.Merged) string {
	if slices.ContainsFunc(m.Header.Methodology, func(line string) bool { return strings.Contains(line, ".methodology.until = ") }) {
		return "of up to"
	}
	return "of"
}
