package main_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The structure of the project, as docs/architecture.md draws it: which room
// may import which. A room is a folder with all below it, unless a longer name
// in the table claims it.
var rooms = map[string][]string{
	"cmd": {"cmd", "dsl", "drivers", "interp", "stdlib"},

	"dsl":        {"dsl", "stdlib"},
	"dsl/schema": {},
	"dsl/spell":  {},
	"dsl/diag":   {},

	"drivers":        {"drivers", "dsl/schema", "stdlib/metric"},
	"drivers/replay": {"drivers", "dsl/schema", "stdlib/dataset", "stdlib/metric"},

	"interp/plan":    {"dsl", "drivers", "stdlib"},
	"interp/lint":    {"dsl", "drivers", "interp/plan", "stdlib"},
	"interp/journal": {"drivers/protocol"},
	"interp/machine": {"interp/journal", "dsl"},
	"interp/host":    {"interp/machine", "interp/plan", "interp/journal", "drivers", "dsl"},
	"interp/run":     {"interp/host", "interp/machine", "interp/plan", "interp/journal", "drivers", "dsl"},
	"interp/analyze": {"dsl", "stdlib", "interp/plan", "interp/journal", "drivers/protocol"},
	"interp/audit":   {"dsl", "stdlib", "interp/plan", "interp/analyze", "drivers/protocol"},
	"interp/starter": {"dsl/format", "dsl/schema", "drivers"},
	"interp/report":  {"interp/audit", "interp/analyze", "interp/plan", "dsl", "stdlib"},

	"interp/host/relay":   {},
	"interp/report/chart": {},

	"stdlib":        {"stdlib"},
	"stdlib/metric": {},
}

// topLevel is everything that may lie at the top of the repository.
var topLevel = []string{
	".ci", ".gitignore", "LICENSE", "README.md", "cmd", "docs", "drivers", "dsl", "go.mod", "go.sum", "interp", "scenarios", "stdlib",
}

const (
	module   = "versus/"
	maxLines = 600 // of a Go file: what one can read in a sitting
)

// root is the top of the repository, as seen from this package.
const root = "../.."

// sourceFile is one Go file of the project.
type sourceFile struct {
	name string // from the top, with slashes
	text []byte
	ast  *ast.File
}

// sourceFiles parses all Go files of the project, tests included.
func sourceFiles(t *testing.T) []sourceFile {
	t.Helper()
	var files []sourceFile
	for _, name := range committed(t) {
		if !strings.HasSuffix(name, ".go") || strings.Contains(name, "/testdata/") {
			continue
		}
		text := read(t, name)
		parsed, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, sourceFile{name, text, parsed})
	}
	if len(files) < 50 {
		t.Fatalf("found only %d Go files", len(files))
	}
	return files
}

// committed lists the files of the project: what git knows, and where there is
// no git, such as in an unpacked archive, all that is not hidden.
func committed(t *testing.T) []string {
	t.Helper()
	cmd := exec.Command("git", "ls-files", "-z")
	cmd.Dir = root
	if out, err := cmd.Output(); err == nil && len(out) > 0 {
		names := strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
		return slices.DeleteFunc(names, func(name string) bool { // deleted, but not yet in git
			_, err := os.Stat(filepath.Join(root, name))
			return err != nil
		})
	}
	var names []string
	err := filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && !strings.Contains(filepath.ToSlash(name), "/.git/") {
			rel, relErr := filepath.Rel(root, name)
			names = append(names, filepath.ToSlash(rel))
			return relErr
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// roomOf returns the longest name in rooms that dir is, or is below of.
func roomOf(dir string) (string, bool) {
	for ; dir != "."; dir = path.Dir(dir) {
		if _, ok := rooms[dir]; ok {
			return dir, true
		}
	}
	return "", false
}

func within(dir, room string) bool { return dir == room || strings.HasPrefix(dir, room+"/") }

func TestImports(t *testing.T) {
	for _, f := range sourceFiles(t) {
		dir := path.Dir(f.name)
		room, ok := roomOf(dir)
		if !ok {
			t.Errorf("%s: this folder is in no room", f.name)
			continue
		}
		if strings.HasSuffix(f.name, "_test.go") {
			continue // a test may start what it tests from above
		}
		for _, spec := range f.ast.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			target, ours := strings.CutPrefix(imported, module)
			if !ours || within(target, room) {
				continue
			}
			allowed := slices.ContainsFunc(rooms[room], func(r string) bool { return within(target, r) })
			if !allowed {
				t.Errorf("%s imports %s: %s may import only %v", f.name, target, room, rooms[room])
			}
		}
	}
}

func TestTopLevel(t *testing.T) {
	for _, name := range committed(t) {
		if top, _, _ := strings.Cut(name, "/"); !slices.Contains(topLevel, top) {
			t.Errorf("%s: the top of the repository is for %v", name, topLevel)
		}
	}
}

func TestFilesAreShort(t *testing.T) {
	for _, f := range sourceFiles(t) {
		if n := strings.Count(string(f.text), "\n"); n > maxLines && !ast.IsGenerated(f.ast) {
			t.Errorf("%s has %d lines, more than %d: it holds more than one idea", f.name, n, maxLines)
		}
	}
}

func TestPackagesHaveComments(t *testing.T) {
	commented := map[string]bool{}
	for _, f := range sourceFiles(t) {
		dir := path.Dir(f.name)
		if strings.HasSuffix(f.name, "_test.go") {
			continue
		}
		commented[dir] = commented[dir] || f.ast.Doc != nil
	}
	for dir, ok := range commented {
		if !ok {
			t.Errorf("%s: no file has a package comment", dir)
		}
	}
}

// No file names a place that exists on one machine only.
func TestNoMachinePaths(t *testing.T) {
	places := regexp.MustCompile(`(^|[^\w.$/-])/(work|root|tmp|home/[a-z]\w*)(/\w|\b["'` + "`" + `)\s])|\.\./shared/`)
	for _, name := range committed(t) {
		if name == "cmd/versus/structure_test.go" {
			continue
		}
		for i, line := range strings.Split(string(read(t, name)), "\n") {
			if place := places.FindString(line); place != "" {
				t.Errorf("%s:%d names a place of one machine: %q", name, i+1, place)
			}
		}
	}
}
