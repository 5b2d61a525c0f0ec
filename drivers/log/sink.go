package log

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"sync"

	"golang.org/x/sys/unix"

	"versus/drivers/worker"
)

// bufferSize is the buffer of a sink that isn't flushed after each line, in bytes.
const bufferSize = 64 << 10

// sink is where a logger of this process writes. It may be written to by
// several goroutines; nobody writes during Lines.
type sink struct {
	kind  string
	flush int // lines, or atEnd
	size  int // of the text of a line, bytes
	out   *os.File
	wc    *exec.Cmd // empties the pipe and counts
	count bytes.Buffer

	mu      sync.Mutex // of the buffer
	buffer  *bufio.Writer
	pending int // lines in the buffer

	ending sync.Mutex // of Lines and close
	closed bool
}

func openSink(o options, size int) (*sink, error) {
	s := &sink{kind: o.sink, flush: o.flush, size: size}
	var err error
	switch s.kind {
	case "file":
		err = s.create()
	case "null":
		s.out, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	case "pipe":
		err = s.pipe()
	default:
		err = fmt.Errorf("there is no sink %q", s.kind)
	}
	if err != nil {
		return nil, err
	}
	s.buffer = bufio.NewWriterSize(s.out, bufferSize)
	return s, nil
}

// create makes the file and takes its name away: it is gone with the process,
// however that ends.
func (s *sink) create() (err error) {
	if s.out, err = os.CreateTemp("", "versus-log-*"); err != nil {
		return fmt.Errorf("the log's file: %w", err)
	}
	if err := os.Remove(s.out.Name()); err != nil {
		return errors.Join(fmt.Errorf("the log's file: %w", err), s.out.Close())
	}
	return nil
}

// pipe starts the program that empties the pipe. Its end is blocking, as that of
// a process whose output is piped.
func (s *sink) pipe() error {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return fmt.Errorf("the log's pipe: %w", err)
	}
	in := os.NewFile(uintptr(ends[0]), "pipe")
	defer in.Close()
	s.out = os.NewFile(uintptr(ends[1]), "pipe")
	s.count.Reset()
	s.wc = exec.Command("wc", "-lc")
	s.wc.Stdin, s.wc.Stdout = in, &s.count
	if err := s.wc.Start(); err != nil {
		return errors.Join(fmt.Errorf("the program that empties the log's pipe: %w", err), s.out.Close())
	}
	return nil
}

// Write takes one line. It never fails: the libraries would fill standard error
// with that. A line that can't be written doesn't arrive, and Lines sees that.
func (s *sink) Write(line []byte) (int, error) {
	if s.flush == 1 {
		_, _ = s.out.Write(line)
		return len(line), nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	_, _ = s.buffer.Write(line)
	if s.pending++; s.pending == s.flush {
		s.empty()
	}
	return len(line), nil
}

// Flush hands what is in the buffer to the system.
func (s *sink) Flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.empty()
}

func (s *sink) empty() {
	if s.buffer.Flush() != nil { // the next lines must not fail for it
		s.buffer.Reset(s.out)
	}
	s.pending = 0
}

// Lines returns how many lines have arrived since the last call, and begins anew.
func (s *sink) Lines() (int64, error) {
	s.ending.Lock()
	defer s.ending.Unlock()
	var lines, size int64
	var err error
	switch {
	case s.closed:
		return 0, os.ErrClosed
	case s.kind == "null":
		return worker.LinesUnknown, nil
	case s.kind == "pipe":
		if lines, size, err = s.counted(); err == nil {
			if err = s.pipe(); err == nil {
				s.buffer.Reset(s.out)
			}
		}
	default:
		if lines, size, err = countLines(s.out); err == nil {
			if err = s.out.Truncate(0); err == nil {
				_, err = s.out.Seek(0, io.SeekStart)
			}
		}
	}
	if s.size > 0 { // a line that isn't whole didn't arrive
		lines = min(lines, size/int64(s.size))
	}
	return lines, err
}

// counted ends the pipe and returns what wc has seen.
func (s *sink) counted() (lines, size int64, err error) {
	err = errors.Join(s.out.Close(), s.wc.Wait())
	s.wc = nil
	if err != nil {
		return 0, 0, fmt.Errorf("the log's pipe: %w", err)
	}
	if _, err := fmt.Sscan(s.count.String(), &lines, &size); err != nil {
		return 0, 0, fmt.Errorf("wc says %q: %w", s.count.String(), err)
	}
	return lines, size, nil
}

func countLines(f *os.File) (lines, size int64, err error) {
	b := make([]byte, bufferSize)
	for {
		n, err := f.ReadAt(b, size)
		lines += int64(bytes.Count(b[:n], []byte{'\n'}))
		size += int64(n)
		if errors.Is(err, io.EOF) {
			return lines, size, nil
		}
		if err != nil {
			return lines, size, fmt.Errorf("the log's file: %w", err)
		}
	}
}

// close may be called while lines are still written.
func (s *sink) close() error {
	s.ending.Lock()
	defer s.ending.Unlock()
	s.closed = true
	if s.wc != nil {
		_, _, err := s.counted()
		return err
	}
	return s.out.Close()
}

// limitFile bounds the files of this process: a write beyond fails, and its
// line counts as lost.
func limitFile() error {
	signal.Ignore(unix.SIGXFSZ)
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_FSIZE, &l); err != nil {
		return fmt.Errorf("limit of the log's file: %w", err)
	}
	l.Cur = min(l.Max, maxFile)
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &l); err != nil {
		return fmt.Errorf("limit of the log's file: %w", err)
	}
	return nil
}

// fileSystems names those that temporary files are often on, by statfs(2).
var fileSystems = map[int64]string{
	unix.EXT4_SUPER_MAGIC: "ext4", unix.TMPFS_MAGIC: "tmpfs", unix.XFS_SUPER_MAGIC: "xfs",
	unix.BTRFS_SUPER_MAGIC: "btrfs", unix.OVERLAYFS_SUPER_MAGIC: "overlayfs",
}

// effective says what the lines really go to.
func (s *sink) effective() string {
	switch s.kind {
	case "null":
		return "the device /dev/null; lines can't be counted"
	case "pipe":
		return "a pipe that wc empties"
	}
	var stat unix.Statfs_t
	if unix.Fstatfs(int(s.out.Fd()), &stat) != nil {
		return "a file"
	}
	name, ok := fileSystems[int64(stat.Type)]
	if !ok {
		name = fmt.Sprintf("a file system of type %#x", stat.Type)
	}
	return "a file on " + name
}
