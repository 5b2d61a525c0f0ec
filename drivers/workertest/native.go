package workertest

import (
	"testing"

	"versus/drivers/native"
)

// Built builds a worker that is not written in Go, unless it is built, and returns
// its program. It skips the test where that can't be, as Need does.
func Built(tb testing.TB, w native.Worker) string {
	tb.Helper()
	Need(tb, w.Lacks())
	if _, err := w.Build(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	path, err := w.Binary(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return path
}
