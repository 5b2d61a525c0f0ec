package dsl

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
)

// Limits of what a scenario may read.
const (
	maxData  = 64 << 20 // bytes of one data file
	maxFiles = 1000     // files in a scenario, imports and data included
)

// store reads the files of a scenario and remembers them. Names are relative
// to the scenario's folder and use slashes.
type store struct {
	read  map[string][]byte                              // goes into the journal
	shown map[string][]byte                              // all of read, and files of variable values, which may hold secrets
	fetch func(name string, limit int64) ([]byte, error) // nil: only what was read before
	list  func() ([]string, error)
}

func newStore() *store {
	return &store{read: map[string][]byte{}, shown: map[string][]byte{}}
}

// diskStore reads from the folder dir.
func diskStore(dir string) *store {
	st := newStore()
	st.fetch = func(name string, limit int64) ([]byte, error) {
		if inside(dir, name) {
			return nil, errors.New("the path leaves the scenario's folder and comes back; begin it with ./")
		}
		f, err := openIn(dir, name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		b, err := io.ReadAll(io.LimitReader(f, limit+1))
		if err == nil && int64(len(b)) > limit {
			err = fmt.Errorf("larger than the limit of %d MiB", limit>>20)
		}
		return b, err
	}
	st.list = func() ([]string, error) {
		entries, err := os.ReadDir(dir)
		var names []string
		for _, e := range entries {
			if !e.IsDir() {
				names = append(names, e.Name())
			}
		}
		return names, err
	}
	return st
}

// inside reports whether a path beginning with ../ leads back into dir: the
// same file would have two names.
func inside(dir, name string) bool {
	absolute, err := filepath.Abs(dir)
	if err != nil || !strings.HasPrefix(name, "../") {
		return false
	}
	back, err := filepath.Rel(absolute, filepath.Join(absolute, filepath.FromSlash(name)))
	return err == nil && !strings.HasPrefix(back, "..")
}

// openIn opens a file below dir; only scenario files, which are imported by
// name, may lie outside of it. A data file that a scenario from elsewhere
// names must not lead out of its folder, not even through a link.
func openIn(dir, name string) (*os.File, error) {
	name = filepath.FromSlash(name)
	if isScenarioFile(name) {
		name = filepath.Join(dir, name)
		info, err := os.Stat(name)
		if err := regular(info, err); err != nil {
			return nil, err
		}
		return os.Open(name)
	}
	if !filepath.IsLocal(name) {
		return nil, errors.New("it lies outside of the scenario's folder, where data files may not")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	info, err := root.Stat(name)
	if err := regular(info, err); err != nil {
		return nil, err
	}
	return root.Open(name)
}

// regular refuses what is no regular file before it is opened: to open a pipe
// waits for its writer.
func regular(info fs.FileInfo, err error) error {
	switch {
	case err != nil:
		return err
	case info.IsDir():
		return errors.New("it is a folder")
	case !info.Mode().IsRegular():
		return errors.New("not a regular file")
	}
	return nil
}

// memoryStore serves what was read before, and nothing else.
func memoryStore(files map[string][]byte) *store {
	st := newStore()
	st.fetch = func(name string, _ int64) ([]byte, error) {
		b, ok := files[name]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return b, nil
	}
	st.list = func() ([]string, error) {
		var names []string
		for name := range files {
			if !strings.Contains(name, "/") {
				names = append(names, name)
			}
		}
		return names, nil
	}
	return st
}

// get returns the content of a file, reading it once.
func (st *store) get(name string, limit int64) ([]byte, error) {
	name = path.Clean(name)
	if b, ok := st.read[name]; ok {
		return b, nil
	}
	if path.IsAbs(name) {
		return nil, errors.New("a path must be relative to the scenario's folder")
	}
	if len(st.read) >= maxFiles {
		return nil, fmt.Errorf("a scenario may read at most %d files", maxFiles)
	}
	b, err := st.fetch(name, limit)
	if err != nil {
		return nil, plainPathError(err)
	}
	st.read[name], st.shown[name] = b, b
	return b, nil
}

// plainPathError drops the path and operation, which the message that it
// becomes part of names already.
func plainPathError(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("there is no such file")
	}
	return err
}

// isScenarioFile reports whether a file holds blocks of the language.
func isScenarioFile(name string) bool {
	return strings.HasSuffix(name, ".hcl") || strings.HasSuffix(name, ".hcl.json")
}

// isVarsFile reports whether a file holds values of variables, not blocks.
func isVarsFile(name string) bool {
	return strings.HasSuffix(name, ".vars.hcl") || strings.HasSuffix(name, ".vars.hcl.json")
}

// folderFiles lists the scenario files of a folder in order of their names.
func (st *store) folderFiles() ([]string, error) {
	names, err := st.list()
	if err != nil {
		return nil, plainPathError(err)
	}
	var found []string
	for _, name := range names {
		ignored := strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") || strings.HasPrefix(name, "#")
		if isScenarioFile(name) && !isVarsFile(name) && !ignored {
			found = append(found, name)
		}
	}
	sort.Strings(found)
	return found, nil
}
