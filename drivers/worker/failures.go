package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"slices"
	"syscall"

	"versus/drivers/protocol"
)

// maxInARow is how many calls of one caller may fail one after the other
// before it gives up: a dead server must not make it spin.
const maxInARow = 1000

// Kind marks err as a failure of a kind, a short name of a-z, 0-9 and _ that
// a scenario sees as the metric errors.KIND. Without it the kind is one of
// deadline, connection and other, as the standard library's errors tell.
func Kind(kind string, err error) error { return &kindError{kind, err} }

// The kinds of failures that all drivers share.
const (
	KindDeadline   = "deadline"   // no answer in time
	KindConnection = "connection" // refused, reset, closed
	KindAnswer     = "answer"     // an answer of the wrong length
	KindOther      = "other"
	kindUnsent     = "unsent" // due in an open loop, but never sent
)

type kindError struct {
	kind string
	err  error
}

func (e *kindError) Error() string { return e.err.Error() }
func (e *kindError) Unwrap() error { return e.err }

func kindOf(err error) string {
	var marked *kindError
	var timeout net.Error
	var op *net.OpError
	switch {
	case errors.As(err, &marked) && protocol.ValidKind(marked.kind):
		return marked.kind
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		errors.As(err, &timeout) && timeout.Timeout():
		return KindDeadline
	case errors.As(err, &op), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed),
		errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.ECONNREFUSED), errors.Is(err, syscall.EPIPE):
		return KindConnection
	}
	return KindOther
}

// failures counts the failed calls of one caller. It is not safe for concurrent use.
type failures struct {
	counts map[string]int64
	first  map[string]string // the first message of each kind
	inARow int
}

// add counts a failure, and returns an error when there were too many in a row.
// It says how many are too many: calls that were under way fail after the last of them.
func (f *failures) add(err error) error {
	if f.counts == nil {
		f.counts, f.first = map[string]int64{}, map[string]string{}
	}
	kind := kindOf(err)
	if f.counts[kind]++; f.counts[kind] == 1 {
		f.first[kind] = err.Error()
	}
	if f.inARow++; f.inARow >= maxInARow {
		return fmt.Errorf("gave up after %d calls in a row failed; the first one: %s", maxInARow, f.first[kind])
	}
	return nil
}

// report adds the counts to the result, and the first message of each kind as
// a flag.
func (f *failures) report(r *protocol.Result) {
	for _, kind := range slices.Sorted(maps.Keys(f.counts)) {
		if r.Errors == nil {
			r.Errors = map[string]int64{}
		}
		if r.Errors[kind] == 0 {
			text := f.first[kind]
			r.Flags = append(r.Flags, fmt.Sprintf("error %s: %s", kind, text[:min(len(text), 500)]))
		}
		r.Errors[kind] += f.counts[kind]
	}
}
