package report

import (
	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// draw draws a box with tablewriter, everything clever in it switched off:
// texts come in as they are to be shown. It must not format headers, wrap,
// trim, merge, or ask the locale how wide a character is.
func (t *textWriter) draw(b box) {
	if t.err != nil {
		return
	}
	alignments := make([]tw.Align, len(b.right))
	for j, right := range b.right {
		alignments[j] = tw.AlignLeft
		if right {
			alignments[j] = tw.AlignRight
		}
	}
	plain := func() tw.CellConfig {
		return tw.CellConfig{
			Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: tw.Off},
			Alignment:  tw.CellAlignment{PerColumn: alignments},
		}
	}
	table := tablewriter.NewTable(t.w,
		tablewriter.WithRenderer(&grouped{Blueprint: renderer.NewBlueprint(tw.Rendition{
			Symbols:  tw.NewSymbols(tw.StyleLight),
			Settings: tw.Settings{Separators: tw.Separators{BetweenRows: tw.On}},
		}), rules: b.rules}),
		tablewriter.WithConfig(tablewriter.Config{Header: plain(), Row: plain()}),
		tablewriter.WithTrimSpace(tw.Off),
		tablewriter.WithEastAsian(tw.Off),
	)
	head := make([]any, len(b.head))
	for j, h := range b.head {
		head[j] = h
	}
	table.Header(head...)
	if t.err = table.Bulk(b.rows); t.err == nil {
		t.err = table.Render()
	}
}

// grouped draws lines only between groups of rows; tablewriter knows only all
// lines or none.
type grouped struct {
	*renderer.Blueprint
	rules []bool
	row   int // the row that comes next
}

// Row counts rows, so that Line knows where it is.
func (g *grouped) Row(row []string, ctx tw.Formatting) {
	g.row++
	g.Blueprint.Row(row, ctx)
}

// Line leaves out the lines within a group.
func (g *grouped) Line(ctx tw.Formatting) {
	inside := g.row > 0 && g.row < len(g.rules)
	if inside && !g.rules[g.row] {
		return
	}
	g.Blueprint.Line(ctx)
}
