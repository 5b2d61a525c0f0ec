package diag

import (
	"bytes"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/mattn/go-runewidth"
)

// source is one file, prepared for showing parts of it.
type source struct {
	text   []byte
	lines  []int // byte offset of the start of each line
	blocks []block
}

// block is a block of the file as its tokens show it, so that it is also known
// in a file that does not parse.
type block struct {
	header     string // `test "rpc" "latency"`
	start, end int    // bytes
}

// library holds the files that diagnostics refer to, prepared at first use.
type library struct {
	files map[string][]byte
	ready map[string]*source
}

func newLibrary(files map[string][]byte) *library {
	return &library{files: files, ready: map[string]*source{}}
}

// source returns the file called name, or nil if it is not at hand.
func (l *library) source(name string) *source {
	if s, ok := l.ready[name]; ok {
		return s
	}
	text, ok := l.files[name]
	var s *source
	if ok {
		s = &source{text: text, lines: []int{0}}
		for i, b := range text {
			if b == '\n' {
				s.lines = append(s.lines, i+1)
			}
		}
		if !strings.HasSuffix(name, ".json") {
			s.blocks = findBlocks(text)
		}
	}
	l.ready[name] = s
	return s
}

// findBlocks returns the blocks of a file in native syntax, the outer before
// the inner.
func findBlocks(text []byte) []block {
	if len(text) > 1<<20 {
		return nil // refused by its size, and not worth the time
	}
	tokens, _ := hclsyntax.LexConfig(text, "", hcl.InitialPos)
	var blocks []block
	var open []int // index in blocks of what each open brace began, or -1
	start := 0     // first token of the line
	for i, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenNewline, hclsyntax.TokenComment:
			start = i + 1
		case hclsyntax.TokenOBrace, hclsyntax.TokenTemplateInterp, hclsyntax.TokenTemplateControl:
			open = append(open, -1)
			if header := header(tokens[start:i]); header != "" && t.Type == hclsyntax.TokenOBrace {
				open[len(open)-1] = len(blocks)
				blocks = append(blocks, block{header, tokens[start].Range.Start.Byte, len(text)})
			}
			start = i + 1
		case hclsyntax.TokenCBrace, hclsyntax.TokenTemplateSeqEnd:
			if len(open) == 0 {
				continue
			}
			if b := open[len(open)-1]; b >= 0 {
				blocks[b].end = t.Range.End.Byte
			}
			open = open[:len(open)-1]
		}
	}
	return blocks
}

// header returns the tokens before a brace as text if they are the type and
// labels of a block, else "".
func header(tokens hclsyntax.Tokens) string {
	if len(tokens) == 0 || tokens[0].Type != hclsyntax.TokenIdent {
		return ""
	}
	var b strings.Builder
	for i, t := range tokens {
		switch t.Type {
		case hclsyntax.TokenIdent, hclsyntax.TokenOQuote:
			if i > 0 {
				b.WriteByte(' ')
			}
		case hclsyntax.TokenQuotedLit, hclsyntax.TokenCQuote:
		default:
			return ""
		}
		b.Write(t.Bytes)
	}
	return b.String()
}

// enclosing returns the blocks around the byte at, outermost first:
// `test "rpc" "latency", sweep "by_size"`; "" at the top of the file.
func (s *source) enclosing(at int) string {
	var headers []string
	for _, b := range s.blocks {
		if b.start <= at && at < b.end {
			headers = append(headers, harmless(b.header))
		}
	}
	return strings.Join(headers, ", ")
}

// lineOf returns the number of the line that holds the byte at, from 0.
func (s *source) lineOf(at int) int {
	return sort.Search(len(s.lines), func(i int) bool { return s.lines[i] > at }) - 1
}

// line returns line i without its end, and the offset of its first byte.
func (s *source) line(i int) (text []byte, start int) {
	start, end := s.lines[i], len(s.text)
	if i+1 < len(s.lines) {
		end = s.lines[i+1]
	}
	return bytes.TrimRight(s.text[start:end], "\r\n"), start
}

// clamp returns the bytes of the range that lie in the file.
func (s *source) clamp(r hcl.Range) (from, to int) {
	from = min(max(r.Start.Byte, 0), len(s.text))
	return from, min(max(r.End.Byte, from), len(s.text))
}

// narrow measures text as terminals outside East Asia show it.
var narrow = &runewidth.Condition{EastAsianWidth: false, StrictEmojiNeutral: true}

// harmless replaces what would control a terminal, or reorder its text, by a
// visible sign, and what is not UTF-8 by U+FFFD. Line ends stay.
func harmless(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case r < ' ':
			return '␀' + r // the control pictures, in the same order
		case r == 0x7f:
			return '␡'
		case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Bidi_Control, r), r == '\u2028', r == '\u2029', r == utf8.RuneError:
			return utf8.RuneError
		}
		return r
	}, text)
}

const tabWidth = 4

// shown returns the text as it is printed at the given column (from 0): tabs
// expanded, harmless; and its width in columns.
func shown(text []byte, column int) (string, int) {
	var b strings.Builder
	width := 0
	rest := harmless(string(text))
	for len(rest) > 0 {
		part, tail, tab := strings.Cut(rest, "\t")
		b.WriteString(part)
		width += narrow.StringWidth(part)
		if tab {
			n := tabWidth - (column+width)%tabWidth
			b.WriteString(strings.Repeat(" ", n))
			width += n
		}
		rest = tail
	}
	return b.String(), width
}
