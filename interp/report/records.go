package report

import "strings"

// narrowest is the least width of text that is broken into lines: less is left
// for the terminal to break.
const narrowest = 10

// fits says whether every part of a table is as narrow as the terminal.
func (t *textWriter) fits(parts []box) bool {
	for _, b := range parts {
		total := 1
		for j, h := range b.head {
			size := width(h)
			for _, row := range b.rows {
				size = max(size, width(strip(row[j])))
			}
			total += size + 3
		}
		if total > t.o.Width {
			return false
		}
	}
	return true
}

// records writes a table that is too wide for the terminal as a list: the labels
// of each row, and below them a line for each value.
func (t *textWriter) records(table *Table) {
	for _, row := range table.Rows {
		var labels []string
		for j, c := range row {
			if text := c.Text(); table.Columns[j].Label && text != "" {
				labels = append(labels, text)
			}
		}
		t.wrap("", strings.Join(labels, ", "))
		for j, c := range row {
			text := strings.Join(strings.Fields(strings.Join(c.parts(), " ")), " ")
			if table.Columns[j].Label || text == "" {
				continue
			}
			title := "  " + clean(table.Columns[j].Title) + ": "
			longest := narrowest
			for _, word := range strings.Fields(text) {
				longest = max(longest, width(word))
			}
			if width(title)+longest > t.o.Width { // the value has lines of its own
				t.wrap("  ", clean(table.Columns[j].Title)+":")
				title = "    "
			}
			t.wrapped(title, colorOf(c.Kind), text)
		}
	}
}
