package lint

import (
	"regexp"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"versus/dsl"
)

// column is one thing that a table shows: a column block, or what stands in
// the places of a table with `columns`.
type column struct {
	table *dsl.Table
	expr  *dsl.Expr
	text  prose      // what names it: the heading, or the title of the table
	block *dsl.Block // the column block, or the table
	pivot bool
}

// prose is a piece of prose in a scenario.
type prose struct {
	words string
	at    hcl.Range // where to report
	// in are the words between the quotes; empty if they stand there in
	// another spelling, and can't be edited word by word.
	in hcl.Range
}

// shown is what a scenario shows, looked up once.
type shown struct {
	blocks  map[hcl.Range]*dsl.Block // by their headers
	columns map[*dsl.Table][]column
	texts   map[string][]prose // of a comparison, by its name
	shapes  map[string]shape   // of its formula
	placed  int                // cells that were placed in tables
}

func (p *Pass) shown() *shown {
	if p.known.shown != nil {
		return p.known.shown
	}
	s := &shown{blocks: map[hcl.Range]*dsl.Block{}, columns: map[*dsl.Table][]column{}, texts: map[string][]prose{}, shapes: map[string]shape{}}
	p.known.shown = s
	var index func(blocks []*dsl.Block)
	index = func(blocks []*dsl.Block) {
		for _, b := range blocks {
			s.blocks[b.Range] = b
			index(b.Blocks)
		}
	}
	index(p.Scenario.Written)
	for _, c := range p.Scenario.Comparisons {
		s.shapes[c.Name] = shapeOf(p.Scenario, c.Value)
		if b := s.blocks[c.Range]; b != nil {
			s.texts[c.Name] = append(s.texts[c.Name], p.labelOf(b))
			if b.Attr("title") != nil {
				s.texts[c.Name] = append(s.texts[c.Name], p.titleOf(b, c.Title))
			}
		}
	}
	for _, t := range p.Scenario.Tables {
		s.columns[t] = p.columnsOf(t, s.blocks)
		for _, col := range s.columns[t] {
			if name, ok := col.comparison(); ok {
				s.texts[name] = append(s.texts[name], col.text)
			}
		}
	}
	return s
}

// columns are the columns of a table, in order.
func (p *Pass) columns(t *dsl.Table) []column { return p.shown().columns[t] }

// shape is what is recognised of the formula of a comparison.
func (p *Pass) shape(comparison string) shape { return p.shown().shapes[comparison] }

// texts is the prose that names a comparison: its name, its title, and the
// headings under which tables print it.
func (p *Pass) texts(comparison string) []prose { return p.shown().texts[comparison] }

// block is the block with a header.
func (p *Pass) block(header hcl.Range) *dsl.Block { return p.shown().blocks[header] }

func (p *Pass) columnsOf(t *dsl.Table, blocks map[hcl.Range]*dsl.Block) []column {
	b := blocks[t.Range]
	if b == nil {
		return nil
	}
	if t.Cell != nil {
		return []column{{table: t, expr: t.Cell, text: p.titleOf(b, t.Title), block: b, pivot: true}}
	}
	var list []column
	for _, f := range t.Fields {
		if c := blocks[f.Range]; c != nil {
			list = append(list, column{table: t, expr: f.Value, text: p.labelOf(c), block: c})
		}
	}
	return list
}

// comparison is the comparison that the column prints and nothing else, at
// each cell or, by geomean, over several.
func (c column) comparison() (name string, ok bool) {
	e := c.expr
	if e.Over != nil {
		e = e.Over
	}
	return e.IsComparison()
}

// titleOf is the title of a block, or the name that stands for it.
func (p *Pass) titleOf(b *dsl.Block, title string) prose {
	a := b.Attr("title")
	if a == nil {
		return prose{words: title, at: b.Range}
	}
	return prose{words: title, at: a.Expr.Range(), in: p.inQuotes(a.Expr.Range(), title)}
}

// labelOf is the last label of a block.
func (p *Pass) labelOf(b *dsl.Block) prose {
	label := b.Labels[len(b.Labels)-1]
	t := prose{words: label, at: b.Range, in: p.inQuotes(b.Range, label)}
	if !t.in.Empty() {
		t.at = t.in
	}
	return t
}

// inQuotes finds words between quotes at the end of a range, spelled the same.
func (p *Pass) inQuotes(at hcl.Range, words string) hcl.Range {
	src := p.Scenario.Sources[at.Filename]
	if words == "" || at.End.Byte > len(src) || !strings.HasSuffix(at.Filename, ".hcl") {
		return hcl.Range{}
	}
	if !strings.HasSuffix(string(src[at.Start.Byte:at.End.Byte]), `"`+words+`"`) {
		return hcl.Range{}
	}
	end := at.End
	end.Byte, end.Column = end.Byte-1, end.Column-1
	start := end
	start.Byte, start.Column = end.Byte-len(words), end.Column-len([]rune(words))
	return hcl.Range{Filename: at.Filename, Start: start, End: end}
}

// part is the range of words[from:to]; empty if the text can't be edited.
func (t prose) part(from, to int) hcl.Range {
	if t.in.Empty() {
		return hcl.Range{}
	}
	move := func(n int) hcl.Pos {
		pos := t.in.Start
		pos.Byte += n
		pos.Column += len([]rune(t.words[:n]))
		return pos
	}
	return hcl.Range{Filename: t.in.Filename, Start: move(from), End: move(to)}
}

// find looks for words; names are read as words too: time_saved is "time saved".
func (t prose) find(words *regexp.Regexp) (from, to int, ok bool) {
	at := words.FindStringIndex(strings.ReplaceAll(t.words, "_", " "))
	if at == nil {
		return 0, 0, false
	}
	return at[0], at[1], true
}

func (t prose) has(words *regexp.Regexp) bool {
	_, _, ok := t.find(words)
	return ok
}

// tests are the tests called so; all, if there are no names.
func (p *Pass) tests(names []string) []*dsl.Test {
	if len(names) == 0 {
		return p.Scenario.Tests
	}
	return slices.DeleteFunc(slices.Clone(p.Scenario.Tests), func(t *dsl.Test) bool { return !slices.Contains(names, t.Name) })
}

// measures reports whether some of the tests called so is measured, and not replayed.
func (p *Pass) measures(names []string) bool {
	return slices.ContainsFunc(p.tests(names), func(t *dsl.Test) bool { return t.Pattern != "replay" })
}

// comparisonOf is the comparison called so, nil if there is none.
func (p *Pass) comparisonOf(name string) *dsl.Comparison {
	for _, c := range p.Scenario.Comparisons {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// formulas are the expressions over results: those of comparisons, tables and
// expectations. The same place comes once.
func (p *Pass) formulas() []*dsl.Expr {
	var list []*dsl.Expr
	add := func(es ...*dsl.Expr) {
		for _, e := range es {
			if e != nil {
				list = append(list, e)
			}
		}
	}
	for _, c := range p.Scenario.Comparisons {
		add(c.Value)
	}
	for _, t := range p.Scenario.Tables {
		add(t.Cell)
		for _, f := range t.Fields {
			add(f.Value)
		}
	}
	for _, e := range p.Scenario.Expectations {
		add(e.Condition)
	}
	return list
}
