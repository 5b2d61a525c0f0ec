package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// Format is the version of the journal's format that this package writes. It
// reads all versions up to it: 2 added the windows of a result, 3 shards and the
// machines of merged results.
const Format = 3

// The files of a journal.
const (
	ScenarioFile    = "scenario.json"
	EnvironmentFile = "environment.json"
	RunsFile        = "runs.jsonl"
)

// Journal is a journal open for appending. Only one process can have it open
// so; any number may Read it meanwhile. It is used by one goroutine at a time.
type Journal struct {
	dir    string
	file   file
	end    int64 // of the last good line
	ok     map[runKey]bool
	broken error // not nil: what lies after end is not known to be clean
}

// file is what a Journal needs of its runs file.
type file interface {
	io.WriteCloser
	Sync() error
	Truncate(size int64) error
}

// runKey identifies a run across its records.
type runKey struct {
	cell string
	run  int
}

// Create starts a journal in the folder dir, which is made if it does not
// exist, and must otherwise be empty. What a Create left behind that was
// stopped half-way counts as empty. Everything is on the disk when it returns.
// Header.Format is set to Format.
func Create(dir string, h Header, e Environment) (*Journal, error) {
	h.Format = Format
	if err := h.check(); err != nil {
		return nil, fmt.Errorf("journal %s: %w", dir, err)
	}
	if err := makeDir(dir); err != nil {
		return nil, fmt.Errorf("journal %s can't be created: %w", dir, err)
	}
	if err := checkFree(dir); err != nil {
		return nil, err
	}
	f, err := openRuns(dir, os.O_CREATE)
	if err != nil {
		return nil, err
	}
	// Another process may have created the journal before the lock was ours.
	err = checkFree(dir)
	if err == nil {
		err = writeHead(dir, h, e)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &Journal{dir: dir, file: f, ok: map[runKey]bool{}}, nil
}

// writeHead writes the files beside the runs. The scenario comes last: a
// folder without it is not a journal yet.
func writeHead(dir string, h Header, e Environment) error {
	if err := writeJSON(filepath.Join(dir, EnvironmentFile), e); err != nil {
		return err
	}
	if err := writeJSON(filepath.Join(dir, ScenarioFile), h); err != nil {
		return err
	}
	return syncDir(dir)
}

// checkFree returns an error if dir holds anything but the beginnings of a
// journal without a scenario and without runs.
func checkFree(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("journal %s can't be created: %w", dir, err)
	}
	if _, err := os.Stat(filepath.Join(dir, ScenarioFile)); err == nil {
		return fmt.Errorf("%s already holds a result: resume it, or choose another folder", dir)
	}
	for _, e := range entries {
		switch e.Name() {
		case EnvironmentFile, EnvironmentFile + partial, ScenarioFile + partial:
			continue
		case RunsFile:
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
				continue
			}
		}
		return fmt.Errorf("folder %s is not empty (it holds %q): choose another folder for the result", dir, e.Name())
	}
	return nil
}

// Open opens the journal in the folder dir for appending, and returns what it
// holds. A torn last line is cut off, with a warning in Content; that is the
// only change that it makes. Damage elsewhere is an error that names the line.
func Open(dir string) (*Journal, *Content, error) {
	h, e, err := readHead(dir)
	if err != nil {
		return nil, nil, err
	}
	f, err := openRuns(dir, 0)
	if err != nil {
		return nil, nil, err
	}
	s, err := scan(f)
	if err == nil {
		err = s.checkMachines(&e)
	}
	if err == nil && s.torn > 0 {
		err = errors.Join(f.Truncate(s.end), f.Sync())
	}
	if err != nil {
		f.Close()
		return nil, nil, fmt.Errorf("journal %s: %w", dir, err)
	}
	j := &Journal{dir: dir, file: f, end: s.end, ok: map[runKey]bool{}}
	c := s.content(h, e)
	if s.torn > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf(
			"%s: the last line was torn (%d bytes) and was cut off; that run will be measured again", RunsFile, s.torn))
	}
	for i := range c.Runs {
		j.note(&c.Runs[i])
	}
	return j, c, nil
}

// openRuns opens the file of runs and locks it for this process.
func openRuns(dir string, flag int) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, RunsFile), os.O_RDWR|os.O_APPEND|flag, 0o666)
	if err != nil {
		return nil, fmt.Errorf("journal %s can't be written: %w", dir, err)
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, fmt.Errorf("journal %s is in use: another versus is writing it", dir)
	}
	return nil, fmt.Errorf("journal %s can't be locked: %w", dir, err)
}

// OK reports whether the journal holds the run with status OK, so that it need
// not be measured again.
func (j *Journal) OK(cell string, run int) bool { return j.ok[runKey{cell, run}] }

// note takes the run into account for OK.
func (j *Journal) note(r *Run) {
	key := runKey{r.Cell, r.Run}
	if r.Status == OK {
		j.ok[key] = true
	} else {
		delete(j.ok, key)
	}
}

// Append adds the run, and returns when it is on the disk. On an error, for
// example a full disk, the journal is as it was before, and the error says
// what to do. A run that Check refuses is refused here too.
func (j *Journal) Append(r Run) error {
	if j.broken != nil {
		return j.broken
	}
	line, err := encode(&r)
	if err != nil {
		return fmt.Errorf("journal %s: %w", j.dir, err)
	}
	n, err := j.file.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	if err == nil {
		err = j.file.Sync()
	}
	if err == nil {
		j.end += int64(len(line))
		j.note(&r)
		return nil
	}
	if undo := errors.Join(j.file.Truncate(j.end), j.file.Sync()); undo != nil {
		j.broken = fmt.Errorf("journal %s: writing a run failed (%w), and so did cutting off what was written of it; "+
			"all runs before it are safe, and opening the journal again repairs it", j.dir, err)
		return j.broken
	}
	return fmt.Errorf("journal %s: the run could not be written: %w%s; everything before it is safe", j.dir, err, advice(err))
}

// advice says what to do about a failed write.
func advice(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return " (make room on the disk, then resume)"
	case errors.Is(err, syscall.EFBIG):
		return " (a limit on the size of files: see ulimit -f)"
	}
	return ""
}

// Close gives the journal free for other processes.
func (j *Journal) Close() error { return j.file.Close() }
