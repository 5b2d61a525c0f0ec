package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// output is standard output. It remembers the first write that failed, so that
// none of the many places that print has to: Main looks.
type output struct {
	*os.File
	failed error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.File.Write(b)
	if err != nil && o.failed == nil {
		o.failed = err
	}
	return n, err
}

// replace writes a file beside the one of that name and renames it, so that a full
// disk does not leave half of it. A link stays one: what it leads to is replaced.
// What is no file, such as /dev/stdout, is written to.
func replace(name string, content []byte) error {
	mode := fs.FileMode(0o644)
	switch info, err := os.Stat(name); {
	case err == nil && !info.Mode().IsRegular():
		return os.WriteFile(name, content, 0)
	case err == nil:
		mode = info.Mode().Perm()
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".versus-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already if all went well
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(mode)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	return err
}
