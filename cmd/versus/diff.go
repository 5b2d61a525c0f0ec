package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"versus/interp/analyze"
	"versus/interp/journal"
	"versus/interp/plan"
	"versus/interp/report"
)

// side is one of the two things that `versus diff` compares.
type side struct {
	name        string
	methodology []string
	versions    map[string]string // of a result: what was measured; nil of a scenario
	runs        []journal.Run
}

func diffCommand(a *app, fs *flag.FlagSet, args []string) int {
	var vars variables
	vars.register(fs)
	names, code, done := a.parse(fs, args, 2, 2)
	if done {
		return code
	}
	if len(vars.set) > 0 && isResult(names[0]) && isResult(names[1]) {
		return a.fail("results hold the values that their variables had; -var is for scenarios")
	}
	var sides [2]side
	for i, name := range names {
		s, err := a.side(name, vars)
		if err != nil {
			return a.fail("%v", err)
		}
		sides[i] = s
	}
	changes := plan.Changes(sides[0].methodology, sides[1].methodology)
	for _, c := range versionChanges(sides[0], sides[1]) {
		if !slices.Contains(changes, c) { // a backend that one side lacks has said so
			changes = append(changes, c)
		}
	}
	changes = append(changes, analyze.LinkChanges(sides[0].runs, sides[1].runs)...)
	write := diffText
	if a.format == "json" {
		write = diffJSON
	}
	if err := write(a.out, sides, changes); err != nil {
		return a.fail("%v", err)
	}
	if len(changes) > 0 {
		return exitExpectation
	}
	return exitOK
}

func diffJSON(w io.Writer, sides [2]side, changes []string) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(map[string]any{"old": sides[0].name, "new": sides[1].name, "comparable": len(changes) == 0, "changes": append([]string{}, changes...)})
}

func diffText(w io.Writer, _ [2]side, changes []string) error {
	var b strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&b, "- %s\n", report.Printable(c))
	}
	if len(changes) == 0 {
		b.WriteString("The methodology is the same: results compare.\n")
	} else {
		b.WriteString("\nResults of the two would not compare: a difference between them could come from the above.\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// versionChanges are the versions of what was measured that differ between two
// results. A scenario names none.
func versionChanges(old, new side) []string {
	if old.versions == nil || new.versions == nil {
		return nil
	}
	return plan.Changes(versionLines(old.versions), versionLines(new.versions))
}

func versionLines(versions map[string]string) []string {
	var lines []string
	for part, v := range versions {
		driver, module, _ := strings.Cut(part, ": ")
		lines = append(lines, fmt.Sprintf("backend.%s.version of %s = %s", driver, module, v))
	}
	return lines
}

// isResult says whether there is the folder of a result at a path.
func isResult(path string) bool {
	_, err := os.Stat(filepath.Join(path, journal.ScenarioFile))
	return err == nil
}

// side reads the folder of a result, a scenario, or a scenario in a revision
// of git, written REV:FILE.
func (a *app) side(name string, vars variables) (side, error) {
	if isResult(name) {
		content, err := journal.Read(name)
		if err != nil {
			return side{}, err
		}
		return side{name, content.Header.Methodology, content.Environment.Versions, content.Runs}, nil
	}
	path, unpacked := name, false
	if _, err := os.Stat(name); errors.Is(err, os.ErrNotExist) {
		rev, file, ok := strings.Cut(name, ":")
		if !ok {
			return side{}, fmt.Errorf("there is no scenario, and no result, at %s; a file of a revision is written REV:FILE", name)
		}
		dir, file, err := unpack(rev, file)
		if err != nil {
			return side{}, err
		}
		defer os.RemoveAll(dir)
		path, unpacked = file, true
	}
	l := load(path, vars.set, plan.Options{Many: true})
	if unpacked { // the folder will be gone
		l.place = nil
	}
	if l.plan == nil {
		a.show(l.shown())
		return side{}, fmt.Errorf("%s is not a sound scenario", name)
	}
	return side{name: name, methodology: plan.Methodology(l.scenario)}, nil
}
