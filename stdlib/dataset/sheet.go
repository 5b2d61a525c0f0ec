package dataset

import "fmt"

// sheet is a table that grows a row at a time.
type sheet struct {
	columns []string // as declared, then as they came
	filled  map[string]bool
	known   map[string]bool
	rows    []map[string]any
	cells   int
}

// newSheet makes an empty table. The columns only give an order: one without
// any value is not in the table, and others may come.
func newSheet(columns ...string) *sheet {
	s := &sheet{filled: map[string]bool{}, known: map[string]bool{}}
	for _, c := range columns {
		s.column(c)
	}
	return s
}

func (s *sheet) column(name string) {
	if !s.known[name] {
		s.known[name] = true
		s.columns = append(s.columns, name)
	}
}

// add begins a row, which the file has at the place.
func (s *sheet) add(at place) (map[string]any, error) {
	if len(s.rows) == MaxRows || s.cells > MaxCells {
		return nil, errorAt(at, "the file has more than %d rows or %d values", MaxRows, MaxCells)
	}
	row := map[string]any{}
	s.rows = append(s.rows, row)
	return row, nil
}

// set gives a row of the sheet a value, a string or a finite float64.
func (s *sheet) set(row map[string]any, column string, value any) {
	s.column(column)
	s.filled[column] = true
	s.cells++
	row[column] = value
}

func (s *sheet) table() (*Table, error) {
	t := &Table{Rows: s.rows}
	for _, c := range s.columns {
		if s.filled[c] {
			t.Columns = append(t.Columns, c)
		}
	}
	if len(t.Columns) > MaxColumns {
		return nil, &Error{Text: fmt.Sprintf("there are %d columns; the limit is %d", len(t.Columns), MaxColumns)}
	}
	if t.Rows == nil {
		t.Rows = []map[string]any{}
	}
	return t, nil
}
