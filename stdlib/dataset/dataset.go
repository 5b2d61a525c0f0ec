// Package dataset reads tables of recorded results, ours or others', into
// rows of texts and numbers in SI base units: CSV with a map of columns, and
// the result files of other benchmark programs, one reader a format. What the
// columns of a format mean is told where its reader is.
//
// A file is outside input: every error has a line and a column, nothing is
// guessed, and a file beyond the limits is refused. A cell without a value
// ("N/A", empty) is absent from its row, never 0.
//
// It computes nothing with the values and knows no metrics.
package dataset

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Table is a table of recorded results.
type Table struct {
	Columns []string // in the order of the file, renamed
	// Rows hold, by column, a string or a finite float64 in base units. A
	// column that has no value in a row is absent from it.
	Rows []map[string]any
}

// Options say how to read a file. Each belongs to one format; the others
// ignore it.
type Options struct {
	// Units are the units of numbers by column (by its new name, if it was
	// renamed): "us", "KiB", "percent", ... as units.Convert knows them.
	// Every value of such a column must be a number.
	Units map[string]string
	// NA lists the texts that mean "no value"; nil means DefaultNA. An empty
	// cell never has a value.
	NA []string
	// Names renames columns: new name to the name in the file.
	Names map[string]string
	// Loss says how an AimRT file gives its loss and error rates: LossPercent,
	// LossFraction, or LossCounts (compute them from the counts beside them);
	// "" finds out from the counts, or refuses the file.
	Loss string
	// Unit is the unit of the values that an HdrHistogram log recorded: "ns",
	// "us", "ms" or "s". The log doesn't say, so that there is no default.
	Unit string
}

// The values of Options.Loss.
const (
	LossPercent  = "percent"
	LossFraction = "fraction"
	LossCounts   = "counts"
)

// readers are the formats by name.
var readers = map[string]func([]byte, Options) (*Table, error){
	"csv":           ReadCSV,
	"perf_test":     readPerfTest,
	"aimrt":         readAimRT,
	"openmessaging": readOpenMessaging,
	"hdr":           readHdr,
	"hyperfine":     readHyperfine,
	"gobench":       readGoBench,
}

// Read reads a file in the named format: csv, perf_test, aimrt, openmessaging,
// hdr, hyperfine or gobench. The error is an *Error.
func Read(format string, src []byte, opts Options) (*Table, error) {
	read := readers[format]
	if read == nil {
		return nil, &Error{Text: fmt.Sprintf("there is no format %q; there are %s",
			format, strings.Join(slices.Sorted(maps.Keys(readers)), ", "))}
	}
	return read(src, opts)
}

// DefaultNA lists the texts that mean "no value" unless Options say otherwise.
var DefaultNA = []string{"N/A", "NA", "-"}

// The limits of a file.
const (
	MaxBytes   = 64 << 20
	MaxRows    = 1_000_000
	MaxColumns = 1000
	MaxCells   = 5_000_000 // values in all
)

// Error is a mistake in a file, with its place.
type Error struct {
	// Line counts from 1; 0 means the file as a whole. Column is the byte in
	// the line, from 1; 0 means the whole line.
	Line, Column int
	Text         string
}

func (e *Error) Error() string {
	switch {
	case e.Line == 0:
		return e.Text
	case e.Column == 0:
		return fmt.Sprintf("line %d: %s", e.Line, e.Text)
	}
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Text)
}

func errorAt(p place, format string, args ...any) *Error {
	return &Error{p.line, p.column, fmt.Sprintf(format, args...)}
}

// place is where a cell begins.
type place struct{ line, column int }
