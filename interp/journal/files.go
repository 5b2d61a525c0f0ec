package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// partial ends the name of a file that is not complete yet.
const partial = ".partial"

// maxHead bounds scenario.json and environment.json, in bytes.
const maxHead = 256 << 20

// writeJSON writes v to a new file, which has its name only once it is
// complete and on the disk.
func writeJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if len(text) > maxHead {
		return fmt.Errorf("%s would have %d bytes; the limit is %d", path, len(text), maxHead)
	}
	f, err := os.Create(path + partial)
	if err != nil {
		return fmt.Errorf("the journal can't be created: %w", err)
	}
	_, err = f.Write(append(text, '\n'))
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(path+partial, path)
	}
	if err != nil {
		os.Remove(path + partial)
		return fmt.Errorf("the journal can't be created: %w", err)
	}
	return nil
}

// makeDir makes the folder and those above it, and puts them on the disk. The
// name of a folder lives in the one above.
func makeDir(dir string) error {
	above := filepath.Dir(filepath.Clean(dir))
	if _, err := os.Stat(above); errors.Is(err, os.ErrNotExist) {
		if err := makeDir(above); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		if info, statErr := os.Stat(dir); statErr == nil && info.IsDir() {
			return nil
		}
		return err
	}
	return syncDir(above)
}

// syncDir puts the names in a folder on the disk.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if errors.Is(err, os.ErrPermission) {
		return nil // a folder that one may enter and change, but not list
	}
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, syscall.EINVAL) {
		return err // EINVAL: the file system keeps folders safe by itself, or not at all
	}
	return nil
}

// readHead reads and checks the two files beside the runs.
func readHead(dir string) (h Header, e Environment, err error) {
	err = readJSON(filepath.Join(dir, ScenarioFile), &h)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		const ask = "give the folder that `versus run` wrote"
		info, statErr := os.Stat(dir)
		switch {
		case errors.Is(statErr, os.ErrNotExist):
			return h, e, fmt.Errorf("there is no journal in %s: there is no such folder; %s", dir, ask)
		case statErr != nil:
			return h, e, fmt.Errorf("there is no journal in %s: %w", dir, statErr)
		case !info.IsDir():
			return h, e, fmt.Errorf("%s is a file, and not the result of a run; %s", dir, ask)
		}
		return h, e, fmt.Errorf("%s is not a journal: it holds no %s; %s", dir, ScenarioFile, ask)
	}
	if err == nil {
		err = h.check()
	}
	if err != nil {
		return h, e, fmt.Errorf("journal %s: %w", dir, err)
	}
	if err = readJSON(filepath.Join(dir, EnvironmentFile), &e); err == nil {
		err = e.check()
	}
	if err != nil {
		return h, e, fmt.Errorf("journal %s: %w", dir, err)
	}
	return h, e, nil
}

// readJSON decodes the one value of a file.
func readJSON(path string, v any) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxHead+1))
	if err != nil {
		return err
	}
	if len(text) > maxHead {
		return fmt.Errorf("%s is larger than the limit of %d bytes", filepath.Base(path), maxHead)
	}
	if err := decodeStrict(text, v); err != nil {
		return fmt.Errorf("%s is damaged: %w", filepath.Base(path), err)
	}
	return nil
}

// decodeStrict decodes text, which must be one JSON value without a field that
// this program does not know: what it can't read it must not drop.
func decodeStrict(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("there is text after its end")
	}
	return nil
}
