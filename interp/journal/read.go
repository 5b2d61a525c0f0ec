package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"versus/drivers/protocol"
)

// Limits of the file of runs: what is beyond is refused, in writing and in reading.
const (
	// MaxLine is the longest line, in bytes: room for several roles that each
	// sent the longest message there is.
	MaxLine = 4 * protocol.MaxLine
	// MaxRecords is the largest number of lines.
	MaxRecords = 10_000_000
)

// Content is everything that a journal holds.
type Content struct {
	Header      Header
	Environment Environment
	// Runs has one record for each run of a cell, in the order in which they
	// were measured. Where a run was tried more than once, because it failed or
	// was skipped before a resume, the last record counts.
	Runs []Run
	// Retried are the earlier records of runs that were tried again.
	Retried  []Run
	Warnings []string
}

// Read reads the journal in the folder dir and changes nothing, so that it also
// works in a folder that can't be written, and while the journal is written. A
// torn last line is left out, with a warning in Content; damage elsewhere is an
// error that names the line.
func Read(dir string) (*Content, error) {
	h, e, err := readHead(dir)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(filepath.Join(dir, RunsFile))
	if err != nil {
		return nil, fmt.Errorf("journal %s: %w", dir, err)
	}
	defer f.Close()
	s, err := scan(f)
	if err == nil {
		err = s.checkMachines(&e)
	}
	if err != nil {
		return nil, fmt.Errorf("journal %s: %w", dir, err)
	}
	c := s.content(h, e)
	if s.torn > 0 {
		c.Warnings = append(c.Warnings, fmt.Sprintf(
			"%s: the last line is torn (%d bytes) and is left out; resuming measures that run again", RunsFile, s.torn))
	}
	return c, nil
}

// scanned is the content of a file of runs.
type scanned struct {
	runs []Run // all records
	end  int64 // of the last good line
	torn int64 // bytes of a torn line after it
}

// scan reads the records of a file of runs.
func scan(r io.Reader) (*scanned, error) {
	s := new(scanned)
	var err error
	s.end, s.torn, err = eachLine(r, func(n int, line []byte) error {
		run, err := decode(line)
		if err != nil {
			return fmt.Errorf("%s, line %d: %w", RunsFile, n, err)
		}
		s.runs = append(s.runs, *run)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// eachLine calls do with each line of a file of runs and its number, until one
// of these calls fails. It returns where the last good line ends, and the bytes
// of a torn one after it.
func eachLine(r io.Reader, do func(n int, line []byte) error) (end, torn int64, err error) {
	in := bufio.NewReaderSize(r, 1<<16)
	for n := 1; ; n++ {
		line, err := readLine(in)
		if err == io.EOF && len(line) == 0 {
			return end, 0, nil
		}
		if err != nil && err != io.EOF {
			return end, 0, fmt.Errorf("%s, line %d: %w", RunsFile, n, err)
		}
		if n > MaxRecords {
			return end, 0, fmt.Errorf("%s has more than %d lines, the limit", RunsFile, MaxRecords)
		}
		if isTorn(in, line) {
			return end, int64(len(line)), nil
		}
		if err := do(n, line); err != nil {
			return end, 0, err
		}
		end += int64(len(line))
	}
}

// readLine returns the next line with its newline; the last one of a file, with
// io.EOF, may have none.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > MaxLine {
			return nil, fmt.Errorf("the line is longer than %d bytes, the limit", MaxLine)
		}
		if err != bufio.ErrBufferFull {
			return line, err
		}
	}
}

// isTorn reports whether the line is the last one and was not written
// completely: it starts like a record, but its newline is missing, or it has
// zero bytes, as blocks do that never reached the disk. Anything else that does
// not decode is damage.
func isTorn(in *bufio.Reader, line []byte) bool {
	if _, err := in.Peek(1); err != io.EOF {
		return false
	}
	if bytes.HasSuffix(line, []byte("\n")) && bytes.IndexByte(line, 0) < 0 {
		return false
	}
	for i := 0; i < len(beforeSum) && i < len(line); i++ {
		if line[i] != beforeSum[i] && line[i] != 0 {
			return false
		}
	}
	return true
}

// A line is beforeSum, 8 hexadecimal digits, beforeRun, the run, afterRun. The
// sum is the CRC-32C of the bytes of the run. The layout is fixed, so that
// every byte of a line is covered by a check.
const (
	beforeSum = `{"sum":"`
	beforeRun = `","run":`
	afterRun  = "}\n"
	runAt     = len(beforeSum) + 8 + len(beforeRun)
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// encode returns the line of the run.
func encode(r *Run) ([]byte, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	if line := frame(text); len(line) <= MaxLine {
		return line, nil
	}
	return nil, fmt.Errorf("the record of the run has %d bytes; the limit is %d", len(text), MaxLine-runAt-len(afterRun))
}

// frame returns the line for the JSON of a run.
func frame(run []byte) []byte {
	line := make([]byte, 0, runAt+len(run)+len(afterRun))
	return fmt.Appendf(line, "%s%08x%s%s%s", beforeSum, crc32.Checksum(run, castagnoli), beforeRun, run, afterRun)
}

// decode returns the run in a line.
func decode(line []byte) (*Run, error) {
	text, err := unframe(line)
	if err != nil {
		return nil, err
	}
	r := new(Run)
	if err := decodeStrict(text, r); err != nil {
		return nil, err
	}
	if err := r.Check(); err != nil {
		return nil, err
	}
	return r, nil
}

// unframe returns the JSON of the run in a line, if its checksum is right.
func unframe(line []byte) ([]byte, error) {
	if len(line) < runAt+len(afterRun) || string(line[:len(beforeSum)]) != beforeSum ||
		string(line[runAt-len(beforeRun):runAt]) != beforeRun || string(line[len(line)-len(afterRun):]) != afterRun {
		return nil, errors.New("damaged: this is not a record of a run")
	}
	text := line[runAt : len(line)-len(afterRun)]
	sum := fmt.Sprintf("%08x", crc32.Checksum(text, castagnoli))
	if written := line[len(beforeSum) : runAt-len(beforeRun)]; string(written) != sum {
		return nil, fmt.Errorf("damaged: the checksum is %s, but %q was written", sum, written)
	}
	return text, nil
}

// checkMachines returns an error if a run was made on a machine that the
// environment does not know.
func (s *scanned) checkMachines(e *Environment) error {
	for i := range s.runs {
		if name := s.runs[i].Machine; name != "" && e.Machines[name] == nil {
			return fmt.Errorf("%s, record %d: the run was made on %.40q, a machine of which %s says nothing", RunsFile, i+1, name, EnvironmentFile)
		}
	}
	return nil
}

// content sorts the records into those that count and those tried again.
func (s *scanned) content(h Header, e Environment) *Content {
	c := &Content{Header: h, Environment: e}
	last := make(map[runKey]int, len(s.runs))
	for i, r := range s.runs {
		last[runKey{r.Cell, r.Run}] = i
	}
	c.Runs = make([]Run, 0, len(last))
	for i, r := range s.runs {
		if last[runKey{r.Cell, r.Run}] == i {
			c.Runs = append(c.Runs, r)
		} else {
			c.Retried = append(c.Retried, r)
		}
	}
	return c
}
