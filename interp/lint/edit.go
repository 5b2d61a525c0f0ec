package lint

import (
	"fmt"

	"github.com/hashicorp/hcl/v2"

	"versus/dsl"
)

// Insert adds edits that put text, an argument or a block, at the end of a
// block. Layout is left to the formatter. In JSON there is no such place.
func (f *Finding) Insert(b *dsl.Block, text string) *Finding {
	if b == nil || b.Body.Empty() {
		return f
	}
	open, shut := b.Body.Start, b.Body.End
	open.Byte, open.Column = open.Byte+1, open.Column+1
	shut.Byte, shut.Column = shut.Byte-1, shut.Column-1
	before := ""
	if open.Line == shut.Line { // { } and { a = 1 } have no lines of their own yet
		before = "\n"
	}
	if before != "" && len(b.Attrs)+len(b.Blocks) > 0 {
		f.Edit(hcl.Range{Filename: b.Body.Filename, Start: open, End: open}, "\n")
	}
	return f.Edit(hcl.Range{Filename: b.Body.Filename, Start: shut, End: shut}, before+text+"\n")
}

// Set adds edits that give an argument of a block a value, in HCL.
func (f *Finding) Set(b *dsl.Block, name, value string) *Finding {
	if b == nil {
		return f
	}
	if a := b.Attr(name); a != nil {
		return f.Edit(a.Expr.Range(), value)
	}
	return f.Insert(b, fmt.Sprintf("%s = %s", name, value))
}

// Remove adds an edit that takes an argument out of its block. What stands
// beside it stays, comments as well.
func (f *Finding) Remove(a *dsl.Argument) *Finding {
	return f.Edit(hcl.RangeBetween(a.Range, a.Expr.Range()), "")
}
