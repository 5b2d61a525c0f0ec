package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"versus/interp/analyze"
	"versus/interp/journal"
	"versus/interp/plan"
)

// maxRevision is the largest revision that is unpacked to compare, in bytes.
const maxRevision = 512 << 20

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
	var sides [2]side
	for i, name := range names {
		s, err := a.side(name, vars)
		if err != nil {
			return a.fail("%v", err)
		}
		sides[i] = s
	}
	changes := append(plan.Changes(sides[0].methodology, sides[1].methodology), versionChanges(sides[0], sides[1])...)
	changes = append(changes, analyze.LinkChanges(sides[0].runs, sides[1].runs)...)
	if a.format == "json" {
		enc := json.NewEncoder(a.out)
		enc.SetIndent("", "  ")
		_ = enc.Encode(map[string]any{"old": sides[0].name, "new": sides[1].name, "comparable": len(changes) == 0, "changes": append([]string{}, changes...)})
	} else {
		a.printChanges(changes)
	}
	if len(changes) > 0 {
		return exitExpectation
	}
	return exitOK
}

func (a *app) printChanges(changes []string) {
	if len(changes) == 0 {
		fmt.Fprintln(a.out, "The methodology is the same: results compare.")
		return
	}
	for _, c := range changes {
		fmt.Fprintln(a.out, "- "+c)
	}
	fmt.Fprintln(a.out, "\nResults of the two would not compare: a difference between them could come from the above.")
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

// side reads the folder of a result, a scenario, or a scenario in a revision
// of git, written REV:FILE.
func (a *app) side(name string, vars variables) (side, error) {
	if _, err := os.Stat(filepath.Join(name, journal.ScenarioFile)); err == nil {
		content, err := journal.Read(name)
		if err != nil {
			return side{}, err
		}
		return side{name, content.Header.Methodology, content.Environment.Versions, content.Runs}, nil
	}
	path := name
	if _, err := os.Stat(name); errors.Is(err, os.ErrNotExist) {
		rev, file, ok := strings.Cut(name, ":")
		if !ok {
			return side{}, fmt.Errorf("there is no scenario, and no result, at %s; a file of a revision is written REV:FILE", name)
		}
		dir, err := unpack(rev, file)
		if err != nil {
			return side{}, err
		}
		defer os.RemoveAll(dir)
		path = filepath.Join(dir, filepath.FromSlash(file))
	}
	l := load(path, vars.set, plan.Options{Many: true})
	if l.plan == nil {
		a.show(l.diags, l.sources)
		return side{}, fmt.Errorf("%s is not a sound scenario", name)
	}
	return side{name: name, methodology: plan.Methodology(l.scenario)}, nil
}

// unpack writes a revision of the git repository of the working folder to a
// new folder: a scenario may import and read other files of it.
func unpack(rev, file string) (dir string, err error) {
	if strings.HasPrefix(rev, "-") {
		return "", fmt.Errorf("%q is no revision", rev)
	}
	top, err := exec.Command("git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return "", fmt.Errorf("%s:%s: this is not a git repository: %w", rev, file, err)
	}
	cmd := exec.Command("git", "archive", "--format=tar", rev)
	cmd.Dir = strings.TrimSpace(string(top))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	dir, err = os.MkdirTemp("", "versus-revision-")
	if err == nil {
		err = untar(io.LimitReader(out, maxRevision), dir)
	}
	_, _ = io.Copy(io.Discard, out)
	if waitErr := cmd.Wait(); waitErr != nil {
		err = fmt.Errorf("git has no revision %q: %s", rev, strings.TrimSpace(stderr.String()))
	}
	if err != nil {
		os.RemoveAll(dir)
		return "", err
	}
	return dir, nil
}

// untar writes the regular files of an archive below dir.
func untar(r io.Reader, dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for t := tar.NewReader(r); ; {
		h, err := t.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		name := filepath.FromSlash(h.Name)
		if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		f, err := root.Create(name)
		if err != nil {
			return err
		}
		_, err = io.Copy(f, t)
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return err
		}
	}
}
