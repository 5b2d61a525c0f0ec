// Package dataset reads recorded results.
package dataset

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strconv"
)

// Options say how to read the columns.
type Options struct {
	Units map[string]string // unit of a column; its values become SI
	Names map[string]string // new name -> name in the header
	NA    []string          // texts that mean no value
}

// Table is a dataset: a value is a string or a float64, or absent.
type Table struct {
	Columns []string
	Rows    []map[string]any
}

// ReadCSV reads CSV with a header.
func ReadCSV(src []byte, opts Options) (*Table, error) {
	records, err := csv.NewReader(bytes.NewReader(src)).ReadAll()
	if err != nil {
		return nil, err
	}
	scale := map[string]float64{"us": 1e-6, "ns": 1e-9, "ms": 1e-3, "percent": 0.01}
	t := &Table{}
	for i, rec := range records {
		if i == 0 {
			for _, h := range rec {
				for to, from := range opts.Names {
					if from == h {
						h = to
					}
				}
				t.Columns = append(t.Columns, h)
			}
			continue
		}
		row := map[string]any{}
		for j, text := range rec {
			if slices.Contains(opts.NA, text) {
				continue
			}
			if x, err := strconv.ParseFloat(text, 64); err == nil {
				if f := scale[opts.Units[t.Columns[j]]]; f != 0 {
					x *= f
				}
				row[t.Columns[j]] = x
			} else {
				row[t.Columns[j]] = text
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}
