package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"versus/dsl/format"
)

func fmtCommand(a *app, fs *flag.FlagSet, args []string) int {
	check := fs.Bool("check", false, "change nothing; exit with status 1 if a file is not laid out")
	diff := fs.Bool("diff", false, "change nothing; show what would change")
	paths, code, done := a.parse(fs, args, 0, 100000)
	if done {
		return code
	}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	if len(paths) == 1 && paths[0] == "-" {
		return a.formatStdin(*check, *diff)
	}
	worst := exitOK
	for _, path := range paths {
		files, err := scenarioFiles(path)
		if err != nil {
			worst = a.fail("%v", err)
			continue
		}
		for _, name := range files {
			worst = max(worst, a.formatFile(name, *check, *diff))
		}
	}
	return worst
}

// scenarioFiles are the files to lay out: the file itself, or those of a folder.
func scenarioFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("there is no file or folder %s", path)
	case err != nil:
		return nil, err
	case info.Mode().IsRegular():
		return []string{path}, nil
	case !info.IsDir(): // to read a pipe would wait for its writer
		return nil, fmt.Errorf("%s is no regular file; `versus fmt -` reads standard input", path)
	}
	files, err := filepath.Glob(filepath.Join(path, "*.hcl"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s holds no *.hcl file", path)
	}
	return files, err
}

func (a *app) formatStdin(check, diff bool) int {
	src, err := io.ReadAll(a.in)
	if err != nil {
		return a.fail("standard input: %v", err)
	}
	out, code := a.formatted("<stdin>", src)
	if code != exitOK {
		return code
	}
	changed := !bytes.Equal(src, out)
	switch {
	case diff:
		fmt.Fprint(a.out, format.Diff("<stdin>", src, out))
	case !check:
		_, _ = a.out.Write(out)
	}
	if changed && check {
		return exitExpectation
	}
	return exitOK
}

func (a *app) formatted(name string, src []byte) ([]byte, int) {
	out, diags := format.Source(name, src)
	a.show(diags, map[string][]byte{name: src})
	if diags.HasErrors() {
		return nil, exitScenario
	}
	return out, exitOK
}

func (a *app) formatFile(name string, check, diff bool) int {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return a.fail("%s is no regular file", name)
	}
	src, err := os.ReadFile(name)
	if err != nil {
		return a.fail("%v", err)
	}
	if strings.HasSuffix(name, ".json") {
		return a.fail("%s: JSON is left as it is", name)
	}
	out, code := a.formatted(name, src)
	if code != exitOK || bytes.Equal(src, out) {
		return code
	}
	switch {
	case diff:
		fmt.Fprint(a.out, format.Diff(name, src, out))
	default:
		fmt.Fprintln(a.out, name)
	}
	if check || diff {
		if check {
			return exitExpectation
		}
		return exitOK
	}
	if err := replace(name, out); err != nil {
		return a.fail("%v", err)
	}
	return exitOK
}
