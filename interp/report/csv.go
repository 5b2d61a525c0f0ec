package report

import (
	"encoding/csv"
	"io"
	"strconv"
)

// CSV writes every table as a block of records: a line that names the columns,
// then the rows. The first column is the table's name; the companion of a table,
// with the medians of all runs, follows it as a block "NAME, all runs". Numbers
// have full precision, in the unit of the table's expression (a percentage is a
// ratio). Where a column has intervals or verdicts, their ends, p and verdict
// have columns of their own. Blocks are separated by an empty line.
func CSV(w io.Writer, r *Report) error {
	var blocks [][][]string
	for _, t := range r.Tables {
		blocks = append(blocks, csvBlock(t, t.Name))
		if t.AllRuns != nil {
			blocks = append(blocks, csvBlock(t.AllRuns, t.Name+", all runs"))
		}
	}
	out := csv.NewWriter(w)
	for i, block := range blocks {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		if err := out.WriteAll(block); err != nil { // flushed by it
			return err
		}
	}
	return nil
}

// csvBlock is a table as records, the head first.
func csvBlock(t *Table, name string) [][]string {
	head := []string{"table"}
	details := make([]columnDetails, len(t.Columns))
	for j, c := range t.Columns {
		title := csvText(c.Title)
		head = append(head, title)
		details[j] = detailsOf(t, j)
		if details[j].interval {
			head = append(head, title+" low", title+" high")
		}
		if details[j].verdict {
			head = append(head, title+" p", title+" verdict")
		}
	}
	block := [][]string{head}
	for _, row := range t.Rows {
		record := []string{csvText(name)}
		for j, c := range row {
			record = append(record, c.csv()...)
			record = append(record, details[j].csv(c.Detail)...)
		}
		block = append(block, record)
	}
	return block
}

// columnDetails says which columns a column has beside its values.
type columnDetails struct{ interval, verdict bool }

func detailsOf(t *Table, j int) columnDetails {
	var has columnDetails
	for _, row := range t.Rows {
		if d := row[j].Detail; d != nil {
			has.interval = has.interval || d.Low != nil
			has.verdict = has.verdict || d.P != nil || d.Verdict != ""
		}
	}
	return has
}

func (has columnDetails) csv(d *Detail) []string {
	var out []string
	if d == nil {
		d = &Detail{}
	}
	if has.interval {
		out = append(out, number(d.Low), number(d.High))
	}
	if has.verdict {
		out = append(out, number(d.P), csvText(d.Verdict))
	}
	return out
}

func (c Cell) csv() []string {
	if c.Value != nil {
		return []string{number(c.Value)}
	}
	return []string{csvText(c.Text())}
}

func number(v *float64) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(*v, 'g', -1, 64)
}
