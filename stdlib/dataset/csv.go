package dataset

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strings"
	"unicode/utf8"
)

// ReadCSV reads a file of comma-separated values (RFC 4180) in UTF-8, with a
// header. A column whose values are all numbers is a column of numbers, any
// other one of texts; one with a unit must be numbers. The error is an *Error.
func ReadCSV(data []byte, opt Options) (*Table, error) {
	data, err := text(data)
	if err != nil {
		return nil, err
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1 // checked here, with a better message
	r.ReuseRecord = true
	columns, err := readHeader(r, opt)
	if err != nil {
		return nil, err
	}
	rows, err := readRows(r, columns, opt)
	if err != nil {
		return nil, err
	}
	t := &Table{Columns: columns}
	return t, t.fill(rows, opt.Units)
}

// text refuses what is not UTF-8 text within the limits, and drops a byte
// order mark.
func text(data []byte) ([]byte, error) {
	if len(data) > MaxBytes {
		return nil, &Error{Text: "the file is larger than 64 MiB"}
	}
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return nil, &Error{Text: "the file is in UTF-16; save it as UTF-8"}
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if i := bytes.IndexByte(data, 0); i >= 0 {
		return nil, errorAt(placeOf(data, i), "a zero byte: this is not a text file")
	}
	if !utf8.Valid(data) {
		i := 0
		for {
			r, n := utf8.DecodeRune(data[i:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			i += n
		}
		return nil, errorAt(placeOf(data, i), "byte 0x%02x is not UTF-8; save the file as UTF-8", data[i])
	}
	return data, nil
}

func placeOf(data []byte, i int) place {
	before := data[:i]
	return place{1 + bytes.Count(before, []byte("\n")), i - bytes.LastIndexByte(before, '\n')}
}

// readHeader reads the names of the columns and renames them.
func readHeader(r *csv.Reader, opt Options) ([]string, error) {
	record, err := r.Read()
	if err == io.EOF {
		return nil, &Error{Text: "the file is empty; its first line must name the columns"}
	}
	if err != nil {
		return nil, syntax(err)
	}
	if len(record) > MaxColumns {
		return nil, errorAt(placeAt(r, 0), "there are %d columns; the limit is %d", len(record), MaxColumns)
	}
	if len(record) == 1 {
		for _, c := range []struct{ sep, name string }{{";", "semicolons"}, {"\t", "tabs"}, {"|", "bars"}} {
			if strings.Contains(record[0], c.sep) {
				return nil, errorAt(placeAt(r, 0), "the columns are separated by %s; they must be separated by commas", c.name)
			}
		}
	}
	columns := make([]string, len(record))
	first := map[string]int{}
	for i, name := range record {
		name = strings.TrimSpace(name)
		if name == "" {
			return nil, errorAt(placeAt(r, i), "column %d has no name", i+1)
		}
		if j, ok := first[name]; ok {
			return nil, errorAt(placeAt(r, i), "columns %d and %d are both named %q", j+1, i+1, name)
		}
		first[name], columns[i] = i, name
	}
	return rename(columns, first, opt)
}

// readRows reads the cells as texts; a cell without a value has ok unset.
func readRows(r *csv.Reader, columns []string, opt Options) ([][]cell, error) {
	missing := map[string]bool{"": true}
	na := opt.NA
	if na == nil {
		na = DefaultNA
	}
	for _, text := range na {
		missing[strings.TrimSpace(text)] = true
	}
	var rows [][]cell
	cells := 0
	for {
		record, err := r.Read()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, syntax(err)
		}
		if len(record) != len(columns) {
			return nil, errorAt(placeAt(r, 0), "this row has %s, and the header names %s",
				count(len(record), "value"), count(len(columns), "column"))
		}
		if cells += len(columns); len(rows) == MaxRows || cells > MaxCells {
			return nil, errorAt(placeAt(r, 0), "the file has more than %d rows or %d values", MaxRows, MaxCells)
		}
		row := make([]cell, len(record))
		for i, text := range record {
			text = strings.TrimSpace(text)
			if !missing[text] {
				row[i] = cell{strings.Clone(text), placeAt(r, i), true}
			}
		}
		rows = append(rows, row)
	}
}

func placeAt(r *csv.Reader, field int) place {
	line, column := r.FieldPos(field)
	return place{line, column}
}

// syntax explains an error of encoding/csv.
func syntax(err error) error {
	var pe *csv.ParseError
	if !errors.As(err, &pe) {
		return &Error{Text: err.Error()}
	}
	at := place{pe.Line, pe.Column}
	switch {
	case errors.Is(err, csv.ErrBareQuote):
		return errorAt(at, `a quote inside a value; put the whole value in quotes and write "" for the quote`)
	case pe.StartLine != pe.Line:
		return errorAt(at, "the quoted value in the row that begins in line %d is not ended by a quote and a comma", pe.StartLine)
	default:
		return errorAt(at, "a quoted value is not ended by a quote and a comma")
	}
}
