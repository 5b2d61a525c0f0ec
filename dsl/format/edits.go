package format

import (
	"bytes"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// edit replaces src[from:to].
type edit struct {
	from, to int
	text     string
}

type edits []edit

func (es *edits) add(from, to int, text string) { *es = append(*es, edit{from, to, text}) }

// apply returns src with the edits made. They may come in any order, and must
// not overlap.
func (es edits) apply(src []byte) []byte {
	slices.SortStableFunc(es, func(a, b edit) int { return a.from - b.from })
	var out []byte
	at := 0
	for _, e := range es {
		out = append(out, src[at:e.from]...)
		out = append(out, e.text...)
		at = e.to
	}
	return append(out, src[at:]...)
}

// blankLines leaves at most one blank line between lines, none at the start
// and end of a block, list or file, and ends the file with one newline. Lines
// inside heredocs are not touched: they are no newline tokens.
func blankLines(src []byte) edits {
	tokens, _ := hclsyntax.LexConfig(src, "", hcl.InitialPos)
	var es edits
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		switch {
		case t.Type == hclsyntax.TokenNewline:
			end := i
			for tokens[end].Type == hclsyntax.TokenNewline {
				end++ // ends at the latest at the token for the end of the file
			}
			es.lineEnds(tokens, i, end)
			i = end - 1
		case endsLine(t): // a comment
			kept := strings.TrimRight(string(t.Bytes), " \t\r\n")
			es.add(t.Range.Start.Byte+len(kept), t.Range.End.Byte, "\n")
		case t.Type == hclsyntax.TokenEOF && i > 0 && tokens[i-1].Type != hclsyntax.TokenNewline && !endsLine(tokens[i-1]):
			es.add(len(src), len(src), "\n")
		}
	}
	return es
}

// lineEnds thins out the newlines tokens[from:to], which are all newlines
// between two other tokens.
func (es *edits) lineEnds(tokens hclsyntax.Tokens, from, to int) {
	keep, start := 2, 0 // bytes
	if from == 0 {
		keep = 0
	} else {
		start = tokens[from-1].Range.End.Byte
		switch before := tokens[from-1]; {
		case opens(before.Type):
			keep = 1
		case endsLine(before):
			keep--
		}
	}
	if next := tokens[to].Type; closes(next) || next == hclsyntax.TokenEOF {
		keep = min(keep, 1)
		if from > 0 && endsLine(tokens[from-1]) {
			keep = 0
		}
	}
	keep = min(keep, to-from)
	es.add(start, tokens[to-1].Range.End.Byte, strings.Repeat("\n", keep))
}

// endsLine reports whether t is a comment that takes the end of its line with
// it, or that of the file.
func endsLine(t hclsyntax.Token) bool {
	return t.Type == hclsyntax.TokenComment && !bytes.HasPrefix(t.Bytes, []byte("/*"))
}

func opens(t hclsyntax.TokenType) bool {
	return t == hclsyntax.TokenOBrace || t == hclsyntax.TokenOBrack || t == hclsyntax.TokenOParen
}

func closes(t hclsyntax.TokenType) bool {
	return t == hclsyntax.TokenCBrace || t == hclsyntax.TokenCBrack || t == hclsyntax.TokenCParen
}
