package dataset

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
)

var (
	// reportLine begins a report in a log, after whatever the logger puts
	// in front.
	reportLine = regexp.MustCompile(`(?m)Benchmark plan ([0-9]+) completed, report:`)
	// valueLine is a line of a report: "min latency: 36.2 us", "send count : 100".
	valueLine = regexp.MustCompile(`^([a-z][a-z0-9 ]*?) *: *([^ ]+) *([A-Za-z%]*)$`)
	color     = regexp.MustCompile("\x1b\\[[0-9;]*m")
)

// aimrtLog reads the reports in a log. A report ends with its last latency;
// one that ends before is cut.
func aimrtLog(src []byte) (*aimrtData, error) {
	a := &aimrtData{columns: []string{"plan"}, units: map[string]string{}}
	var open map[string]cell // the report that is being read
	var begin place
	units := map[string]string{}
	for i, line := range bytes.Split(src, []byte("\n")) {
		l := strings.TrimRight(color.ReplaceAllString(string(line), ""), " \t\r")
		if m := reportLine.FindStringSubmatchIndex(l); m != nil {
			if open != nil {
				return nil, cut(begin)
			}
			begin = place{i + 1, m[0] + 1}
			if len(a.rows) == MaxRows || len(a.rows)*len(a.columns) > MaxCells {
				return nil, errorAt(begin, "the file has more than %d reports", MaxRows)
			}
			open = map[string]cell{"plan": {l[m[2]:m[3]], place{i + 1, m[2] + 1}, true}}
			continue
		}
		if open == nil {
			continue // the log of something else
		}
		m := valueLine.FindStringSubmatchIndex(l)
		if m == nil {
			return nil, cut(begin)
		}
		name, unit := l[m[2]:m[3]], l[m[6]:m[7]]
		at := place{i + 1, m[4] + 1}
		column, err := a.columnOf(name, unit, units, at)
		if err != nil {
			return nil, err
		}
		if _, twice := open[column]; twice {
			return nil, errorAt(at, "the report that begins in line %d has %q twice", begin.line, name)
		}
		open[column] = cell{l[m[4]:m[5]], at, true}
		if column == "latency_p99_9" {
			a.add(open)
			open = nil
		}
	}
	if open != nil {
		return nil, cut(begin)
	}
	a.square()
	return a, nil
}

func cut(begin place) *Error {
	return errorAt(begin, "the report that begins here ends before its p999 latency; the log is cut or mixed with other lines")
}

// columnOf is column, for names that come again and again: a time must stay in
// the unit in which it was first.
func (a *aimrtData) columnOf(name, unit string, units map[string]string, at place) (string, error) {
	before := len(a.shares)
	column, err := a.column(name, unit, at)
	if err != nil {
		return "", err
	}
	if first, ok := units[column]; ok && first != a.units[column] {
		return "", errorAt(at, "%q is in %q here and was in %q before", name, unit, first)
	}
	units[column] = a.units[column]
	if slices.Contains(a.columns, column) {
		a.shares = a.shares[:before]
	} else {
		a.columns = append(a.columns, column)
	}
	return column, nil
}

func (a *aimrtData) add(report map[string]cell) {
	row := make([]cell, len(a.columns))
	for i, column := range a.columns {
		row[i] = report[column]
	}
	a.rows = append(a.rows, row)
}

// square gives early rows the columns that came later.
func (a *aimrtData) square() {
	for i, row := range a.rows {
		a.rows[i] = append(row, make([]cell, len(a.columns)-len(row))...)
	}
}
