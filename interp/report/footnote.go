package report

import (
	"strconv"
	"strings"
)

// footnotes collects what the cells of a table need explained. Equal texts are
// one footnote.
type footnotes struct {
	list  []*footnote
	whole []string
	// several says that a comparison has several runs a side.
	several bool
}

// singleRun is said where sides of a comparison have one run each.
const singleRun = "One run a side: there is no interval and no verdict."

type footnote struct {
	sign string // what stands in the cells: N/A, ?, or "" beside a number
	text string
	used []*Cell
}

// add explains a cell whose text is sign ("" for a value).
func (f *footnotes) add(c *Cell, sign, text string) {
	for _, n := range f.list {
		if n.sign == sign && n.text == text {
			n.used = append(n.used, c)
			return
		}
	}
	f.list = append(f.list, &footnote{sign, text, []*Cell{c}})
}

// table adds a remark on the whole table, once.
func (f *footnotes) table(text string) {
	for _, t := range f.whole {
		if t == text {
			return
		}
	}
	f.whole = append(f.whole, text)
}

// sentence ends a text with a full stop.
func sentence(s string) string {
	if s == "" || strings.HasSuffix(s, ".") {
		return s
	}
	return s + "."
}

// finish gives the cells their marks. A sign with one reason in the whole
// table needs none: the footnote names the sign.
func (f *footnotes) finish() []Footnote {
	f.join()
	reasons := map[string]int{}
	for _, n := range f.list {
		reasons[n.sign]++
	}
	var out []Footnote
	next := 1
	for _, n := range f.list {
		if n.sign != "" && reasons[n.sign] == 1 {
			out = append(out, Footnote{n.sign, sentence(n.text)})
			continue
		}
		mark := strconv.Itoa(next)
		next++
		for _, c := range n.used {
			c.Mark = mark
		}
		out = append(out, Footnote{mark, sentence(n.text)})
	}
	for _, t := range f.whole {
		if t == singleRun && f.several {
			t = "Where there is one run a side, there is no interval and no verdict."
		}
		out = append(out, Footnote{"", t})
	}
	return out
}

// join makes one footnote of many that say of one metric each that it was not
// recorded: the headings of the columns say which.
func (f *footnotes) join() {
	const (
		same = " was not recorded"
		many = 3
	)
	first, n := -1, 0
	for i, note := range f.list {
		if note.sign == "N/A" && strings.HasSuffix(note.text, same) {
			if n++; first < 0 {
				first = i
			}
		}
	}
	if n < many {
		return
	}
	joined := &footnote{sign: "N/A", text: "not recorded"}
	var list []*footnote
	for i, note := range f.list {
		if note.sign != "N/A" || !strings.HasSuffix(note.text, same) {
			list = append(list, note)
			continue
		}
		joined.used = append(joined.used, note.used...)
		if i == first {
			list = append(list, joined)
		}
	}
	f.list = list
}
