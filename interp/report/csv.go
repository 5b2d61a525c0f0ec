package report

import (
	"encoding/csv"
	"io"
	"strconv"
)

// CSV writes every table as a block of records: a line that names the columns,
// then the rows. The first column is the table's name. Numbers have full precision, in the
// unit of the table's expression (a percentage is a ratio). A comparison with
// an interval has columns of its own for its ends, p and verdict. Blocks are
// separated by an empty line.
func CSV(w io.Writer, r *Report) error {
	out := csv.NewWriter(w)
	for i, t := range r.Tables {
		if i > 0 {
			out.Flush()
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		details := make([]bool, len(t.Columns))
		for _, row := range t.Rows {
			for j, c := range row {
				details[j] = details[j] || c.Detail != nil
			}
		}
		head := []string{"table"}
		for j, c := range t.Columns {
			title := csvText(c.Title)
			head = append(head, title)
			if details[j] {
				head = append(head, title+" low", title+" high", title+" p", title+" verdict")
			}
		}
		if err := out.Write(head); err != nil {
			return err
		}
		for _, row := range t.Rows {
			record := []string{csvText(t.Name)}
			for j, c := range row {
				record = append(record, c.csv()...)
				if details[j] {
					record = append(record, c.Detail.csv()...)
				}
			}
			if err := out.Write(record); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

func (c Cell) csv() []string {
	if c.Value != nil {
		return []string{number(c.Value)}
	}
	return []string{csvText(c.Text())}
}

func (d *Detail) csv() []string {
	if d == nil {
		return []string{"", "", "", ""}
	}
	return []string{number(d.Low), number(d.High), number(d.P), d.Verdict}
}

func number(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}
