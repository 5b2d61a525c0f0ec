package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// write makes the merged journal beside its place, and moves it there.
func (m *merger) write(out string) error {
	out = filepath.Clean(out)
	dir := out + partial
	if err := makeDir(dir); err != nil {
		return fmt.Errorf("the merged result can't be written: %w", err)
	}
	runs, err := openRuns(dir, os.O_CREATE)
	if err != nil {
		return err
	}
	defer runs.Close()
	if err = m.fill(dir, runs); err == nil {
		err = move(dir, out)
	}
	if err != nil {
		for _, name := range []string{RunsFile, ScenarioFile, EnvironmentFile} {
			os.Remove(filepath.Join(dir, name))
		}
		os.Remove(dir) // unless there is something else in it
	}
	return err
}

// fill writes the merged journal into a folder, over what an earlier Merge may
// have left there.
func (m *merger) fill(dir string, runs *os.File) error {
	if err := runs.Truncate(0); err != nil {
		return fmt.Errorf("the merged result can't be written: %w", err)
	}
	buffer := bufio.NewWriterSize(runs, 1<<20)
	for _, s := range m.sources {
		if err := m.copyRuns(buffer, s); err != nil {
			return err
		}
	}
	if err := errors.Join(buffer.Flush(), runs.Sync()); err != nil {
		return unwritten(err)
	}
	return writeHead(dir, m.header(), m.environment())
}

func unwritten(err error) error {
	return fmt.Errorf("the merged result can't be written: %w%s", err, advice(err))
}

// move gives a folder its name, which may be that of an empty folder.
func move(dir, out string) error {
	if err := os.Remove(out); err != nil && !errors.Is(err, os.ErrNotExist) {
		return unwritten(err)
	}
	if err := os.Rename(dir, out); err != nil {
		return unwritten(err)
	}
	return syncDir(filepath.Dir(out))
}

// name is what a record says of the run that it is of.
type name struct {
	Cell    string  `json:"cell"`
	Run     int     `json:"run"`
	Machine *string `json:"machine"`
}

// copyRuns copies the records of a shard whose checksums are right. What else
// they say is checked by whoever reads the result, which takes about three times
// as long.
func (m *merger) copyRuns(w *bufio.Writer, s *source) error {
	seen := map[runKey]bool{}
	cells := len(m.cells)
	_, torn, err := eachLine(s.runs, func(n int, line []byte) error {
		r, line, err := m.convert(s, line)
		if err != nil {
			return fmt.Errorf("%s, line %d: %w", RunsFile, n, err)
		}
		if m.records++; m.records > MaxRecords {
			return fmt.Errorf("together the shards have more than %d records, the limit", MaxRecords)
		}
		seen[runKey{r.Cell, r.Run}] = true
		if _, err := w.Write(line); err != nil {
			return unwritten(err)
		}
		return nil
	})
	s.Torn, s.Runs, s.Cells = torn > 0, len(seen), len(m.cells)-cells
	if err != nil {
		return fmt.Errorf("journal %s: %w", s.Dir, err)
	}
	return nil
}

// convert returns whose record a line of a shard is, and how it is written in
// the merged journal: where there are several machines, with the name of its.
func (m *merger) convert(s *source, line []byte) (*name, []byte, error) {
	text, err := unframe(line)
	if err != nil {
		return nil, nil, err
	}
	r := new(name)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, nil, err
	}
	home, ok := m.cells[r.Cell]
	switch {
	case r.Cell == "" || len(r.Cell) > maxCell || r.Run < 0:
		return nil, nil, errors.New("damaged: this is not a record of a run")
	case r.Machine != nil:
		return nil, nil, errors.New("the record names a machine, as those of merged results do")
	case ok && home != s.Shard.Number:
		return nil, nil, fmt.Errorf("cell %.200s is in shard %d too: the plan was split in another way, or one of the two is not what it says", r.Cell, home)
	}
	m.cells[r.Cell] = s.Shard.Number
	if m.machines == nil {
		return r, line, nil
	}
	machine, err := json.Marshal(s.Machine)
	if err != nil {
		return nil, nil, err
	}
	line = frame(slices.Concat([]byte(`{"machine":`), machine, []byte(","), bytes.TrimLeft(text, " \t{")))
	if len(line) > MaxLine {
		return nil, nil, fmt.Errorf("the record has %d bytes with the name of its machine; the limit is %d", len(line), MaxLine)
	}
	return r, line, nil
}
